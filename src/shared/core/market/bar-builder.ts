/** Builds the bars of one instrument, record by record or from shorter bars. */
import { type BarGrid, type BarState, type GapInterval, touchesGap, usable, addVolume, mergeState } from './bars.ts'

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

/** Builds bars of a longer interval from shorter ones. Each shorter bar must lie within one longer bar. */
export function mergeBars(shorter: Iterable<BarState>, grid: BarGrid): readonly BarState[] {
  const builder = createBarBuilder({ grid })
  for (const bar of shorter) builder.merge(bar)
  return builder.states()
}
