/**
 * The daily request budget: a count since 00:00 UTC that survives restarts. The service's documentation only mentions
 * "10,000+ daily API calls" (docs/service.md#limits), so the user sets the limit.
 */
import { DAY_MS } from '../../../shared/base/durations.ts'
import { unixMs, type UnixMs } from '../../../shared/base/units.ts'

/** What is saved: the start of the UTC day, ms, and the number of calls. */
export interface CallCount {
  readonly dayMs: number
  readonly used: number
}

/** The count at an instant, UTC ms. It is 0 on a later day. If the clock was set back, the later day's count stays. */
export function countAt(count: CallCount, nowMs: number): CallCount {
  const dayMs = Math.floor(nowMs / DAY_MS) * DAY_MS
  return dayMs > count.dayMs ? { dayMs, used: 0 } : count
}

/** When the count resets, UTC ms. */
export function resetOf(count: CallCount): UnixMs {
  return unixMs(count.dayMs + DAY_MS)
}
