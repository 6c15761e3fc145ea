/** The connections on one clock, and the outlet that gives each of them the messages it subscribed to. */
import { CLOSE } from '../../../../service/control.ts'
import { decodeStored } from '../../../../service/codecs/decode-stored.ts'
import { scratch } from '../../../../service/codec.ts'
import { FEEDS } from '../../../../service/feeds.ts'
import { FLAG, isEdge, type GapCause } from '../../../../shared/core/recording/session.ts'
import { FEED_IDS, instrumentId, type FeedId } from '../../../../shared/base/units.ts'
import type { Clock } from '../../../base/clock.ts'
import type { StoredEntry } from '../../../core/store/types/messages.ts'
import type { ReplayBatch } from '../../../core/store/types/replay.ts'
import type { JumpTarget, Outlet } from './playout.ts'
import { LOST_BYTES, type ServedConnection } from './served-connection.ts'

/** Above this many unsent bytes of a connection, a clock that waits for its readers waits. */
const BUSY_BYTES = 4 * 1024 * 1024
/** A reader that takes nothing for this long while the clock waits for it is cut, ms. */
const STALLED_MS = 30_000

export interface AudienceOptions {
  readonly clock: Pick<Clock, 'after'>
  /** Whether gaps that were recorded end the connections of their feed until they close. */
  readonly gapsDisconnect: boolean
  /** Whether the clock waits for a slow reader now. Otherwise the reader is cut when it is far behind. */
  readonly waits: () => boolean
  readonly onEnd: () => void
}

/** The close code for a server that fails (RFC 6455, section 7.4.1). */
const INTERNAL_ERROR = 1011

/** Gaps that a client of the service would have seen as a lost connection. */
const disconnects = (cause: GapCause): boolean => !isEdge({ cause }) && cause !== 'unacknowledged' && cause !== 'clock'

export class Audience implements Outlet {
  readonly #of: AudienceOptions
  readonly #connections = new Set<ServedConnection>()
  readonly #dirty = new Set<ServedConnection>()
  /** By feed index and symbol, as decoded. Emptied when a subscription changes. */
  readonly #routes = FEED_IDS.map(() => new Map<string, readonly ServedConnection[]>())
  readonly #record = scratch()
  /** Feeds that are inside a gap, by the seq that opened it. */
  readonly #down = new Map<number, FeedId>()
  #isBetweenSessions = false
  #freed: () => void = () => undefined

  constructor(options: AudienceOptions) {
    this.#of = options
  }

  get connections(): ReadonlySet<ServedConnection> {
    return this.#connections
  }

  /** Whether connections to a feed are refused now, because the session was disconnected from it. */
  isDown(feed: FeedId): boolean {
    return this.#isBetweenSessions || [...this.#down.values()].includes(feed)
  }

  add(connection: ServedConnection): void {
    this.#connections.add(connection)
  }

  remove(connection: ServedConnection): void {
    this.#connections.delete(connection)
    this.#dirty.delete(connection)
    this.subscriptionsChanged()
    this.freed()
  }

  subscriptionsChanged(): void {
    for (const routes of this.#routes) routes.clear()
  }

  /** Some of what was written has been sent. */
  freed(): void {
    this.#freed()
  }

  take(batch: ReplayBatch, from: number, to: number): void {
    this.#isBetweenSessions = false
    if (this.#connections.size > 0) for (let row = from; row < to; row++) this.#takeRow(batch, row)
  }

  #takeRow(batch: ReplayBatch, row: number): void {
    const flags = batch.flags[row]
    // The acknowledgements are this server's own, and what nobody asked for wasn't part of the market.
    if ((flags & (FLAG.control | FLAG.unasked)) !== 0) return
    const feed = batch.feed[row]
    for (const connection of this.#listeners(batch, row, feed, flags)) {
      connection.frames.add(batch, row, (flags & FLAG.binary) !== 0)
      this.#dirty.add(connection)
    }
  }

  #listeners(batch: ReplayBatch, row: number, feed: number, flags: number): readonly ServedConnection[] {
    const id = FEED_IDS[feed]
    const { bytes, offsets } = batch
    const isMarket = decodeStored(id, flags, bytes, offsets[row], offsets[row + 1], this.#record) === 'market'
    // Every subscriber of the feed gets a message whose symbol can't be read: the session got it, too.
    const symbol = isMarket ? this.#record.symbol : ''
    const routes = this.#routes[feed]
    let found = routes.get(symbol)
    if (found === undefined) routes.set(symbol, (found = this.#find(id, symbol)))
    return found
  }

  #find(feed: FeedId, symbol: string): readonly ServedConnection[] {
    const instrument = symbol === '' ? null : instrumentId(FEEDS[feed].asset, symbol)
    return [...this.#connections].filter(
      (one) =>
        one.feed === feed &&
        one.isOpen &&
        (instrument === null ? one.tickers.size > 0 : [...one.tickers.values()].includes(instrument)),
    )
  }

  entry({ seq, entry }: StoredEntry): void {
    this.#isBetweenSessions = false
    if (!this.#of.gapsDisconnect) return
    if (entry.type === 'gap-open' && disconnects(entry.cause)) {
      this.#down.set(seq, entry.feed)
      this.#drop(entry.feed)
    } else if (entry.type === 'gap-close') this.#down.delete(entry.openedSeq)
  }

  between(): void {
    this.#down.clear()
    if (!this.#of.gapsDisconnect) return
    this.#isBetweenSessions = true
    for (const feed of FEED_IDS) this.#drop(feed)
  }

  jumped(to: JumpTarget | null): void {
    this.#down.clear()
    this.#isBetweenSessions = to?.isBetween ?? false
    for (const { cause, fromSeq, feed } of to?.gaps ?? []) if (disconnects(cause)) this.#down.set(fromSeq, feed)
    for (const feed of FEED_IDS) if (this.isDown(feed)) this.#drop(feed)
  }

  #drop(feed: FeedId): void {
    for (const connection of this.#connections) if (connection.feed === feed) connection.drop()
    this.subscriptionsChanged()
  }

  flush(): void {
    for (const connection of this.#dirty) {
      connection.flush()
      if (connection.backlog > LOST_BYTES) connection.cut()
    }
    this.#dirty.clear()
  }

  get isFull(): boolean {
    if (!this.#of.waits()) return false
    for (const { backlog } of this.#connections) if (backlog > BUSY_BYTES) return true
    return false
  }

  async whenFree(): Promise<void> {
    while (this.isFull) {
      await new Promise<void>((resolve) => {
        const undo = this.#of.clock.after(STALLED_MS, () => {
          for (const one of this.#connections) if (one.backlog > BUSY_BYTES) one.cut()
          done()
        })
        const done = (): void => {
          undo()
          resolve()
        }
        this.#freed = done
      })
    }
  }

  ended(): void {
    this.flush()
    this.#of.onEnd()
  }

  /** Closes every connection, after what was written. */
  closeAll(reason: string, code: number = CLOSE.normal): void {
    for (const connection of this.#connections) connection.close(code, reason)
  }

  /** Closes every connection because reading failed: what was written isn't all, which a normal close would say. */
  fail(): void {
    this.closeAll('the session can’t be read', INTERNAL_ERROR)
  }
}
