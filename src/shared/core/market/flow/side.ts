/**
 * The aggressor side of each trade, from trades and quotes (docs/decisions/0071-sides-of-trades.md). Feeds' clocks and
 * delays differ, so how a trade finds its quote is measured: of several candidates, the one wins whose quotes explain
 * the most recent trades. Everything is a function of the records in seq order, so live, replay and store agree; what
 * happened more than `SIDES_LOOKBACK_MS` before a trade doesn't change its side.
 */
import { MINUTE_MS } from '../../../base/durations.ts'
import { MAX_AHEAD_MS } from '../bars.ts'
import { QuoteRing } from './quote-ring.ts'

/** 1: the buyer took the ask. -1: the seller took the bid. 0: not known. */
export type Side = -1 | 0 | 1

/**
 * What a side was judged by. `message`: the message has it. `touch`, `outside`, `inside`, `midpoint`, `locked` and
 * `crossed`: where the price was in the quote. `tick`: the direction of the price, without a usable quote. `first`:
 * neither. `late`: the trade's date is too far from its receipt.
 */
export type SideReason =
  | 'message'
  | 'touch'
  | 'outside'
  | 'inside'
  | 'midpoint'
  | 'locked'
  | 'crossed'
  | 'tick'
  | 'first'
  | 'late'

export interface TradeSide {
  readonly side: Side
  readonly reason: SideReason
}
export type Certainty = 'known' | 'inferred' | 'unknown'

export const certaintyOf = ({ side, reason }: TradeSide): Certainty =>
  side === 0 ? 'unknown' : reason === 'message' ? 'known' : 'inferred'

/** Whether the side doesn't come from a current quote: it comes from the price's direction or is unknown. */
export const isUnquoted = ({ reason }: TradeSide): boolean =>
  reason === 'tick' || reason === 'first' || reason === 'late'

/** How far back records are read before the first trade whose side is needed, receive ms. */
export const SIDES_LOOKBACK_MS = 2_520_000

/** A trade settles this long after its receipt at the latest, ms. */
export const SETTLE_MS = 250
/** It settles earlier once a quote dated this much later has come: no candidate needs a later one. */
const SETTLED_BY_MS = 50
const MAX_QUOTE_AGE_MS = 60_000
/** A date further behind its receipt than this isn't used. Some plans delay by 15 minutes. */
export const MAX_LATE_MS = 1_200_000
/** How long the last price, and the trades that the join is chosen by, count. */
const MEMORY_MS = 600_000
/** Trades that the join is chosen by. */
const MAX_JUDGED = 400
const MIN_JUDGED = 100
/** The first candidate within this share of the best is taken. */
const MARGIN = 0.03
/** Below this share, a touch that contradicts the direction of the price gives no side. */
const TRUSTED = 0.95

/** How a trade finds its quote: by event time shifted by an offset, or by receipt some time earlier, ms. */
export interface Join {
  readonly by: 'event' | 'receipt'
  readonly ms: number
}
const JOIN_STEPS = [2, 5, 10, 20, 50] as const
const JOINS: readonly Join[] = [
  { by: 'event', ms: 0 },
  { by: 'receipt', ms: 0 },
  ...JOIN_STEPS.map((ms) => ({ by: 'receipt', ms }) as const),
  ...JOIN_STEPS.flatMap((ms) => [{ by: 'event', ms } as const, { by: 'event', ms: -ms } as const]),
]
const EVENT_JOIN = 0
const RECEIPT_JOIN = 1

/** How well the quotes explain the recent trades. `explained`: a share; null: too few trades to tell. */
export interface SideMeter {
  readonly join: Join
  readonly explained: number | null
  readonly trades: number
}

export interface Sider {
  /** A side that is NaN keeps its price for 5 minutes, one of 0 or less is empty. Times UTC ms; `eventMs` NaN: undated. */
  quote(recvMs: number, eventMs: number, bid: number, ask: number): void
  /** `price` is finite and above zero. `known`: the side in the message, if it has one. */
  trade(id: number, recvMs: number, eventMs: number, price: number, known?: Side): void
  /** Settles the trades that are old enough at this receive time, UTC ms; Infinity: all. */
  advance(recvMs: number): void
  /** Messages of a feed were lost: what was known before it no longer counts. */
  gap(feed: 'trade' | 'quote'): void
  /** Starts again: another session. Settles nothing. */
  reset(): void
  readonly meter: SideMeter
}

interface Settling {
  readonly id: number
  readonly recvMs: number
  readonly eventMs: number
  readonly price: number
  readonly known: Side
  readonly tick: Side
  /** The number of quotes received before it. */
  readonly quotes: number
}

/** `settled` is called for each trade in the order they came. */
export function createSider(settled: (id: number, side: TradeSide) => void): Sider {
  return new MeasuredSider(settled)
}

class MeasuredSider implements Sider {
  readonly #settled: (id: number, side: TradeSide) => void
  readonly #quotes = new QuoteRing()
  readonly #queue: Settling[] = []
  #head = 0
  /** Receipt never decreases within a run without gaps. */
  #recvMs = -Infinity
  #price = NaN
  #priceMs = -Infinity
  /** The last price that differed from `#price`, and when it was last seen. */
  #other = NaN
  #otherMs = -Infinity
  /** Of the last trades: one bit for each join that explains it, and the receipt. */
  readonly #bits = new Uint32Array(MAX_JUDGED)
  readonly #bitsMs = new Float64Array(MAX_JUDGED)
  #judged = 0
  #minute = NaN
  #join: number | null = null
  #meter: SideMeter = { join: JOINS[EVENT_JOIN], explained: null, trades: 0 }

  constructor(settled: (id: number, side: TradeSide) => void) {
    this.#settled = settled
  }

  get meter(): SideMeter {
    return this.#meter
  }

  quote(recvMs: number, eventMs: number, bid: number, ask: number): void {
    this.advance(recvMs)
    if (eventMs - recvMs > MAX_AHEAD_MS) return
    this.#quotes.push(this.#recvMs, recvMs - eventMs > MAX_LATE_MS ? NaN : eventMs, bid, ask)
    this.#settleDecided()
  }

  trade(id: number, recvMs: number, eventMs: number, price: number, known: Side = 0): void {
    this.advance(recvMs)
    const late = recvMs - eventMs > MAX_LATE_MS || eventMs - recvMs > MAX_AHEAD_MS
    // A date that isn't used still says that the trade is out of order, so its price gives no direction.
    const tick = late ? 0 : this.#tick(price)
    this.#queue.push({
      id,
      recvMs: this.#recvMs,
      eventMs: late ? -Infinity : eventMs,
      price,
      known,
      tick,
      quotes: this.#quotes.count,
    })
    this.#settleDecided()
  }

  advance(recvMs: number): void {
    if (recvMs > this.#recvMs) this.#recvMs = recvMs
    while (this.#head < this.#queue.length && this.#recvMs - this.#queue[this.#head].recvMs >= SETTLE_MS) this.#settle()
  }

  gap(feed: 'trade' | 'quote'): void {
    this.#settleAll()
    this.#recvMs = -Infinity
    if (feed === 'quote') this.#quotes.forget()
    else this.#price = this.#other = NaN
  }

  reset(): void {
    this.#queue.length = this.#head = this.#judged = 0
    this.#recvMs = -Infinity
    this.#price = this.#other = this.#minute = NaN
    this.#join = null
    this.#meter = { join: JOINS[EVENT_JOIN], explained: null, trades: 0 }
    this.#quotes.forget()
  }

  /** The direction from the last different price, if that isn't too old; then takes the price. */
  #tick(price: number): Side {
    if (price !== this.#price) {
      this.#other = this.#price
      this.#otherMs = this.#priceMs
      this.#price = price
    }
    this.#priceMs = this.#recvMs
    if (this.#recvMs - this.#otherMs > MEMORY_MS) return 0
    return price > this.#other ? 1 : price < this.#other ? -1 : 0
  }

  /** Settles the trades that no later quote can be joined to. */
  #settleDecided(): void {
    const { lastEventMs } = this.#quotes
    while (this.#head < this.#queue.length && lastEventMs >= this.#queue[this.#head].eventMs + SETTLED_BY_MS)
      this.#settle()
  }

  #settleAll(): void {
    while (this.#head < this.#queue.length) this.#settle()
  }

  #settle(): void {
    const trade = this.#queue[this.#head++]
    if (this.#head >= 64 && this.#head * 2 >= this.#queue.length) {
      this.#queue.splice(0, this.#head)
      this.#head = 0
    }
    const minute = Math.floor(trade.recvMs / MINUTE_MS)
    if (minute !== this.#minute) this.#chooseJoin(minute)
    const side = this.#judge(trade)
    if (trade.eventMs !== -Infinity) this.#remember(trade)
    this.#settled(trade.id, side)
  }

  #judge(trade: Settling): TradeSide {
    const { price, tick, known } = trade
    if (known !== 0) return { side: known, reason: 'message' }
    if (trade.eventMs === -Infinity) return { side: 0, reason: 'late' }
    const undated = Number.isNaN(trade.eventMs) || this.#quotes.lastEventMs === -Infinity
    const at = this.#find(this.#join ?? (undated ? RECEIPT_JOIN : EVENT_JOIN), trade)
    if (at < 0) return { side: tick, reason: tick === 0 ? 'first' : 'tick' }
    const bid = this.#quotes.bid(at)
    const ask = this.#quotes.ask(at)
    if (bid === ask) return { side: 0, reason: 'locked' }
    if (bid > ask) return { side: 0, reason: 'crossed' }
    if (price === ask || price === bid) {
      const side = price === ask ? 1 : -1
      const contradicts = tick === -side && (this.#meter.explained ?? 1) < TRUSTED
      return { side: contradicts ? 0 : side, reason: 'touch' }
    }
    if (price > ask || price < bid) return { side: tick === 0 ? (price > ask ? 1 : -1) : tick, reason: 'outside' }
    const fromMiddle = price - bid - (ask - price)
    // Of decimal prices, the middle can differ in the last bit.
    if (Math.abs(fromMiddle) <= price * 1e-12) return { side: 0, reason: 'midpoint' }
    return { side: tick === Math.sign(fromMiddle) ? tick : 0, reason: 'inside' }
  }

  /** The place of the quote that a join gives a trade; -1: none that can be used. */
  #find(join: number, { recvMs, eventMs, quotes }: Settling): number {
    const { by, ms } = JOINS[join]
    const at = by === 'event' ? this.#quotes.datedBefore(eventMs - ms) : this.#quotes.receivedBy(recvMs - ms, quotes)
    return at >= 0 && recvMs - this.#quotes.recvMs(at) < MAX_QUOTE_AGE_MS && this.#quotes.hasBoth(at) ? at : -1
  }

  /** Notes which joins explain a trade: its price was bid or ask, or outside where the price moved to. */
  #remember(trade: Settling): void {
    let bits = 0
    for (let join = 0; join < JOINS.length; join++) {
      const at = this.#find(join, trade)
      if (at < 0) continue
      const bid = this.#quotes.bid(at)
      const ask = this.#quotes.ask(at)
      const { price, tick } = trade
      if (bid < ask && (price === bid || price === ask || (price > ask && tick === 1) || (price < bid && tick === -1)))
        bits |= 1 << join
    }
    this.#bits[this.#judged % MAX_JUDGED] = bits
    this.#bitsMs[this.#judged % MAX_JUDGED] = trade.recvMs
    this.#judged++
  }

  /** Once a minute, takes the first join that explains nearly as many of the recent trades as the best. */
  #chooseJoin(minute: number): void {
    this.#minute = minute
    const explained = new Float64Array(JOINS.length)
    let trades = 0
    for (let i = 0; i < Math.min(this.#judged, MAX_JUDGED); i++) {
      if (minute * MINUTE_MS - this.#bitsMs[i] > MEMORY_MS) continue
      trades++
      for (let join = 0; join < JOINS.length; join++) explained[join] += (this.#bits[i] >>> join) & 1
    }
    if (trades < MIN_JUDGED) {
      this.#join = null
      this.#meter = { join: JOINS[EVENT_JOIN], explained: null, trades }
      return
    }
    const best = Math.max(...explained)
    this.#join = explained.findIndex((count) => count >= best - MARGIN * trades)
    this.#meter = { join: JOINS[this.#join], explained: explained[this.#join] / trades, trades }
  }
}
