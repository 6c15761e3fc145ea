/**
 * What almost every record is: nothing waits for it but levels, it crosses none of them, and no second began with it.
 * Such a one is taken here by comparing some numbers that stand side by side; all others are for `Records`, which
 * would do the same with it.
 */
import type { FeedId } from '../../../base/units.ts'
import type { Numbers } from './cells.ts'
import { ORDER } from './event-order.ts'
import { LEVEL } from './levels.ts'
import { SET_BACK_MS, type Moment } from './instant.ts'
import type { QuoteNumbers, TradeNumbers } from './records.ts'
import { CELL, type Watch } from './condition.ts'

/** Places of a watch's row, as sums that are not made for each record. */
const LAST_LOW = CELL.last + LEVEL.low
const LAST_HIGH = CELL.last + LEVEL.high
const LAST_BEFORE = CELL.last + LEVEL.before
const BID_LOW = CELL.bid + LEVEL.low
const BID_HIGH = CELL.bid + LEVEL.high
const BID_BEFORE = CELL.bid + LEVEL.before
const ASK_LOW = CELL.ask + LEVEL.low
const ASK_HIGH = CELL.ask + LEVEL.high
const ASK_BEFORE = CELL.ask + LEVEL.before
const MID_LOW = CELL.mid + LEVEL.low
const MID_HIGH = CELL.mid + LEVEL.high
const MID_BEFORE = CELL.mid + LEVEL.before
const TRADES_LAST = CELL.trades + ORDER.lastMs
const TRADES_AHEAD = CELL.trades + ORDER.aheadMs
const QUOTES_LAST = CELL.quotes + ORDER.lastMs
const QUOTES_AHEAD = CELL.quotes + ORDER.aheadMs

export interface StillOptions {
  readonly moment: Moment
  /** The rows of watches. */
  readonly cells: Numbers
}

export class Still {
  readonly #moment: Moment
  readonly #cells: Numbers

  constructor({ moment, cells }: StillOptions) {
    this.#moment = moment
    this.#cells = cells
  }

  /** Takes a trade that nothing comes of; false: it is not known to be one. `recvMs` UTC ms. */
  trade(watch: Watch, feed: FeedId, record: TradeNumbers, recvMs: number): boolean {
    const moment = this.#moment
    if (watch.calm !== feed || !(recvMs < moment.tickMs)) return false
    const { row } = watch
    const { values } = this.#cells
    const { price, eventMs } = record
    if (!(price > values[row + LAST_LOW] && price < values[row + LAST_HIGH] && price > 0)) return false
    const atMs = Number.isNaN(eventMs) ? recvMs : eventMs
    if (!(atMs >= values[row + TRADES_LAST] && atMs - recvMs <= values[row + TRADES_AHEAD])) return false
    if (recvMs > moment.nowMs) moment.nowMs = recvMs
    else if (recvMs < moment.nowMs - SET_BACK_MS) return false
    values[row + TRADES_LAST] = atMs
    values[row + LAST_BEFORE] = price
    return true
  }

  /** The same of a quote of two sides. */
  quote(watch: Watch, feed: FeedId, record: QuoteNumbers, recvMs: number): boolean {
    const moment = this.#moment
    if (watch.calmQuotes !== feed || !(recvMs < moment.tickMs)) return false
    const { row, midIsLast } = watch
    const { values } = this.#cells
    const { bid, ask, eventMs } = record
    if (!(bid > values[row + BID_LOW] && bid < values[row + BID_HIGH] && bid > 0)) return false
    if (!(ask > values[row + ASK_LOW] && ask < values[row + ASK_HIGH] && ask > 0)) return false
    const mid = (bid + ask) / 2
    if (!(mid > values[row + MID_LOW] && mid < values[row + MID_HIGH])) return false
    if (midIsLast && !(mid > values[row + LAST_LOW] && mid < values[row + LAST_HIGH])) return false
    const atMs = Number.isNaN(eventMs) ? recvMs : eventMs
    if (!(atMs >= values[row + QUOTES_LAST] && atMs - recvMs <= values[row + QUOTES_AHEAD])) return false
    if (recvMs > moment.nowMs) moment.nowMs = recvMs
    else if (recvMs < moment.nowMs - SET_BACK_MS) return false
    values[row + QUOTES_LAST] = atMs
    values[row + BID_BEFORE] = values[row + CELL.bidNow] = bid
    values[row + ASK_BEFORE] = values[row + CELL.askNow] = ask
    values[row + MID_BEFORE] = mid
    if (midIsLast) values[row + LAST_BEFORE] = mid
    return true
  }
}
