import { describe, expect, it } from 'vitest'
import type { AlertRow } from '../../../../../src/shared/features/alerts/types.ts'
import { Zone } from '../../../../../src/renderer/text/zone.ts'
import { canSnooze, snoozeEntries, tomorrowMs } from '../../../../../src/renderer/features/alerts/snooze.ts'

const at = (iso: string): number => Date.parse(iso)

describe('putting an alert off', () => {
  it.each([
    ['UTC', '2026-03-07T23:59:59.999Z', '2026-03-08T00:00:00Z'],
    ['UTC', '2026-03-08T00:00:00Z', '2026-03-09T00:00:00Z'],
    ['Asia/Tokyo', '2026-03-07T15:30:00Z', '2026-03-08T15:00:00Z'],
    // Clocks go forward in the night before, and back.
    ['America/New_York', '2026-03-08T05:30:00Z', '2026-03-09T04:00:00Z'],
    ['America/New_York', '2026-11-01T04:30:00Z', '2026-11-02T05:00:00Z'],
    // Midnight itself is left out: the day begins at 01:00.
    ['Africa/Cairo', '2026-04-23T12:00:00Z', '2026-04-23T22:00:00Z'],
  ])('until tomorrow in %s', (zone, now, day) => {
    expect(new Date(tomorrowMs(at(now), new Zone(zone))).toISOString()).toBe(new Date(day).toISOString())
  })

  it('offers four times, each from now', () => {
    const chosen: number[] = []
    for (const entry of snoozeEntries(1_000, 'UTC', (ms) => chosen.push(ms))) if (entry !== 'rule') entry.run()
    expect(chosen).toEqual([301_000, 901_000, 3_601_000, 86_400_000])
  })

  it('is for alerts that are on and not over', () => {
    const row = (enabled: boolean, is: 'armed' | 'fired' | 'expired' | 'off') =>
      ({ enabled, state: { is } }) as AlertRow
    expect([row(true, 'armed'), row(true, 'fired'), row(true, 'expired'), row(false, 'off')].map(canSnooze)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})
