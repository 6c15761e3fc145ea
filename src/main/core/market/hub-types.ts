/** The hub's interface, options and saved state. */
import type { BarGrid } from '../../../shared/core/market/bars.ts'
import type { BarSource, Interval } from '../../../shared/core/market/market.ts'
import type { GapCause } from '../../../shared/core/recording/session.ts'
import type { FeedState, GapSpan, QuoteRow } from '../../../shared/core/status/status.ts'
import type { AssetClass, FeedId, InstrumentId, UnixMs } from '../../../shared/base/units.ts'
import type { Scratch } from '../../../service/codec.ts'
import type { Cell, CellSave, CellSeed, CellWatcher, DayGrid } from './cell.ts'
import type { BarSeries, SeriesWatcher } from './series.ts'
import type { FlowSink } from './flow-sink.ts'
import type { TapeRing, TapeWatcher } from './tape.ts'

/** The calendar as the hub uses it. */
export interface HubCalendar {
  grid(asset: AssetClass, interval: Interval): BarGrid
  days(asset: AssetClass): DayGrid
  isOpen(asset: AssetClass, ms: number): boolean
}

export interface HubOptions {
  readonly calendar: HubCalendar
  readonly nameOf?: (id: InstrumentId) => string | null
  /** The state of a feed for one instrument, where several recorders share the feed; undefined: that of the feed. */
  readonly stateOf?: (feed: FeedId, id: InstrumentId) => FeedState | undefined
}

/** The hub's part of a snapshot. Gaps and feed states are rebuilt from the session's ledger, see `MarketContext`. */
export interface HubSave {
  readonly lastSeq: number
  readonly epochs: readonly (readonly [FeedId, number])[]
  readonly aliases: readonly (readonly [FeedId, string, InstrumentId])[]
  readonly cells: readonly CellSave[]
}

/** A bar series or tape that exists while it is watched. `isNew`: it is empty and needs its history. */
export interface Watched<T> {
  readonly value: T
  readonly isNew: boolean
  release(): void
}

/** Receives records and feed states; live feeds and replays call it the same way. */
export interface HubSink {
  /** Applies a decoded market message that was subscribed to. `record` is valid only during the call. */
  apply(feed: FeedId, seq: number, recvMs: UnixMs, record: Scratch): void
  /**
   * Sets the state of a feed's connection, which determines freshness. With several connections, `state` is of the one
   * that most needs attention and `best` of the best one; absent: the same state.
   */
  feedState(feed: FeedId, state: FeedState, nowMs: UnixMs, best?: FeedState): void
  /** Confirms the symbols of an acknowledgment, as the service writes them. */
  acknowledged(feed: FeedId, symbols: readonly string[]): void
  /** `skewMs`: service clock minus the clock that its times are by, ms; absent: as the hub knows it. */
  gapOpened(feed: FeedId, cause: GapCause, symbols: readonly string[], fromMs: UnixMs, skewMs?: number): void
  gapClosed(feed: FeedId, fromMs: UnixMs, toMs: UnixMs): void
}

/** Receives records, feed states and gaps in addition to the hub. */
export type RecordSink = Pick<HubSink, 'apply' | 'feedState' | 'gapOpened' | 'gapClosed'>

/** A sink that calls both, in this order. */
export const joinSinks = (one: RecordSink, other: RecordSink): RecordSink => ({
  apply(feed, seq, recvMs, record) {
    one.apply(feed, seq, recvMs, record)
    other.apply(feed, seq, recvMs, record)
  },
  feedState(feed, state, nowMs, best) {
    one.feedState(feed, state, nowMs, best)
    other.feedState(feed, state, nowMs, best)
  },
  gapOpened(feed, cause, symbols, fromMs) {
    one.gapOpened(feed, cause, symbols, fromMs)
    other.gapOpened(feed, cause, symbols, fromMs)
  },
  gapClosed(feed, fromMs, toMs) {
    one.gapClosed(feed, fromMs, toMs)
    other.gapClosed(feed, fromMs, toMs)
  },
})

/** The parts of the state that a snapshot leaves out because they are rebuilt from the session's ledger. */
export interface MarketContext {
  /** The arguments of the last `feedState` of each feed. */
  readonly feedStates: readonly (readonly [feed: FeedId, state: FeedState, best?: FeedState])[]
  /** Gaps of the session so far, oldest first; no symbols: the entire feed. */
  readonly gaps: readonly {
    readonly feed: FeedId
    readonly cause: GapCause
    readonly symbols: readonly string[]
    readonly fromMs: UnixMs
    readonly toMs: UnixMs | null
    /** Service clock minus the clock that its times are by, ms; absent: as the hub knows it. */
    readonly skewMs?: number | undefined
  }[]
}

export interface Hub extends HubSink {
  /** The cell of an instrument, created if it is new. */
  cell(id: InstrumentId): Cell
  find(id: InstrumentId): Cell | undefined
  cells(): Iterable<Cell>
  watch(id: InstrumentId, watcher: CellWatcher): () => void
  watchBars(id: InstrumentId, of: BarSource, interval: Interval, watcher: SeriesWatcher): Watched<BarSeries>
  watchTape(id: InstrumentId, watcher: TapeWatcher): Watched<TapeRing>
  /** Passes an instrument's trades, quotes and gaps on, until the returned function is called. */
  watchFlow(id: InstrumentId, sink: FlowSink): () => void
  seed(id: InstrumentId, seed: CellSeed): void
  /** The row of a cell as windows see it. */
  row(cell: Cell, nowMs: number): QuoteRow
  /** The gaps of a feed that affect an instrument since the hub began, oldest first, out of the feed's last 500. */
  gaps(feed: FeedId, id: InstrumentId): readonly GapSpan[]
  /** Calls `listener` when a feed's gaps change; returns a function that removes it. */
  onGap(listener: (feed: FeedId) => void): () => void
  /** Notifies the watchers of cells whose freshness changed with time alone. Call it about once a second. */
  sweep(nowMs: number): void
  /** Service clock minus local clock, ms: gaps are widened by it when bars are marked incomplete. */
  setSkew(ms: number): void
  /** Clears every value, because another source begins. Watchers stay and are notified. */
  reset(): void
  onReset(listener: () => void): () => void
  save(): HubSave
  /** Restores a save (null: empties the hub). Watchers stay and are notified, as by `reset`. */
  restore(save: HubSave | null, context: MarketContext): void
  /** A session began: seqs start from 1 again. `afterBreak`: nothing is stored of the time since the one before. */
  sessionBegan(afterBreak: boolean): void
  /** A session that began at `atMs` (UTC) has its first message, so stored gaps that were still open ended then. */
  storedGapsEnded(atMs: UnixMs): void
  /** Calls `listener` when stored gaps ended; returns a function that removes it. */
  onStoredGapsEnded(listener: (atMs: UnixMs) => void): () => void
  /** Receipt of the newest record, UTC ms; -Infinity: none. */
  readonly lastRecvMs: number
  /** The last applied seq of the session; 0: none. */
  readonly lastSeq: number
}
