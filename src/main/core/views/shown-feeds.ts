/** The feeds whose state the terminal shows: its own, or those of a team's recorders. */
import type { FeedStatus } from '../../../shared/core/status/status.ts'
import type { FeedId, UnixMs } from '../../../shared/base/units.ts'
import type { LiveFeeds } from '../feeds/feeds.ts'

/** Feeds that other machines receive. */
export interface FollowedFeeds {
  statuses(): readonly FeedStatus[]
  /** Whether any of them is of the demo market. */
  isSimulated(): boolean
  /** Tries to reach the team's servers now. */
  retry(): void
}

/** This terminal's feeds. While other feeds are shown, their state replaces its own, and retries go to them. */
export class ShownFeeds implements LiveFeeds {
  /** Null: this terminal's own. */
  shown: FollowedFeeds | null = null
  readonly #own: LiveFeeds

  constructor(own: LiveFeeds) {
    this.#own = own
  }

  subscribe(feed: FeedId, symbols: readonly string[]) {
    return this.#own.subscribe(feed, symbols)
  }
  status(nowMs: UnixMs) {
    return this.shown?.statuses() ?? this.#own.status(nowMs)
  }
  retry(feed: FeedId) {
    if (this.shown === null) this.#own.retry(feed)
    else this.shown.retry()
  }
  networkChanged() {
    if (this.shown === null) this.#own.networkChanged()
    else this.shown.retry()
  }
  sleep() {
    return this.#own.sleep()
  }
  wake() {
    return this.#own.wake()
  }
  close() {
    return this.#own.close()
  }
  stop() {
    return this.#own.stop()
  }
  start() {
    return this.#own.start()
  }
  replan() {
    return this.#own.replan()
  }
  openGaps() {
    return this.#own.openGaps()
  }
  wanted(feed: FeedId) {
    return this.#own.wanted(feed)
  }
}
