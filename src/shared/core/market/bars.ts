/**
 * The rules of bars, and the only place where they live.
 *
 * A bar covers [startMs, endMs), is labelled by its start, and is built from one kind of record only.
 * No record, no bar. A late record corrects high, low, volume and count of its own bar; the open
 * follows the least (event time, seq) of the bar and the close the greatest. A price that is not
 * finite or not above zero never enters. Sums of sizes are kept in two doubles, so that they do not
 * depend on the order of arrival and merging shorter bars gives what the records give.
 */
import type { Bar } from './market.ts'
import { unixMs } from '../../base/units.ts'

/** Where bars begin and end. `startOf` answers NaN for an instant that belongs to no bar. */
export interface BarGrid {
  startOf(ms: number): number
  /** End (exclusive) of the bar that starts at `start`. */
  endOf(start: number): number
}

/** Bars of a fixed length, counted from the UTC epoch. */
export function fixedGrid(intervalMs: number): BarGrid {
  return {
    startOf: (ms) => Math.floor(ms / intervalMs) * intervalMs,
    endOf: (start) => start + intervalMs,
  }
}

/** A bar with what is needed to go on building it: all of a rollup row. */
export interface BarState {
  readonly startMs: number
  readonly endMs: number
  open: number
  high: number
  low: number
  close: number
  /** Sum of sizes; NaN where no record carried one. */
  volume: number
  /** What `volume` lost to rounding: volume + volumeRest is the exact sum. */
  volumeRest: number
  count: number
  /** Key of the record that set the open: event time, then seq. */
  openMs: number
  openSeq: number
  closeMs: number
  closeSeq: number
  /** Least and greatest seq of any record in the bar. */
  firstSeq: number
  lastSeq: number
  complete: boolean
}

/** An interval without reception, in event time; `toMs` null while it lasts. */
export interface Hole {
  readonly fromMs: number
  readonly toMs: number | null
}

/** Whether [startMs, endMs) touches a hole widened by `skewMs` on both sides. */
export function touchesHole(startMs: number, endMs: number, hole: Hole, skewMs = 0): boolean {
  const from = hole.fromMs - skewMs
  const to = (hole.toMs ?? Infinity) + skewMs
  return from < endMs && (to > startMs || (from === to && from >= startMs))
}

/** (bid + ask) / 2; NaN unless both sides are usable. */
export function midPrice(bid: number, ask: number): number {
  return usable(bid) && usable(ask) ? (bid + ask) / 2 : NaN
}

/** Whether a price may enter a bar: finite and above zero. */
export function usable(price: number): boolean {
  return price > 0 && price < Infinity
}

/** A bar state as a window, an export or a digest sees it. */
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

/** A volume as the sum of two doubles: what the first loses to rounding stands in the second. */
export interface ExactVolume {
  /** NaN: nothing was added yet. */
  volume: number
  volumeRest: number
}

/** Adds a size to a sum of two doubles (Knuth's two-sum), both renormalised. */
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

/** Joins a part of the same bar into `into`; the parts may come in any order. */
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

/** Builds the bars of one instrument and one kind of record, in any order of arrival. */
export interface BarBuilder {
  readonly grid: BarGrid
  /**
   * Takes a record. `size` NaN: it carries none. Answers the start of the bar that changed, NaN when
   * the price or the time may not enter a bar. Seqs of one source must grow with arrival.
   */
  apply(eventMs: number, seq: number, price: number, size: number): number
  /**
   * Takes a bar that the service sent: it replaces one of the same start unless that came later.
   * Not to be mixed with `apply` in one builder.
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
  /** Joins a part of a bar (a rollup row, a bar of a shorter interval) into the bar it starts in. */
  merge(part: BarState): number
  /** Marks every bar that the hole touches incomplete, also bars still to come. */
  hole(hole: Hole, skewMs?: number): void
  get(startMs: number): BarState | undefined
  /** The bar of the greatest start. */
  last(): BarState | undefined
  /** Bars by start, oldest first; valid until the next change. */
  states(): readonly BarState[]
  /** Forgets bars (and holes) that end at or before this instant. */
  forgetBefore(ms: number): void
  readonly size: number
}

/** What a builder starts from; everything but the grid is optional. */
export interface BarBuilderOptions {
  readonly grid: BarGrid
  /** Closed holes beyond this number are joined, the oldest first; what lies between those counts as a hole, too. */
  readonly mostHoles?: number
}

/** An empty builder over `grid`. */
export function createBarBuilder({ grid, mostHoles = Infinity }: BarBuilderOptions): BarBuilder {
  const byStart = new Map<number, BarState>()
  let holes: BuilderHole[] = []
  let current: BarState | undefined
  let newest: BarState | undefined
  let sorted: BarState[] | undefined

  const add = (state: BarState): BarState => {
    for (const { hole, skewMs } of holes) {
      if (touchesHole(state.startMs, state.endMs, hole, skewMs)) state.complete = false
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
    hole(hole, skewMs = 0) {
      holes.push({ hole, skewMs })
      if (holes.length > mostHoles) holes = joinOldest(holes)
      for (const bar of byStart.values()) {
        if (touchesHole(bar.startMs, bar.endMs, hole, skewMs)) bar.complete = false
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
      holes = holes.filter(({ hole, skewMs }) => hole.toMs === null || hole.toMs + skewMs > ms)
    },
    get size() {
      return byStart.size
    },
  }
}

interface BuilderHole {
  readonly hole: Hole
  readonly skewMs: number
}

/** The two oldest closed holes as one, with the time between them: never less is incomplete than was. */
function joinOldest(holes: readonly BuilderHole[]): BuilderHole[] {
  const [a, b] = holes.flatMap(({ hole }, i) => (hole.toMs === null ? [] : [i]))
  if (a === undefined || b === undefined) return [...holes]
  const [one, other] = [holes[a], holes[b]]
  const hole: Hole = {
    fromMs: Math.min(one.hole.fromMs, other.hole.fromMs),
    toMs: Math.max(one.hole.toMs ?? Infinity, other.hole.toMs ?? Infinity),
  }
  const joined = { hole, skewMs: Math.max(one.skewMs, other.skewMs) }
  return holes.flatMap((it, i) => (i === a ? [joined] : i === b ? [] : [it]))
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

/** Columns of records in seq order. Undated rows carry their receive time in `eventMs`. */
export interface TickArrays {
  readonly eventMs: Float64Array
  readonly seq: Float64Array
  readonly price: Float64Array
  /** Null: the records carry no sizes (quotes). */
  readonly size: Float64Array | null
  /** With `skipFlags`: rows that have one of these bits stay out. */
  readonly flags?: Uint8Array | undefined
  /** What prices and sizes are to be divided by (a power of ten, where they are mantissas); 1 unless told. */
  readonly priceUnit?: number | undefined
  readonly sizeUnit?: number | undefined
}

/**
 * Feeds rows [from, to) into a builder without a call a row: equal to `apply` of every row. Runs of
 * rows of one bar are folded in local variables and merged once.
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

/** Folds the rows of one bar from `head` on, a usable one; answers the first row that is not of it. */
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
    // rows are in seq order: of equal times the later row closes, the earlier one opens
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
        // what is lost gathers beside the sum: no row waits for the one before it to be rounded
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

/** Bars of a longer interval from shorter ones that lie within them whole. */
export function mergeBars(shorter: Iterable<BarState>, grid: BarGrid): readonly BarState[] {
  const builder = createBarBuilder({ grid })
  for (const bar of shorter) builder.merge(bar)
  return builder.states()
}

/** Fills `out[i]` with the mid of the two columns; NaN where a side is missing. */
export function midColumn(bid: Float64Array, ask: Float64Array, out: Float64Array): Float64Array {
  for (let i = 0; i < out.length; i++) {
    const b = bid[i]
    const a = ask[i]
    out[i] = b > 0 && b < Infinity && a > 0 && a < Infinity ? (b + a) / 2 : NaN
  }
  return out
}
