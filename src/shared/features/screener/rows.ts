/** The rows of a screen: values from what is known of each instrument, filtered and sorted. Pure. */
import type { AssetClass, InstrumentId, UnixMs } from '../../base/units.ts'
import { METRICS, type MetricId, type MetricValues } from './metrics.ts'
import type { Screen, ScreenFilter } from './screen.ts'
import { correlationOf, type SpanCoverage, type SpanStats } from './span-stats.ts'

/** What is known of an instrument at the view's clock. */
export interface InstrumentFacts {
  readonly instrument: InstrumentId
  readonly symbol: string
  readonly asset: AssetClass
  readonly decimals: number
  /** Null: no price was received since the start, so the last close of the bars counts. */
  readonly last: number | null
  readonly bid: number | null
  readonly ask: number | null
  readonly lastRecvMs: number | null
  /** Null: no bars in the span. */
  readonly stats: SpanStats | null
  readonly coverage: SpanCoverage
  readonly fundamentals: MetricValues
}

export interface ScreenRow {
  readonly instrument: InstrumentId
  readonly symbol: string
  readonly asset: AssetClass
  readonly decimals: number
  readonly values: MetricValues
  /** Prices over the span, oldest first, up to the current one; empty if the screen shows no trend. */
  readonly trend: readonly number[]
}

/** What a window sees of a screen: a page of its rows, and what they are based on. */
export interface ScreenPage {
  /** Of the whole result, in its order. */
  readonly offset: number
  readonly rows: readonly ScreenRow[]
  readonly matched: number
  /** Number of instruments of the universe with any data. */
  readonly known: number
  /** The view's clock, UTC ms. */
  readonly nowMs: UnixMs
  /** Up to when bars and gaps were read, UTC ms; null: not yet. */
  readonly readMs: UnixMs | null
  /** How many instruments' bars have been read, and of how many; null: nothing is being read. */
  readonly reading: { readonly done: number; readonly total: number } | null
  /** The share of the span's trading time that was received, over all known instruments; null: nothing is known. */
  readonly covered: number | null
  /** Known instruments without a bar in the span. */
  readonly withoutBars: number
  /** Why bars, gaps or fundamentals couldn't be read; '' if they could. The page then has the reading before. */
  readonly problem: string
}

/** Ratios that need a positive denominator. */
const percent = (part: number, whole: number): number | null => (whole > 0 ? (100 * part) / whole : null)

/** The values of one instrument. `reference`: the returns that correlations refer to. */
export function valuesOf(facts: InstrumentFacts, nowMs: number, reference: SpanStats['returns'] | null): MetricValues {
  const { stats, coverage, bid, ask } = facts
  const price = facts.last ?? stats?.close ?? null
  const quoted = bid !== null && ask !== null && bid > 0 && ask > 0
  const base = {
    ...facts.fundamentals,
    price,
    spread: quoted ? (2e4 * (ask - bid)) / (ask + bid) : null,
    age: facts.lastRecvMs === null ? null : Math.max(0, nowMs - facts.lastRecvMs),
    gaps: coverage.gaps,
    missing: coverage.missingMs,
    coverage: coverage.covered === null ? null : coverage.covered * 100,
  }
  if (stats === null || price === null) return base
  const high = Math.max(stats.high, price)
  const low = Math.min(stats.low, price)
  return {
    ...base,
    change: price - stats.from,
    changePercent: percent(price - stats.from, stats.from),
    high,
    low,
    range: percent(high - low, low),
    place: high > low ? (100 * (price - low)) / (high - low) : null,
    volume: stats.volume,
    turnover: stats.turnover,
    updates: stats.updates,
    volatility: stats.volatility,
    correlation: reference === null ? null : correlationOf(stats.returns, reference),
  }
}

/** An instrument with its values, and without a trend. `reference`: see `valuesOf`. */
export function rowOf(facts: InstrumentFacts, nowMs: number, reference: SpanStats['returns'] | null): ScreenRow {
  const { instrument, symbol, asset, decimals } = facts
  return { instrument, symbol, asset, decimals, values: valuesOf(facts, nowMs, reference), trend: [] }
}

/** The prices of a sparkline: those of the span, with the current price at its end. */
export function trendOf({ stats, last }: InstrumentFacts): readonly number[] {
  if (stats === null || stats.trend.length === 0) return []
  return last === null ? stats.trend : [...stats.trend.slice(0, -1), last]
}

/** What is computed from decimals is inexact: from 100.2 to 100.3 is a change of 0.0999… as a double. */
const TOLERANCE = 1e-9

/** Whether values pass all filters. An unknown value passes none. */
export function passes(values: MetricValues, filters: readonly ScreenFilter[]): boolean {
  return filters.every(({ metric, min, max }) => {
    const value = values[metric] ?? null
    if (value === null) return false
    const least = min === null ? -Infinity : min - Math.abs(min) * TOLERANCE
    const most = max === null ? Infinity : max + Math.abs(max) * TOLERANCE
    return value >= least && value <= most
  })
}

/**
 * Whether only figures that weren't received yet keep values from passing: a spread before the first quote, or a ratio
 * before the company's first response.
 */
export function isUndecided(values: MetricValues, filters: readonly ScreenFilter[]): boolean {
  const isReceived = ({ metric }: ScreenFilter) => METRICS[metric].from === 'now' || METRICS[metric].from === 'research'
  const isUnknown = (filter: ScreenFilter) => isReceived(filter) && (values[filter.metric] ?? null) === null
  return (
    filters.some(isUnknown) &&
    passes(
      values,
      filters.filter((one) => !isUnknown(one)),
    )
  )
}

/** The rows that pass, sorted. Unknown values come last in either direction; equal ones by symbol. */
export function screenRows(all: readonly ScreenRow[], screen: Pick<Screen, 'filters' | 'sort'>): readonly ScreenRow[] {
  const rows = all.filter(({ values }) => passes(values, screen.filters))
  const { metric, descending } = screen.sort
  const sign = descending ? -1 : 1
  const bySymbol = (a: ScreenRow, b: ScreenRow) => (a.symbol < b.symbol ? -1 : a.symbol > b.symbol ? 1 : 0)
  if (metric === null) return rows.toSorted((a, b) => sign * bySymbol(a, b))
  const valueOf = (row: ScreenRow, of: MetricId) => row.values[of] ?? null
  return rows.toSorted((a, b) => {
    const [x, y] = [valueOf(a, metric), valueOf(b, metric)]
    if (x === null || y === null) return (x === null ? 1 : 0) - (y === null ? 1 : 0) || bySymbol(a, b)
    return sign * (x - y) || bySymbol(a, b)
  })
}
