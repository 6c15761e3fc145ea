/** Counts of what a session has received so far, by feed. */
import { FLAG, type FeedCounts } from '../../../shared/core/recording/session.ts'
import { FEED_IDS } from '../../../shared/base/units.ts'

/** Counts by the index of the feed in FEED_IDS. */
export class SessionTally {
  readonly received = new Float64Array(FEED_IDS.length)
  readonly #control = new Float64Array(FEED_IDS.length)
  readonly #undecodable = new Float64Array(FEED_IDS.length)
  readonly #unasked = new Float64Array(FEED_IDS.length)
  readonly stored = new Float64Array(FEED_IDS.length)

  /** Counts FLAG bits that a frame didn't have before. */
  mark(feed: number, flags: number): void {
    if (flags & FLAG.control) this.#control[feed] = this.#control[feed] + 1
    if (flags & FLAG.undecodable) this.#undecodable[feed] = this.#undecodable[feed] + 1
    if (flags & FLAG.unasked) this.#unasked[feed] = this.#unasked[feed] + 1
  }

  /** Counts of each feed that received something. `ended`: report everything received as stored, because it will be. */
  counts(ended: boolean): FeedCounts[] {
    return FEED_IDS.flatMap((feed, i) => {
      const received = this.received[i]
      if (received === 0) return []
      const control = this.#control[i]
      const undecodable = this.#undecodable[i]
      const decoded = received - control - undecodable
      const stored = ended ? received : this.stored[i]
      return [{ feed, received, decoded, control, undecodable, unasked: this.#unasked[i], stored }]
    })
  }
}
