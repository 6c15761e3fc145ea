/**
 * The ratio or the difference of two instruments as bars. Both are sampled at the same instants, the ends of short
 * bars. Each sample takes the last close of each instrument at or before it, so it uses nothing later. After a gap, an
 * instrument has no price until its next bar. The bars are derived: nobody traded at these prices.
 */
import { touchesGap, type BarGrid, type GapInterval } from './bars.ts'
import { INTERVAL_LABELS, msOf, type Bar, type Interval } from './market.ts'
import { unixMs } from '../../base/units.ts'

export const SPREAD_OPERATORS = ['/', '-'] as const
export type SpreadOperator = (typeof SPREAD_OPERATORS)[number]

/** Samples per bar, at least, if an interval fits. */
const SAMPLES = 48
const SHORTEST_SAMPLE_MS = 1_000

/** The interval of the short bars whose closes are the samples for bars of an interval. */
export function sampleInterval(interval: Interval): Interval {
  const length = msOf(interval)
  const most = Math.max(length / SAMPLES, SHORTEST_SAMPLE_MS)
  const fits = (one: Interval): boolean => {
    const ms = msOf(one)
    return ms >= SHORTEST_SAMPLE_MS && ms <= most && length % ms === 0
  }
  return INTERVAL_LABELS.findLast(fits) ?? interval
}

/** One instrument: its short bars, oldest first, and when nothing of it was received. */
export interface SpreadLeg {
  readonly bars: readonly Bar[]
  readonly gaps: readonly GapInterval[]
}

/** The value of two prices; NaN if it can't be drawn. */
function spreadOf(operator: SpreadOperator, a: number, b: number): number {
  const value = operator === '/' ? a / b : a - b
  return Number.isFinite(value) ? value : NaN
}

/**
 * The bars whose samples lie in [fromMs, toMs), UTC. They have no volume. A bar is incomplete if it contains an
 * incomplete bar or a gap of either instrument. There is no bar while an instrument has no price.
 */
export function spreadBars(
  operator: SpreadOperator,
  legs: readonly [SpreadLeg, SpreadLeg],
  grid: BarGrid,
  fromMs = -Infinity,
  toMs = Infinity,
): readonly Bar[] {
  const bars: Bar[] = []
  const at = [0, 0]
  const last: (Bar | null)[] = [null, null]
  for (;;) {
    const starts = legs.map((leg, i) => leg.bars[at[i]]?.startMs ?? Infinity)
    const startMs = Math.min(...starts)
    if (startMs >= toMs || startMs === Infinity) break
    for (const [i, leg] of legs.entries()) {
      if (starts[i] === startMs) last[i] = leg.bars[at[i]++]
      // A price from before a gap says nothing about the time after it.
      else if (last[i] !== null && hasGapBetween(leg.gaps, last[i].endMs, startMs)) last[i] = null
    }
    const [a, b] = last
    const start = grid.startOf(startMs)
    if (a === null || b === null || startMs < fromMs || Number.isNaN(start)) continue
    const value = spreadOf(operator, a.close, b.close)
    if (Number.isNaN(value)) continue
    const isComplete = a.complete && b.complete
    const before = bars.at(-1)
    if (before?.startMs === start) bars[bars.length - 1] = withSample(before, value, isComplete)
    else bars.push(firstSample(start, grid.endOf(start), value, isComplete))
  }
  const gaps = legs.flatMap((leg) => leg.gaps)
  return gaps.length === 0
    ? bars
    : bars.map((bar) =>
        gaps.some((gap) => touchesGap(bar.startMs, bar.endMs, gap)) ? { ...bar, complete: false } : bar,
      )
}

function hasGapBetween(gaps: readonly GapInterval[], fromMs: number, toMs: number): boolean {
  return gaps.some((gap) => gap.fromMs < toMs && (gap.toMs ?? Infinity) > fromMs)
}

function firstSample(startMs: number, endMs: number, value: number, complete: boolean): Bar {
  const prices = { open: value, high: value, low: value, close: value }
  return { startMs: unixMs(startMs), endMs: unixMs(endMs), ...prices, volume: null, count: 1, complete }
}

function withSample(bar: Bar, value: number, isComplete: boolean): Bar {
  return {
    ...bar,
    high: Math.max(bar.high, value),
    low: Math.min(bar.low, value),
    close: value,
    count: bar.count + 1,
    complete: bar.complete && isComplete,
  }
}
