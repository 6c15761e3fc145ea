/** The state that the alerts of one instrument share: price chains, windows and bars. */
import type { BarSource } from '../../../core/market/market.ts'
import type { AssetClass, FeedId, InstrumentId } from '../../../base/units.ts'
import type { BarLines } from './bar-lines.ts'
import { EventOrder } from './event-order.ts'
import { LevelIndex } from './levels.ts'
import type { Suspension } from './coverage.ts'
import type { Alert, AlertDirection, AlertPrice } from '../types.ts'
import type { MoveWindow, VolumeWindow } from './windows.ts'

/** An alert that is being evaluated. */
export interface Run {
  readonly alert: Alert
  readonly watch: Watch
  /** It doesn't fire before this, UTC ms. */
  restUntilMs: number
  /** The user snoozed it until then, UTC ms. */
  snoozedMs: number
  /** It fired, and the price has to return before it can fire again. */
  isAwaitingReturn: boolean
  /** What it last fired for (the day of a report). */
  firedOf: string | null
  /** For stale-feed alerts: this outage has been reported. */
  isReported: boolean
  /** Removes it from the state that feeds it. */
  release: () => void
}

/** An entry in a level index: a level where an alert fires, or one where it is armed again. */
export interface LevelItem {
  readonly run: Run
  readonly role: 'fire' | 'back'
  readonly level: number
  readonly direction: AlertDirection
}

/** A drawing's lines, with the price's distance from each at the last record. */
export interface DrawnRun {
  readonly run: Run
  readonly direction: AlertDirection
  distances: readonly number[]
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

/** The kind of record that Last comes from. A higher rank replaces a lower one and starts a new chain. */
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
  /** The feed of the last record that set Last. `order` is the order of those records, `quotes` that of quotes. */
  lastFeed: FeedId | null = null
  readonly order = new EventOrder()
  readonly quotes = new EventOrder()
  /** The current sides of the quote; NaN if absent. */
  bid = NaN
  ask = NaN
  /** What suspends this instrument's alerts now, by feed. */
  readonly suspensions = new Map<FeedId, Suspension>()

  constructor(id: InstrumentId, asset: AssetClass) {
    this.id = id
    this.asset = asset
    const chain = (): PriceChain => ({ index: new LevelIndex(), moves: [], drawn: [] })
    this.chains = { last: chain(), bid: chain(), ask: chain(), mid: chain() }
  }

  /** Starts a new chain for a price. `forget`: levels passed meanwhile aren't reported as unseen either. */
  cutPrice(of: AlertPrice, forget: boolean): void {
    const chain = this.chains[of]
    chain.index.cut(forget)
    cutMoves(chain)
    for (const one of chain.drawn) one.distances = []
  }

  /** Restarts everything that is measured over a period. */
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

  /** Returns to the initial state. */
  forget(): void {
    for (const side of ['last', 'bid', 'ask', 'mid'] as const) this.cutPrice(side, true)
    this.cutSpread()
    this.cutVolume()
    for (const lines of this.bars) lines.forget()
    this.rank = 0
    this.lastFeed = null
    this.order.restart()
    this.quotes.restart()
    this.suspensions.clear()
  }
}
