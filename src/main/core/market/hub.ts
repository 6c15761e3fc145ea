/**
 * The hub: what is known now of every instrument. Live sessions and a replay feed it through the same
 * port. A tick costs the same whether 10 or 550 instruments are known, and allocates nothing for a
 * known one: it finds its cell by feed and spelling, changes numbers in place and tells who watches.
 */
import { midPrice } from '../../../shared/core/market/bars.ts'
import { missingCase } from '../../../shared/base/errors.ts'
import { hasBars, INTERVALS, type BarSource } from '../../../shared/core/market/market.ts'
import { MOST_SPELLINGS } from '../../../shared/core/recording/recording.ts'
import type { FeedState, Freshness } from '../../../shared/core/status/status.ts'
import {
  FEED_IDS,
  feedAsset,
  instrumentId,
  instrumentKey,
  type AssetClass,
  type FeedId,
  type InstrumentId,
} from '../../../shared/base/units.ts'
import { KIND, type Scratch } from '../../../service/codec.ts'
import { FEEDS, TICK_FEEDS } from '../../../service/feeds.ts'
import {
  applyPrint,
  clearCell,
  createCell,
  learnDecimals,
  RANK,
  restoreCell,
  saveCell,
  seedCell,
  type Cell,
  type DayGrid,
} from './cell.ts'
import { bestState, freshnessOf } from './freshness.ts'
import { HubGaps } from './hub-gaps.ts'
import type { Hub, HubOptions } from './hub-port.ts'
import { guessSpelling } from './instruments.ts'
import { rowOf } from './row.ts'
import { seriesFeed } from './series-feed.ts'
import { createSeries, type BarSeries } from './series.ts'
import { createTapeRing } from './tape.ts'

const TAPE_PRINTS = 2_048
/** Spellings of an instrument that are remembered over all its feeds. */
const MOST_CACHED = FEED_IDS.length * MOST_SPELLINGS

/** An empty hub. */
export function createHub({ calendar, nameOf }: HubOptions): Hub {
  const byId = new Map<InstrumentId, Cell>()
  const bySpelling = new Map<FeedId, Map<string, Cell>>(FEED_IDS.map((feed) => [feed, new Map<string, Cell>()]))
  const spellingsOf = new Map<Cell, number>()
  const feedStates = new Map<FeedId, FeedState>()
  /** Grows when a feed's connection is lost or has a gap: the first print of a new epoch does not flash. */
  const epochs = new Map<FeedId, number>(FEED_IDS.map((feed) => [feed, 0]))
  const gaps = new HubGaps()
  const seriesOf = new Map<FeedId, Set<BarSeries>>(FEED_IDS.map((feed) => [feed, new Set<BarSeries>()]))
  const days: Readonly<Record<AssetClass, DayGrid>> = {
    crypto: calendar.days('crypto'),
    forex: calendar.days('forex'),
    stocks: calendar.days('stocks'),
  }
  const shown = new Map<Cell, Freshness>()
  const resetListeners = new Set<() => void>()
  const gapListeners = new Set<(feed: FeedId) => void>()
  let lastSeq = 0
  /** Arrival order for bars: seqs begin anew with each recording, and are 0 while none is open. */
  let order = 0

  const cellOf = (id: InstrumentId): Cell => {
    const known = byId.get(id)
    if (known) return known
    const made = createCell(id, guessSpelling(id))
    byId.set(id, made)
    return made
  }
  const cellOfSymbol = (feed: FeedId, symbol: string): Cell => {
    const spellings = bySpelling.get(feed)!
    const known = spellings.get(symbol)
    if (known) return known
    const cell = cellOf(instrumentId(feedAsset(feed), symbol))
    // An instrument of endless spellings is found a little slower, and grows nothing.
    const count = spellingsOf.get(cell) ?? 0
    if (count >= MOST_CACHED) return cell
    spellingsOf.set(cell, count + 1)
    cell.symbol = symbol
    cell.spelt = true
    spellings.set(symbol, cell)
    return cell
  }
  const tell = (cell: Cell) => {
    for (const watcher of cell.watchers) watcher.changed(cell)
  }
  const print = (
    cell: Cell,
    feed: FeedId,
    rank: 1 | 2 | 3,
    price: number,
    size: number,
    seq: number,
    recvMs: number,
    r: Scratch,
  ) => {
    const eventMs = Number.isNaN(r.eventMs) ? recvMs : r.eventMs
    const direction = applyPrint(cell, feed, rank, price, size, eventMs, recvMs, epochs.get(feed)!, days[cell.asset])
    if (direction !== undefined && cell.tape !== null) cell.tape.push(seq, r.eventMs, recvMs, price, size, direction)
  }
  const intoSeries = (
    cell: Cell,
    feed: FeedId,
    of: BarSource,
    price: number,
    size: number,
    eventMs: number,
    recvMs: number,
  ) => {
    for (const series of cell.series) {
      if (series.of === of && series.feed === feed) series.record(eventMs, recvMs, order, price, size)
    }
  }
  const quote = (cell: Cell, feed: FeedId, seq: number, recvMs: number, r: Scratch) => {
    // An absent side keeps what was known; a side sent as 0 says that there is none.
    if (!Number.isNaN(r.bid)) cell.bid = r.bid > 0 ? r.bid : NaN
    if (!Number.isNaN(r.ask)) cell.ask = r.ask > 0 ? r.ask : NaN
    if (!Number.isNaN(r.bidSize)) cell.bidSize = r.bidSize
    if (!Number.isNaN(r.askSize)) cell.askSize = r.askSize
    const mid = midPrice(r.bid, r.ask)
    if (cell.rank <= RANK.mid) print(cell, feed, RANK.mid, mid, NaN, seq, recvMs, r)
    if (cell.series.length === 0) return
    const eventMs = Number.isNaN(r.eventMs) ? recvMs : r.eventMs
    intoSeries(cell, feed, 'bid', r.bid, NaN, eventMs, recvMs)
    intoSeries(cell, feed, 'ask', r.ask, NaN, eventMs, recvMs)
    intoSeries(cell, feed, 'mid', mid, NaN, eventMs, recvMs)
  }
  const serviceBar = (cell: Cell, feed: FeedId, seq: number, recvMs: number, r: Scratch) => {
    if (cell.rank <= RANK.bar) print(cell, feed, RANK.bar, r.close, NaN, seq, recvMs, r)
    for (const series of cell.series) {
      if (series.of !== 'service' || series.feed !== feed || !hasBars('service', series.interval)) continue
      const { startMs, endMs, open, high, low, close, volume } = r
      series.bar({ recvMs, startMs, endMs, seq: order, open, high, low, close, volume })
    }
  }
  /** Another state begins: what was built of the former one is forgotten. */
  const clear = () => {
    for (const cell of byId.values()) {
      clearCell(cell)
      cell.tape?.clear()
      for (const series of cell.series) series.clear()
    }
    for (const spellings of bySpelling.values()) spellings.clear()
    spellingsOf.clear()
    gaps.clear()
    feedStates.clear()
    lastSeq = 0
  }
  const tellAll = () => {
    for (const cell of byId.values()) tell(cell)
    for (const listener of resetListeners) listener()
  }
  const newEpoch = (feed: FeedId) => epochs.set(feed, epochs.get(feed)! + 1)
  const freshness = (cell: Cell, nowMs: number): Freshness =>
    freshnessOf({
      feed:
        cell.lastFeed === null
          ? bestState(TICK_FEEDS[cell.asset].map((id) => feedStates.get(id)))
          : feedStates.get(cell.lastFeed),
      lastRecvMs: cell.lastRecvMs,
      current: cell.lastFeed !== null && cell.epoch === epochs.get(cell.lastFeed),
      nowMs,
      marketOpen: calendar.isOpen(cell.asset, nowMs),
    })

  const hub: Hub = {
    get lastSeq() {
      return lastSeq
    },
    apply(feed, seq, recvMs, r) {
      lastSeq = seq
      order += 1
      if (r.symbol === '') return
      const cell = cellOfSymbol(feed, r.symbol)
      cell.seenMs = recvMs
      cell.mapping = r.mapping
      learnDecimals(cell, r.decimals)
      switch (r.kind) {
        case KIND.trade:
          print(cell, feed, RANK.trade, r.price, r.size, seq, recvMs, r)
          if (cell.series.length > 0) {
            intoSeries(cell, feed, 'trade', r.price, r.size, Number.isNaN(r.eventMs) ? recvMs : r.eventMs, recvMs)
          }
          break
        case KIND.quote:
          quote(cell, feed, seq, recvMs, r)
          break
        case KIND.bar:
          serviceBar(cell, feed, seq, recvMs, r)
          break
        case KIND.unknown:
        case KIND.none:
          break
        default:
          missingCase(r.kind)
      }
      tell(cell)
    },
    feedState(feed, state, nowMs) {
      const before = feedStates.get(feed)
      feedStates.set(feed, state)
      const wasUp = before?.is === 'open' || before?.is === 'stale'
      const isUp = state.is === 'open' || state.is === 'stale'
      if (wasUp && !isUp) newEpoch(feed)
      hub.sweep(nowMs)
    },
    acknowledged(feed, symbols) {
      // A spelling such as "-" names no instrument.
      const named = symbols.filter((symbol) => instrumentKey(feedAsset(feed), symbol) !== '')
      for (const symbol of named) tell(cellOfSymbol(feed, symbol))
    },
    gapOpened(feed, cause, symbols, fromMs) {
      if (symbols.length === 0) newEpoch(feed)
      else {
        for (const symbol of symbols) {
          const cell = cellOfSymbol(feed, symbol)
          // What another feed tells goes on without a break.
          if (cell.lastFeed === feed) cell.epoch = -1
        }
      }
      gaps.add(feed, cause, symbols, fromMs, null, seriesOf.get(feed)!)
      for (const listener of gapListeners) listener(feed)
    },
    gapClosed(feed, fromMs, toMs) {
      gaps.close(feed, fromMs, toMs)
      for (const series of seriesOf.get(feed)!) series.holeClosed()
      for (const listener of gapListeners) listener(feed)
    },
    cell: cellOf,
    find: (id) => byId.get(id),
    cells: () => byId.values(),
    watch(id, watcher) {
      const cell = cellOf(id)
      cell.watchers = [...cell.watchers, watcher]
      return () => {
        cell.watchers = cell.watchers.filter((one) => one !== watcher)
        if (cell.watchers.length === 0) shown.delete(cell)
      }
    },
    watchBars(id, of, interval, watcher) {
      const cell = cellOf(id)
      const feed = seriesFeed(cell.asset, of, interval)
      let series = cell.series.find((one) => one.of === of && one.interval === interval)
      const fresh = series === undefined
      if (series === undefined) {
        const barMs = of === 'service' ? FEEDS[feed].barMs : null
        const baseInterval = barMs === 1_000 ? '1s' : '1m'
        series = createSeries({
          instrument: id,
          of,
          interval,
          feed,
          grid: calendar.grid(cell.asset, interval),
          baseGrid: barMs === null || INTERVALS[interval] === barMs ? null : calendar.grid(cell.asset, baseInterval),
        })
        gaps.tell(feed, series)
        cell.series = [...cell.series, series]
        seriesOf.get(feed)!.add(series)
      }
      const held = series
      held.watchers.add(watcher)
      return {
        value: held,
        fresh,
        release() {
          if (!held.watchers.delete(watcher) || held.watchers.size > 0) return
          cell.series = cell.series.filter((one) => one !== held)
          seriesOf.get(feed)!.delete(held)
        },
      }
    },
    watchTape(id, watcher) {
      const cell = cellOf(id)
      const fresh = cell.tape === null
      const ring = (cell.tape ??= createTapeRing(TAPE_PRINTS))
      ring.watchers.add(watcher)
      return {
        value: ring,
        fresh,
        release() {
          if (ring.watchers.delete(watcher) && ring.watchers.size === 0 && cell.tape === ring) cell.tape = null
        },
      }
    },
    seed(id, seed) {
      const cell = cellOf(id)
      seedCell(cell, seed)
      tell(cell)
    },
    row: (cell, nowMs) => {
      const fresh = freshness(cell, nowMs)
      shown.set(cell, fresh)
      return rowOf(cell, fresh, nameOf?.(cell.id) ?? null)
    },
    gaps: (feed, id) => gaps.spans(feed, id),
    onGap(listener) {
      gapListeners.add(listener)
      return () => gapListeners.delete(listener)
    },
    sweep(nowMs) {
      for (const [cell, before] of shown) {
        if (cell.watchers.length > 0 && freshness(cell, nowMs) !== before) tell(cell)
      }
    },
    setSkew: (ms) => gaps.setSkew(ms),
    reset() {
      // Spellings are the former service's too; the next one tells its own.
      clear()
      tellAll()
    },
    save: () => ({
      lastSeq,
      epochs: [...epochs],
      spellings: [...bySpelling].flatMap(([feed, known]) =>
        [...known].map(([symbol, { id }]) => [feed, symbol, id] as const),
      ),
      // A cell that somebody only looked at knows nothing.
      cells: [...byId.values()].filter(({ rank, spelt }) => spelt || rank !== RANK.none).map(saveCell),
    }),
    restore(save, around) {
      clear()
      for (const cell of byId.values()) {
        cell.symbol = guessSpelling(cell.id)
        cell.spelt = false
      }
      if (save !== null) {
        lastSeq = save.lastSeq
        for (const [feed, epoch] of save.epochs) epochs.set(feed, epoch)
        for (const one of save.cells) restoreCell(cellOf(one.id), one)
        for (const [feed, symbol, id] of save.spellings) {
          const cell = cellOf(id)
          bySpelling.get(feed)!.set(symbol, cell)
          spellingsOf.set(cell, (spellingsOf.get(cell) ?? 0) + 1)
        }
      }
      for (const [feed, state] of around.feedStates) feedStates.set(feed, state)
      for (const { feed, cause, symbols, fromMs, toMs } of around.gaps) {
        gaps.add(feed, cause, symbols, fromMs, toMs, seriesOf.get(feed)!)
      }
      tellAll()
    },
    recordingBegan() {
      lastSeq = 0
    },
    onReset(listener) {
      resetListeners.add(listener)
      return () => resetListeners.delete(listener)
    },
  }
  return hub
}
