import { describe, expect, it } from 'vitest'
import { parseOptions } from '../../../../src/main/command-line/arguments.ts'
import { instant, parseDuration, parseInstant, ZONE_OPTION } from '../../../../src/main/command-line/times.ts'
import { manualClock } from '../../../kit/clock.ts'

const nowMs = Date.parse('2026-01-06T03:15:30Z')
const iso = (text: string, zone = 'UTC'): string | undefined => {
  const ms = parseInstant(text, { nowMs, zone })
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

describe('a time on the command line', () => {
  it('has the fraction of a receive time, and no other one', () => {
    expect(parseInstant('1767668130000.125', { nowMs, zone: 'UTC' })).toBe(1_767_668_130_000.125)
    for (const text of ['1767668130000.', '.5', '1767668130000.1234567', '1e12']) expect(iso(text)).toBeUndefined()
  })

  it.each([
    ['2026-01-05', 'UTC', '2026-01-05T00:00:00.000Z'],
    ['2026-01-05', 'America/New_York', '2026-01-05T05:00:00.000Z'],
    ['2026-01-05T09:30', 'Europe/Berlin', '2026-01-05T08:30:00.000Z'],
    ['2026-01-05 09:30:15.25', 'UTC', '2026-01-05T09:30:15.250Z'],
    ['2026-01-05T09:30:00Z', 'Europe/Berlin', '2026-01-05T09:30:00.000Z'],
    ['2026-01-05T14:00Z', 'UTC', '2026-01-05T14:00:00.000Z'],
    ['2026-01-05T09:30:00-05:00', 'UTC', '2026-01-05T14:30:00.000Z'],
    ['2026-01-05T09:30+0530', 'UTC', '2026-01-05T04:00:00.000Z'],
    ['2026-07-05 09:30 America/New_York', 'UTC', '2026-07-05T13:30:00.000Z'],
    ['09:30', 'UTC', '2026-01-06T09:30:00.000Z'],
    // In New York it is still the 5th.
    ['09:30', 'America/New_York', '2026-01-05T14:30:00.000Z'],
    ['09:30 America/New_York', 'UTC', '2026-01-05T14:30:00.000Z'],
    ['09:30-05:00', 'UTC', '2026-01-05T14:30:00.000Z'],
    ['today', 'UTC', '2026-01-06T00:00:00.000Z'],
    ['today', 'America/New_York', '2026-01-05T05:00:00.000Z'],
    ['today Asia/Tokyo', 'UTC', '2026-01-05T15:00:00.000Z'],
    ['yesterday', 'UTC', '2026-01-05T00:00:00.000Z'],
    ['yesterday 16:00', 'America/New_York', '2026-01-04T21:00:00.000Z'],
    ['now', 'UTC', '2026-01-06T03:15:30.000Z'],
    ['-1h', 'America/New_York', '2026-01-06T02:15:30.000Z'],
    ['-90s', 'UTC', '2026-01-06T03:14:00.000Z'],
    ['-2d', 'UTC', '2026-01-04T03:15:30.000Z'],
    ['1767668130000', 'America/New_York', '2026-01-06T02:55:30.000Z'],
    ['0', 'UTC', '1970-01-01T00:00:00.000Z'],
  ])('%s in %s is %s', (text, zone, expected) => {
    expect(iso(text, zone)).toBe(expected)
  })

  // A number is epoch ms; eight digits would be a day of 1970 to us and a date to everyone else.
  it.each(['', 'noon', '2026-02-30', '2026-13-01', '25:00', '09:60', '9:30', '-1', '-1 h', '20260105', 'tomorrow'])(
    'refuses %j',
    (text) => {
      expect(iso(text)).toBeUndefined()
    },
  )

  it('refuses local times that clocks skipped or repeated, unless they have their offset', () => {
    expect(() => iso('2026-03-29 02:30', 'Europe/Berlin')).toThrow('never occurred')
    expect(() => iso('2026-10-25 02:30', 'Europe/Berlin')).toThrow('occurred twice')
    expect(iso('2026-10-25 02:30+01:00', 'Europe/Berlin')).toBe('2026-10-25T01:30:00.000Z')
  })

  it('says so with the name of the option', () => {
    const options = { from: { type: 'string', value: 'T', help: '' }, zone: ZONE_OPTION } as const
    const values = parseOptions(['--from', '2026-03-29 02:30', '--zone', 'Europe/Berlin'], options, {})
    expect(() => instant(values, 'from', manualClock(nowMs))).toThrow(
      '--from: "2026-03-29 02:30" in Europe/Berlin never occurred: clocks were set forward. Write the time with its offset',
    )
  })

  it('names an unknown zone', () => {
    expect(() => iso('09:30', 'Mars/Olympus')).toThrow('No such time zone')
  })
})

it.each([
  ['250ms', 250],
  ['30s', 30_000],
  ['1.5h', 5_400_000],
  ['2d', 172_800_000],
  ['2', undefined],
  ['soon', undefined],
])('a length of time %s is %s ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})
