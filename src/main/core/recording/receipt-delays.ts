/** How late the messages of each feed arrive after their event time. Determines where the gap of lost frames begins. */
import { DelayWindow, earliestLost } from '../../../shared/core/recording/delay-window.ts'
import { FEED_IDS, unixMs, type FeedId, type UnixMs } from '../../../shared/base/units.ts'

export class ReceiptDelays {
  readonly #windows = FEED_IDS.map(() => new DelayWindow())
  /** When each feed first connected, UTC ms: nothing was lost before that. */
  readonly #connectedMs = FEED_IDS.map(() => Infinity)

  connect(feed: number, nowMs: UnixMs): void {
    this.#connectedMs[feed] = Math.min(this.#connectedMs[feed], nowMs)
  }

  /** Takes the event time and receipt time, both UTC ms, of a message of the feed with this index in FEED_IDS. */
  add(feed: number, eventMs: number, recvMs: number): void {
    this.#windows[feed].seen(eventMs, recvMs)
  }

  /** The earliest event time, UTC ms, that a message of a feed lost after `untilMs` can have. */
  earliestLost(feed: FeedId, untilMs: UnixMs, skewMs: number): UnixMs {
    const index = FEED_IDS.indexOf(feed)
    const window = this.#windows[index]
    const last = window.isEmpty ? { recvMs: this.#connectedMs[index], delayMs: 0 } : window
    return unixMs(earliestLost(last, skewMs, untilMs))
  }
}
