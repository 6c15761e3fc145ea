/** How long a response of each endpoint group counts as fresh, ms. */
import { HOUR_MS, MINUTE_MS } from '../../../shared/base/durations.ts'
import type { Endpoint, EndpointGroup } from '../../../service/endpoints.ts'

const FRESH_FOR: Readonly<Record<EndpointGroup, number>> = {
  fundamentals: 12 * HOUR_MS,
  earnings: HOUR_MS,
  technical: 5 * MINUTE_MS,
  commodities: 5 * MINUTE_MS,
  news: 2 * MINUTE_MS,
}

/** Whether a response fetched at `fetchedMs` should be requested again at `nowMs` (UTC ms). */
export function isStale({ group }: Endpoint, fetchedMs: number, nowMs: number): boolean {
  // If it is from the future, the clock was set back, so its age is unknown.
  return nowMs - fetchedMs >= FRESH_FOR[group] || fetchedMs > nowMs + MINUTE_MS
}
