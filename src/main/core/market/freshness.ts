/** How fresh a shown price is: the states of the rules of the domain, as one pure function. */
import type { FeedState, Freshness } from '../../../shared/core/status/status.ts'
import { missingCase } from '../../../shared/base/errors.ts'

/** Connected, but nothing traded for this long: quiet. Milliseconds. */
export const QUIET_AFTER_MS = 15_000

export interface FreshnessFacts {
  /** The state of the feed that the price came from; undefined: nobody asked for it yet. */
  readonly feed: FeedState | undefined
  /** Receive time of the shown price, NaN when there is none. */
  readonly lastRecvMs: number
  /** It came over the connection that is open now, and after every gap of its symbol. */
  readonly current: boolean
  readonly nowMs: number
  /** Whether the market is open by its calendar. */
  readonly marketOpen: boolean
}

/**
 * A price is never called live on the calendar's word, and never closed while it trades: what is
 * received counts first, the calendar only explains a silence.
 */
export function freshnessOf({ feed, lastRecvMs, current, nowMs, marketOpen }: FreshnessFacts): Freshness {
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
      if (!marketOpen) return 'closed'
      return known ? 'stale' : 'waiting'
    case 'open':
      // A price from before this connection is not live, however young (when it opened by the wall clock says
      // nothing of that: the clock may have been set since); nor is one whose stamp lies ahead.
      if (known && current && Math.abs(nowMs - lastRecvMs) <= QUIET_AFTER_MS) return 'live'
      if (!marketOpen) return 'closed'
      return known ? 'quiet' : 'waiting'
    default:
      return missingCase(feed)
  }
}

/** Of an instrument's tick feeds before its first value: the state nearest to bringing one. */
export function bestState(states: readonly (FeedState | undefined)[]): FeedState | undefined {
  const order = ['open', 'stale', 'connecting', 'idle', 'waiting', 'refused'] as const
  for (const is of order) {
    const found = states.find((state) => state?.is === is)
    if (found) return found
  }
  return undefined
}
