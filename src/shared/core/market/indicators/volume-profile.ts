/** The volume traded at each price: the bars of a range, in levels of equal height. Pure. */
import type { BarValues } from './indicator.ts'
import { pointOfControl, valueArea } from '../flow/profile.ts'

export interface ProfileLevel {
  /** The prices of the level, [from, to). */
  readonly from: number
  readonly to: number
  /** Volume of bars that rose or were flat, and of those that fell. */
  readonly up: number
  readonly down: number
}

export interface VolumeProfile {
  readonly levels: readonly ProfileLevel[]
  /** Index of the level with the most volume (point of control). */
  readonly most: number
  /** The levels around it that together hold 70 % of the volume (value area): [first, last]. */
  readonly area: readonly [number, number]
  /** The largest volume of a level, for scaling. */
  readonly greatest: number
}

/**
 * The profile of bars in `count` levels. Spreads a bar's volume evenly from its low to its high, because a bar says no
 * more. Null if nothing was traded.
 */
export function volumeProfile(bars: readonly BarValues[], count: number): VolumeProfile | null {
  let low = Infinity
  let high = -Infinity
  for (const bar of bars) {
    if (bar.volume === null || !(bar.volume > 0)) continue
    low = Math.min(low, bar.low)
    high = Math.max(high, bar.high)
  }
  if (low > high) return null
  const levels = high > low ? count : 1
  const height = high > low ? (high - low) / levels : 0
  const up = new Float64Array(levels)
  const down = new Float64Array(levels)
  for (const bar of bars) {
    if (bar.volume === null || !(bar.volume > 0)) continue
    const side = bar.close >= bar.open ? up : down
    const at = (price: number): number =>
      height === 0 ? 0 : Math.min(levels - 1, Math.max(0, Math.floor((price - low) / height)))
    const first = at(bar.low)
    const last = at(bar.high)
    const covered = (level: number): number => {
      const from = low + level * height
      return Math.max(0, Math.min(bar.high, from + height) - Math.max(bar.low, from))
    }
    // Except for rounding, the levels cover exactly the bar's range.
    let range = 0
    for (let level = first; level <= last; level++) range += covered(level)
    if (first === last || range === 0) {
      side[first] += bar.volume
      continue
    }
    for (let level = first; level <= last; level++) side[level] += (bar.volume * covered(level)) / range
  }
  const totals = up.map((volume, level) => volume + down[level])
  const most = pointOfControl(totals)
  return {
    levels: Array.from({ length: levels }, (_, level) => ({
      from: low + level * height,
      to: level === levels - 1 ? high : low + (level + 1) * height,
      up: up[level],
      down: down[level],
    })),
    most,
    area: valueArea(totals, most),
    greatest: totals[most],
  }
}
