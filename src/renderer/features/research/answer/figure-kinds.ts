/** How figures of a company are written: shares and rates with four decimals, other ratios with two. Pure. */
import type { NumberText } from '../../../text/format.ts'

export type FigureKind = 'rate' | 'ratio'

/** Endpoints whose figures are ratios and amounts of a company; of others every digit is shown. */
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
/** Keys of shares and rates. The service names no unit: they may be fractions or percents, so none is claimed. */
const RATE = /(^|_)(margin|yield|tax_rate|payout_ratio|upside|wacc|growth|cagr|return_on_[a-z_]+|roe|roa|roic|roce)$/i

const lastKey = (path: string): string => path.slice(path.lastIndexOf('.') + 1).replace(/([a-z])([A-Z])/g, '$1_$2')

/** The kind of a figure of an answer, by its key; null where it is written as it came. */
export function figureKind(endpoint: string, path: string): FigureKind | null {
  if (!COMPANY_FIGURES.has(endpoint)) return null
  return RATE.test(lastKey(path)) ? 'rate' : 'ratio'
}

/** A figure of a kind for the eye; its exact digits stand in the hover text, copies and files. */
export function figureText(kind: FigureKind, n: number, numbers: NumberText): string {
  if (Number.isInteger(n)) return numbers.whole(n)
  // Below a hundredth two decimals would say nothing.
  if (Math.abs(n) < 0.01) return numbers.plain(Number(n.toPrecision(2)))
  return numbers.fixed(n, kind === 'rate' ? 4 : 2)
}
