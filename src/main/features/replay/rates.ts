/** Message rates of a replay: the total per real second, and each feed's per second of replay time. */
import { FEED_IDS } from '../../../shared/base/units.ts'

const RATE_MS = 500
const FEED_RATE_MS = 1_000

export class Rates {
  #all = { atMs: 0, messages: 0, perSecond: 0 }
  #feeds = { atMs: NaN, received: new Float64Array(FEED_IDS.length), perSecond: new Float64Array(FEED_IDS.length) }

  get perSecond(): number {
    return this.#all.perSecond
  }

  /** Records the total messages played up to a real time, ms. */
  measure(messages: number, realMs: number): void {
    const passed = realMs - this.#all.atMs
    if (passed < RATE_MS) return
    const began = this.#all.atMs === 0 || messages < this.#all.messages
    const perSecond = began ? this.#all.perSecond : ((messages - this.#all.messages) * 1_000) / passed
    this.#all = { atMs: realMs, messages, perSecond }
  }

  /** Messages per second by feed, from the counts up to a replay time, UTC ms. Updated at most once a second. */
  ofFeeds(received: Float64Array, nowMs: number): Float64Array {
    const passed = nowMs - this.#feeds.atMs
    if (passed >= 0 && passed < FEED_RATE_MS) return this.#feeds.perSecond
    const before = this.#feeds.received
    const perSecond = received.map((count, i) => (passed > 0 ? Math.max(0, ((count - before[i]) * 1_000) / passed) : 0))
    this.#feeds = { atMs: nowMs, received: received.slice(), perSecond }
    return perSecond
  }

  /** Restarts the measurement after a seek. */
  restart(): void {
    this.#all = { ...this.#all, atMs: 0 }
    this.#feeds.atMs = NaN
  }
}
