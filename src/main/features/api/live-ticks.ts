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

/** Symbols in the answers that one call of `take` returns: each answer has all symbols of its feed. */
const TAKEN_SYMBOLS = 10_000

export class LiveTicks {
  readonly #symbols = new Map<FeedId, Map<string, InstrumentId>>()
  readonly #lists = new Map<FeedId, readonly string[]>()
  /** By feed and symbol as decoded: whether it is wanted. */
  readonly #wanted = new Map<FeedId, Map<string, boolean>>()
  readonly #wake: () => void
  #queue: Outgoing[] = []
  #lost: { type: 'lost'; messages: number } | null = null
  #credit = 0
  /** Symbols in the answers that wait. */
  #waitingSymbols = 0

  /** `wake` is called when something can be sent. */
  constructor(wake: () => void) {
    this.#wake = wake
  }

  /** The symbols of a feed, as the client wrote them. The same list until they change. */
  symbols(feed: FeedId): readonly string[] {
    let list = this.#lists.get(feed)
    if (list === undefined) this.#lists.set(feed, (list = [...(this.#symbols.get(feed)?.keys() ?? [])]))
    return list
  }

  has(feed: FeedId, symbol: string): boolean {
    return this.#symbols.get(feed)?.has(symbol) === true
  }

  /** Returns the symbols that are new. The others take no time, because a client can repeat itself. */
  subscribe(feed: FeedId, symbols: readonly string[]): readonly string[] {
    const added = [...new Set(symbols)].filter((symbol) => !this.has(feed, symbol))
    if (added.length === 0) return added
    const known = this.#symbols.get(feed) ?? new Map<string, InstrumentId>()
    for (const symbol of added) known.set(symbol, instrumentId(FEEDS[feed].asset, symbol))
    this.#changed(feed, known)
    return added
  }

  /** Any alias of a symbol ends its subscription. Returns those that ended, as they were subscribed to. */
  unsubscribe(feed: FeedId, symbols: readonly string[]): readonly string[] {
    const known = this.#symbols.get(feed)
    if (known === undefined) return []
    const named = new Set(symbols.map((symbol) => instrumentId(FEEDS[feed].asset, symbol)))
    const ended = [...known].filter(([, instrument]) => named.has(instrument)).map(([symbol]) => symbol)
    for (const symbol of ended) known.delete(symbol)
    if (ended.length > 0) this.#changed(feed, known)
    return ended
  }

  #changed(feed: FeedId, symbols: Map<string, InstrumentId>): void {
    this.#lists.delete(feed)
    if (symbols.size === 0) {
      this.#symbols.delete(feed)
      this.#wanted.delete(feed)
    } else {
      this.#symbols.set(feed, symbols)
      this.#wanted.set(feed, new Map())
    }
  }

  grant(messages: number): void {
    this.#credit += messages
    this.#wake()
  }

  /** Whether nothing can be sent until the client asks for more: it follows nothing, or has used its credit. */
  get isIdle(): boolean {
    return this.#symbols.size === 0 || this.#credit === 0
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

  /** How many symbols are in the answers that wait, which can be far larger than what they answer. */
  get waitingSymbols(): number {
    return this.#waitingSymbols
  }

  /** Takes what isn't a tick and needs no credit, in its order. */
  tell(message: Readonly<Record<string, unknown>>): void {
    this.#queue.push(message)
    this.#waitingSymbols += symbolsOf(message)
    this.#wake()
  }

  /** What may be sent now, up to `most`. */
  take(most: number): readonly Outgoing[] {
    let count = 0
    let symbols = 0
    for (; count < Math.min(most, this.#queue.length) && symbols < TAKEN_SYMBOLS; count++) {
      const message = this.#queue[count]
      if (message.type === 'tick') {
        if (this.#credit === 0) break
        this.#credit -= 1
      } else symbols += symbolsOf(message)
    }
    this.#waitingSymbols -= symbols
    const taken = this.#queue.slice(0, count)
    this.#queue = this.#queue.slice(count)
    if (this.#lost !== null && taken.includes(this.#lost)) this.#lost = null
    return taken
  }
}

const symbolsOf = (message: Outgoing): number =>
  'symbols' in message && Array.isArray(message.symbols) ? message.symbols.length : 0

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
