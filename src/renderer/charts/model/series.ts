/** The rows a chart draws: bars, and empty slots where nothing was received. Pure. */
import { firstAfter } from '../../../shared/base/search.ts'
import type { Bar } from '../../../shared/core/market/market.ts'
import type { GapSpan } from '../../../shared/core/status/status.ts'

/** A drawn row. Empty slots have NaN prices and show only the hatching. */
export interface Row {
  timestamp: number
  open: number
  high: number
  low: number
  close: number
  volume: number
  bar: Bar | null
  [key: string]: unknown
}

/** A gap is never wider than this many bars; its label shows its true length. */
export const MAX_SLOTS = 30

/** Whether rows are trades or bars by trades: they have no length in time, and 1 ms stands for it. */
export const isByTrades = (intervalMs: number): boolean => intervalMs <= 1

export function rowOf(bar: Bar): Row {
  return {
    timestamp: bar.startMs,
    open: bar.open,
    high: bar.high,
    low: bar.low,
    close: bar.close,
    volume: bar.volume ?? NaN,
    bar,
  }
}

function slot(timestamp: number): Row {
  return { timestamp, open: NaN, high: NaN, low: NaN, close: NaN, volume: NaN, bar: null }
}

/** Index of the first bar or row that starts at or after `ms`. */
export function lowerBound(
  bars: readonly ({ readonly startMs: number } | { readonly timestamp: number })[],
  ms: number,
): number {
  return firstAfter(bars, (one) => ('startMs' in one ? one.startMs : one.timestamp) < ms)
}

/**
 * Bars as rows, with empty slots for the intervals that a closed gap left between two bars. A slot is never the first
 * or last row, so an outage widens the chart only once it is over. Intervals in which nothing traded get no slot.
 * Between two bars by trades, all gaps get one slot.
 */
export function rowsOf(bars: readonly Bar[], gaps: readonly GapSpan[], intervalMs: number): Row[] {
  const rows = bars.map(rowOf)
  if (bars.length < 2 || gaps.length === 0) return rows
  const slots = new Map<number, Row>()
  /** The slot before each bar by trades. */
  const slotted = new Map<number, number>()
  for (const gap of gaps) {
    const toMs = gap.toMs
    if (toMs === null) continue
    const next = lowerBound(bars, gap.fromMs)
    if (next === 0 || next >= bars.length) continue
    const before = bars[next - 1]
    if (isByTrades(intervalMs)) {
      const at = Math.max(before.startMs + 1, Math.min(gap.fromMs, slotted.get(next) ?? Infinity))
      if (at >= bars[next].startMs) continue
      slots.delete(slotted.get(next) ?? NaN)
      slotted.set(next, at)
      slots.set(at, slot(at))
      continue
    }
    const first = Math.max(before.endMs, Math.floor(gap.fromMs / intervalMs) * intervalMs)
    const last = Math.min(bars[next].startMs, Math.ceil(toMs / intervalMs) * intervalMs)
    const missing = Math.floor((last - first) / intervalMs)
    if (missing <= 0) continue
    const shown = Math.min(missing, MAX_SLOTS)
    const step = (missing / shown) * intervalMs
    for (let i = 0; i < shown; i++) {
      const at = Math.round(first + i * step)
      slots.set(at, slot(at))
    }
  }
  if (slots.size === 0) return rows
  for (const row of rows) slots.delete(row.timestamp)
  return [...rows, ...slots.values()].sort((a, b) => a.timestamp - b.timestamp)
}

/**
 * Merges updates into a sorted list of bars, in place: a bar with the same start is replaced, others are inserted.
 * Returns `tail` if only the last bar was replaced or bars were appended, which is the cheap case.
 */
export function mergeBars(bars: Bar[], updates: readonly Bar[]): 'tail' | 'middle' {
  let kind: 'tail' | 'middle' = 'tail'
  for (const update of updates) {
    const last = bars[bars.length - 1]
    if (last === undefined || update.startMs > last.startMs) bars.push(update)
    else if (update.startMs === last.startMs) bars[bars.length - 1] = update
    else {
      kind = 'middle'
      const at = lowerBound(bars, update.startMs)
      if (bars[at].startMs === update.startMs) bars[at] = update
      else bars.splice(at, 0, update)
    }
  }
  return kind
}
