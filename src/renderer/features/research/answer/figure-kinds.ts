/** Number formats of company figures: rates with four decimals, other ratios with two. Pure. */
import type { NumberText } from '../../../text/format.ts'

export type FigureKind = 'rate' | 'ratio'

/** Endpoints whose figures are company ratios and amounts. All other endpoints show every digit. */
const COMPANY_FIGURES: ReadonlySet<string> = new Set([
  'ratios',
  'ratios-ttm',
  'efficiency-ratios',
  'metrics',
  'kpis',
  'quality-score',
  'growth',
  'growth-trends',
  'cagr',
  'dcf',
  'enterprise-value',
  'multiples',
])
/** Keys of rates. The service doesn't say whether they are fractions or percents, so no unit is shown. */
const RATE = /(^|_)(margin|yield|tax_rate|payout_ratio|upside|wacc|growth|cagr|return_on_[a-z_]+|roe|roa|roic|roce)$/i

const lastKey = (path: string): string => path.slice(path.lastIndexOf('.') + 1).replace(/([a-z])([A-Z])/g, '$1_$2')

/** The kind of a figure, from its endpoint and path; null if it is shown as received. */
export function figureKind(endpoint: string, path: string): FigureKind | null {
  if (!COMPANY_FIGURES.has(endpoint)) return null
  return RATE.test(lastKey(path)) ? 'rate' : 'ratio'
}

/** A rounded figure for display. Hover text, copies and files have the exact digits. */
export function figureText(kind: FigureKind, n: number, numbers: NumberText): string {
  if (Number.isInteger(n)) return numbers.whole(n)
  // Below 0.01, two decimals would show 0.00.
  if (Math.abs(n) < 0.01) return numbers.plain(Number(n.toPrecision(2)))
  return numbers.fixed(n, kind === 'rate' ? 4 : 2)
}
