import { describe, expect, test } from 'vitest'
import type { AssetClass } from '../../../../../src/shared/base/units.ts'
import { msOf, type Interval } from '../../../../../src/shared/core/market/market.ts'
import { US_STOCK_DAYS } from '../../../../../src/shared/core/market/calendar-data.ts'
import {
  barStart,
  dayEnd,
  dayStart,
  gridOf,
  isOpen,
  newYorkOffset,
  sessionState,
} from '../../../../../src/shared/core/market/calendar.ts'

const at = (iso: string): number => Date.parse(iso)
const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')
const barEnd = (asset: AssetClass, interval: Interval, ms: number): number => {
  const grid = gridOf(asset, interval)
  return grid.endOf(grid.startOf(ms))
}
const HOUR = 3_600_000

test('New York time follows the zone database', () => {
  const zone = new Intl.DateTimeFormat('en-US', { timeZone: 'America/New_York', timeZoneName: 'longOffset' })
  const offset = (ms: number) => zone.format(ms).endsWith('GMT-04:00')
  for (let ms = at('1990-01-01T00:00:00Z'); ms < at('2031-01-01T00:00:00Z'); ms += 61 * HOUR) {
    expect(newYorkOffset(ms) === -4 * HOUR, iso(ms)).toBe(offset(ms))
  }
  for (let year = 1990; year <= 2030; year++) {
    // to the second at both changes
    for (let ms = at(`${year}-03-01T00:30:00Z`), before = false; ms < at(`${year}-12-01T00:00:00Z`); ms += 24 * HOUR) {
      const now = newYorkOffset(ms) === -4 * HOUR
      if (now !== before) {
        let from = ms - 24 * HOUR
        while (newYorkOffset(from) !== newYorkOffset(ms)) from += HOUR / 2
        expect(offset(from), iso(from)).toBe(now)
        expect(offset(from - 1), iso(from - 1)).toBe(before)
      }
      before = now
    }
  }
})

test('crypto never closes and rolls at midnight UTC', () => {
  expect(isOpen('crypto', at('2024-12-25T03:00:00Z'))).toBe(true)
  expect(iso(dayStart('crypto', at('2024-03-10T23:59:59Z')))).toBe('2024-03-10T00:00:00Z')
  expect(iso(dayEnd('crypto', at('2024-03-10T23:59:59Z')))).toBe('2024-03-11T00:00:00Z')
})

describe('forex', () => {
  test.each([
    ['2024-07-05T20:59:59Z', 'open'],
    ['2024-07-05T21:00:00Z', 'closed'],
    ['2024-07-06T12:00:00Z', 'closed'],
    ['2024-07-07T20:59:59Z', 'closed'],
    ['2024-07-07T21:00:00Z', 'open'],
    ['2024-01-05T21:59:59Z', 'open'],
    ['2024-01-05T22:00:00Z', 'closed'],
    // clocks change on the Sunday on which the week begins
    ['2024-03-10T20:59:59Z', 'closed'],
    ['2024-03-10T21:00:00Z', 'open'],
    ['2024-11-03T21:59:59Z', 'closed'],
    ['2024-11-03T22:00:00Z', 'open'],
  ] as const)('%s is %s', (time, state) => expect(sessionState('forex', at(time))).toBe(state))

  test('the day rolls at 17:00 New York, also over the changes of clocks', () => {
    expect(iso(dayStart('forex', at('2024-07-03T20:59:59Z')))).toBe('2024-07-02T21:00:00Z')
    expect(iso(dayStart('forex', at('2024-07-03T21:00:00Z')))).toBe('2024-07-03T21:00:00Z')
    expect(iso(barStart('forex', '1D', at('2024-03-10T12:00:00Z')))).toBe('2024-03-09T22:00:00Z')
    expect(iso(barEnd('forex', '1D', at('2024-03-10T12:00:00Z')))).toBe('2024-03-10T21:00:00Z')
    expect(iso(barStart('forex', '1D', at('2024-11-03T12:00:00Z')))).toBe('2024-11-02T21:00:00Z')
    expect(iso(barEnd('forex', '1D', at('2024-11-03T12:00:00Z')))).toBe('2024-11-03T22:00:00Z')
  })
  test('intraday counts from the UTC epoch', () => {
    expect(iso(barStart('forex', '4h', at('2024-07-03T21:30:00Z')))).toBe('2024-07-03T20:00:00Z')
  })
})

describe('US stocks', () => {
  test.each([
    ['2013-10-07T07:59:59Z', 'closed'],
    ['2013-10-07T08:00:00Z', 'pre'],
    ['2013-10-07T13:29:59Z', 'pre'],
    ['2013-10-07T13:30:00Z', 'open'],
    ['2013-10-07T19:59:59Z', 'open'],
    ['2013-10-07T20:00:00Z', 'post'],
    ['2013-10-07T23:59:59Z', 'post'],
    ['2013-10-08T00:00:00Z', 'closed'],
    ['2024-01-02T14:29:59Z', 'pre'],
    ['2024-01-02T14:30:00Z', 'open'],
    ['2024-07-04T15:00:00Z', 'closed'],
    ['2025-01-09T15:00:00Z', 'closed'],
    ['2024-07-03T16:59:59Z', 'open'],
    ['2024-07-03T17:00:00Z', 'post'],
    ['2024-07-03T21:00:00Z', 'closed'],
    ['2024-11-29T17:59:59Z', 'open'],
    ['2024-11-29T18:00:00Z', 'post'],
    ['2024-07-06T15:00:00Z', 'closed'],
  ] as const)('%s is %s', (time, state) => expect(sessionState('stocks', at(time))).toBe(state))

  test('bars over half an hour count from 09:30 and end with the session', () => {
    expect(iso(barStart('stocks', '1h', at('2024-07-02T14:29:00Z')))).toBe('2024-07-02T13:30:00Z')
    expect(iso(barEnd('stocks', '1h', at('2024-07-02T19:45:00Z')))).toBe('2024-07-02T20:00:00Z')
    expect(iso(barStart('stocks', '4h', at('2024-01-02T19:00:00Z')))).toBe('2024-01-02T18:30:00Z')
    expect(iso(barEnd('stocks', '4h', at('2024-01-02T19:00:00Z')))).toBe('2024-01-02T21:00:00Z')
    expect(iso(barEnd('stocks', '1h', at('2024-07-02T13:29:00Z')))).toBe('2024-07-02T13:30:00Z')
  })
  test('bars that fit no half hour count from 09:30, too', () => {
    expect(iso(barStart('stocks', '7m', at('2024-07-02T13:36:59Z')))).toBe('2024-07-02T13:30:00Z')
    expect(iso(barEnd('stocks', '7m', at('2024-07-02T19:59:00Z')))).toBe('2024-07-02T20:00:00Z')
    expect(iso(barStart('stocks', '45m', at('2024-07-02T14:20:00Z')))).toBe('2024-07-02T14:15:00Z')
  })
  test.each(['crypto', 'forex'] as const)('bars of %s that fit no day count from 00:00 UTC', (asset) => {
    expect(iso(barStart(asset, '7h', at('2024-07-02T23:00:00Z')))).toBe('2024-07-02T21:00:00Z')
    expect(iso(barEnd(asset, '7h', at('2024-07-02T23:00:00Z')))).toBe('2024-07-03T00:00:00Z')
    expect(iso(barStart(asset, '7s', at('2024-07-03T00:00:06Z')))).toBe('2024-07-03T00:00:00Z')
    expect(iso(barEnd(asset, '7s', at('2024-07-02T23:59:59Z')))).toBe('2024-07-03T00:00:00Z')
  })
  test('the daily bar is the main session', () => {
    expect(iso(barStart('stocks', '1D', at('2024-07-03T15:00:00Z')))).toBe('2024-07-03T13:30:00Z')
    expect(iso(barEnd('stocks', '1D', at('2024-07-03T15:00:00Z')))).toBe('2024-07-03T17:00:00Z')
    expect(barStart('stocks', '1D', at('2024-07-03T12:00:00Z'))).toBeNaN()
    expect(barEnd('stocks', '1D', at('2024-07-03T18:00:00Z'))).toBeNaN()
    expect(iso(barStart('stocks', '1D', at('2024-07-06T15:00:00Z')))).toBe('2024-07-06T04:00:00Z')
  })
  test.each(['100ms', '250ms', '500ms'] as const)(
    'bars of %s begin and end on UTC parts, in the nights of the clocks too',
    (interval) => {
      const length = msOf(interval)
      for (const night of [
        '2024-03-10T07:00:00Z',
        '2024-11-03T05:00:00Z',
        '2024-11-03T06:00:00Z',
        '2024-07-03T13:30:00Z',
      ]) {
        for (const asset of ['crypto', 'forex', 'stocks'] as const) {
          let edge = at(night) - 2_000
          while (edge < at(night) + 2_000) {
            for (const ms of [edge, edge + 1, edge + length - 1]) expect(barStart(asset, interval, ms)).toBe(edge)
            expect(barEnd(asset, interval, edge)).toBe(edge + length)
            edge += length
          }
          // The session begins with a bar of its own.
          expect(barStart(asset, interval, at(night))).toBe(at(night))
        }
      }
    },
  )
  test('the minute grid is the same with and without the calendar', () => {
    for (let ms = at('2024-07-01T00:07:13Z'); ms < at('2024-07-09T00:00:00Z'); ms += 13 * 60_000) {
      expect(barStart('stocks', '5m', ms)).toBe(Math.floor(ms / 300_000) * 300_000)
    }
  })
})

/** Easter Sunday by the Gregorian computus: [month from 0, day]. */
function easter(year: number): number {
  const a = year % 19
  const b = Math.floor(year / 100)
  const c = year % 100
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7
  const m = Math.floor((a + 11 * h + 22 * l) / 451)
  const n = h + l - 7 * m + 114
  return Date.UTC(year, Math.floor(n / 31) - 1, (n % 31) + 1)
}

test('the table of closed days holds the exchange’s standing rules', () => {
  const nth = (year: number, month: number, weekday: number, n: number): number => {
    const first = new Date(Date.UTC(year, month, 1)).getUTCDay()
    return Date.UTC(year, month, 1 + ((weekday - first + 7) % 7) + 7 * (n - 1))
  }
  const observed = (ms: number): number => {
    const weekday = new Date(ms).getUTCDay()
    return weekday === 6 ? ms - 24 * HOUR : weekday === 0 ? ms + 24 * HOUR : ms
  }
  const special = [
    '20010911',
    '20010912',
    '20010913',
    '20010914',
    '20040611',
    '20070102',
    '20121029',
    '20121030',
    '20181205',
    '20250109',
  ]
  for (let year = 2000; year <= 2030; year++) {
    const lastOfMay = nth(year, 5, 1, 1) - 7 * 24 * HOUR
    const days = [
      // a New Year's Day on a Saturday is not made up for
      ...(new Date(Date.UTC(year, 0, 1)).getUTCDay() === 6 ? [] : [observed(Date.UTC(year, 0, 1))]),
      nth(year, 0, 1, 3),
      nth(year, 1, 1, 3),
      easter(year) - 2 * 24 * HOUR,
      lastOfMay,
      ...(year >= 2022 ? [observed(Date.UTC(year, 5, 19))] : []),
      observed(Date.UTC(year, 6, 4)),
      nth(year, 8, 1, 1),
      nth(year, 10, 4, 4),
      observed(Date.UTC(year, 11, 25)),
    ]
      .map((ms) => iso(ms).slice(0, 10).replaceAll('-', ''))
      .concat(special.filter((day) => day.startsWith(String(year))))
      .map((day) => day.slice(4))
      .sort()
    expect(US_STOCK_DAYS[year]?.[0], String(year)).toBe(days.join(' '))
  }
})
