/** What an instrument's alerts keep of its market: the chains of prices, windows and bars that they are measured on. */
import type { BarSource } from '../../../core/market/market.ts'
import type { AssetClass, FeedId, InstrumentId } from '../../../base/units.ts'
import type { BarLines } from './bar-lines.ts'
import { EventOrder } from './event-order.ts'
import { LevelIndex } from './levels.ts'
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

function cutMoves({ moves }: PriceChain): void {
  for (const { window, up, down } of moves) {
    window.clear()
    up.restart()
    down.restart()
  }
}

/** Which record Last is of: a better kind takes over, and begins a new chain. */
export const KIND_RANK = { none: 0, bar: 1, mid: 2, trade: 3 } as const

export class Watch {
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
  readonly order = new EventOrder()
  readonly quotes = new EventOrder()
  /** The sides of the quote as it is now; NaN: none. */
  bid = NaN
  ask = NaN
  /** By feed: what is not seen now. */
  readonly blind = new Map<FeedId, Blind>()

  constructor(id: InstrumentId, asset: AssetClass) {
    this.id = id
    this.asset = asset
    const chain = (): PriceChain => ({ index: new LevelIndex(), moves: [], drawn: [] })
    this.chains = { last: chain(), bid: chain(), ask: chain(), mid: chain() }
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
