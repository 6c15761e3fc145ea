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

/** Builds the bars of one instrument from one kind of record, in any order of arrival. */
export interface BarBuilder {
  readonly grid: BarGrid
  /**
   * Adds a record. `size` is NaN if it carries none. Returns the start of the changed bar, or NaN if the price or time
   * doesn't belong in a bar. Seqs of one source must increase with arrival.
   */
  apply(eventMs: number, seq: number, price: number, size: number): number
  /**
   * Adds a bar that the service sent. It replaces a bar with the same start unless that one arrived later. Don't mix
   * with `apply` in one builder.
   */
  replace(
    startMs: number,
    endMs: number,
    seq: number,
    open: number,
    high: number,
    low: number,
    close: number,
    volume: number,
  ): number
  /** Merges a part of a bar (a rollup row or a bar of a shorter interval) into the bar it starts in. */
  merge(part: BarState): number
  /** Marks every bar the gap touches as incomplete, including later ones. */
  addGap(gap: GapInterval, skewMs?: number): void
  get(startMs: number): BarState | undefined
  /** The newest bar. */
  last(): BarState | undefined
  /** All bars, oldest first. Valid until the next change. */
  states(): readonly BarState[]
  /** Drops bars and gaps that end at or before this time. */
  forgetBefore(ms: number): void
  readonly size: number
}

/** Options of a bar builder. Only the grid is required. */
export interface BarBuilderOptions {
  readonly grid: BarGrid
  /** Above this number of closed gaps, the two oldest are joined. The time between them then counts as a gap, too. */
  readonly maxGaps?: number
}

/** Creates an empty builder over `grid`. */
export function createBarBuilder({ grid, maxGaps = Infinity }: BarBuilderOptions): BarBuilder {
  const byStart = new Map<number, BarState>()
  let gaps: BuilderGap[] = []
  let current: BarState | undefined
  let newest: BarState | undefined
  let sorted: BarState[] | undefined

  const add = (state: BarState): BarState => {
    for (const { gap, skewMs } of gaps) {
      if (touchesGap(state.startMs, state.endMs, gap, skewMs)) state.complete = false
    }
    byStart.set(state.startMs, state)
    if (newest === undefined || state.startMs > newest.startMs) {
      newest = state
      sorted?.push(state)
    } else sorted = undefined
    return state
  }

  return {
    grid,
    apply(eventMs, seq, price, size) {
      if (!usable(price)) return NaN
      let bar = current
      if (bar === undefined || !(eventMs >= bar.startMs && eventMs < bar.endMs)) {
        const start = grid.startOf(eventMs)
        if (Number.isNaN(start)) return NaN
        bar = byStart.get(start)
        if (bar === undefined) {
          current = add(newState(start, grid.endOf(start), eventMs, seq, price, size))
          return start
        }
        current = bar
      }
      if (price > bar.high) bar.high = price
      if (price < bar.low) bar.low = price
      if (eventMs > bar.closeMs || (eventMs === bar.closeMs && seq > bar.closeSeq)) {
        bar.close = price
        bar.closeMs = eventMs
        bar.closeSeq = seq
      }
      if (eventMs < bar.openMs || (eventMs === bar.openMs && seq < bar.openSeq)) {
        bar.open = price
        bar.openMs = eventMs
        bar.openSeq = seq
      }
      if (size >= 0 && size < Infinity) addVolume(bar, size, 0)
      bar.count++
      if (seq > bar.lastSeq) bar.lastSeq = seq
      if (seq < bar.firstSeq) bar.firstSeq = seq
      return bar.startMs
    },
    replace(startMs, endMs, seq, open, high, low, close, volume) {
      if (!(usable(open) && usable(high) && usable(low) && usable(close)) || !Number.isFinite(startMs)) return NaN
      const old = byStart.get(startMs)
      if (old !== undefined && old.lastSeq > seq) return NaN
      const state: BarState = {
        ...newState(startMs, endMs > startMs ? endMs : grid.endOf(startMs), startMs, seq, open, volume),
        high,
        low,
        close,
      }
      if (old === undefined) add(state)
      else Object.assign(old, { ...state, endMs: old.endMs, complete: old.complete })
      return startMs
    },
    merge(part) {
      const start = grid.startOf(part.startMs)
      if (Number.isNaN(start)) return NaN
      const bar = byStart.get(start)
      if (bar === undefined) add({ ...part, startMs: start, endMs: grid.endOf(start) })
      else mergeState(bar, part)
      return start
    },
    addGap(gap, skewMs = 0) {
      gaps.push({ gap, skewMs })
      if (gaps.length > maxGaps) gaps = joinOldest(gaps)
      for (const bar of byStart.values()) {
        if (touchesGap(bar.startMs, bar.endMs, gap, skewMs)) bar.complete = false
      }
    },
    get: (startMs) => byStart.get(startMs),
    last: () => newest,
    states() {
      sorted ??= [...byStart.values()].sort((a, b) => a.startMs - b.startMs)
      return sorted
    },
    forgetBefore(ms) {
      for (const bar of byStart.values()) {
        if (bar.endMs > ms) continue
        byStart.delete(bar.startMs)
        if (bar === current) current = undefined
        if (bar === newest) newest = undefined
        sorted = undefined
      }
      gaps = gaps.filter(({ gap, skewMs }) => gap.toMs === null || gap.toMs + skewMs > ms)
    },
    get size() {
      return byStart.size
    },
  }
}

interface BuilderGap {
  readonly gap: GapInterval
  readonly skewMs: number
}

/** Joins the two oldest closed gaps, including the time between them, so no incomplete bar becomes complete. */
function joinOldest(gaps: readonly BuilderGap[]): BuilderGap[] {
  const [a, b] = gaps.flatMap(({ gap }, i) => (gap.toMs === null ? [] : [i]))
  if (a === undefined || b === undefined) return [...gaps]
  const [one, other] = [gaps[a], gaps[b]]
  const gap: GapInterval = {
    fromMs: Math.min(one.gap.fromMs, other.gap.fromMs),
    toMs: Math.max(one.gap.toMs ?? Infinity, other.gap.toMs ?? Infinity),
  }
  const joined = { gap, skewMs: Math.max(one.skewMs, other.skewMs) }
  return gaps.flatMap((it, i) => (i === a ? [joined] : i === b ? [] : [it]))
}

function newState(startMs: number, endMs: number, ms: number, seq: number, price: number, size: number): BarState {
  return {
    startMs,
    endMs,
    open: price,
    high: price,
    low: price,
    close: price,
    volume: size >= 0 && size < Infinity ? size : NaN,
    volumeRest: 0,
    count: 1,
    openMs: ms,
    openSeq: seq,
    closeMs: ms,
    closeSeq: seq,
    firstSeq: seq,
    lastSeq: seq,
    complete: true,
  }
}

/** Columns of records in seq order. Undated rows have their receive time in `eventMs`. */
export interface TickArrays {
  readonly eventMs: Float64Array
  readonly seq: Float64Array
  readonly price: Float64Array
  /** Null if the records carry no sizes (quotes). */
  readonly size: Float64Array | null
  /** Used with `skipFlags`: rows with any of these bits are skipped. */
  readonly flags?: Uint8Array | undefined
  /** The divisor of prices and sizes, a power of ten if they are mantissas. Defaults to 1. */
  readonly priceUnit?: number | undefined
  readonly sizeUnit?: number | undefined
}

/**
 * Adds rows [from, to) to a builder, with the same result as calling `apply` for each. Runs of rows of one bar are
 * folded in local variables and merged once.
 */
export function barsFromColumns(
  columns: TickArrays,
  from: number,
  to: number,
  builder: BarBuilder,
  skipFlags = 0,
): void {
  const { eventMs, price } = columns
  const flags = skipFlags === 0 ? undefined : columns.flags
  const { grid } = builder
  let i = from
  while (i < to) {
    const start = grid.startOf(eventMs[i])
    if (!usable(price[i]) || Number.isNaN(start) || (flags !== undefined && (flags[i] & skipFlags) !== 0)) i++
    else i = foldRun(columns, i, to, start, grid.endOf(start), flags, skipFlags, builder)
  }
}

/** Folds the rows of one bar, starting with the valid row `head`. Returns the first row of another bar. */
function foldRun(
  { eventMs, seq, price, size, priceUnit = 1, sizeUnit = 1 }: TickArrays,
  head: number,
  to: number,
  startMs: number,
  endMs: number,
  flags: Uint8Array | undefined,
  skipFlags: number,
  builder: BarBuilder,
): number {
  let high = price[head]
  let low = high
  let openAt = head
  let closeAt = head
  let openMs = eventMs[head]
  let closeMs = openMs
  let last = head
  let count = 0
  let volume = 0
  let rest = 0
  let sized = false
  let i = head
  for (; i < to; i++) {
    const t = eventMs[i]
    if (!(t >= startMs && t < endMs)) break
    const p = price[i]
    if (!(p > 0 && p < Infinity)) continue
    if (flags !== undefined && (flags[i] & skipFlags) !== 0) continue
    if (p > high) high = p
    if (p < low) low = p
    // Rows are in seq order: among equal times, the first opens and the last closes.
    if (t >= closeMs) {
      closeMs = t
      closeAt = i
    }
    if (t < openMs) {
      openMs = t
      openAt = i
    }
    if (size !== null) {
      const s = size[i] / sizeUnit
      if (s >= 0 && s < Infinity) {
        // Collecting the rounding error separately keeps rows from waiting for the previous sum.
        const sum = volume + s
        const part = sum - volume
        rest += volume - (sum - part) + (s - part)
        volume = sum
        sized = true
      }
    }
    count++
    last = i
  }
  const whole = volume + rest
  builder.merge({
    startMs,
    endMs,
    open: price[openAt] / priceUnit,
    high: high / priceUnit,
    low: low / priceUnit,
    close: price[closeAt] / priceUnit,
    volume: sized ? whole : NaN,
    volumeRest: rest - (whole - volume),
    count,
    openMs,
    openSeq: seq[openAt],
    closeMs,
    closeSeq: seq[closeAt],
    firstSeq: seq[head],
    lastSeq: seq[last],
    complete: true,
  })
  return i
}

/** Builds bars of a longer interval from shorter ones. Each shorter bar must lie within one longer bar. */
export function mergeBars(shorter: Iterable<BarState>, grid: BarGrid): readonly BarState[] {
  const builder = createBarBuilder({ grid })
  for (const bar of shorter) builder.merge(bar)
  return builder.states()
}

/** Fills `out` with the midpoints of two columns; NaN where a side is missing. */
export function midColumn(bid: Float64Array, ask: Float64Array, out: Float64Array): Float64Array {
  for (let i = 0; i < out.length; i++) {
    const b = bid[i]
    const a = ask[i]
    out[i] = b > 0 && b < Infinity && a > 0 && a < Infinity ? (b + a) / 2 : NaN
  }
  return out
}
