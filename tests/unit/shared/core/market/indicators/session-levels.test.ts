import { describe, expect, it } from 'vitest'
import { barStart } from '../../../../../../src/shared/core/market/calendar.ts'
import {
  openingRange,
  pivots,
  priorSession,
  sessionRange,
} from '../../../../../../src/shared/core/market/indicators/session-levels.ts'
import { utcDay } from '../../../../../../src/shared/core/market/indicators/row.ts'

const HOUR = 3_600_000
const bar = (startMs: number, high: number, low: number, close = low) => ({
  startMs,
  open: low,
  high,
  low,
  close,
  volume: 1,
})
const day = (n: number, hour: number): number => (n * 24 + hour) * HOUR
const days = [
  bar(day(1, 6), 99, 90),
  bar(day(1, 23), 98, 91),
  bar(day(2, 0), 12, 8),
  bar(day(2, 12), 15, 9, 10),
  bar(day(3, 0), 11, 10),
  bar(day(3, 1), 13, 9),
]
const NONE = [NaN, NaN]

describe('levels of sessions', () => {
  it('show nothing for a session whose start wasn’t seen', () => {
    const range = sessionRange(utcDay)
    expect(days.map((one) => range.push(one))).toEqual([NONE, NONE, [12, 8], [15, 8], [11, 10], [13, 9]])
    const prior = priorSession(utcDay)
    expect(days.map((one) => prior.push(one)[0])).toEqual([NaN, NaN, NaN, NaN, 15, 15])
  })
  it('pivots come from the session before', () => {
    const indicator = pivots(utcDay)
    const all = days.map((one) => indicator.push(one))
    expect(all[3].every(Number.isNaN)).toBe(true)
    // High 15, low 8, close 10: the pivot is 11.
    expect(all[5]).toEqual([11, 14, 7, 18, 4, 21, 0])
  })
  it('the opening range grows in its minutes and then stays', () => {
    const indicator = openingRange(60, utcDay)
    const at = (minute: number, high: number, low: number) => bar(day(2, 0) + minute * 60_000, high, low)
    const bars = [bar(day(1, 23), 50, 40), at(0, 10, 9), at(30, 11, 9), at(59, 12, 8), at(60, 20, 1), at(90, 30, 2)]
    expect(bars.map((one) => indicator.push(one))).toEqual([
      NONE, [10, 9], [11, 9], [12, 8], [12, 8], [12, 8],
    ]) // oxfmt-ignore
  })
  it('of stocks count from 09:30 New York, without the hours before and after', () => {
    const openOf = (ms: number): number => barStart('stocks', '1D', ms)
    const at = (time: string, high: number, low: number) => bar(Date.parse(`2024-07-02T${time}Z`), high, low)
    const bars = [
      at('12:00:00', 500, 1),
      at('13:30:00', 20, 10),
      at('13:59:00', 21, 9),
      at('14:00:00', 30, 5),
      at('20:30:00', 900, 1),
    ]
    const opening = openingRange(30, openOf)
    expect(bars.map((one) => opening.push(one))).toEqual([NONE, [20, 10], [21, 9], [21, 9], [21, 9]])
    const range = sessionRange(openOf)
    expect(bars.map((one) => range.push(one)).at(-1), 'stays after the close').toEqual([30, 5])
  })
  it('a bar that is only looked at changes nothing', () => {
    const indicator = sessionRange(utcDay)
    for (const one of days.slice(0, 5)) indicator.push(one)
    expect(indicator.peek(bar(day(3, 2), 99, 1))).toEqual([99, 1])
    expect(indicator.peek(bar(day(3, 2), 11, 10))).toEqual([11, 10])
  })
})
