/** How figures of a company are written: fractions as percents, other ratios with two decimals. Pure. */
import type { Reading } from '../../../shared/adaptive/read.ts'
import { numberOf } from '../../../shared/adaptive/types.ts'
import type { Scalar } from '../../../shared/adaptive/value.ts'
import type { NumberText } from '../../ui/format.ts'

export type FigureKind = 'fraction' | 'ratio'

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
/** Shares of a whole: sent as fractions they hardly ever exceed one. */
const SHARE = /(^|_)(margin|yield|tax_rate|payout_ratio|upside|wacc)$/i
/** Rates that may exceed one even as fractions. */
const RATE = /(^|_)(growth|cagr|return_on_[a-z_]+|roe|roa|roic|roce)$/i
/** Largest fraction. A rate of 8.5 is a fraction only if shares beside it show that the answer sends fractions. */
const MOST = { share: 1.5, rate: 1.5, rateBesideShares: 10 } as const

const lastKey = (path: string): string => path.slice(path.lastIndexOf('.') + 1).replace(/([a-z])([A-Z])/g, '$1_$2')

/**
 * The kind of each figure of an answer, by its key; null where it is written as it came. The service names no units: keys
 * that stand for fractions count as such only if every one of them in the answer is as small as a fraction is.
 */
export function figureKinds(endpoint: string, { tables, facts }: Reading): (key: string) => FigureKind | null {
  if (!COMPANY_FIGURES.has(endpoint)) return () => null
  const named: [string, Scalar][] = [
    ...facts.flatMap(({ entries }) => entries.map(({ key, value }): [string, Scalar] => [key, value])),
    ...tables.flatMap((table) =>
      table.columns.flatMap(({ key }, column) =>
        Array.from({ length: Math.min(table.rows, 200) }, (_, row): [string, Scalar] => [key, table.cell(row, column)]),
      ),
    ),
  ]
  const hasShares = named.some(([path, value]) => SHARE.test(lastKey(path)) && Math.abs(numberOf(value)) > 0)
  const mostRate = hasShares ? MOST.rateBesideShares : MOST.rate
  const areFractions = named.every(([path, value]) => {
    const key = lastKey(path)
    const most = SHARE.test(key) ? MOST.share : RATE.test(key) ? mostRate : Infinity
    const n = numberOf(value)
    return Number.isNaN(n) || Math.abs(n) <= most
  })
  return (path) => {
    const key = lastKey(path)
    return areFractions && (SHARE.test(key) || RATE.test(key)) ? 'fraction' : 'ratio'
  }
}

/** A figure of a kind for the eye; its exact digits stand in the hover text, copies and files. */
export function figureText(kind: FigureKind, n: number, numbers: NumberText): string {
  if (kind === 'fraction') return `${numbers.fixed(n * 100, 2)} %`
  if (Number.isInteger(n)) return numbers.whole(n)
  // Below a hundredth two decimals would say nothing.
  return Math.abs(n) >= 0.01 ? numbers.fixed(n, 2) : numbers.plain(Number(n.toPrecision(2)))
}
