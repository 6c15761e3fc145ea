/**
 * Compares market records with the conditions that wait for them. On the tick path: a record that crosses nothing costs
 * a few comparisons and allocates nothing.
 */
import { midPrice, usable } from '../../../core/market/bars.ts'
import { mostOf, nearestDecimal } from '../../../base/decimals.ts'
import { openTime } from '../../drawings/open-time.ts'
import { priceAt } from '../../drawings/price-at.ts'
import type { Drawing } from '../../drawings/types.ts'
import type { BarSource } from '../../../core/market/market.ts'
import type { FeedId, InstrumentId } from '../../../base/units.ts'
import type { EventOrder } from './event-order.ts'
import type { Firing } from './firing.ts'
import type { EvaluationContext } from './context.ts'
import type { EvaluatorListener } from './listener.ts'
import type { Alert, AlertDirection } from '../types.ts'
import { KIND_RANK, type PriceChain, type Watch } from './watch.ts'

/**
 * The parts of a trade that alerts use; NaN if absent. `eventMs` in UTC ms. Passed whole, because separate numbers
 * would be boxed.
 */
export interface TradeNumbers {
  readonly price: number
  readonly size: number
  readonly eventMs: number
}
/** NaN: the message didn't have this side. Any other value that isn't a price means that the side is empty. */
export interface QuoteNumbers {
  readonly bid: number
  readonly ask: number
  readonly eventMs: number
}
export interface BarNumbers {
  readonly close: number
  readonly eventMs: number
}

export interface RecordsOptions {
  readonly context: EvaluationContext
  readonly firing: Firing
  readonly listener: Pick<EvaluatorListener, 'changed'>
  readonly drawings: ReadonlyMap<InstrumentId, ReadonlyMap<string, Drawing>>
}

export class Records {
  readonly #context: EvaluationContext
  readonly #firing: Firing
  readonly #crossed: Firing['crossed']
  readonly #unseen: Firing['unseen']
  readonly #listener: Pick<EvaluatorListener, 'changed'>
  readonly #drawings: RecordsOptions['drawings']

  constructor({ context, firing, listener, drawings }: RecordsOptions) {
    this.#context = context
    this.#firing = firing
    this.#crossed = firing.crossed
    this.#unseen = firing.unseen
    this.#listener = listener
    this.#drawings = drawings
  }

  trade(watch: Watch, feed: FeedId, record: TradeNumbers, recvMs: number): void {
    const { price, size, eventMs } = record
    if (!usable(price) || (watch.suspensions.size > 0 && watch.suspensions.has(feed))) return
    this.#date(watch.order, eventMs, recvMs)
    if (watch.volumes.length > 0 && size >= 0 && size < Infinity) this.#volume(watch, size)
    if (watch.bars.length > 0) this.#bars(watch, 'trade', price, size)
    if (watch.rank < KIND_RANK.trade) this.#rank(watch, KIND_RANK.trade)
    this.#last(watch, feed, price, recvMs)
  }

  quote(watch: Watch, feed: FeedId, record: QuoteNumbers, recvMs: number): void {
    const { bid, ask, eventMs } = record
    if (watch.suspensions.size > 0 && watch.suspensions.has(feed)) return
    this.#date(watch.quotes, eventMs, recvMs)
    if (!this.#accept(watch.quotes, recvMs)) return
    const middle = midPrice(bid, ask)
    const mid = usable(middle) ? nearestDecimal(middle) : middle
    if (watch.bars.length > 0) {
      this.#bars(watch, 'bid', bid, NaN)
      this.#bars(watch, 'ask', ask, NaN)
      this.#bars(watch, 'mid', mid, NaN)
    }
    if (!Number.isNaN(bid)) watch.bid = bid > 0 ? bid : NaN
    if (!Number.isNaN(ask)) watch.ask = ask > 0 ? ask : NaN
    const { chains } = watch
    if (usable(bid)) this.#price(watch, chains.bid, bid)
    if (usable(ask)) this.#price(watch, chains.ask, ask)
    if (usable(mid)) {
      this.#price(watch, chains.mid, mid)
      if (watch.rank <= KIND_RANK.mid) this.#midAsLast(watch, feed, mid)
    }
    if (watch.spread.price.size + watch.spread.percent.size > 0) this.#spread(watch)
  }

  #spread(watch: Watch): void {
    const context = this.#context
    const spread = watch.ask - watch.bid
    if (Number.isNaN(spread)) return
    context.value = spread
    watch.spread.price.step(mostOf(spread, watch.ask), this.#crossed)
    const percent = (spread / (watch.bid + spread / 2)) * 100
    context.value = percent
    watch.spread.percent.step(mostOf(percent, 100 + percent), this.#crossed)
  }

  bar(watch: Watch, feed: FeedId, { close, eventMs }: BarNumbers, recvMs: number): void {
    if (watch.rank > KIND_RANK.bar || !usable(close) || watch.suspensions.has(feed)) return
    this.#date(watch.order, eventMs, recvMs)
    if (watch.rank < KIND_RANK.bar) this.#rank(watch, KIND_RANK.bar)
    this.#last(watch, feed, close, recvMs)
  }

  /** Sets the context to a record of this order. */
  #date(order: EventOrder, eventMs: number, recvMs: number): void {
    const context = this.#context
    context.isPlausible = Number.isNaN(eventMs) || order.isPlausible(eventMs, recvMs)
    context.eventMs = Number.isNaN(eventMs) || !context.isPlausible ? recvMs : eventMs
  }

  /** Whether the context's record isn't late in its order. */
  #accept(order: EventOrder, recvMs: number): boolean {
    if (this.#context.isPlausible) return order.accept(this.#context.eventMs, recvMs)
    order.acceptUndated(recvMs)
    return true
  }

  /** Quotes have their own order. */
  #midAsLast(watch: Watch, feed: FeedId, mid: number): void {
    if (watch.rank < KIND_RANK.mid) this.#rank(watch, KIND_RANK.mid)
    if (watch.lastFeed !== feed) watch.lastFeed = feed
    this.#price(watch, watch.chains.last, mid)
  }

  /** A late trade changes no price. */
  #last(watch: Watch, feed: FeedId, price: number, recvMs: number): void {
    if (watch.lastFeed !== feed) watch.lastFeed = feed
    if (this.#accept(watch.order, recvMs)) this.#price(watch, watch.chains.last, price)
  }

  #rank(watch: Watch, rank: number): void {
    const first = watch.rank === KIND_RANK.none
    watch.rank = rank
    watch.order.lastMs = -Infinity
    if (!first) watch.cutPrice('last', true)
    this.#listener.changed(watch)
  }

  /** Takes a new price. */
  #price(watch: Watch, chain: PriceChain, price: number): void {
    if (!chain.index.stays(price)) {
      this.#context.value = price
      chain.index.step(price, this.#crossed, this.#unseen)
    }
    if (chain.moves.length > 0) this.#moves(chain, price)
    if (chain.drawn.length > 0 && this.#context.isPlausible) this.#drawn(watch, chain, price)
  }

  #moves(chain: PriceChain, price: number): void {
    const context = this.#context
    for (const { window, up, down } of chain.moves) {
      window.step(price, context.nowMs)
      context.value = window.up
      up.step(mostOf(window.up, 100 + window.up), this.#crossed)
      context.value = -window.down
      down.step(mostOf(window.down, 100), this.#crossed)
    }
  }

  #drawn(watch: Watch, chain: PriceChain, price: number): void {
    const atMs = this.#context.eventMs
    for (const one of chain.drawn) {
      const drawing = this.#drawings.get(watch.id)?.get(drawingOf(one.run.alert))
      const { condition } = one.run.alert
      // Only drawing alerts are in this list.
      if (condition.is !== 'drawing') continue
      const axis = condition.hours === 'open' ? openTime(watch.asset) : undefined
      const levels = drawing === undefined ? [] : priceAt(drawing, atMs, axis, condition.scale)
      const distances = levels.map((level) => price - level)
      const before = one.distances
      one.distances = distances
      if (before.length !== distances.length) continue
      const at = distances.findIndex((now, i) => crosses(before[i], now, one.direction))
      if (at >= 0) this.#firing.fire(one.run, price, levels[at] + before[at])
    }
  }

  #volume(watch: Watch, size: number): void {
    const context = this.#context
    for (const { window, index } of watch.volumes) {
      if (window.moveTo(context.nowMs)) index.step(mostOf(window.sum, window.sum), this.#crossed)
      window.add(size)
      context.value = window.sum
      index.step(mostOf(window.sum, window.sum), this.#crossed)
    }
  }

  #bars(watch: Watch, of: BarSource, price: number, size: number): void {
    const { isPlausible, eventMs: atMs } = this.#context
    if (!isPlausible) return
    for (const lines of watch.bars) if (lines.of === of) lines.record(atMs, price, size, this.#firing.linesCrossed)
  }
}

const crosses = (before: number, now: number, direction: AlertDirection): boolean =>
  (direction !== 'down' && before < 0 && now >= 0) || (direction !== 'up' && before > 0 && now <= 0)

/** The drawing that an alert is about, or '' if none. */
export const drawingOf = ({ condition }: Alert): string => (condition.is === 'drawing' ? condition.drawing : '')
