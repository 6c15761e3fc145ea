/** How long a response of each endpoint group counts as fresh, ms. */
import type { Endpoint, EndpointGroup } from '../../../service/endpoints.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const FRESH_FOR: Readonly<Record<EndpointGroup, number>> = {
  fundamentals: 12 * HOUR,
  earnings: HOUR,
  technical: 5 * MINUTE,
  commodities: 5 * MINUTE,
  news: 2 * MINUTE,
}

/** Whether a response fetched at `fetchedMs` should be requested again at `nowMs` (UTC ms). */
export function isStale({ group }: Endpoint, fetchedMs: number, nowMs: number): boolean {
  // If it is from the future, the clock was set back, so its age is unknown.
  return nowMs - fetchedMs >= FRESH_FOR[group] || fetchedMs > nowMs + MINUTE
}
