/** The lines of a statement grid: amounts in one unit, margins and growth computed from them. Pure. */
import { t } from '../../../../../shared/base/text.ts'
import { titleOf } from '../../../../../shared/features/research/titles.ts'
import { numberOf } from '../../../../../shared/features/research/types.ts'
import { scalarText, type Scalar } from '../../../../../shared/features/research/value.ts'
import { DASH, toneOf, type NumberText } from '../../../../text/format.ts'
import { exactText } from '../../response/cells.ts'
import { percentText, signedPercentText } from '../../response/figure-kinds.ts'
import { figureOf, growthOf, shareOf, type GridColumn, type Statement } from './statements.ts'

export type LineKind = 'amount' | 'share' | 'shares' | 'percent' | 'growth'

export interface LineCell {
  readonly text: string
  /** What is behind the text: every digit as sent, or the computation; why it is missing otherwise. */
  readonly hint: string
  /** The exact value for files; null if missing. */
  readonly exact: Scalar
  readonly tone: '' | 'up' | 'down'
}
export interface GridLine {
  readonly key: string
  readonly title: string
  readonly kind: LineKind
  /** As many as columns. */
  readonly cells: readonly LineCell[]
  /** Oldest first; NaN if missing. */
  readonly values: readonly number[]
}
export interface GridSection {
  readonly title: string
  readonly lines: readonly GridLine[]
}

/** The unit of all amounts of a grid. */
export interface AmountUnit {
  readonly by: number
  /** "in millions of USD", for the header; '' if neither unit nor currency is known. */
  readonly text: string
}

const TITLES: Readonly<Record<string, string>> = {
  eps: t('Earnings per share, basic'),
  eps_basic: t('Earnings per share, basic'),
  eps_diluted: t('Earnings per share, diluted'),
  shares_outstanding_basic: t('Shares outstanding, basic'),
  shares_outstanding_diluted: t('Shares outstanding, diluted'),
  weighted_average_shs_out: t('Shares outstanding, basic'),
  weighted_average_shs_out_dil: t('Shares outstanding, diluted'),
}
const MARGINS = [
  ['gross_profit', t('Gross margin')],
  ['operating_income', t('Operating margin')],
  ['net_income', t('Net margin')],
] as const
/** Lines whose growth is worth a row, in any of the three statements, and the key of the growth that the service sends. */
const GROWING: readonly (readonly [key: string, title: string, sent?: string])[] = [
  ['revenue', t('Revenue'), 'revenue_growth_yoy'],
  ['gross_profit', t('Gross profit')],
  ['operating_income', t('Operating income')],
  ['net_income', t('Net income'), 'net_income_growth_yoy'],
  ['eps_diluted', t('Earnings per share, diluted'), 'eps_growth_yoy'],
  ['operating_cash_flow', t('Operating cash flow')],
  ['free_cash_flow', t('Free cash flow')],
  ['total_assets', t('Total assets')],
  ['total_debt', t('Total debt')],
  ['total_equity', t('Total equity')],
]
/** Rates that the service sends beside the amounts. Margins and growth are computed instead. */
const SENT_RATE = /(^|_)(margin|growth|yoy|qoq)$|_growth_/

function kindOf(key: string): LineKind {
  if (SENT_RATE.test(key) || /(ratio|rate|yield)$/.test(key)) return 'percent'
  if (/^eps(_|$)|_per_share$/.test(key)) return 'share'
  return /shares|_shs_/.test(key) ? 'shares' : 'amount'
}

/** The largest unit in which the largest amount has at least four digits: thousands, millions, or none. */
export function amountUnit(statements: readonly Statement[], currency: string): AmountUnit {
  let most = 0
  for (const { figures } of statements) {
    for (const [key, value] of figures) {
      const n = Math.abs(numberOf(value))
      if (kindOf(key) === 'amount' && Number.isFinite(n)) most = Math.max(most, n)
    }
  }
  const by = most >= 1e9 ? 1e6 : most >= 1e7 ? 1e3 : 1
  const unit = by === 1e6 ? t('millions') : by === 1e3 ? t('thousands') : ''
  if (unit === '') return { by, text: currency }
  return { by, text: currency === '' ? t('in {unit}', { unit }) : t('in {unit} of {currency}', { unit, currency }) }
}

/** Every line that has a value in one of the columns, grouped as amounts, margins and growth. */
export function gridSections(
  columns: readonly GridColumn[],
  known: readonly Statement[],
  unit: AmountUnit,
  numbers: NumberText,
): readonly GridSection[] {
  const keys: string[] = []
  const seen = new Set<string>()
  for (const { statement } of columns) {
    for (const [key, value] of statement?.figures ?? []) {
      if (seen.has(key) || SENT_RATE.test(key) || value === null) continue
      seen.add(key)
      keys.push(key)
    }
  }
  const line = (
    key: string,
    title: string,
    kind: LineKind,
    cellOf: (statement: Statement) => LineCell,
    valueOf: (statement: Statement) => number,
  ): GridLine => ({
    key,
    title,
    kind,
    cells: columns.map(({ statement }) => (statement === null ? NOT_LOADED : cellOf(statement))),
    values: columns.toReversed().map(({ statement }) => (statement === null ? NaN : valueOf(statement))),
  })
  const amounts = keys.map((key) => {
    const kind = kindOf(key)
    return line(
      key,
      TITLES[key] ?? titleOf(key),
      kind,
      (one) => amountCell(one.figures.get(key) ?? null, kind, unit.by, numbers),
      (one) => figureOf(one, key),
    )
  })
  const margins = MARGINS.filter(([key]) => seen.has('revenue') && seen.has(key)).map(([key, title]) =>
    line(
      `${key} / revenue`,
      title,
      'percent',
      (one) => marginCell(one, key, numbers),
      (one) => shareOf(one, key, 'revenue'),
    ),
  )
  const growth = GROWING.filter(([key]) => seen.has(key)).map(([key, title, sent = '']) =>
    line(
      `${key} growth`,
      title,
      'growth',
      (one) => growthCell(one, known, key, sent, numbers),
      (one) => {
        const own = growthOf(one, known, key) ?? NaN
        return Number.isNaN(own) ? figureOf(one, sent) : own
      },
    ),
  )
  return [
    { title: '', lines: amounts },
    { title: t('Margins, share of revenue'), lines: margins },
    { title: t('Growth, year over year'), lines: growth },
  ].filter(({ lines }) => lines.length > 0)
}

const none = (hint: string): LineCell => ({ text: DASH, hint, exact: null, tone: '' })
const NOT_LOADED = none(t('This period isn’t loaded.'))

function amountCell(value: Scalar, kind: LineKind, by: number, numbers: NumberText): LineCell {
  const n = numberOf(value)
  if (value === null) return none(t('The service sent no value.'))
  const hint = exactText(value, numbers)
  // A value beyond a double's range is shown as sent.
  if (!Number.isFinite(n)) return { text: scalarText(value), hint, exact: value, tone: '' }
  const text =
    kind === 'share'
      ? numbers.fixed(n, 2)
      : kind === 'percent'
        ? numbers.plain(n)
        : by === 1
          ? numbers.plain(n)
          : numbers.fixed(n / by, Math.abs(n) > 0 && Math.abs(n / by) < 10 ? 1 : 0)
  return { text, hint, exact: value, tone: '' }
}

function marginCell(one: Statement, key: string, numbers: NumberText): LineCell {
  const share = shareOf(one, key, 'revenue')
  if (Number.isNaN(share)) return none(t('Needs revenue above zero and both values.'))
  const hint = t('{part} of {whole}', {
    part: exactText(one.figures.get(key) ?? null, numbers),
    whole: exactText(one.figures.get('revenue') ?? null, numbers),
  })
  return { text: percentText(share * 100, numbers), hint, exact: share, tone: '' }
}

function growthCell(
  one: Statement,
  known: readonly Statement[],
  key: string,
  sent: string,
  numbers: NumberText,
): LineCell {
  const growth = growthOf(one, known, key)
  if (growth === null) {
    return { ...none(t('Not meaningful: the value a year earlier isn’t above zero.')), text: t('n/m') }
  }
  if (!Number.isNaN(growth)) return growthText(growth, t('Computed from the same period a year earlier.'), numbers)
  const own = figureOf(one, sent)
  if (Number.isNaN(own)) return none(t('Needs this value and the one a year earlier.'))
  const raw = scalarText(one.figures.get(sent) ?? null)
  return growthText(own, t('As the service sent it ({raw}): the year before isn’t loaded.', { raw }), numbers)
}

function growthText(growth: number, hint: string, numbers: NumberText): LineCell {
  return { text: signedPercentText(growth * 100, numbers), hint, exact: growth, tone: toneOf(growth, 4) }
}

/** The grid as rows of exact values for a CSV file, one column per period. */
export function gridRows(sections: readonly GridSection[]): readonly (readonly Scalar[])[] {
  return sections.flatMap(({ lines }) => lines.map((line) => [line.key, ...line.cells.map(({ exact }) => exact)]))
}
