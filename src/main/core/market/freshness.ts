/** How fresh a shown price is. */
import type { FeedState, Freshness } from '../../../shared/core/status/status.ts'
import { missingCase } from '../../../shared/base/errors.ts'

/** A connected instrument without messages for this long is quiet, ms. */
export const QUIET_AFTER_MS = 15_000

export interface FreshnessFacts {
  /** State of the feed that the price came from; undefined: not subscribed yet. */
  readonly feed: FeedState | undefined
  /** Receipt of the shown price, UTC ms; NaN: none. */
  readonly lastRecvMs: number
  /** The price came over the current connection and after every gap of its symbol. */
  readonly isCurrent: boolean
  readonly nowMs: number
  /** By the calendar. */
  readonly isMarketOpen: boolean
}

/** What is received decides; the calendar only explains silence. So a price that trades is never "closed". */
export function freshnessOf({ feed, lastRecvMs, isCurrent, nowMs, isMarketOpen }: FreshnessFacts): Freshness {
  const known = !Number.isNaN(lastRecvMs)
  if (feed === undefined) return known ? 'disconnected' : 'waiting'
  switch (feed.is) {
    case 'idle':
    case 'connecting':
      return known ? 'disconnected' : 'waiting'
    case 'waiting':
    case 'refused':
      return 'disconnected'
    case 'stale':
      if (!isMarketOpen) return 'closed'
      return known ? 'stale' : 'waiting'
    case 'open':
      // A price from before this connection is not live, however young, nor is one stamped ahead of now. The time
      // when the connection opened does not decide: the wall clock may have been set since.
      if (known && isCurrent && Math.abs(nowMs - lastRecvMs) <= QUIET_AFTER_MS) return 'live'
      if (!isMarketOpen) return 'closed'
      return known ? 'quiet' : 'waiting'
    default:
      return missingCase(feed)
  }
}

/** The state of an instrument's tick feeds that is nearest to delivering a first price. */
export function bestState(states: readonly (FeedState | undefined)[]): FeedState | undefined {
  const order = ['open', 'stale', 'connecting', 'idle', 'waiting', 'refused'] as const
  for (const is of order) {
    const found = states.find((state) => state?.is === is)
    if (found) return found
  }
  return undefined
}
