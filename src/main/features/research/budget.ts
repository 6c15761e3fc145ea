/**
 * The daily request budget: a count since 00:00 UTC, saved across restarts. The service only names "10,000+ daily API
 * calls" (docs/service.md#limits), so the user sets the number.
 */
import { unixMs, type UnixMs } from '../../../shared/base/units.ts'

const DAY = 86_400_000

/** What is saved: the start of the UTC day, ms, and the number of calls. */
export interface CallCount {
  readonly dayMs: number
  readonly used: number
}

/** The count at an instant: nothing on a later day; a clock set back keeps the later day's. */
export function countAt(count: CallCount, nowMs: number): CallCount {
  const dayMs = Math.floor(nowMs / DAY) * DAY
  return dayMs > count.dayMs ? { dayMs, used: 0 } : count
}

/** When the count resets, UTC ms. */
export function resetOf(count: CallCount): UnixMs {
  return unixMs(count.dayMs + DAY)
}
