/** Finds the next market open, for the “next open” seek. */
import { dayEnd, dayStart, isOpen, stockOpening } from '../../../shared/core/market/calendar.ts'
import type { AssetClass } from '../../../shared/base/units.ts'

/** More than any market's longest run of closed days. */
const MAX_CLOSED_DAYS = 10

/** The next open after an instant, UTC ms, or NaN if none is near. Crypto: next UTC day. Stocks: main session. */
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
        const open = stockOpening(midnight)
        if (open > ms) return open
        midnight = dayEnd('stocks', midnight)
      }
      return NaN
    }
  }
}
