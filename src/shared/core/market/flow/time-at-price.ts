/** How long a price stayed. It counts until the next price or gap, but for a minute at most. Pure. */

const MAX_MS = 60_000

export class TimeAtPrice {
  readonly #count: (row: number, fromMs: number, toMs: number) => void
  #row = NaN
  #sinceMs = NaN
  /** How far the price since then is counted. */
  #countedMs = NaN

  /** `count` is called with each time span in which a row had the price, UTC ms. */
  constructor(count: (row: number, fromMs: number, toMs: number) => void) {
    this.#count = count
  }

  /** A price in this row from this receive time on, UTC ms. NaN: there is no price. */
  price(recvMs: number, row: number): void {
    this.upTo(recvMs)
    this.#row = row
    this.#sinceMs = this.#countedMs = recvMs
  }

  /** Nothing was received from this time on, UTC ms. */
  gap(recvMs: number): void {
    this.price(recvMs, NaN)
  }

  /** Counts the current price up to a receive time, UTC ms. */
  upTo(recvMs: number): void {
    const endMs = Math.min(recvMs, this.#sinceMs + MAX_MS)
    if (Number.isNaN(this.#row) || !(endMs > this.#countedMs)) return
    this.#count(this.#row, this.#countedMs, endMs)
    this.#countedMs = endMs
  }

  /** The row of the price that still counts; NaN: none. */
  get open(): number {
    return this.#row
  }
}
