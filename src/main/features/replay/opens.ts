/** When a market opens next: for going there. */
import { dayEnd, dayStart, gridOf, isOpen, sessionState } from '../../../shared/core/market/calendar.ts'
import { missingCase } from '../../../shared/base/errors.ts'
import type { AssetClass } from '../../../shared/base/units.ts'

const HOUR = 3_600_000
/** Longer than any run of closed days in a row. */
const MAX_CLOSED_DAYS = 10

/** The next opening after an instant, UTC ms: of crypto the UTC day, of stocks the main session; NaN: none near. */
export function nextOpen(asset: AssetClass, ms: number): number {
  switch (asset) {
    case 'crypto':
      return dayEnd('crypto', ms)
    case 'forex': {
      let day = ms
      for (let i = 0; i < MAX_CLOSED_DAYS; i += 1) {
        day = dayEnd('forex', day)
        if (isOpen('forex', day)) return day
      }
      return NaN
    }
    case 'stocks': {
      let midnight = dayStart('stocks', ms)
      for (let i = 0; i < MAX_CLOSED_DAYS; i += 1) {
        // Noon of New York is inside the session of every day that has one, also of half days.
        const noon = midnight + 12 * HOUR
        const open = sessionState('stocks', noon) === 'open' ? gridOf('stocks', '1D').startOf(noon) : NaN
        if (open > ms) return open
        midnight = dayEnd('stocks', midnight)
      }
      return NaN
    }
    default:
      return missingCase(asset)
  }
}
