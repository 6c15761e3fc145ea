/** Statistics of a range of bars. Pure. */
import type { Bar } from '../../../../shared/core/market/market.ts'
import { twoUnits } from '../../../text/lengths.ts'

export interface RangeStats {
  readonly bars: number
  /** From the start of the first bar to the end of the last, ms. */
  readonly spanMs: number
  readonly open: number
  /** From the first open to the last close. */
  readonly change: number
  readonly high: number
  readonly low: number
  /** Null if no bar has a volume. */
  readonly volume: number | null
}

/** Computes the statistics; null without bars. */
export function rangeStats(bars: readonly Bar[]): RangeStats | null {
  const [first] = bars
  const last = bars[bars.length - 1]
  if (first === undefined || last === undefined) return null
  let high = -Infinity
  let low = Infinity
  let volume: number | null = null
  for (const bar of bars) {
    high = Math.max(high, bar.high)
    low = Math.min(low, bar.low)
    if (bar.volume !== null) volume = (volume ?? 0) + bar.volume
  }
  return {
    bars: bars.length,
    spanMs: Math.max(last.endMs, last.startMs) - first.startMs,
    open: first.open,
    change: last.close - first.open,
    high,
    low,
    volume,
  }
}

/** A length of time in its two largest units: "350 ms", "42 s", "1 h 5 min", "3 d 2 h". */
export const spanText = (ms: number): string => twoUnits(ms < 1_000 ? ms : Math.round(ms / 1_000) * 1_000)
