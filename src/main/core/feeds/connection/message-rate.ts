/**
 * A feed's usual message rate, which determines how long a silence makes it stale. Silence affects only freshness: it
 * is never a gap. Times are milliseconds on the monotonic clock.
 */

const WEIGHT = 0.05
/** A silence of this many average intervals is unusual. */
const UNUSUAL_INTERVALS = 8
const FLOOR_MS = 5_000
const CAP_MS = 120_000
const FIRST_MS = 30_000

export interface MessageRate {
  message(monoMs: number): void
  /** How long a silence makes the feed stale; at least half a minute before the first message. */
  staleAfterMs(): number
  /** No message has ever been received. */
  readonly isMute: boolean
  /** Time since the last message or `start`. */
  silentMs(monoMs: number): number
  /** Starts counting silence, on a new connection. The learned rate stays. */
  start(monoMs: number): void
}

/** `barMs`: the length of the feed's bars, which arrive in bursts; null if it sends no bars. */
export const createMessageRate = (barMs: number | null): MessageRate => new AverageRate(barMs)

/** A class, because V8 allocates for every number that a closure assigns. */
class AverageRate implements MessageRate {
  readonly #floor: number
  #lastMs = 0
  #averageMs = NaN
  #hasBegun = false
  #isMute = true

  constructor(barMs: number | null) {
    this.#floor = Math.max(FLOOR_MS, (barMs ?? 0) * 2.5)
  }

  message(monoMs: number): void {
    if (this.#hasBegun) {
      const interval = monoMs - this.#lastMs
      this.#averageMs = Number.isNaN(this.#averageMs)
        ? interval
        : this.#averageMs + WEIGHT * (interval - this.#averageMs)
    }
    this.#hasBegun = true
    this.#isMute = false
    this.#lastMs = monoMs
  }

  staleAfterMs(): number {
    if (Number.isNaN(this.#averageMs)) return Math.max(this.#isMute ? FIRST_MS : CAP_MS, this.#floor)
    return Math.max(this.#floor, Math.min(CAP_MS, this.#averageMs * UNUSUAL_INTERVALS))
  }

  get isMute(): boolean {
    return this.#isMute
  }

  silentMs(monoMs: number): number {
    return monoMs - this.#lastMs
  }

  start(monoMs: number): void {
    this.#lastMs = monoMs
    this.#hasBegun = false
  }
}
