/** All feeds: plans connections for what is subscribed to, and watches the clocks. */
import { FEED_IDS, type FeedId } from '../../../shared/base/units.ts'
import { scratch } from '../../../service/codec.ts'
import type { Clock } from '../../base/clock.ts'
import type { TokenSource } from '../account/token.ts'
import { createClockWatch, readInstants } from './connection/clock-watch.ts'
import type { Connection } from './connection/connection.ts'
import type { FrameSink } from './connection/frame-sink.ts'
import { createLoopTurn } from './connection/loop-turn.ts'
import { Feed } from './feed.ts'
import type { FeedListener } from './connection/feed-listener.ts'
import { GapLedger, type OpenGap } from './gap-ledger.ts'
import { Interest } from './interest.ts'
import type { Feeds } from './subscriptions.ts'

/** Changes of subscriptions are collected for this long before they are sent, ms. */
const DEBOUNCE_MS = 50
const TICK_MS = 1_000

export interface FeedsOptions {
  /** Base URL of the service; read when a connection is first needed after a start. */
  readonly baseUrl: () => string
  readonly token: TokenSource
  readonly recorder: FrameSink
  readonly listener: FeedListener
  readonly clock: Clock
  /** In [0, 1); default Math.random. */
  readonly random?: () => number
  /** Service clock minus local clock, ms, as the recorder stores it with gaps; null or absent: not measured. */
  readonly skewMs?: () => number | null
  /** Whether a feed may use more than one connection; read at each plan. */
  readonly allowSharding: () => boolean
}

export interface LiveFeeds extends Feeds {
  /**
   * Closes every connection with code 1000 after recording what still arrives, opens gaps of cause `quit`, and keeps
   * the subscriptions. To change the service: stop, end the session, switch, begin a session, start.
   */
  stop(): Promise<void>
  /** Reconnects for the subscriptions. Feeds are started when created. */
  start(): void
  /** Replans every feed, after `allowSharding` changed. */
  replan(): void
  openGaps(): readonly OpenGap[]
  /** The symbols that are subscribed to, connected or not. */
  wanted(feed: FeedId): readonly string[]
}

/** Creates the feeds, started and without subscriptions. */
export function createFeeds(options: FeedsOptions): LiveFeeds {
  return new AllFeeds(options)
}

class AllFeeds implements LiveFeeds {
  readonly #listener: FeedListener
  readonly #clock: Clock
  readonly #interest = new Interest()
  readonly #gaps: GapLedger
  readonly #feeds: ReadonlyMap<FeedId, Feed>
  readonly #dirty = new Set<FeedId>()
  #isStarted = true
  #startedMs
  #cancelPlan: (() => void) | null = null
  #cancelTick: (() => void) | null = null
  #watchClock

  constructor(options: FeedsOptions) {
    const { recorder, listener, clock } = options
    this.#listener = listener
    this.#clock = clock
    const turn = createLoopTurn(clock)
    this.#gaps = new GapLedger(recorder, listener, turn)
    const shared = {
      ...options,
      random: options.random ?? Math.random,
      skewMs: () => options.skewMs?.() ?? 0,
      turn,
      scratch: scratch(),
      gaps: this.#gaps,
    }
    this.#feeds = new Map(FEED_IDS.map((id) => [id, new Feed(id, shared, this.#monoMs())]))
    this.#startedMs = clock.wallMs()
    this.#watchClock = this.#watchFromNow()
    this.#cancelTick = clock.after(TICK_MS, () => this.#tick())
  }

  subscribe(feed: FeedId, symbols: readonly string[]): { release(): void } {
    const release = this.#interest.add(feed, symbols, this.#clock.wallMs(), () => this.#monoMs())
    this.#touch(feed)
    return {
      release: () => {
        release()
        this.#touch(feed)
      },
    }
  }

  status() {
    return [...this.#feeds.values()].map((feed) => feed.status())
  }

  retry(feed: FeedId): void {
    for (const connection of this.#feed(feed).connections) connection.dispatch({ is: 'retry' })
  }

  sleep(): void {
    for (const connection of this.#connections()) connection.dispatch({ is: 'sleep' })
  }

  wake(): void {
    for (const connection of this.#connections()) connection.dispatch({ is: 'wake' })
  }

  networkChanged(): void {
    for (const connection of this.#connections()) connection.dispatch({ is: 'networkUp' })
  }

  close(): Promise<void> {
    return this.stop()
  }

  async stop(): Promise<void> {
    this.#isStarted = false
    this.#cancelPlan?.()
    this.#cancelPlan = null
    this.#cancelTick?.()
    this.#cancelTick = null
    await Promise.all(this.#connections().map((connection) => connection.stop()))
    for (const feed of this.#feeds.values()) feed.dropConnections()
  }

  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#startedMs = this.#clock.wallMs()
    this.#gaps.closeAll(this.#startedMs)
    this.#watchClock = this.#watchFromNow()
    for (const [id, feed] of this.#feeds) {
      feed.reset(this.#monoMs())
      this.#touch(id)
    }
    this.#cancelTick = this.#clock.after(TICK_MS, () => this.#tick())
  }

  replan(): void {
    for (const feed of FEED_IDS) this.#touch(feed)
  }

  openGaps(): readonly OpenGap[] {
    return this.#gaps.list()
  }

  wanted(feed: FeedId): readonly string[] {
    return this.#interest.tickers(feed, this.#monoMs()).symbols
  }

  #feed(id: FeedId): Feed {
    const feed = this.#feeds.get(id)
    if (feed === undefined) throw new TypeError(`no such feed: ${id}`)
    return feed
  }

  #connections(): Connection[] {
    return [...this.#feeds.values()].flatMap((feed) => feed.connections)
  }

  /** Replans a feed after `DEBOUNCE_MS`. */
  #touch(feed: FeedId): void {
    this.#dirty.add(feed)
    if (this.#isStarted) this.#cancelPlan ??= this.#clock.after(DEBOUNCE_MS, () => this.#planDirty())
  }

  #planDirty(): void {
    this.#cancelPlan = null
    const feeds = [...this.#dirty]
    this.#dirty.clear()
    for (const id of feeds) this.#feed(id).replan(this.#interest.tickers(id, this.#monoMs()), this.#startedMs)
  }

  /** Once a second: checks clocks and heartbeats, measures rates, and drops tickers whose linger has ended. */
  #tick(): void {
    this.#cancelTick = this.#clock.after(TICK_MS, () => this.#tick())
    const instants = readInstants(this.#clock)
    if (instants === null) return // the next tick checks again
    this.#watchClock ??= createClockWatch(instants)
    const { paused, steppedMs, elapsedMs } = this.#watchClock(instants, TICK_MS)
    if (paused)
      this.#listener.log('info', 'clock', `the computer was asleep or stalled for ${Math.round(elapsedMs / 1_000)} s`)
    if (steppedMs !== 0) {
      // The recorder writes the clock's ledger entry itself, with the first timestamp that shows the shift.
      this.#listener.log('warn', 'clock', `this computer’s clock moved by ${Math.round(steppedMs)} ms`)
    }
    for (const connection of this.#connections()) {
      if (steppedMs !== 0) connection.clockMoved(steppedMs, elapsedMs)
      if (paused) connection.dispatch({ is: 'paused' })
      else connection.tick(instants.mono)
    }
    for (const [id, feed] of this.#feeds) {
      feed.countRate(instants.mono)
      if (this.#interest.hasLingering(id)) this.#touch(id)
    }
  }

  #monoMs(): number {
    return this.#clock.monoNs() / 1e6
  }

  /** Null if the clocks couldn't be read at one instant. */
  #watchFromNow(): ReturnType<typeof createClockWatch> | null {
    const instants = readInstants(this.#clock)
    return instants === null ? null : createClockWatch(instants)
  }
}
