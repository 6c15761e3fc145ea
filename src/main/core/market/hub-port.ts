/** What a hub needs, gives and keeps. */
import type { BarGrid } from '../../../shared/core/market/bars.ts'
import type { BarSource, Interval } from '../../../shared/core/market/market.ts'
import type { GapSpan, QuoteRow } from '../../../shared/core/status/status.ts'
import type { AssetClass, FeedId, InstrumentId } from '../../../shared/base/units.ts'
import type { Cell, CellSave, CellSeed, CellWatcher, DayGrid } from './cell.ts'
import type { HubSink, MarketAround } from './port.ts'
import type { BarSeries, SeriesWatcher } from './series.ts'
import type { TapeRing, TapeWatcher } from './tape.ts'

/** The calendar as the hub needs it. */
export interface HubCalendar {
  grid(asset: AssetClass, interval: Interval): BarGrid
  days(asset: AssetClass): DayGrid
  isOpen(asset: AssetClass, ms: number): boolean
}

export interface HubOptions {
  readonly calendar: HubCalendar
  readonly nameOf?: (id: InstrumentId) => string | null
}

/** What a hub knows, as a snapshot keeps it; gaps and feed states follow from a recording's entries. */
export interface HubSave {
  readonly lastSeq: number
  readonly epochs: readonly (readonly [FeedId, number])[]
  readonly spellings: readonly (readonly [FeedId, string, InstrumentId])[]
  readonly cells: readonly CellSave[]
}

/** A bar series or a tape that is kept while it is held. `fresh`: it began with this hold and wants its past. */
export interface Held<T> {
  readonly value: T
  readonly fresh: boolean
  release(): void
}

export interface Hub extends HubSink {
  /** The cell of an instrument, made where it is new. */
  cell(id: InstrumentId): Cell
  /** The cell of an instrument where it is known. */
  find(id: InstrumentId): Cell | undefined
  cells(): Iterable<Cell>
  watch(id: InstrumentId, watcher: CellWatcher): () => void
  watchBars(id: InstrumentId, of: BarSource, interval: Interval, watcher: SeriesWatcher): Held<BarSeries>
  watchTape(id: InstrumentId, watcher: TapeWatcher): Held<TapeRing>
  seed(id: InstrumentId, seed: CellSeed): void
  /** The row of an instrument as windows see it. */
  row(cell: Cell, nowMs: number): QuoteRow
  /** Gaps of a feed that concern an instrument, since this hub began, oldest first, at most the last 500 of the feed. */
  gaps(feed: FeedId, id: InstrumentId): readonly GapSpan[]
  /** Called when a feed's gaps changed. */
  onGap(listener: (feed: FeedId) => void): () => void
  /** Tells watchers whose freshness moved with time alone. Call about once a second. */
  sweep(nowMs: number): void
  /** Service clock minus local clock, ms: widens gaps when bars are marked. */
  setSkew(ms: number): void
  /** Another source begins: every value is forgotten, watchers stay and are told. */
  reset(): void
  onReset(listener: () => void): () => void
  save(): HubSave
  /** Puts the hub where a save was taken (null: an empty one). Watchers stay and are told, as by `reset`. */
  restore(save: HubSave | null, around: MarketAround): void
  /** A recording began: its seqs count from 1 again. */
  recordingBegan(): void
  /** The seq of the recording applied last; 0: none. */
  readonly lastSeq: number
}
