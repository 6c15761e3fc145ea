/** The latest quotes of an instrument with their times, in seq order. A quote allocates nothing. */

/** A power of two. At 10,000 quotes a second of one instrument, 0.4 s. */
const CAPACITY = 4_096
const WIDTH = 4

export class QuoteRing {
  /** Receipt, event time (never decreasing; -Infinity before the first dated quote), bid and ask. */
  readonly #cells = new Float64Array(CAPACITY * WIDTH)
  /** Quotes before this place don't count. */
  #from = 0
  /** The number of quotes so far; a quote's place is the number before it. */
  count = 0
  /** The greatest event time; -Infinity: none is dated. */
  lastEventMs = -Infinity

  /** A side that is NaN keeps its price, one of 0 or less is empty. An undated quote counts as dated like the last. */
  push(recvMs: number, eventMs: number, bid: number, ask: number): void {
    if (eventMs > this.lastEventMs) this.lastEventMs = eventMs
    const last = this.count > this.#from ? this.count - 1 : -1
    const i = (this.count % CAPACITY) * WIDTH
    const keep = (price: number, kept: number): number => (Number.isNaN(price) ? kept : price > 0 ? price : NaN)
    const keptBid = last < 0 ? NaN : this.bid(last)
    const keptAsk = last < 0 ? NaN : this.ask(last)
    this.#cells[i] = recvMs
    this.#cells[i + 1] = this.lastEventMs
    this.#cells[i + 2] = keep(bid, keptBid)
    this.#cells[i + 3] = keep(ask, keptAsk)
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
    let low = Math.max(this.#from, this.count - CAPACITY)
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
    this.#from = this.count
    this.lastEventMs = -Infinity
  }
}
