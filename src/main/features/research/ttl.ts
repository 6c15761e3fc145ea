/** How long an answer of a group counts as fresh, in ms. */
import type { Endpoint, EndpointGroup } from '../../../service/endpoints.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

export const FRESH_FOR: Readonly<Record<EndpointGroup, number>> = {
  fundamentals: 12 * HOUR,
  earnings: HOUR,
  technical: 5 * MINUTE,
  commodities: 5 * MINUTE,
  news: 2 * MINUTE,
}

/** Whether an answer fetched at `fetchedMs` should be asked for again at `nowMs` (UTC ms). */
export function isStale({ group }: Endpoint, fetchedMs: number, nowMs: number): boolean {
  // From the future, after the clock was set back: nothing says how old it is.
  return nowMs - fetchedMs >= FRESH_FOR[group] || fetchedMs > nowMs + MINUTE
}
