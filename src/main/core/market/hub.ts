/**
 * The hub holds the current values of every instrument. Live feeds and replays write to it through the same `HubSink`.
 * A tick costs the same whether 10 or 550 instruments are known, and allocates nothing for a known one: the hub finds
 * the cell by feed and symbol, updates numbers in place and notifies the watchers.
 */
import { midPrice, usable } from '../../../shared/core/market/bars.ts'
import { missingCase } from '../../../shared/base/errors.ts'
import { hasBars, msOf, type BarSource, type Interval } from '../../../shared/core/market/market.ts'
import type { GapCause } from '../../../shared/core/recording/session.ts'
import type { FeedState, Freshness, GapSpan, QuoteRow } from '../../../shared/core/status/status.ts'
import {
  FEED_IDS,
  feedAsset,
  instrumentKey,
  type AssetClass,
  type FeedId,
  type InstrumentId,
  type UnixMs,
} from '../../../shared/base/units.ts'
import { KIND, type Scratch } from '../../../service/codec.ts'
import { FEEDS, TICK_FEEDS } from '../../../service/feeds.ts'
import { CellIndex } from './cell-index.ts'
import {
  applyPrice,
  clearCell,
  learnDecimals,
  RANK,
  restoreCell,
  saveCell,
  seedCell,
  type Cell,
  type CellSeed,
  type CellWatcher,
  type DayGrid,
} from './cell.ts'
import { bestState, freshnessOf, isRecent } from './freshness.ts'
import { HubGaps } from './hub-gaps.ts'
import type { FlowSink } from './flow-sink.ts'
import type { Hub, HubOptions, HubSave, MarketContext, Watched } from './hub-types.ts'
import { guessSymbol } from './instruments.ts'
import { rowOf } from './row.ts'
import { createSeries, seriesFeed, type BarSeries, type SeriesWatcher } from './series.ts'
import { createTapeRing, type TapeRing, type TapeWatcher } from './tape.ts'

const TAPE_PRINTS = 2_048

export const createHub = (options: HubOptions): Hub => new MarketHub(options)

class MarketHub implements Hub {
  readonly #calendar: HubOptions['calendar']
  readonly #nameOf: (id: InstrumentId) => string | null
  readonly #stateOf: NonNullable<HubOptions['stateOf']>
  readonly #days: Readonly<Record<AssetClass, DayGrid>>
  readonly #cells = new CellIndex()
  readonly #gaps = new HubGaps()
  readonly #feedStates = new Map<FeedId, FeedState>()
  /** Incremented when a feed loses its connection or has a gap: the first price of a new epoch does not flash. */
  readonly #epochs = new Map<FeedId, number>(FEED_IDS.map((feed) => [feed, 0]))
  readonly #seriesOf = new Map<FeedId, Set<BarSeries>>(FEED_IDS.map((feed) => [feed, new Set<BarSeries>()]))
  /** The freshness last sent for each watched cell. */
  readonly #shown = new Map<Cell, Freshness>()
  readonly #resetListeners = new Set<() => void>()
  readonly #storedGapListeners = new Set<(atMs: UnixMs) => void>()
  readonly #gapListeners = new Set<(feed: FeedId) => void>()
  #lastSeq = 0
  /** Receipt of the last message of each asset class, UTC ms. */
  readonly #heardMs: Record<AssetClass, number> = { crypto: NaN, forex: NaN, stocks: NaN }
  /** Cells whose trades and quotes are passed on. */
  readonly #flowing = new Set<Cell>()
  /** Arrival order for bars. It isn't the seq, which restarts with each session and is 0 without one. */
  #order = 0

  constructor({ calendar, nameOf, stateOf }: HubOptions) {
    this.#calendar = calendar
    this.#stateOf = stateOf ?? (() => undefined)
    this.#nameOf = nameOf ?? (() => null)
    this.#days = { crypto: calendar.days('crypto'), forex: calendar.days('forex'), stocks: calendar.days('stocks') }
  }

  get lastRecvMs(): number {
    let last = -Infinity
    for (const { seenMs } of this.#cells.all()) if (seenMs > last) last = seenMs
    return last
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  apply(feed: FeedId, seq: number, recvMs: UnixMs, r: Scratch): void {
    this.#lastSeq = seq
    this.#order += 1
    if (r.symbol === '') return
    const cell = this.#cells.ofSymbol(feed, r.symbol)
    cell.seenMs = recvMs
    this.#heardMs[cell.asset] = recvMs
    cell.mapping = r.mapping
    learnDecimals(cell, r.decimals)
    switch (r.kind) {
      case KIND.trade:
        this.#price(cell, feed, RANK.trade, r.price, r.size, seq, recvMs, r)
        if (cell.series.length > 0) this.#record(cell, feed, 'trade', r.price, r.size, recvMs, r)
        if (cell.flows !== null) passTrade(cell.flows, seq, recvMs, r)
        break
      case KIND.quote:
        this.#quote(cell, feed, seq, recvMs, r)
        if (cell.flows !== null) passQuote(cell.flows, seq, recvMs, r)
        break
      case KIND.bar:
        this.#bar(cell, feed, seq, recvMs, r)
        break
      case KIND.unknown:
      case KIND.none:
        break
      default:
        missingCase(r.kind)
    }
    notify(cell)
  }

  feedState(feed: FeedId, state: FeedState, nowMs: UnixMs): void {
    const before = this.#feedStates.get(feed)
    this.#feedStates.set(feed, state)
    const wasUp = before?.is === 'open' || before?.is === 'stale'
    const isUp = state.is === 'open' || state.is === 'stale'
    if (wasUp && !isUp) this.#beginEpoch(feed)
    this.sweep(nowMs)
  }

  acknowledged(feed: FeedId, symbols: readonly string[]): void {
    for (const symbol of symbols) {
      // A symbol such as "-" isn't an instrument.
      if (instrumentKey(feedAsset(feed), symbol) !== '') notify(this.#cells.ofSymbol(feed, symbol))
    }
  }

  gapOpened(feed: FeedId, cause: GapCause, symbols: readonly string[], fromMs: UnixMs, skewMs?: number): void {
    if (symbols.length === 0) this.#beginEpoch(feed)
    for (const symbol of symbols) {
      const cell = this.#cells.ofSymbol(feed, symbol)
      // A price from another feed isn't affected by this gap.
      if (cell.lastFeed === feed) cell.epoch = -1
      passGap(cell, feed, fromMs)
    }
    if (symbols.length === 0) for (const cell of this.#flowing) passGap(cell, feed, fromMs)
    this.#gaps.add({ feed, cause, symbols, fromMs, toMs: null, skewMs }, this.#seriesOf.get(feed)!)
    for (const listener of this.#gapListeners) listener(feed)
  }

  gapClosed(feed: FeedId, fromMs: UnixMs, toMs: UnixMs): void {
    this.#gaps.close(feed, fromMs, toMs)
    for (const series of this.#seriesOf.get(feed)!) series.gapClosed()
    for (const listener of this.#gapListeners) listener(feed)
  }

  cell(id: InstrumentId): Cell {
    return this.#cells.get(id)
  }

  find(id: InstrumentId): Cell | undefined {
    return this.#cells.find(id)
  }

  cells(): Iterable<Cell> {
    return this.#cells.all()
  }

  watch(id: InstrumentId, watcher: CellWatcher): () => void {
    const cell = this.#cells.get(id)
    cell.watchers = [...cell.watchers, watcher]
    return () => {
      cell.watchers = cell.watchers.filter((one) => one !== watcher)
      if (cell.watchers.length === 0) this.#shown.delete(cell)
    }
  }

  watchBars(id: InstrumentId, of: BarSource, interval: Interval, watcher: SeriesWatcher): Watched<BarSeries> {
    const cell = this.#cells.get(id)
    const known = cell.series.find((one) => one.of === of && one.interval === interval)
    const series = known ?? this.#addSeries(cell, of, interval)
    series.watchers.add(watcher)
    return {
      value: series,
      isNew: known === undefined,
      release: () => {
        if (!series.watchers.delete(watcher) || series.watchers.size > 0) return
        cell.series = cell.series.filter((one) => one !== series)
        this.#seriesOf.get(series.feed)!.delete(series)
      },
    }
  }

  watchTape(id: InstrumentId, watcher: TapeWatcher): Watched<TapeRing> {
    const cell = this.#cells.get(id)
    const isNew = cell.tape === null
    const ring = (cell.tape ??= createTapeRing(TAPE_PRINTS))
    ring.watchers.add(watcher)
    return {
      value: ring,
      isNew,
      release() {
        if (ring.watchers.delete(watcher) && ring.watchers.size === 0 && cell.tape === ring) cell.tape = null
      },
    }
  }

  watchFlow(id: InstrumentId, sink: FlowSink): () => void {
    const cell = this.#cells.get(id)
    cell.flows = [...(cell.flows ?? []), sink]
    this.#flowing.add(cell)
    return () => {
      const others = (cell.flows ?? []).filter((one) => one !== sink)
      cell.flows = others.length > 0 ? others : null
      if (cell.flows === null) this.#flowing.delete(cell)
    }
  }

  seed(id: InstrumentId, seed: CellSeed): void {
    const cell = this.#cells.get(id)
    seedCell(cell, seed)
    notify(cell)
  }

  row(cell: Cell, nowMs: number): QuoteRow {
    const freshness = this.#freshness(cell, nowMs)
    this.#shown.set(cell, freshness)
    return rowOf(cell, freshness, this.#nameOf(cell.id))
  }

  gaps(feed: FeedId, id: InstrumentId): readonly GapSpan[] {
    return this.#gaps.spans(feed, id)
  }

  onGap(listener: (feed: FeedId) => void): () => void {
    this.#gapListeners.add(listener)
    return () => this.#gapListeners.delete(listener)
  }

  sweep(nowMs: number): void {
    for (const [cell, before] of this.#shown) {
      if (cell.watchers.length > 0 && this.#freshness(cell, nowMs) !== before) notify(cell)
    }
    for (const cell of this.#flowing) for (const sink of cell.flows ?? []) sink.swept()
  }

  setSkew(ms: number): void {
    this.#gaps.setSkew(ms)
  }

  reset(): void {
    this.#clear()
    this.#notifyAll()
  }

  save(): HubSave {
    return {
      lastSeq: this.#lastSeq,
      epochs: [...this.#epochs],
      aliases: this.#cells.aliases(),
      // A cell that is only watched has nothing to save.
      cells: [...this.#cells.all()].filter((cell) => cell.isSymbolConfirmed || cell.rank !== RANK.none).map(saveCell),
    }
  }

  restore(save: HubSave | null, context: MarketContext): void {
    this.#clear()
    for (const cell of this.#cells.all()) {
      cell.symbol = guessSymbol(cell.id)
      cell.isSymbolConfirmed = false
    }
    if (save !== null) {
      this.#lastSeq = save.lastSeq
      for (const [feed, epoch] of save.epochs) this.#epochs.set(feed, epoch)
      for (const one of save.cells) {
        const cell = this.#cells.get(one.id)
        restoreCell(cell, one)
        if (!(cell.seenMs <= this.#heardMs[cell.asset])) this.#heardMs[cell.asset] = cell.seenMs
      }
      this.#cells.restoreAliases(save.aliases)
    }
    for (const [feed, state] of context.feedStates) this.#feedStates.set(feed, state)
    for (const gap of context.gaps) this.#gaps.add(gap, this.#seriesOf.get(gap.feed)!)
    this.#notifyAll()
  }

  sessionBegan(afterBreak: boolean): void {
    this.#lastSeq = 0
    const start = afterBreak ? 'after break' : 'at once'
    for (const cell of this.#flowing) for (const sink of cell.flows ?? []) sink.sessionBegan(start)
  }

  storedGapsEnded(atMs: UnixMs): void {
    for (const listener of this.#storedGapListeners) listener(atMs)
  }

  onStoredGapsEnded(listener: (atMs: UnixMs) => void): () => void {
    this.#storedGapListeners.add(listener)
    return () => this.#storedGapListeners.delete(listener)
  }

  onReset(listener: () => void): () => void {
    this.#resetListeners.add(listener)
    return () => this.#resetListeners.delete(listener)
  }

  /** Applies a price to Last and the day, and a trade's to the tape. */
  #price(
    cell: Cell,
    feed: FeedId,
    rank: 1 | 2 | 3,
    price: number,
    size: number,
    seq: number,
    recvMs: number,
    r: Scratch,
  ): void {
    const eventMs = Number.isNaN(r.eventMs) ? recvMs : r.eventMs
    const epoch = this.#epochs.get(feed)!
    const direction = applyPrice(cell, feed, rank, price, size, eventMs, recvMs, epoch, this.#days[cell.asset])
    // Mids and closes of bars may be the last price, but they are no prints.
    if (rank === RANK.trade && direction !== undefined) cell.tape?.push(seq, r.eventMs, recvMs, price, size, direction)
  }

  /** Applies a price to the watched bars that are built from this kind of price. */
  #record(cell: Cell, feed: FeedId, of: BarSource, price: number, size: number, recvMs: number, r: Scratch): void {
    const eventMs = Number.isNaN(r.eventMs) ? recvMs : r.eventMs
    for (const series of cell.series) {
      if (series.of === of && series.feed === feed) series.record(eventMs, recvMs, this.#order, price, size)
    }
  }

  #quote(cell: Cell, feed: FeedId, seq: number, recvMs: number, r: Scratch): void {
    // An absent side keeps its last value; a side sent as 0 is empty.
    if (!Number.isNaN(r.bid)) cell.bid = r.bid > 0 ? r.bid : NaN
    if (!Number.isNaN(r.ask)) cell.ask = r.ask > 0 ? r.ask : NaN
    if (!Number.isNaN(r.bidSize)) cell.bidSize = r.bidSize
    if (!Number.isNaN(r.askSize)) cell.askSize = r.askSize
    const mid = midPrice(r.bid, r.ask)
    if (cell.rank <= RANK.mid) this.#price(cell, feed, RANK.mid, mid, NaN, seq, recvMs, r)
    if (cell.series.length === 0) return
    this.#record(cell, feed, 'bid', r.bid, NaN, recvMs, r)
    this.#record(cell, feed, 'ask', r.ask, NaN, recvMs, r)
    this.#record(cell, feed, 'mid', mid, NaN, recvMs, r)
  }

  /** Applies a bar that the service sent. */
  #bar(cell: Cell, feed: FeedId, seq: number, recvMs: number, r: Scratch): void {
    if (cell.rank <= RANK.bar) this.#price(cell, feed, RANK.bar, r.close, NaN, seq, recvMs, r)
    for (const series of cell.series) {
      if (series.of !== 'service' || series.feed !== feed || !hasBars('service', series.interval)) continue
      const { startMs, endMs, open, high, low, close, volume } = r
      series.bar({ recvMs, startMs, endMs, seq: this.#order, open, high, low, close, volume })
    }
  }

  #addSeries(cell: Cell, of: BarSource, interval: Interval): BarSeries {
    const feed = seriesFeed(cell.asset, of, interval)
    const barMs = of === 'service' ? FEEDS[feed].barMs : null
    const baseInterval = barMs === 1_000 ? '1s' : '1m'
    const isBase = barMs === null || msOf(interval) === barMs
    const series = createSeries({
      instrument: cell.id,
      of,
      interval,
      feed,
      grid: this.#calendar.grid(cell.asset, interval),
      baseGrid: isBase ? null : this.#calendar.grid(cell.asset, baseInterval),
    })
    this.#gaps.addTo(feed, series)
    cell.series = [...cell.series, series]
    this.#seriesOf.get(feed)!.add(series)
    return series
  }

  #freshness(cell: Cell, nowMs: number): Freshness {
    const { asset, lastFeed } = cell
    const stateOf = (feed: FeedId): FeedState | undefined => this.#stateOf(feed, cell.id) ?? this.#feedStates.get(feed)
    return freshnessOf({
      feed: lastFeed === null ? bestState(TICK_FEEDS[asset].map(stateOf)) : stateOf(lastFeed),
      lastRecvMs: cell.lastRecvMs,
      isCurrent: lastFeed !== null && cell.epoch === this.#epochs.get(lastFeed),
      nowMs,
      isMarketOpen: isRecent(this.#heardMs[asset], nowMs) || this.#calendar.isOpen(asset, nowMs),
    })
  }

  #beginEpoch(feed: FeedId): void {
    this.#epochs.set(feed, this.#epochs.get(feed)! + 1)
  }

  /** Clears every value, including the aliases, which belong to a source. Watchers stay. */
  #clear(): void {
    for (const cell of this.#cells.all()) {
      clearCell(cell)
      cell.tape?.clear()
      for (const series of cell.series) series.clear()
    }
    this.#cells.clearAliases()
    this.#gaps.clear()
    this.#feedStates.clear()
    this.#heardMs.crypto = this.#heardMs.forex = this.#heardMs.stocks = NaN
    this.#lastSeq = 0
  }

  #notifyAll(): void {
    for (const cell of this.#cells.all()) notify(cell)
    for (const listener of this.#resetListeners) listener()
  }
}

function notify(cell: Cell): void {
  for (const watcher of cell.watchers) watcher.changed(cell)
}

/** Passes the start of a gap on to those that follow the feed's instrument. */
function passGap(cell: Cell, feed: FeedId, fromMs: number): void {
  const { kind } = FEEDS[feed]
  if (kind === 'bar' || feedAsset(feed) !== cell.asset) return
  for (const sink of cell.flows ?? []) sink.gap(kind, fromMs)
}

function passTrade(sinks: readonly FlowSink[], seq: number, recvMs: number, { eventMs, price, size }: Scratch): void {
  if (usable(price)) for (const sink of sinks) sink.trade(seq, recvMs, eventMs, price, size)
}

function passQuote(sinks: readonly FlowSink[], seq: number, recvMs: number, { eventMs, bid, ask }: Scratch): void {
  for (const sink of sinks) sink.quote(seq, recvMs, eventMs, bid, ask)
}
