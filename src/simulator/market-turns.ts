/** What the simulator sends by itself: a turn every few milliseconds, as the kind of its market says. */
import type { Connection } from './connection.ts'
import type { SimulatorClock } from './market/clock.ts'
import type { Writer } from './market/frames.ts'
import type { Market } from './market/market.ts'
import type { SimulatorOptions } from './options.ts'
import { createPlaylist, marketBatches, sendLoad, wantedInstruments, type createLoad, type Playlist } from './pump.ts'
import type { FeedId } from '../shared/base/units.ts'

export interface MarketTurnsOptions {
  readonly kind: NonNullable<SimulatorOptions['market']>
  readonly clock: SimulatorClock
  /** Time between turns, ms of the clock. */
  readonly turnMs: number
  /** Ms of the market per ms of the clock. */
  readonly speed: number
  /** The current time of the market, UTC ms. */
  readonly marketMs: () => number
  readonly market: Market
  readonly connections: ReadonlySet<Connection>
  readonly writer: (feed: FeedId) => Writer
  readonly load: ReturnType<typeof createLoad>
  /** In [0, 1), for the shuffling of messages. */
  readonly random: () => number
}

/** A longer jump of market time is skipped, as after the computer slept. */
const SKIP_MS = 30_000

export class MarketTurns {
  /** Resolves when a playlist was sent to its end. */
  readonly played: Promise<void>
  readonly #options: MarketTurnsOptions
  readonly #playlist: Playlist | undefined
  readonly #endPlayed: () => void
  #lastMs: number
  /** Messages of a load that are due but not sent. */
  #owed = 0
  #isStopped = false
  #cancel = (): void => {}

  constructor(options: MarketTurnsOptions) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.played = promise
    this.#endPlayed = resolve
    this.#options = options
    this.#playlist = options.kind.kind === 'playlist' ? createPlaylist(options.kind.messages) : undefined
    this.#lastMs = options.marketMs()
  }

  start(): void {
    this.#cancel = this.#options.clock.after(this.#options.turnMs, () => {
      void this.#turn().finally(() => {
        if (!this.#isStopped) this.start()
      })
    })
  }

  stop(): void {
    this.#isStopped = true
    this.#cancel()
  }

  async #turn(): Promise<void> {
    const { kind, clock, connections, marketMs } = this.#options
    const now = marketMs()
    switch (kind.kind) {
      case 'demo':
        this.#sendMarket(now)
        break
      case 'load':
        this.#sendLoad(kind.messagesPerSecond, now)
        break
      case 'playlist':
        if (await this.#playlist?.turn({ connections }, clock.wallMs())) this.#endPlayed()
        break
      case 'none':
        break
    }
    this.#lastMs = now
  }

  #sendMarket(now: number): void {
    const { clock, turnMs, speed, market, connections, writer, random } = this.#options
    const wanted = wantedInstruments({ connections })
    // After the computer slept, instruments restart at the current time.
    if (now - this.#lastMs > Math.max(SKIP_MS, 100 * turnMs * speed)) market.advance(now, [])
    const batches = marketBatches(market.advance(now, wanted), { connections }, market, writer)
    for (const [connection, list] of batches) connection.market(list, clock.wallMs(), random)
  }

  #sendLoad(messagesPerSecond: number, now: number): void {
    const { speed, connections, load } = this.#options
    const rate = messagesPerSecond * speed
    // A reader that was slow is owed at most one second.
    this.#owed = Math.min(rate, this.#owed + (rate * Math.max(0, now - this.#lastMs)) / 1000 / speed)
    const able = [...connections].filter((c) => c.open && c.tickers.size > 0)
    const each = able.length === 0 ? 0 : Math.floor(this.#owed / able.length)
    for (const connection of able) this.#owed -= sendLoad(connection, each, connection.marketCount, now, load)
  }
}
