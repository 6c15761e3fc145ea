/** The latest quotes of an instrument with their times, in seq order. A quote allocates nothing. */

/** A power of two. At 10,000 quotes a second of one instrument, 0.4 s. */
const CAPACITY = 4_096
const WIDTH = 4
/** How long after its receipt a date or price stands in for one that a later quote leaves out, ms. */
export const QUOTE_CARRY_MS = 300_000

export class QuoteRing {
  /** Receipt, event time (-Infinity: no date is known), bid and ask. Event times never decrease from `#datedFrom` on. */
  readonly #cells = new Float64Array(CAPACITY * WIDTH)
  /** Quotes before this place don't count. */
  #from = 0
  /** Dates of quotes before this place don't count. */
  #datedFrom = 0
  /** Receipts of the last date, bid and ask that a quote had itself. */
  #datedMs = -Infinity
  #bidMs = -Infinity
  #askMs = -Infinity
  /** The number of quotes so far; a quote's place is the number before it. */
  count = 0
  /** The greatest event time; -Infinity: no date is known. */
  lastEventMs = -Infinity

  /**
   * `recvMs` never decreases, except after `forget`. A side of 0 or less is empty. If a quote has no date (NaN) or leaves
   * a side out (NaN), the last one counts, but for 5 minutes at most: sides may not depend on older messages.
   */
  push(recvMs: number, eventMs: number, bid: number, ask: number): void {
    const last = this.count > this.#from ? this.count - 1 : -1
    if (!Number.isNaN(eventMs)) this.#datedMs = recvMs
    else if (recvMs - this.#datedMs > QUOTE_CARRY_MS) {
      this.#datedFrom = this.count
      this.lastEventMs = -Infinity
    }
    if (eventMs > this.lastEventMs) this.lastEventMs = eventMs
    if (!Number.isNaN(bid)) this.#bidMs = recvMs
    if (!Number.isNaN(ask)) this.#askMs = recvMs
    const i = (this.count % CAPACITY) * WIDTH
    const carriedBid = last >= 0 && recvMs - this.#bidMs <= QUOTE_CARRY_MS ? this.bid(last) : NaN
    const carriedAsk = last >= 0 && recvMs - this.#askMs <= QUOTE_CARRY_MS ? this.ask(last) : NaN
    this.#cells[i] = recvMs
    this.#cells[i + 1] = this.lastEventMs
    this.#cells[i + 2] = given(bid, carriedBid)
    this.#cells[i + 3] = given(ask, carriedAsk)
    this.count++
  }

  recvMs(at: number): number {
    return this.#cells[(at % CAPACITY) * WIDTH]
  }
  bid(at: number): number {
    return this.#cells[(at % CAPACITY) * WIDTH + 2]
  }
  ask(at: number): number {
    return this.#cells[(at % CAPACITY) * WIDTH + 3]
  }
  hasBoth(at: number): boolean {
    return !Number.isNaN(this.bid(at)) && !Number.isNaN(this.ask(at))
  }

  /** The last quote dated strictly before this time; -1: none. */
  datedBefore(ms: number): number {
    let low = Math.max(this.#datedFrom, this.count - CAPACITY)
    let high = this.count
    const first = low
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#cells[(middle % CAPACITY) * WIDTH + 1] < ms) low = middle + 1
      else high = middle
    }
    // Without dates, every quote would be before any time.
    return low > first && this.#cells[((low - 1) % CAPACITY) * WIDTH + 1] > -Infinity ? low - 1 : -1
  }

  /** The last of the first `count` quotes that was received by this time; -1: none. */
  receivedBy(ms: number, count: number): number {
    let low = Math.max(this.#from, this.count - CAPACITY)
    let high = Math.max(low, count)
    const first = low
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.recvMs(middle) <= ms) low = middle + 1
      else high = middle
    }
    return low > first ? low - 1 : -1
  }

  forget(): void {
    this.#from = this.#datedFrom = this.count
    this.#datedMs = this.#bidMs = this.#askMs = -Infinity
    this.lastEventMs = -Infinity
  }
}

/** The price of a side: of a quote that has it, else the carried one. NaN: none. */
const given = (price: number, carried: number): number => (Number.isNaN(price) ? carried : price > 0 ? price : NaN)
