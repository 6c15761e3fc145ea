/** The figures that a screen can show and filter by: one table for the computation, the window and the files. */

/** How a value is written. */
export type MetricKind =
  /** A price of the instrument, with its decimals. */
  | 'price'
  | 'change'
  | 'percent'
  | 'signed percent'
  /** Hundredths of a percent. */
  | 'bps'
  | 'count'
  /** A large amount, shortened. */
  | 'amount'
  | 'ratio'
  /** −1 to 1. */
  | 'correlation'
  /** ms. */
  | 'time'

interface MetricRow {
  readonly kind: MetricKind
  /** Where its value comes from: the view's current prices, the bars of the span, gaps, or responses of research. */
  readonly from: 'now' | 'bars' | 'gaps' | 'research'
}

const metric = <F extends MetricRow['from']>(kind: MetricKind, from: F) => ({ kind, from })

export const METRICS = {
  price: metric('price', 'now'),
  change: metric('change', 'bars'),
  changePercent: metric('signed percent', 'bars'),
  high: metric('price', 'bars'),
  low: metric('price', 'bars'),
  /** High less low, in percent of the low. */
  range: metric('percent', 'bars'),
  /** Where the price is in that range: 0 at the low, 100 at the high. */
  place: metric('percent', 'bars'),
  volume: metric('amount', 'bars'),
  /** Volume times close, summed over the bars. */
  turnover: metric('amount', 'bars'),
  /** Trades, or quotes where there are no trades. */
  updates: metric('count', 'bars'),
  /** Realized over the span: the root of the sum of the squared log returns of its bars, in percent. */
  volatility: metric('percent', 'bars'),
  /** Of the log returns of its bars with those of the reference, where both have them. */
  correlation: metric('correlation', 'bars'),
  /** Ask less bid, in basis points of the mid. */
  spread: metric('bps', 'now'),
  gaps: metric('count', 'gaps'),
  /** Time of the span that wasn't received, ms. */
  missing: metric('time', 'gaps'),
  /** The share of the span's trading time that was received. */
  coverage: metric('percent', 'gaps'),
  /** Since the last message, ms. */
  age: metric('time', 'now'),
  marketCap: metric('amount', 'research'),
  priceToEarnings: metric('ratio', 'research'),
  priceToBook: metric('ratio', 'research'),
  earningsPerShare: metric('ratio', 'research'),
  dividendYield: metric('percent', 'research'),
  netMargin: metric('percent', 'research'),
  returnOnEquity: metric('percent', 'research'),
  debtToEquity: metric('ratio', 'research'),
} as const satisfies Readonly<Record<string, MetricRow>>

export type MetricId = keyof typeof METRICS
export const METRIC_IDS = Object.keys(METRICS) as readonly MetricId[] // keys of a literal object
export type FundamentalId = { [K in MetricId]: (typeof METRICS)[K]['from'] extends 'research' ? K : never }[MetricId]

/** An instrument's values. Absent and null: unknown. */
export type MetricValues = Readonly<Partial<Record<MetricId, number | null>>>
