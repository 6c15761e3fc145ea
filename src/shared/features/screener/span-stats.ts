/** An instrument's figures over a span, from its bars and gaps. Pure. */
import type { Bar } from '../../core/market/market.ts'
import { commonSpans, mergeSpans, spansMs, withoutSpans, type Span } from '../../base/spans.ts'
import type { SymbolReception } from './reception.ts'

/** The figures of one instrument up to `toMs`. Prices are in its own unit. */
export interface SpanStats {
  /** The price at the beginning of the span: the last close before it, or else the first open in it. */
  readonly from: number
  readonly high: number
  readonly low: number
  readonly close: number
  /** Null if the records carry no sizes. */
  readonly volume: number | null
  readonly turnover: number | null
  readonly updates: number
  /** The root of the sum of squared log returns, in percent; null for fewer than two returns. */
  readonly volatility: number | null
  /** The log return of each bar that follows another one without a pause, by its start, UTC ms. */
  readonly returns: ReadonlyMap<number, number>
  /**
   * Prices from the beginning of the span to its last close, for a sparkline; at most `TREND_POINTS`. Empty for a single
   * close, which is no trend.
   */
  readonly trend: readonly number[]
}

/** Points of a sparkline, which is about 70 px wide. */
const TREND_POINTS = 24

/** With fewer returns in common, a correlation means nothing. */
const LEAST_RETURNS = 10

/** The figures of the bars that start in [fromMs, toMs); null if there are none. Bars are oldest first. */
export function spanStats(bars: readonly Bar[], fromMs: number, toMs: number): SpanStats | null {
  const first = bars.findIndex(({ startMs }) => startMs >= fromMs && startMs < toMs)
  if (first < 0) return null
  let [high, low] = [-Infinity, Infinity]
  let volume: number | null = null
  let turnover: number | null = null
  let [updates, squares, close] = [0, 0, NaN]
  const returns = new Map<number, number>()
  /** The last close in each part of the span. */
  const closes = new Map<number, number>()
  for (let i = first; i < bars.length && bars[i].startMs < toMs; i++) {
    const bar = bars[i]
    high = Math.max(high, bar.high)
    low = Math.min(low, bar.low)
    close = bar.close
    closes.set(Math.floor(((bar.startMs - fromMs) / (toMs - fromMs)) * (TREND_POINTS - 1)), close)
    updates += bar.count
    if (bar.volume !== null) {
      volume = (volume ?? 0) + bar.volume
      turnover = (turnover ?? 0) + bar.volume * bar.close
    }
    const before = bars[i - 1]
    if (before?.endMs === bar.startMs && before.close > 0 && bar.close > 0) {
      const step = Math.log(bar.close / before.close)
      returns.set(bar.startMs, step)
      squares += step * step
    }
  }
  const from = first > 0 ? bars[first - 1].close : bars[first].open
  const trend = closes.size < 2 ? [] : [from, ...closes.values()]
  const volatility = returns.size < 2 ? null : 100 * Math.sqrt(squares)
  return { from, high, low, close, volume, turnover, updates, volatility, returns, trend }
}

/** Pearson's correlation of the returns that both have; null if they are fewer than ten or if one doesn't move. */
export function correlationOf(a: SpanStats['returns'], b: SpanStats['returns']): number | null {
  let [n, sumA, sumB, sumAA, sumBB, sumAB] = [0, 0, 0, 0, 0, 0]
  for (const [at, x] of a) {
    const y = b.get(at)
    if (y === undefined) continue
    n += 1
    sumA += x
    sumB += y
    sumAA += x * x
    sumBB += y * y
    sumAB += x * y
  }
  if (n < LEAST_RETURNS) return null
  const variances = (n * sumAA - sumA * sumA) * (n * sumBB - sumB * sumB)
  return variances <= 0 ? null : Math.min(1, Math.max(-1, (n * sumAB - sumA * sumB) / Math.sqrt(variances)))
}

export interface SpanCoverage {
  readonly gaps: number
  /** Trading time that wasn't received, ms. */
  readonly missingMs: number
  /** 0 to 1; null if the market was closed for the whole span. */
  readonly covered: number | null
}

/**
 * How much of the trading time was received: what was subscribed, minus gaps. `trading`: when the market was open in
 * the span.
 */
export function coverageOf(trading: readonly Span[], { subscribed, gaps }: SymbolReception): SpanCoverage {
  const open = mergeSpans(trading)
  const wholeMs = spansMs(open)
  const receivedMs = spansMs(withoutSpans(commonSpans(open, subscribed), gaps))
  return {
    gaps: commonSpans(gaps, open).length,
    missingMs: wholeMs - receivedMs,
    covered: wholeMs === 0 ? null : receivedMs / wholeMs,
  }
}
