/** Streams stored messages as lines of JSON in an HTTP response, as fast as the client reads them. */
import type { ServerResponse } from 'node:http'
import { decodeStored } from '../../../../service/codecs/decode-stored.ts'
import { scratch } from '../../../../service/codec.ts'
import { FEEDS } from '../../../../service/feeds.ts'
import { FLAG } from '../../../../shared/core/recording/session.ts'
import { FEED_IDS, instrumentId, type FeedId, type InstrumentId } from '../../../../shared/base/units.ts'
import type { ReplayBatch } from '../../../core/store/types/replay.ts'
import { LineWriter } from './line-writer.ts'
import type { Outlet } from './playout.ts'

export interface LineFilter {
  readonly feeds: readonly FeedId[]
  /** Null: every instrument. */
  readonly instruments: ReadonlySet<InstrumentId> | null
}

export interface LineEvents {
  /** The client took something. */
  readonly moved: () => void
  /** Everything was written. */
  readonly ended: () => void
}

/** Room for the lines of a turn, mostly. */
const BUFFER_BYTES = 1024 * 1024
/** Bytes on their way to the client above which nothing more is read. */
const BUSY_BYTES = 3 * 1024 * 1024

export class LineOutlet implements Outlet {
  readonly #response: ServerResponse
  readonly #lines = new LineWriter(BUFFER_BYTES)
  readonly #isFeed: readonly boolean[]
  readonly #instruments: LineFilter['instruments']
  readonly #isWanted = FEED_IDS.map(() => new Map<string, boolean>())
  readonly #record = scratch()
  readonly #on: LineEvents
  #unsent = 0
  #isAbandoned = false
  #freed: () => void = () => undefined

  constructor(response: ServerResponse, filter: LineFilter, on: LineEvents) {
    this.#response = response
    this.#isFeed = FEED_IDS.map((feed) => filter.feeds.includes(feed))
    this.#instruments = filter.instruments
    this.#on = on
  }

  /** Instruments are looked up in the messages themselves. */
  get takesLines(): boolean {
    return this.#instruments === null
  }

  take(batch: ReplayBatch, from: number, to: number): void {
    for (let row = from; row < to;) {
      let end = row
      while (end < to && this.#wants(batch, end)) end++
      if (end > row) this.#lines.add(batch, row, end)
      row = end + 1
    }
  }

  #wants(batch: ReplayBatch, row: number): boolean {
    const flags = batch.flags[row]
    const feed = batch.feed[row]
    if (!this.#isFeed[feed] || (flags & (FLAG.control | FLAG.unasked)) !== 0) return false
    return this.#instruments === null || this.#hasInstrument(batch, row, feed, flags)
  }

  #hasInstrument({ bytes, offsets }: ReplayBatch, row: number, feed: number, flags: number): boolean {
    const id = FEED_IDS[feed]
    if (decodeStored(id, flags, bytes, offsets[row], offsets[row + 1], this.#record) !== 'market') return false
    const { symbol } = this.#record
    const known = this.#isWanted[feed]
    let isWanted = known.get(symbol)
    if (isWanted === undefined) {
      isWanted = this.#instruments?.has(instrumentId(FEEDS[id].asset, symbol)) === true
      known.set(symbol, isWanted)
    }
    return isWanted
  }

  flush(): void {
    if (this.#lines.length === 0) return
    const bytes = this.#lines.take()
    this.#unsent += bytes.length
    this.#response.write(bytes, (error) => {
      this.#unsent -= bytes.length
      if (!error) {
        this.#lines.giveBack(bytes)
        this.#on.moved()
      }
      this.#freed()
    })
  }

  get isFull(): boolean {
    return this.#unsent > BUSY_BYTES && !this.#isAbandoned
  }

  async whenFree(): Promise<void> {
    while (this.isFull) await new Promise<void>((resolve) => (this.#freed = resolve))
  }

  /** The client went away: nothing waits for it any longer. */
  abandon(): void {
    this.#isAbandoned = true
    this.#freed()
  }

  ended(): void {
    this.flush()
    this.#response.end()
    this.#on.ended()
  }
}
