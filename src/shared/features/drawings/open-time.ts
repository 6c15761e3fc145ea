/** The time axis of a chart that omits closed hours. Pure. */
import { DAY_MS, HOUR_MS, WEEK_MS } from '../../base/durations.ts'
import { newYorkOffset, stockDay } from '../../core/market/calendar.ts'
import type { AssetClass } from '../../base/units.ts'
import type { TimeAxis } from './price-at.ts'

/** Sunday 17:00 in New York, when a forex week begins. 4 January 1970 was a Sunday. */
const FOREX_WEEK = 3 * DAY_MS + 17 * HOUR_MS
const FOREX_OPEN = 5 * DAY_MS
/** Stocks trade from 04:00, before the session, until four hours after its close, which is earlier on half days. */
const STOCKS_FROM = 4 * HOUR_MS
const STOCKS_FULL = 16 * HOUR_MS
const STOCKS_HALF = 13 * HOUR_MS
/** Days counted with the calendar, from 1 January 1970. Beyond that, five days in seven are open. */
const COUNTED_DAYS = 47_000
const MEAN_DAY = (STOCKS_FULL * 5) / 7

let opened: Float64Array | null = null
/** Open ms of stocks before each day. Computed once, because a line can span years. */
function openedBefore(): Float64Array {
  if (opened !== null) return opened
  opened = new Float64Array(COUNTED_DAYS + 1)
  for (let day = 0; day < COUNTED_DAYS; day++) opened[day + 1] = opened[day] + openOf(day)
  return opened
}
function openOf(day: number): number {
  const kind = stockDay(day * DAY_MS)
  return kind === 'closed' ? 0 : kind === 'half' ? STOCKS_HALF : STOCKS_FULL
}

function forexTime(ms: number): number {
  const local = ms + newYorkOffset(ms) - FOREX_WEEK
  const week = Math.floor(local / WEEK_MS)
  // Clocks change while the market is closed, so all weeks are equally long.
  return week * FOREX_OPEN + Math.min(local - week * WEEK_MS, FOREX_OPEN)
}

function stocksTime(ms: number): number {
  const local = ms + newYorkOffset(ms)
  const day = Math.floor(local / DAY_MS)
  if (day < 0) return (local / DAY_MS) * MEAN_DAY
  const before = openedBefore()
  if (day >= COUNTED_DAYS) return before[COUNTED_DAYS] + (local / DAY_MS - COUNTED_DAYS) * MEAN_DAY
  return before[day] + Math.max(0, Math.min(local - day * DAY_MS - STOCKS_FROM, openOf(day)))
}

/** How long an asset class has been open until a time (UTC ms), from its own origin. Never decreases. */
export function openTime(asset: AssetClass): TimeAxis {
  switch (asset) {
    case 'crypto':
      return (ms) => ms
    case 'forex':
      return forexTime
    case 'stocks':
      return stocksTime
  }
}
