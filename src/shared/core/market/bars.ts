/**
 * The rules for building bars. They exist only here.
 *
 * A bar covers [startMs, endMs), is labeled by its start, and is built from one kind of record. An interval without
 * records has no bar. A late record corrects high, low, volume and count of its bar; the open belongs to the least
 * (event time, seq) and the close to the greatest. Prices that aren't finite and above zero are ignored. Sizes are
 * summed in two doubles, so the sum doesn't depend on the order of arrival, and merging shorter bars gives the same
 * result as building from the records.
 */
import type { Bar } from './market.ts'
import { unixMs } from '../../base/units.ts'

/** A date further ahead of its receipt than this isn't used, ms. */
export const MAX_AHEAD_MS = 5_000

/** Where bars begin and end. `startOf` returns NaN for an instant outside every bar. */
export interface BarGrid {
  startOf(ms: number): number
  /** The exclusive end of the bar that starts at `start`. */
  endOf(start: number): number
}

/** A grid of bars of a fixed length, counted from the UTC epoch. */
export function fixedGrid(intervalMs: number): BarGrid {
  return {
    startOf: (ms) => Math.floor(ms / intervalMs) * intervalMs,
    endOf: (start) => start + intervalMs,
  }
}

/** A bar with everything needed to continue building it, as stored in a rollup row. */
export interface BarState {
  readonly startMs: number
  readonly endMs: number
  open: number
  high: number
  low: number
  close: number
  /** The sum of sizes; NaN if no record carries one. */
  volume: number
  /** The rounding error of `volume`: volume + volumeRest is the exact sum. */
  volumeRest: number
  count: number
  /** The record that set the open, by event time, then seq. */
  openMs: number
  openSeq: number
  closeMs: number
  closeSeq: number
  /** The least and greatest seq of the bar's records. */
  firstSeq: number
  lastSeq: number
  complete: boolean
}

/**
 * The stored part of a bar. Its records came before every live one, so its open stays and a live close replaces its
 * close.
 */
export const stateOfStored = (bar: Bar): BarState => ({
  ...bar,
  volume: bar.volume ?? NaN,
  volumeRest: 0,
  openMs: bar.startMs,
  openSeq: 0,
  closeMs: bar.startMs,
  closeSeq: 0,
  firstSeq: 0,
  lastSeq: 0,
})

/** An interval that wasn't received, in event time. `toMs` is null while the gap is open. */
export interface GapInterval {
  readonly fromMs: number
  readonly toMs: number | null
}

/** Whether [startMs, endMs) touches a gap widened by `skewMs` on both sides. */
export function touchesGap(startMs: number, endMs: number, gap: GapInterval, skewMs = 0): boolean {
  const from = gap.fromMs - skewMs
  const to = (gap.toMs ?? Infinity) + skewMs
  return from < endMs && (to > startMs || (from === to && from >= startMs))
}

/** (bid + ask) / 2, or NaN unless both sides are valid prices. */
export function midPrice(bid: number, ask: number): number {
  return usable(bid) && usable(ask) ? (bid + ask) / 2 : NaN
}

/** Whether a price counts in a bar: finite and above zero. */
export function usable(price: number): boolean {
  return price > 0 && price < Infinity
}

/** A bar as windows, exports and digests see it. */
export function toBar(state: BarState): Bar {
  return {
    startMs: unixMs(state.startMs),
    endMs: unixMs(state.endMs),
    open: state.open,
    high: state.high,
    low: state.low,
    close: state.close,
    volume: Number.isNaN(state.volume) ? null : state.volume,
    count: state.count,
    complete: state.complete,
  }
}

/** A volume as the sum of two doubles. The second holds the rounding error of the first. */
export interface ExactVolume {
  /** NaN until something is added. */
  volume: number
  volumeRest: number
}

/** Adds a size to a sum of two doubles and renormalizes it (Knuth's two-sum). */
export function addVolume(state: ExactVolume, size: number, rest: number): void {
  if (Number.isNaN(size)) return
  if (Number.isNaN(state.volume)) {
    state.volume = size
    state.volumeRest = rest
    return
  }
  const sum = state.volume + size
  const part = sum - state.volume
  const lost = state.volume - (sum - part) + (size - part) + state.volumeRest + rest
  state.volume = sum + lost
  state.volumeRest = lost - (state.volume - sum)
}

/** Merges a part of the same bar into `into`. Parts can come in any order. */
export function mergeState(into: BarState, part: BarState): void {
  if (part.high > into.high) into.high = part.high
  if (part.low < into.low) into.low = part.low
  if (part.openMs < into.openMs || (part.openMs === into.openMs && part.openSeq < into.openSeq)) {
    into.open = part.open
    into.openMs = part.openMs
    into.openSeq = part.openSeq
  }
  if (part.closeMs > into.closeMs || (part.closeMs === into.closeMs && part.closeSeq > into.closeSeq)) {
    into.close = part.close
    into.closeMs = part.closeMs
    into.closeSeq = part.closeSeq
  }
  addVolume(into, part.volume, part.volumeRest)
  into.count += part.count
  if (part.firstSeq < into.firstSeq) into.firstSeq = part.firstSeq
  if (part.lastSeq > into.lastSeq) into.lastSeq = part.lastSeq
  if (!part.complete) into.complete = false
}
