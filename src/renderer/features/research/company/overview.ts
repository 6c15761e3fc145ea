/** The figures of a company's overview, found in responses of any shape by their names. Pure. */
import { literalDecimals } from '../../../../shared/base/decimals.ts'
import { t } from '../../../../shared/base/text.ts'
import type { Reading } from '../../../../shared/features/research/read.ts'
import type { Report } from '../../../../shared/features/research/reports.ts'
import { hasPercentSign, numberOf } from '../../../../shared/features/research/types.ts'
import {
  entriesOf,
  isList,
  isObject,
  isScalar,
  scalarText,
  type Scalar,
  type Value,
} from '../../../../shared/features/research/value.ts'
import type { NumberText } from '../../../text/format.ts'
import { exactText } from '../response/cells.ts'
import { figureKinds, figureText, type FigureKind } from '../response/figure-kinds.ts'
import { lineKey } from './statements/statements.ts'

/** A response of one endpoint; `reading` is empty if there is none. */
export interface Source {
  readonly endpoint: string
  readonly reading: Reading
}

export interface OverviewFigure {
  readonly title: string
  /** Formatted by kind; null if no response has it. */
  readonly text: string | null
  /** As sent, and which endpoint sent it. */
  readonly hint: string
  /** NaN if no response has it. */
  readonly value: number
  readonly kind: FigureKind | null
}

const DEEPEST = 5

/** The first scalar of each key in snake_case. Of lists, only the first record counts, which is the newest. */
export function scalarsOf(value: Value | undefined): ReadonlyMap<string, Scalar> {
  const found = new Map<string, Scalar>()
  const visit = (one: Value, depth: number): void => {
    if (depth > DEEPEST) return
    if (isList(one)) {
      const [first] = one
      if (isObject(first)) visit(first, depth + 1)
      return
    }
    if (!isObject(one)) return
    const entries = entriesOf(one)
    for (const [key, own] of entries) {
      const name = lineKey(key).replace(/_?ttm$/, '')
      if (isScalar(own) && own !== null && own !== '' && !found.has(name)) found.set(name, own)
    }
    for (const [, own] of entries) if (!isScalar(own)) visit(own, depth + 1)
  }
  if (value !== undefined) visit(value, 0)
  return found
}

/** The ratios that describe a company at a glance, with the names that services give them. */
const RATIOS: readonly (readonly [title: string, keys: readonly string[]])[] = [
  [t('P/E'), ['pe_ratio', 'pe', 'price_to_earnings_ratio', 'price_to_earnings', 'price_earnings_ratio']],
  [t('EV/EBITDA'), ['ev_to_ebitda', 'enterprise_value_multiple', 'enterprise_value_to_ebitda']],
  [t('Price/sales'), ['price_to_sales', 'price_to_sales_ratio', 'ps_ratio']],
  [t('Price/book'), ['price_to_book', 'price_to_book_ratio', 'pb_ratio']],
  [t('Gross margin'), ['gross_profit_margin', 'gross_margin']],
  [t('Operating margin'), ['operating_profit_margin', 'operating_margin']],
  [t('Net margin'), ['net_profit_margin', 'net_margin']],
  [t('Return on equity'), ['return_on_equity', 'roe']],
  [t('Debt/equity'), ['debt_to_equity', 'debt_to_equity_ratio', 'debt_equity_ratio']],
  [t('Current ratio'), ['current_ratio']],
  [t('Dividend yield'), ['dividend_yield']],
]

/** The figures of a table of peers: multiples, net margin, return on equity, debt. */
export const PEER_RATIOS = [0, 1, 2, 3, 6, 7, 8].map((i) => RATIOS[i])

/** Figures by title, each from the first source that has it. */
export function figuresOf(
  wanted: readonly (readonly [title: string, keys: readonly string[]])[],
  sources: readonly Source[],
  numbers: NumberText,
): readonly OverviewFigure[] {
  const read = sources.map((source) => ({
    endpoint: source.endpoint,
    scalars: scalarsOf(source.reading.value),
    kinds: figureKinds(source.endpoint, source.reading),
  }))
  return wanted.map(([title, keys]) => {
    for (const { endpoint, scalars, kinds } of read) {
      const key = keys.find((one) => !Number.isNaN(numberOf(scalars.get(one) ?? null)))
      if (key === undefined) continue
      const value = scalars.get(key) ?? null
      const kind = hasPercentSign(value) ? 'points' : kinds(key)
      const text = kind === null ? exactText(value, numbers) : figureText(kind, numberOf(value), numbers)
      const hint = t('{value} as sent by {endpoint}', { value: scalarText(value), endpoint })
      return { title, text, hint, value: numberOf(value), kind }
    }
    return { title, text: null, hint: t('No response has this figure.'), value: NaN, kind: null }
  })
}
export const ratiosOf = (sources: readonly Source[], numbers: NumberText): readonly OverviewFigure[] =>
  figuresOf(RATIOS, sources, numbers)

/** The number of the first key that has one; NaN if none. */
export function numberIn(scalars: ReadonlyMap<string, Scalar>, keys: readonly string[]): number {
  for (const key of keys) {
    const n = numberOf(scalars.get(key) ?? null)
    if (Number.isFinite(n)) return n
  }
  return NaN
}
/** The text of the first key that has one; '' if none. */
export function textIn(scalars: ReadonlyMap<string, Scalar>, keys: readonly string[]): string {
  const key = keys.find((one) => scalars.has(one))
  return key === undefined ? '' : scalarText(scalars.get(key) ?? null)
}

/** A range of prices as sent, "164.08-260.1", with the same decimals on both sides; any other text as it is. */
export function rangeText(text: string, numbers: NumberText): string {
  const [, low, high] = /^(\d+(?:\.\d+)?)\s*[-–]\s*(\d+(?:\.\d+)?)$/.exec(text.trim()) ?? []
  if (low === undefined || high === undefined) return text
  const decimals = Math.max(2, literalDecimals(low), literalDecimals(high))
  return `${numbers.fixed(Number(low), decimals)}–${numbers.fixed(Number(high), decimals)}`
}

/** The first report on or after the day of `nowMs` (UTC ms); null if none is known. */
export function nextReport(reports: readonly Report[], nowMs: number): Report | null {
  const today = new Date(nowMs).toISOString().slice(0, 10)
  return reports.find((one) => one.day >= today && Number.isNaN(one.actual)) ?? null
}

/** Days from the day of `nowMs` to a day, UTC. */
export const daysUntil = (day: string, nowMs: number): number =>
  Math.round((Date.parse(`${day}T00:00:00Z`) - Math.floor(nowMs / 86_400_000) * 86_400_000) / 86_400_000)
