import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { axisLabels, crosshairText } from '../../../../../src/renderer/charts/model/time-axis.ts'
import { Zone } from '../../../../../src/renderer/text/zone.ts'

const MINUTE = 60_000
const HOUR = 3_600_000
const newYork = new Zone('America/New_York')
/** 2025-11-02 05:00 UTC is 01:00 EDT; one hour later it is 01:00 again, EST. */
const firstOne = Date.UTC(2025, 10, 2, 5)

describe('wall time', () => {
  it('knows both halves of the repeated hour by name', () => {
    expect(crosshairText(firstOne, MINUTE, newYork)).toBe('2 Nov 2025 01:00 EDT')
    expect(crosshairText(firstOne + HOUR, MINUTE, newYork)).toBe('2 Nov 2025 01:00 EST')
    expect(crosshairText(firstOne + 2 * HOUR, MINUTE, newYork)).toBe('2 Nov 2025 02:00')
  })

  it('falls back to UTC for a zone that nobody knows', () => {
    expect(new Zone('Mars/Olympus').name).toBe('UTC')
  })

  it('agrees with Intl at any instant', () => {
    const format = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Asia/Kathmandu',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    })
    const zone = new Zone('Asia/Kathmandu')
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2040, 0) }), (ms) => {
        expect(crosshairText(ms, MINUTE, zone).split(' ')[3]).toBe(format.format(ms))
      }),
    )
  })
})

describe('labels of the time axis', () => {
  const axis = (start: number, step: number, count: number, barPx: number, zone: Zone) =>
    axisLabels((i) => start + i * step, 0, count, barPx, step, zone)

  it('shows both repeated hours of the night when clocks go back', () => {
    const texts = axis(firstOne - 2 * HOUR, 15 * MINUTE, 24, 24, newYork).map((label) => label.text)
    expect(texts).toContain('01:00 EDT')
    expect(texts).toContain('01:00 EST')
  })

  it('labels round times, and the day where it changes', () => {
    const texts = axis(Date.UTC(2026, 0, 1, 23, 30), MINUTE, 60, 10, new Zone('UTC')).map((label) => label.text)
    expect(texts).toEqual(['23:30', '23:40', '23:50', '2 Jan', '00:10', '00:20'])
  })

  it('has milliseconds on an axis of tenths of a second', () => {
    const texts = axis(Date.UTC(2026, 0, 1), 100, 40, 40, new Zone('UTC')).map((label) => label.text)
    expect(texts).toContain('00:00:00.500')
  })

  it('tells the two repeated hours apart also on bars of a tenth of a second', () => {
    const texts = [0, HOUR].map((later) =>
      axis(firstOne + later - 1_000, 100, 30, 40, newYork).map((label) => label.text),
    )
    expect(texts[0]).toContain('01:00:00.500 EDT')
    expect(texts[1]).toContain('01:00:00.500 EST')
    expect(crosshairText(firstOne + HOUR + 100, 100, newYork)).toBe('2 Nov 2025 01:00:00.100 EST')
    expect(crosshairText(firstOne + 2 * HOUR + 250, 250, newYork)).toBe('2 Nov 2025 02:00:00.250')
  })

  it('never crowds labels, whatever the rows', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 5 * HOUR }), { minLength: 2, maxLength: 300 }),
        fc.double({ min: 1, max: 60, noNaN: true }),
        (steps, barPx) => {
          const times = steps.reduce<number[]>((list, step) => [...list, list[list.length - 1] + step], [firstOne])
          const labels = axisLabels((i) => times[i], 0, times.length, barPx, MINUTE, newYork)
          for (let i = 1; i < labels.length; i++) {
            const apart = (labels[i].index - labels[i - 1].index) * barPx
            expect(apart >= 84 || labels[i].major).toBe(true)
          }
        },
      ),
    )
  })
})
