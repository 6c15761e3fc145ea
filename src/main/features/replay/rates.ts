/** How many messages a second a replay brings: of real time in all, of its own time by feed. */
import { FEED_IDS } from '../../../shared/base/units.ts'

const RATE_MS = 500
const FEED_RATE_MS = 1_000

export class Rates {
  #all = { atMs: 0, messages: 0, perSecond: 0 }
  #feeds = { atMs: NaN, received: new Float64Array(FEED_IDS.length), perSecond: new Float64Array(FEED_IDS.length) }

  get perSecond(): number {
    return this.#all.perSecond
  }

  /** The messages played up to an instant, in real ms. */
  measure(messages: number, realMs: number): void {
    const passed = realMs - this.#all.atMs
    if (passed < RATE_MS) return
    const began = this.#all.atMs === 0 || messages < this.#all.messages
    const perSecond = began ? this.#all.perSecond : ((messages - this.#all.messages) * 1_000) / passed
    this.#all = { atMs: realMs, messages, perSecond }
  }

  /** Messages a second by feed, from the counts received up to a replay time; unchanged if it is too soon to tell. */
  ofFeeds(received: Float64Array, nowMs: number): Float64Array {
    const passed = nowMs - this.#feeds.atMs
    if (passed >= 0 && passed < FEED_RATE_MS) return this.#feeds.perSecond
    const before = this.#feeds.received
    const perSecond = received.map((count, i) => (passed > 0 ? Math.max(0, ((count - before[i]) * 1_000) / passed) : 0))
    this.#feeds = { atMs: nowMs, received: received.slice(), perSecond }
    return perSecond
  }

  /** It stands somewhere else: what comes is counted from there. */
  restart(): void {
    this.#all = { ...this.#all, atMs: 0 }
    this.#feeds.atMs = NaN
  }
}
