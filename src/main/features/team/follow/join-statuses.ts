/** What several sessions say about one feed, as the status line shows it. */
import { unixMs, type FeedId } from '../../../../shared/base/units.ts'
import type { FeedState, FeedStatus } from '../../../../shared/core/status/status.ts'

/** `missing`: symbols that this terminal wants and no recorder receives. */
export function joinStatuses(
  feed: FeedId,
  parts: readonly FeedStatus[],
  state: FeedState,
  missing: readonly string[],
): FeedStatus {
  const sum = (of: (part: FeedStatus) => number): number => parts.reduce((total, part) => total + of(part), 0)
  const lastMs = Math.max(...parts.map(({ lastMessageMs }) => lastMessageMs ?? -Infinity))
  return {
    feed,
    state,
    connections: sum(({ connections }) => connections),
    acknowledged: [...new Set(parts.flatMap(({ acknowledged }) => acknowledged))],
    missing,
    overBudget: [],
    budget: sum(({ budget }) => budget),
    perSecond: sum(({ perSecond }) => perSecond),
    received: sum(({ received }) => received),
    undecodable: 0,
    unasked: 0,
    lastMessageMs: lastMs === -Infinity ? null : unixMs(lastMs),
    mappings: [],
  }
}
