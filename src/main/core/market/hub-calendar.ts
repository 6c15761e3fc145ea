/** The shared calendar, extended with the previous trading day of each day. */
import { DAY_MS } from '../../../shared/base/durations.ts'
import {
  dayStart,
  gridOf,
  isOpen,
  sessionState,
  stockOpening,
  stockStretch,
} from '../../../shared/core/market/calendar.ts'
import { missingCase } from '../../../shared/base/errors.ts'
import type { AssetClass } from '../../../shared/base/units.ts'
import type { HubCalendar } from './hub-types.ts'

/** Longer than any run of closed days. */
const MAX_CLOSED_DAYS = 10

/** Start (UTC ms) of the trading day before the one that starts at `start`; NaN if there is none within ten days. */
export function previousDay(asset: AssetClass, start: number): number {
  switch (asset) {
    case 'crypto':
      return start - DAY_MS
    case 'forex': {
      let day = start
      for (let i = 0; i < MAX_CLOSED_DAYS; i += 1) {
        day = dayStart('forex', day - 1)
        if (isOpen('forex', day)) return day
      }
      return NaN
    }
    case 'stocks': {
      let midnight = dayStart('stocks', start)
      for (let i = 0; i < MAX_CLOSED_DAYS; i += 1) {
        midnight = dayStart('stocks', midnight - 1)
        const opening = stockOpening(midnight)
        if (!Number.isNaN(opening)) return opening
      }
      return NaN
    }
    default:
      return missingCase(asset)
  }
}

/** The calendar of the real markets. */
export const hubCalendar: HubCalendar = {
  grid: gridOf,
  isOpen,
  days(asset) {
    const previous = (start: number) => previousDay(asset, start)
    const session = (start: number) => sessionState(asset, start)
    if (asset !== 'stocks') return { ...gridOf(asset, '1D'), previous, session }
    return {
      startOf: (ms) => (Number.isFinite(ms) ? stockStretch(ms).from : NaN),
      endOf: (start) => stockStretch(start).to,
      previous,
      session,
    }
  },
}
