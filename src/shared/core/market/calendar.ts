/**
 * When markets trade and where days and bars begin (UTC in, UTC out). Crypto never closes and rolls at 00:00 UTC. A
 * forex week runs from Sunday to Friday 17:00 New York, and its days roll at that time. US stocks trade from 09:30 to
 * 16:00 New York, with a pre-market (from 04:00) and a post-market (to 20:00) that never share bars with the main
 * session. New York's daylight saving time follows the rules of 1987 and 2007.
 */
import { DAY_MS, HOUR_MS } from '../../base/durations.ts'
import { fixedGrid, type BarGrid } from './bars.ts'
import { US_STOCK_DAYS } from './calendar-data.ts'
import { msOf, type Interval } from './market.ts'
import type { AssetClass } from '../../base/units.ts'

export type SessionState = 'open' | 'pre' | 'post' | 'closed'

const PRE_OPEN = 4 * HOUR_MS
const OPEN = 9.5 * HOUR_MS
const CLOSE = 16 * HOUR_MS
const HALF_CLOSE = 13 * HOUR_MS
/** The post-market session lasts four hours, even on half days. */
const POST = 4 * HOUR_MS
const ROLL = 17 * HOUR_MS

/** The day of the month of the nth (from 1) or last (0) Sunday. Months count from 0. */
function sunday(year: number, month: number, nth: number): number {
  if (nth > 0) {
    const first = new Date(Date.UTC(year, month, 1)).getUTCDay()
    return 1 + ((7 - first) % 7) + 7 * (nth - 1)
  }
  const last = new Date(Date.UTC(year, month + 1, 0))
  return last.getUTCDate() - last.getUTCDay()
}

interface Span {
  readonly from: number
  readonly to: number
}

const summers = new Map<number, Span>()

/** The UTC span of daylight saving time in New York. Clocks change at 02:00 local time. */
function summerOf(year: number): Span {
  let span = summers.get(year)
  if (span === undefined) {
    const from = year >= 2007 ? Date.UTC(year, 2, sunday(year, 2, 2), 7) : Date.UTC(year, 3, sunday(year, 3, 1), 7)
    const to = year >= 2007 ? Date.UTC(year, 10, sunday(year, 10, 1), 6) : Date.UTC(year, 9, sunday(year, 9, 0), 6)
    span = { from, to }
    summers.set(year, span)
  }
  return span
}

/** New York local time minus UTC, ms, at a UTC instant. */
export function newYorkOffset(ms: number): number {
  if (!Number.isFinite(ms)) return -5 * HOUR_MS
  const { from, to } = summerOf(new Date(ms).getUTCFullYear())
  return ms >= from && ms < to ? -4 * HOUR_MS : -5 * HOUR_MS
}

/** The UTC time of a New York wall clock time (ms as if it were UTC). Callers never pass ambiguous times. */
function fromNewYork(local: number): number {
  const winter = local + 5 * HOUR_MS
  const { from, to } = summerOf(new Date(local).getUTCFullYear())
  const summer = local + 4 * HOUR_MS
  return summer >= from && summer < to ? summer : winter
}

const closedDays = new Map<number, { readonly closed: ReadonlySet<string>; readonly half: ReadonlySet<string> }>()
const NO_DAYS = { closed: new Set<string>(), half: new Set<string>() }

function daysOf(year: number): { readonly closed: ReadonlySet<string>; readonly half: ReadonlySet<string> } {
  const row = US_STOCK_DAYS[year]
  if (row === undefined) return NO_DAYS
  let days = closedDays.get(year)
  if (days === undefined) {
    days = { closed: new Set(row[0].split(' ')), half: new Set(row[1].split(' ')) }
    closedDays.set(year, days)
  }
  return days
}

/** How US stocks trade on a date, given as its midnight in ms as if it were UTC. */
export function stockDay(localMidnight: number): 'full' | 'half' | 'closed' {
  const date = new Date(localMidnight)
  const weekday = date.getUTCDay()
  if (weekday === 0 || weekday === 6) return 'closed'
  const { closed, half } = daysOf(date.getUTCFullYear())
  const name = String((date.getUTCMonth() + 1) * 100 + date.getUTCDate()).padStart(4, '0')
  return closed.has(name) ? 'closed' : half.has(name) ? 'half' : 'full'
}

/** A period of one state in the stock market, within one New York date. */
interface Segment extends Span {
  readonly state: SessionState
  /** Whether the date has a trading session. */
  readonly trading: boolean
}

let segment: Segment = { from: 0, to: 0, state: 'closed', trading: false }

/** The segment at an instant. Caches the last one, because ticks arrive in order. */
function segmentOf(ms: number): Segment {
  if (ms >= segment.from && ms < segment.to) return segment
  const local = ms + newYorkOffset(ms)
  const midnight = Math.floor(local / DAY_MS) * DAY_MS
  const day = stockDay(midnight)
  const next = fromNewYork(midnight + DAY_MS)
  if (day === 'closed') return (segment = { from: fromNewYork(midnight), to: next, state: 'closed', trading: false })
  const close = day === 'half' ? HALF_CLOSE : CLOSE
  const edges: readonly (readonly [at: number, state: SessionState])[] = [
    [0, 'closed'],
    [PRE_OPEN, 'pre'],
    [OPEN, 'open'],
    [close, 'post'],
    [close + POST, 'closed'],
  ]
  let at = edges.length - 1
  while (at > 0 && ms < fromNewYork(midnight + edges[at][0])) at--
  const following = edges[at + 1]
  return (segment = {
    from: fromNewYork(midnight + edges[at][0]),
    to: following === undefined ? next : fromNewYork(midnight + following[0]),
    state: edges[at][1],
    trading: true,
  })
}

/** The segment at an instant, UTC [from, to). A date without a trading session is one segment. */
export function stockStretch(ms: number): { readonly from: number; readonly to: number; readonly state: SessionState } {
  return segmentOf(ms)
}

/** The market state of an asset class at an instant. */
export function sessionState(asset: AssetClass, ms: number): SessionState {
  switch (asset) {
    case 'crypto':
      return 'open'
    case 'forex': {
      const local = ms + newYorkOffset(ms)
      const weekday = new Date(local).getUTCDay()
      const time = local - Math.floor(local / DAY_MS) * DAY_MS
      if (weekday === 6 || (weekday === 5 && time >= ROLL) || (weekday === 0 && time < ROLL)) return 'closed'
      return 'open'
    }
    case 'stocks':
      return segmentOf(ms).state
  }
}

/** Whether the main session of the market is open. */
export function isOpen(asset: AssetClass, ms: number): boolean {
  return sessionState(asset, ms) === 'open'
}

/** The start of the market's day at an instant, which is its roll time. */
export function dayStart(asset: AssetClass, ms: number): number {
  switch (asset) {
    case 'crypto':
      return Math.floor(ms / DAY_MS) * DAY_MS
    case 'forex': {
      const local = ms + newYorkOffset(ms)
      return fromNewYork(Math.floor((local - ROLL) / DAY_MS) * DAY_MS + ROLL)
    }
    case 'stocks': {
      const local = ms + newYorkOffset(ms)
      return fromNewYork(Math.floor(local / DAY_MS) * DAY_MS)
    }
  }
}

/** The next roll time after an instant. Days last 23, 24 or 25 hours. */
export function dayEnd(asset: AssetClass, ms: number): number {
  return dayStart(asset, dayStart(asset, ms) + 25 * HOUR_MS)
}

/** Intraday bars of stocks start with their segment of the day and end with it. */
function stockGrid(intervalMs: number): BarGrid {
  return {
    startOf(ms) {
      if (!Number.isFinite(ms)) return NaN
      const { from } = segmentOf(ms)
      return from + Math.floor((ms - from) / intervalMs) * intervalMs
    },
    endOf: (start) => Math.min(start + intervalMs, segmentOf(start).to),
  }
}

/** Bars whose length doesn't divide a day start again at 00:00 UTC, so that every day has the same ones. */
function dayGrid(intervalMs: number): BarGrid {
  if (DAY_MS % intervalMs === 0) return fixedGrid(intervalMs)
  const dayOf = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS
  return {
    startOf: (ms) => dayOf(ms) + Math.floor((ms - dayOf(ms)) / intervalMs) * intervalMs,
    endOf: (start) => Math.min(start + intervalMs, dayOf(start) + DAY_MS),
  }
}

/** Daily bars of stocks cover the main session, or the whole day on a date without one. */
const stockDays: BarGrid = {
  startOf(ms) {
    if (!Number.isFinite(ms)) return NaN
    const { from, state, trading } = segmentOf(ms)
    return state === 'open' || !trading ? from : NaN
  },
  endOf: (start) => segmentOf(start).to,
}

const forexDays: BarGrid = {
  startOf: (ms) => (Number.isFinite(ms) ? dayStart('forex', ms) : NaN),
  endOf: (start) => dayEnd('forex', start),
}

/**
 * The bar grid of an asset class and interval. Intraday bars count from 00:00 UTC, those of stocks from 09:30 New York,
 * with pre-market and post-market counted from their own start; the last bar of a day is shorter if need be. Daily bars follow the calendar; times of a stock
 * trading day outside its main session belong to no daily bar (NaN).
 */
export function gridOf(asset: AssetClass, interval: Interval): BarGrid {
  const ms = msOf(interval)
  if (interval === '1D') return asset === 'forex' ? forexDays : asset === 'stocks' ? stockDays : fixedGrid(ms)
  // Every session starts on a half hour, so for a length that divides it both grids are the same.
  return asset === 'stocks' && (HOUR_MS / 2) % ms !== 0 ? stockGrid(ms) : dayGrid(ms)
}

/** The start of the bar at an instant, or NaN if there is none. */
export function barStart(asset: AssetClass, interval: Interval, ms: number): number {
  return gridOf(asset, interval).startOf(ms)
}

/** The opening (UTC ms) of the stock day that begins at a midnight in New York; NaN if the market is closed that day. */
export function stockOpening(midnight: number): number {
  // Noon is inside the main session of every trading day, even of half days.
  const noon = midnight + 12 * HOUR_MS
  return sessionState('stocks', noon) === 'open' ? gridOf('stocks', '1D').startOf(noon) : NaN
}
