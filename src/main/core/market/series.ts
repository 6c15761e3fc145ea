/** Forming bars while they are watched: one series per (instrument, source, interval), built by the shared rules. */
import { toBar, type BarGrid, type BarState, stateOfStored } from '../../../shared/core/market/bars.ts'
import { createBarBuilder, mergeBars, type BarBuilder } from '../../../shared/core/market/bar-builder.ts'
import { missingCase } from '../../../shared/base/errors.ts'
import {
  msOf,
  SERVICE_BAR_FEEDS,
  serviceBarFeed,
  type Bar,
  type BarSource,
  type Interval,
} from '../../../shared/core/market/market.ts'
import type { AssetClass, FeedId, InstrumentId } from '../../../shared/base/units.ts'
import { FEEDS, TICK_FEEDS } from '../../../service/feeds.ts'

/** Called on the tick path: it must be quick. `startMs`: the earliest bar that changed. */
export interface SeriesWatcher {
  changed(startMs: number): void
  /** Any bar may have changed: a gap opened or closed, or stored bars were added. */
  reset(): void
}

/** Bars that a series holds in memory; older ones are read from the store. */
export const SERIES_BARS = 5_000

export interface BarSeries {
  readonly instrument: InstrumentId
  readonly of: BarSource
  readonly interval: Interval
  /** The feed whose records the series is built from. */
  readonly feed: FeedId
  /** Applies a price of the series' kind; both times UTC ms. `seq`: arrival order. */
  record(eventMs: number, recvMs: number, seq: number, price: number, size: number): void
  /** Applies a bar that the service sent; only for series of `service`. */
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
  /** Adds stored bars, which hold only records from before this series began. */
  seed(bars: readonly Bar[]): void
  /** Marks the bars that a gap, widened by `skewMs`, touches as incomplete. */
  addGap(gap: SeriesGap, skewMs: number): void
  gapClosed(): void
  /** Bars from `startMs` on, oldest first. */
  from(startMs: number): readonly Bar[]
  readonly lastStart: number
  clear(): void
  readonly watchers: Set<SeriesWatcher>
}

/** A gap whose end is set when it closes. The builder holds the same object, so bars after the end are complete. */
export interface SeriesGap {
  readonly fromMs: number
  toMs: number | null
}

export interface SeriesOptions {
  readonly instrument: InstrumentId
  readonly of: BarSource
  readonly interval: Interval
  readonly feed: FeedId
  readonly grid: BarGrid
  /** Grid of the bars that the service sends if this series merges them into longer ones; otherwise null. */
  readonly baseGrid: BarGrid | null
}

/** How far ahead of its receipt a record may be dated because clocks differ, ms. */
const LEAD_MS = 60_000

/**
 * Most separate gaps in a series; beyond this the oldest are joined, so that a feed that drops for days can't grow it.
 */
export const MAX_SERIES_GAPS = 500

/** The feed whose records a series of an instrument is built from. */
export function seriesFeed(asset: AssetClass, of: BarSource, interval: Interval): FeedId {
  switch (of) {
    case 'trade':
      return TICK_FEEDS[asset].find((feed) => FEEDS[feed].kind === 'trade') ?? TICK_FEEDS[asset][0]
    case 'bid':
    case 'ask':
    case 'mid':
      return TICK_FEEDS[asset].find((feed) => FEEDS[feed].kind === 'quote') ?? TICK_FEEDS[asset][0]
    case 'service':
      // The service has no bars this short (see `hasBars`), but the gaps are still shown.
      return serviceBarFeed(asset, msOf(interval)) ?? SERVICE_BAR_FEEDS[asset].minute
    default:
      return missingCase(of)
  }
}

export function createSeries({ instrument, of, interval, feed, grid, baseGrid }: SeriesOptions): BarSeries {
  const watchers = new Set<SeriesWatcher>()
  let builder: BarBuilder = createBarBuilder({ grid, maxGaps: MAX_SERIES_GAPS })
  let base = baseGrid === null ? null : createBarBuilder({ grid: baseGrid })
  /** Receipt of the first and the last record, UTC ms. */
  let sinceMs = Infinity
  let nowMs = -Infinity

  const received = (recvMs: number) => {
    if (recvMs < sinceMs) sinceMs = recvMs
    if (recvMs > nowMs) nowMs = recvMs
  }
  /** A bar outside the watched time that isn't stored has only late or early records, so it is incomplete. */
  const shown = (state: BarState): Bar => {
    const isOutside =
      state.firstSeq > 0 && (state.endMs <= sinceMs - LEAD_MS || grid.startOf(nowMs + LEAD_MS) < state.startMs)
    return toBar(isOutside ? { ...state, complete: false } : state)
  }
  const notify = (start: number) => {
    if (Number.isNaN(start)) return
    for (const watcher of watchers) watcher.changed(start)
    if (builder.size > SERIES_BARS * 1.1) {
      const states = builder.states()
      builder.forgetBefore(states[states.length - SERIES_BARS].startMs)
    }
  }
  /** Merges a longer bar again from the service's shorter ones, because a rebroadcast may have replaced one. */
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
      notify(builder.apply(eventMs, seq, price, size))
    },
    bar({ recvMs, startMs, endMs, seq, open, high, low, close, volume }) {
      received(recvMs)
      if (base === null) {
        notify(builder.replace(startMs, endMs, seq, open, high, low, close, volume))
        return
      }
      const start = base.replace(startMs, endMs, seq, open, high, low, close, volume)
      const part = Number.isNaN(start) ? undefined : base.get(start)
      if (part !== undefined) notify(rebuild(part, base))
    },
    seed(bars) {
      for (const bar of bars) builder.merge(stateOfStored(bar))
      for (const watcher of watchers) watcher.reset()
    },
    addGap(gap, skewMs) {
      builder.addGap(gap, skewMs)
      for (const watcher of watchers) watcher.reset()
    },
    gapClosed() {
      for (const watcher of watchers) watcher.reset()
    },
    from: (startMs) => fromEnd(builder.states(), startMs).map(shown),
    get lastStart() {
      return builder.last()?.startMs ?? NaN
    },
    clear() {
      sinceMs = Infinity
      nowMs = -Infinity
      builder = createBarBuilder({ grid, maxGaps: MAX_SERIES_GAPS })
      base = baseGrid === null ? null : createBarBuilder({ grid: baseGrid })
      for (const watcher of watchers) watcher.reset()
    },
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
