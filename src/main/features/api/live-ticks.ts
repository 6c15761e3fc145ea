/**
 * The live records that one client of the API follows. On the tick path a record is copied into a short queue, and
 * nothing else; it is written later, as long as the client has granted credit.
 */
import { KIND, type Scratch } from '../../../service/codec.ts'
import { FEEDS } from '../../../service/feeds.ts'
import { instrumentId, type FeedId, type InstrumentId } from '../../../shared/base/units.ts'

/** Ticks that may wait for credit; those beyond are counted and dropped. */
export const MAX_WAITING = 10_000

/** What is sent, in order. */
export type Outgoing =
  | Readonly<Record<string, unknown>>
  /** The number of ticks that were dropped here. */
  | { readonly type: 'lost'; messages: number }

export class LiveTicks {
  readonly #symbols = new Map<FeedId, Map<string, InstrumentId>>()
  /** By feed and symbol as decoded: whether it is wanted. */
  readonly #wanted = new Map<FeedId, Map<string, boolean>>()
  readonly #wake: () => void
  #queue: Outgoing[] = []
  #lost: { type: 'lost'; messages: number } | null = null
  #credit = 0

  /** `wake` is called when something can be sent. */
  constructor(wake: () => void) {
    this.#wake = wake
  }

  /** The symbols of a feed, as the client wrote them. */
  symbols(feed: FeedId): readonly string[] {
    return [...(this.#symbols.get(feed)?.keys() ?? [])]
  }

  subscribe(feed: FeedId, symbols: readonly string[]): void {
    const known = this.#symbols.get(feed) ?? new Map<string, InstrumentId>()
    for (const symbol of symbols) known.set(symbol, instrumentId(FEEDS[feed].asset, symbol))
    this.#symbols.set(feed, known)
    this.#wanted.set(feed, new Map())
  }

  /** Any alias of a symbol ends its subscription. */
  unsubscribe(feed: FeedId, symbols: readonly string[]): void {
    const known = this.#symbols.get(feed)
    const ended = new Set(symbols.map((symbol) => instrumentId(FEEDS[feed].asset, symbol)))
    for (const [symbol, instrument] of known ?? []) if (ended.has(instrument)) known?.delete(symbol)
    if (known === undefined || known.size === 0) {
      this.#symbols.delete(feed)
      this.#wanted.delete(feed)
    } else this.#wanted.set(feed, new Map())
  }

  grant(messages: number): void {
    this.#credit += messages
    this.#wake()
  }

  follows(feed: FeedId): boolean {
    return this.#symbols.has(feed)
  }

  /** Takes a live record. `record` is valid only during the call. */
  record(feed: FeedId, seq: number, recvMs: number, record: Scratch): void {
    const wanted = this.#wanted.get(feed)
    if (wanted === undefined || record.kind === KIND.none) return
    let isWanted = wanted.get(record.symbol)
    if (isWanted === undefined) {
      const id = instrumentId(FEEDS[feed].asset, record.symbol)
      isWanted = [...(this.#symbols.get(feed)?.values() ?? [])].includes(id)
      wanted.set(record.symbol, isWanted)
    }
    if (!isWanted) return
    if (this.#queue.length >= MAX_WAITING) {
      if (this.#lost === null) this.#queue.push((this.#lost = { type: 'lost', messages: 0 }))
      this.#lost.messages += 1
      return
    }
    this.#lost = null
    this.#queue.push(tickOf(feed, seq, recvMs, record))
    if (this.#credit > 0) this.#wake()
  }

  /** How many messages wait to be sent. */
  get waiting(): number {
    return this.#queue.length
  }

  /** Takes what isn't a tick and needs no credit, in its order. */
  tell(message: Readonly<Record<string, unknown>>): void {
    this.#queue.push(message)
    this.#wake()
  }

  /** What may be sent now, up to `most`. */
  take(most: number): readonly Outgoing[] {
    let count = 0
    for (; count < Math.min(most, this.#queue.length); count++) {
      if (this.#queue[count].type !== 'tick') continue
      if (this.#credit === 0) break
      this.#credit -= 1
    }
    const taken = this.#queue.slice(0, count)
    this.#queue = this.#queue.slice(count)
    if (this.#lost !== null && taken.includes(this.#lost)) this.#lost = null
    return taken
  }
}

/** A record as a tick of the stream. Absent values are left out. */
function tickOf(feed: FeedId, seq: number, recvMs: number, record: Scratch): Readonly<Record<string, unknown>> {
  const tick: Record<string, unknown> = { type: 'tick', feed, symbol: record.symbol, seq, recv_ms: recvMs }
  const put = (name: string, value: number): void => {
    if (!Number.isNaN(value)) tick[name] = value
  }
  put('event_ms', record.eventMs)
  switch (record.kind) {
    case KIND.trade:
      put('price', record.price)
      put('size', record.size)
      break
    case KIND.quote:
      put('bid', record.bid)
      put('ask', record.ask)
      put('bid_size', record.bidSize)
      put('ask_size', record.askSize)
      break
    case KIND.bar:
      put('open', record.open)
      put('high', record.high)
      put('low', record.low)
      put('close', record.close)
      put('volume', record.volume)
      put('start_ms', record.startMs)
      put('end_ms', record.endMs)
      break
    case KIND.none:
    case KIND.unknown:
      break
  }
  return tick
}
