/** What an instrument's alerts keep of its market: the chains of prices, windows and bars that they are measured on. */
import type { BarSource } from '../../../core/market/market.ts'
import type { AssetClass, FeedId, InstrumentId } from '../../../base/units.ts'
import type { BarLines } from './bar-lines.ts'
import type { Cells } from './cells.ts'
import { EventOrder, ORDER } from './event-order.ts'
import { LEVEL, LevelIndex } from './levels.ts'
import type { Blind } from './coverage.ts'
import type { Alert, AlertDirection, AlertPrice } from '../types.ts'
import type { MoveWindow, VolumeWindow } from './windows.ts'

/** An alert under way. */
export interface Run {
  readonly alert: Alert
  readonly watch: Watch
  /** It does not fire before this, UTC ms. */
  restUntilMs: number
  /** Put off by hand until then, UTC ms. */
  snoozedMs: number
  /** It fired and the price has not gone back yet. */
  away: boolean
  /** Of what it fired last (the day of a report). */
  firedOf: string | null
  /** Of a stale feed: this outage was told. */
  told: boolean
  /** Takes it away from where its measure is taken. */
  release: () => void
}

/** An entry of an index of levels: where an alert fires, or where it is armed again. */
export interface LevelItem {
  readonly run: Run
  readonly role: 'fire' | 'back'
  readonly level: number
  readonly direction: AlertDirection
}

/** A drawing's lines with the price's distance from each at the last record. */
export interface DrawnRun {
  readonly run: Run
  readonly direction: AlertDirection
  apart: readonly number[]
}

export interface Moves {
  readonly window: MoveWindow
  readonly up: LevelIndex<LevelItem>
  readonly down: LevelIndex<LevelItem>
}

export interface Volumes {
  readonly window: VolumeWindow
  readonly index: LevelIndex<LevelItem>
}

/** One kind of price of an instrument. */
export interface PriceChain {
  readonly index: LevelIndex<LevelItem>
  moves: readonly Moves[]
  drawn: readonly DrawnRun[]
}

const isPlain = ({ moves, drawn }: PriceChain): boolean => moves.length + drawn.length === 0

function cutMoves({ moves }: PriceChain): void {
  for (const { window, up, down } of moves) {
    window.clear()
    up.restart()
    down.restart()
  }
}

/** Which record Last is of: a better kind takes over, and begins a new chain. */
export const KIND_RANK = { none: 0, bar: 1, mid: 2, trade: 3 } as const

/** Where the numbers of a watch are in its row: those of a trade side by side, and those of a quote. */
const LAST = 0
const TRADES = LAST + LEVEL.count
const BID = 8
const ASK = BID + LEVEL.count
const MID = ASK + LEVEL.count
const QUOTES = MID + LEVEL.count
const QUOTE = QUOTES + ORDER.count
/** Places of a row by what a record is compared with. */
export const CELL = {
  last: LAST,
  trades: TRADES,
  bid: BID,
  ask: ASK,
  mid: MID,
  quotes: QUOTES,
  bidNow: QUOTE,
  askNow: QUOTE + 1,
  count: 24,
} as const

export class Watch {
  /** Where its numbers begin among those of all, see `CELL`. */
  readonly row: number
  /** The feed whose trades have nothing to move but the levels of Last; '': not known. See `settleTrades`. */
  calm: FeedId | '' = ''
  /** The feed whose quotes have nothing to move but levels; '': not known. See `settleQuotes`. */
  calmQuotes: FeedId | '' = ''
  /** Whether quotes that are calm move Last too. */
  midIsLast = false
  readonly id: InstrumentId
  readonly asset: AssetClass
  readonly runs = new Set<Run>()
  readonly chains: Readonly<Record<AlertPrice, PriceChain>>
  readonly spread: Record<'price' | 'percent', LevelIndex<LevelItem>> = {
    price: new LevelIndex(),
    percent: new LevelIndex(),
  }
  volumes: readonly Volumes[] = []
  bars: readonly BarLines<Run>[] = []
  rank = 0
  /** Feed of the last record that made Last, the order of these, and that of quotes. */
  lastFeed: FeedId | null = null
  readonly order: EventOrder
  readonly quotes: EventOrder
  /** By feed: what is not seen now. */
  readonly blind = new Map<FeedId, Blind>()
  readonly #cells: Cells

  /** Has a row of `cells` of its own. */
  constructor(id: InstrumentId, asset: AssetClass, cells: Cells) {
    this.id = id
    this.asset = asset
    this.#cells = cells
    const row = cells.take()
    this.row = row
    const chain = (at: number): PriceChain => ({ index: new LevelIndex(cells, row + at), moves: [], drawn: [] })
    this.chains = { last: chain(CELL.last), bid: chain(CELL.bid), ask: chain(CELL.ask), mid: chain(CELL.mid) }
    this.order = new EventOrder(cells, row + CELL.trades)
    this.quotes = new EventOrder(cells, row + CELL.quotes)
    this.bid = this.ask = NaN
  }

  /** The sides of the quote as it is now; NaN: none. */
  get bid(): number {
    return this.#cells.values[this.row + CELL.bidNow]
  }
  set bid(price: number) {
    this.#cells.values[this.row + CELL.bidNow] = price
  }
  get ask(): number {
    return this.#cells.values[this.row + CELL.askNow]
  }
  set ask(price: number) {
    this.#cells.values[this.row + CELL.askNow] = price
  }

  /** A trade of this feed was measured: whether the next one needs a look at the levels of Last alone. */
  settleTrades(feed: FeedId): void {
    const only = this.volumes.length + this.bars.length + this.blind.size === 0 && isPlain(this.chains.last)
    this.calm = only && this.rank === KIND_RANK.trade && this.lastFeed === feed ? feed : ''
  }

  /** A quote of this feed was measured: whether the next one needs a look at the levels of prices alone. */
  settleQuotes(feed: FeedId): void {
    const { rank, bars, blind, spread, chains } = this
    const { bid, ask, mid, last } = chains
    // What no alert waits for begins anew with the first one that does.
    const spreads = spread.price.size + spread.percent.size
    const only = bars.length + blind.size + spreads === 0 && isPlain(bid) && isPlain(ask) && isPlain(mid)
    this.midIsLast = rank === KIND_RANK.mid
    const known = this.midIsLast ? this.lastFeed === feed && isPlain(last) : rank === KIND_RANK.trade
    this.calmQuotes = only && known ? feed : ''
  }

  /** What is measured, or what is seen, is another: call upon each change of what settling looks at. */
  stir(): void {
    this.calm = this.calmQuotes = ''
  }

  /** What comes on these prices does not follow what came. `forget`: nor is it told what was passed unseen. */
  cutPrice(of: AlertPrice, forget: boolean): void {
    const chain = this.chains[of]
    chain.index.cut(forget)
    cutMoves(chain)
    for (const one of chain.drawn) one.apart = []
  }

  /** All that is measured over a stretch of time begins anew. */
  cutWindows(): void {
    for (const side of ['last', 'bid', 'ask', 'mid'] as const) cutMoves(this.chains[side])
    this.cutVolume()
  }

  cutSpread(): void {
    this.bid = this.ask = NaN
    this.spread.price.restart()
    this.spread.percent.restart()
  }

  cutVolume(): void {
    for (const { window, index } of this.volumes) {
      window.clear()
      index.restart()
    }
  }

  cutBars(of: BarSource): void {
    for (const lines of this.bars) if (lines.of === of) lines.cut()
  }

  /** All of it, as at the start. */
  forget(): void {
    this.stir()
    for (const side of ['last', 'bid', 'ask', 'mid'] as const) this.cutPrice(side, true)
    this.cutSpread()
    this.cutVolume()
    for (const lines of this.bars) lines.forget()
    this.rank = 0
    this.lastFeed = null
    this.order.restart()
    this.quotes.restart()
    this.blind.clear()
  }
}
