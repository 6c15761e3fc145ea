/** Forming bars that someone watches: one series an (instrument, of, interval), built by the shared rules. */
import {
  createBarBuilder,
  mergeBars,
  toBar,
  type BarBuilder,
  type BarGrid,
  type BarState,
} from '../../../shared/core/market/bars.ts'
import type { Bar, BarSource, Interval } from '../../../shared/core/market/market.ts'
import type { FeedId, InstrumentId } from '../../../shared/base/units.ts'

/** Told the least start that changed; it must not take long. */
export interface SeriesWatcher {
  changed(startMs: number): void
  /** Everything may differ: a gap opened or closed, or older bars were joined in. */
  reset(): void
}

/** Bars a series keeps in memory; older ones are paged from the store. */
export const SERIES_BARS = 5_000

export interface BarSeries {
  readonly instrument: InstrumentId
  readonly of: BarSource
  readonly interval: Interval
  /** The feed whose records build it. */
  readonly feed: FeedId
  /** Takes a record of this series' kind, received at `recvMs`. */
  record(eventMs: number, recvMs: number, seq: number, price: number, size: number): void
  /** Takes a bar as the service sent it (of `service`). */
  bar(state: {
    recvMs: number
    startMs: number
    endMs: number
    seq: number
    open: number
    high: number
    low: number
    close: number
    volume: number
  }): void
  /** Joins stored bars that hold only records from before this series began. */
  seed(bars: readonly Bar[]): void
  hole(gap: MutableHole, skewMs: number): void
  holeClosed(): void
  /** Bars from `startMs` on, oldest first. */
  from(startMs: number): readonly Bar[]
  readonly lastStart: number
  clear(): void
  readonly watchers: Set<SeriesWatcher>
}

/** A gap whose end is filled in when it closes: the builder keeps the object, so bars after it stay whole. */
export interface MutableHole {
  readonly fromMs: number
  toMs: number | null
}

export interface SeriesOptions {
  readonly instrument: InstrumentId
  readonly of: BarSource
  readonly interval: Interval
  readonly feed: FeedId
  readonly grid: BarGrid
  /** Grid of the service's own bars, where `of` is `service` and the interval is longer than theirs. */
  readonly baseGrid: BarGrid | null
}

/** A print may be dated so far ahead of its receipt, ms: clocks that nobody has compared yet. */
const LEAD_MS = 60_000

/** Gaps that a series tells apart: a feed that drops for days must not grow it. */
export const MOST_HOLES = 500

/** An empty series. */
export function createSeries({ instrument, of, interval, feed, grid, baseGrid }: SeriesOptions): BarSeries {
  const watchers = new Set<SeriesWatcher>()
  let builder: BarBuilder = createBarBuilder({ grid, mostHoles: MOST_HOLES })
  let base = baseGrid === null ? null : createBarBuilder({ grid: baseGrid })
  /** Receipt of the first and the last record, UTC ms. */
  let sinceMs = Infinity
  let nowMs = -Infinity

  const received = (recvMs: number) => {
    if (recvMs < sinceMs) sinceMs = recvMs
    if (recvMs > nowMs) nowMs = recvMs
  }
  /** A bar of time that was not watched, of which nothing is stored, or that is still to come has late or early prints only. */
  const shown = (state: BarState): Bar => {
    const isOutside =
      state.firstSeq > 0 && (state.endMs <= sinceMs - LEAD_MS || grid.startOf(nowMs + LEAD_MS) < state.startMs)
    return toBar(isOutside ? { ...state, complete: false } : state)
  }
  const tell = (start: number) => {
    if (Number.isNaN(start)) return
    for (const watcher of watchers) watcher.changed(start)
    if (builder.size > SERIES_BARS * 1.1) {
      const states = builder.states()
      builder.forgetBefore(states[states.length - SERIES_BARS].startMs)
    }
  }
  /** A longer bar of the service's shorter ones is merged anew: a rebroadcast replaced a part of it. */
  const rebuild = (part: BarState, parts: BarBuilder): number => {
    const start = grid.startOf(part.startMs)
    const end = grid.endOf(start)
    const [whole] = mergeBars(within(parts.states(), start, end), grid)
    if (whole === undefined) return NaN
    const old = builder.get(start)
    if (old === undefined) builder.merge(whole)
    else Object.assign(old, { ...whole, complete: old.complete })
    return start
  }

  return {
    instrument,
    of,
    interval,
    feed,
    watchers,
    record(eventMs, recvMs, seq, price, size) {
      received(recvMs)
      tell(builder.apply(eventMs, seq, price, size))
    },
    bar({ recvMs, startMs, endMs, seq, open, high, low, close, volume }) {
      received(recvMs)
      if (base === null) {
        tell(builder.replace(startMs, endMs, seq, open, high, low, close, volume))
        return
      }
      const start = base.replace(startMs, endMs, seq, open, high, low, close, volume)
      const part = Number.isNaN(start) ? undefined : base.get(start)
      if (part !== undefined) tell(rebuild(part, base))
    },
    seed(bars) {
      for (const bar of bars) builder.merge(storedState(bar))
      for (const watcher of watchers) watcher.reset()
    },
    hole(gap, skewMs) {
      builder.hole(gap, skewMs)
      for (const watcher of watchers) watcher.reset()
    },
    holeClosed() {
      for (const watcher of watchers) watcher.reset()
    },
    from: (startMs) => fromEnd(builder.states(), startMs).map(shown),
    get lastStart() {
      return builder.last()?.startMs ?? NaN
    },
    clear() {
      sinceMs = Infinity
      nowMs = -Infinity
      builder = createBarBuilder({ grid, mostHoles: MOST_HOLES })
      base = baseGrid === null ? null : createBarBuilder({ grid: baseGrid })
      for (const watcher of watchers) watcher.reset()
    },
  }
}

/**
 * A stored part of a bar. Its records came before every live one, so a live record keeps the stored
 * open and takes over the close.
 */
function storedState(bar: Bar): BarState {
  return {
    ...bar,
    volume: bar.volume ?? NaN,
    volumeRest: 0,
    openMs: bar.startMs,
    openSeq: 0,
    closeMs: bar.startMs,
    closeSeq: 0,
    firstSeq: 0,
    lastSeq: 0,
  }
}

function fromEnd(states: readonly BarState[], startMs: number): readonly BarState[] {
  let i = states.length
  while (i > 0 && states[i - 1].startMs >= startMs) i -= 1
  return states.slice(i)
}

function within(states: readonly BarState[], start: number, end: number): readonly BarState[] {
  return fromEnd(states, start).filter((state) => state.startMs < end)
}
