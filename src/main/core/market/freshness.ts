/** How fresh a displayed price is. */
import type { FeedState, Freshness } from '../../../shared/core/status/status.ts'
import { missingCase } from '../../../shared/base/errors.ts'

/** A connected instrument without messages for this long is quiet, ms. */
export const QUIET_AFTER_MS = 15_000

export interface FreshnessFacts {
  /** State of the feed that the price came from; undefined: not subscribed yet. */
  readonly feed: FeedState | undefined
  /** Receipt of the displayed price, UTC ms; NaN: none. */
  readonly lastRecvMs: number
  /** The price was received on the current connection and after every gap of its symbol. */
  readonly isCurrent: boolean
  readonly nowMs: number
  /** According to the calendar, or because another instrument of the asset class was just heard from. */
  readonly isMarketOpen: boolean
}

/** Something received at `recvMs` (NaN: nothing) isn't quiet yet, and isn't dated ahead of `nowMs` either; UTC ms. */
export const isRecent = (recvMs: number, nowMs: number): boolean => Math.abs(nowMs - recvMs) <= QUIET_AFTER_MS

/** Messages decide; the calendar only explains silence. So an instrument that trades is never "closed". */
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
      // A price from before this connection isn't live, however recent, and neither is one dated ahead of now. The time
      // when the connection opened doesn't count, because the wall clock may have been set since.
      if (isCurrent && isRecent(lastRecvMs, nowMs)) return 'live'
      if (!isMarketOpen) return 'closed'
      return known ? 'quiet' : 'waiting'
    default:
      return missingCase(feed)
  }
}

/** The best state of an instrument's tick feeds: the one closest to delivering a first price. */
export function bestState(states: readonly (FeedState | undefined)[]): FeedState | undefined {
  const order = ['open', 'stale', 'connecting', 'idle', 'waiting', 'refused'] as const
  for (const is of order) {
    const found = states.find((state) => state?.is === is)
    if (found) return found
  }
  return undefined
}
