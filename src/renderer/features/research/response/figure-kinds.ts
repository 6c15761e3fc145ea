/**
 * What kind of figure a value is, by its endpoint and key, and how each kind is written: margins as percentages, prices
 * over earnings as multiples, cycles in days. Hover texts, copies and files keep the exact digits. Pure.
 */
import { t } from '../../../../shared/base/text.ts'
import type { Reading } from '../../../../shared/features/research/read.ts'
import { hasPercentSign, numberOf } from '../../../../shared/features/research/types.ts'
import type { Scalar } from '../../../../shared/features/research/value.ts'
import { toneOf, type NumberText } from '../../../text/format.ts'

/**
 * `fraction`: a rate sent as a fraction, written as a percentage. `points`: a rate sent in percent. `growth` and
 * `growth-points`: the same of a change, with its sign. `multiple`: times something else. `days`: a length of time.
 * `share`: an amount per share. `ratio`: any other number.
 */
export type FigureKind = 'fraction' | 'points' | 'growth' | 'growth-points' | 'multiple' | 'days' | 'share' | 'ratio'

/** Endpoints whose figures are company ratios and amounts, told apart by name. */
const COMPANY_FIGURES: ReadonlySet<string> = new Set([
  'ratios',
  'ratios-ttm',
  'efficiency-ratios',
  'metrics',
  'kpis',
  'growth',
  'growth-trends',
  'cagr',
  'dcf',
  'enterprise-value',
  'multiples',
])

/**
 * Endpoints whose figures are points of a scale, whatever they are named: the component `growth` of a score is no growth
 * rate. All other endpoints show every digit.
 */
const SCORES: ReadonlySet<string> = new Set(['quality-score'])

/** Endpoints that show every digit, but for percentages. */
const PERCENTAGES: ReadonlySet<string> = new Set(['earnings-history', 'earnings-surprises', 'profile'])
const PERCENTAGE = /(^|_)(percent(age)?|pct)$/

/** A kind by name. Whether a `rate` or `change` is in percent depends on the response. */
type NamedKind = Exclude<FigureKind, `growth${string}`> | 'rate' | 'change'

/** The first pattern that matches a key decides its kind. Keys are in snake_case, without a trailing `_ttm`. */
const KINDS: readonly (readonly [RegExp, NamedKind])[] = [
  [PERCENTAGE, 'points'],
  [/(^|_)(scores?|rank(ing)?|ratings?|grade|percentile|points)$/, 'ratio'],
  [/^(days_|average_days)|_days$|_days_|(^|_)(operating|conversion)_cycle$/, 'days'],
  [
    /^(forward_)?price_(to|earnings)_|^ev_to_|^enterprise_value_(to|over|multiple)|^p[ebs]_?(ratio)?$|^peg(_ratio)?$/,
    'multiple',
  ],
  [/(^|_)(multiple|turnover(_ratio)?|coverage(_ratio)?|leverage(_ratio)?)$|^net_debt_to_/, 'multiple'],
  [
    /_per_share$|^eps(_(basic|diluted|actual|estimated?|reported))?$|^(dividend|stock_price|price|fair_value|graham_number|graham_net_net)$/,
    'share',
  ],
  [
    /(^|_)(margin|yield|tax_rate|discount_rate|payout_ratio|upside|wacc|cagr|roe|roa|roic|roce)$|(^|_)return_on_[a-z_]+$|_to_revenue$/,
    'rate',
  ],
  [/growth(_[a-z]+|_per_share)?$|^growth_/, 'change'],
]

const keyOf = (path: string): string =>
  path
    .slice(path.lastIndexOf('.') + 1)
    .replace(/TTM$/, '')
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/_ttm$/, '')

function kindOf(endpoint: string, path: string): NamedKind | null {
  const key = keyOf(path)
  if (PERCENTAGES.has(endpoint)) return PERCENTAGE.test(key) ? 'points' : null
  if (SCORES.has(endpoint)) return 'ratio'
  if (!COMPANY_FIGURES.has(endpoint)) return null
  // Growth per share is a rate, not an amount.
  if (/growth_per_share$/.test(key) || endpoint === 'cagr') return 'change'
  const kind = KINDS.find(([pattern]) => pattern.test(key))?.[1] ?? 'ratio'
  // The growth of a valuation is assumed: it is no change of anything.
  return kind === 'change' && endpoint === 'dcf' ? 'rate' : kind
}

const unitless = (value: Scalar): number => (hasPercentSign(value) ? NaN : numberOf(value))

/** The numbers of a response without a unit of their own, with their paths, at most 500 rows of each table. */
function* numbersOf({ tables, facts }: Reading): Generator<readonly [path: string, value: number]> {
  for (const { entries } of facts) for (const { key, value } of entries) yield [key, unitless(value)]
  for (const table of tables) {
    for (const [i, { key }] of table.columns.entries()) {
      for (let row = 0; row < Math.min(table.rows, 500); row++) yield [key, unitless(table.cell(row, i))]
    }
  }
}

/**
 * Whether the rates of a response are in percent instead of fractions. The service doesn't say, and its documented
 * statements use fractions. A margin above 1.5 can't be a fraction; without margins the median of
 * the others decides.
 */
function ratesArePoints(endpoint: string, reading: Reading): boolean {
  const margins: number[] = []
  const others: number[] = []
  for (const [path, value] of numbersOf(reading)) {
    const kind = kindOf(endpoint, path)
    if (!Number.isFinite(value) || value === 0 || (kind !== 'rate' && kind !== 'change')) continue
    if (/(^|_)margin$/.test(keyOf(path))) margins.push(value)
    else others.push(Math.abs(value))
  }
  if (margins.length > 0) return Math.max(...margins) > 1.5
  others.sort((a, b) => a - b)
  return (others[others.length >> 1] ?? 0) > 2
}

/** The kind of every figure of a response by its path; null for what is shown as received. */
export function figureKinds(endpoint: string, reading: Reading): (path: string) => FigureKind | null {
  const arePoints = COMPANY_FIGURES.has(endpoint) && ratesArePoints(endpoint, reading)
  return (path) => {
    const kind = kindOf(endpoint, path)
    if (kind === 'rate') return arePoints ? 'points' : 'fraction'
    if (kind === 'change') return arePoints ? 'growth-points' : 'growth'
    return kind
  }
}

/** A rounded figure for display. */
export function figureText(kind: FigureKind, n: number, numbers: NumberText): string {
  switch (kind) {
    case 'fraction':
      return percentText(n * 100, numbers)
    case 'points':
      return percentText(n, numbers)
    case 'growth':
      return signedPercentText(n * 100, numbers)
    case 'growth-points':
      return signedPercentText(n, numbers)
    case 'multiple':
      return Math.abs(n) >= 1_000 ? `${numbers.whole(n)}×` : `${numbers.fixed(n, 2)}×`
    case 'days':
      return t('{n} days', { n: numbers.fixed(n, 1) })
    case 'share':
      return numbers.fixed(n, 2)
    case 'ratio':
      if (Math.abs(n) >= 1e6) return numbers.short(n)
      if (Number.isInteger(n)) return numbers.whole(n)
      // Below 0.01, two decimals would show 0.00.
      return Math.abs(n) < 0.01 ? numbers.plain(Number(n.toPrecision(2))) : numbers.fixed(n, 2)
  }
}

/** The direction of a change as displayed; '' for any other figure. */
export function figureTone(kind: FigureKind | null, n: number): '' | 'up' | 'down' {
  if (kind === 'growth') return toneOf(n * 100, 2)
  return kind === 'growth-points' ? toneOf(n, 2) : ''
}

/** Like `percentText`, with a plus sign above zero. */
export const signedPercentText = (percent: number, numbers: NumberText): string =>
  `${percent > 0 ? '+' : ''}${percentText(percent, numbers)}`

/** Percent with two decimals, or more if they would show 0.00. */
export function percentText(percent: number, numbers: NumberText): string {
  if (!Number.isFinite(percent)) return numbers.fixed(NaN, 2)
  const small = percent !== 0 && Math.abs(percent) < 0.01
  return `${small ? numbers.plain(Number(percent.toPrecision(1))) : numbers.fixed(percent, 2)} %`
}
