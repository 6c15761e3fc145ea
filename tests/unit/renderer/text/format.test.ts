import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DASH, MINUS, NumberText, ageText, agoText, elapsedText, toneOf } from '../../../../src/renderer/text/format.ts'
import { timeText, zoneAbbreviation, zonedText, zonePlace } from '../../../../src/renderer/text/zone-time.ts'

const en = new NumberText('en-US')

describe('numbers', () => {
  it('keep fixed decimals and group thousands', () => {
    expect(en.fixed(1.1, 5)).toBe('1.10000')
    expect(en.fixed(64_123.5, 2)).toBe('64,123.50')
    expect(en.fixed(1.005, 2)).toBe('1.01')
  })
  it('wear a true minus, and none when they round to zero', () => {
    expect(en.fixed(-1.5, 1)).toBe(`${MINUS}1.5`)
    expect(en.fixed(-0.001, 2)).toBe('0.00')
    expect(en.signed(-0.001, 2)).toBe('0.00')
    expect(en.signed(0.42, 2)).toBe('+0.42')
    expect(en.whole(-0.2)).toBe('0')
  })
  it('have a direction exactly where their text has a sign', () => {
    fc.assert(
      fc.property(fc.double({ min: -1, max: 1 }), fc.integer({ min: 0, max: 6 }), (value, decimals) => {
        const sign = en.signed(value, decimals)[0]
        expect(toneOf(value, decimals)).toBe(sign === '+' ? 'up' : sign === MINUS ? 'down' : '')
      }),
    )
    expect(toneOf(null, 2)).toBe('')
  })
  it('show what is missing as an em dash, never as zero', () => {
    for (const missing of [null, undefined, NaN, Infinity, -Infinity]) {
      expect(en.fixed(missing, 2)).toBe(DASH)
      expect(en.signed(missing, 2)).toBe(DASH)
      expect(en.short(missing)).toBe(DASH)
      expect(en.bytes(missing)).toBe(DASH)
    }
  })
  it('follow the locale, and the system where Intl refuses it', () => {
    expect(new NumberText('de-DE').fixed(1234.5, 2)).toBe('1.234,50')
    expect(new NumberText('no such locale!').fixed(1, 2)).not.toBe('')
  })
  it('are shortened with a unit', () => {
    expect(en.short(18_204.51)).toBe('18.20K')
    expect(en.short(94.93e9)).toBe('94.93B')
    expect(en.short(0.1234567)).toBe('0.1235')
    expect(en.tick(60_780)).toBe('60,780')
    expect(en.tick(1.5e12)).toBe('1.50T')
    expect(en.bytes(412e6)).toBe('412 MB')
    expect(en.bytes(23.1e9)).toBe('23.1 GB')
  })
  it('always have exactly the decimals asked for, and never an ASCII hyphen', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, min: -1e12, max: 1e12 }),
        fc.integer({ min: 1, max: 8 }),
        (value, decimals) => {
          for (const text of [en.fixed(value, decimals), en.signed(value, decimals)]) {
            expect(text.split('.')[1]).toHaveLength(decimals)
            expect(text).not.toContain('-')
          }
        },
      ),
    )
  })
})

describe('ages', () => {
  it('get coarser as they grow', () => {
    expect([120, 14_400, 200_000, 8_000_000, 4e8].map(ageText)).toEqual(['0.1s', '14s', '3m', '2h', '4d'])
    expect(ageText(-5)).toBe('0.0s')
    expect(ageText(null)).toBe(DASH)
    expect(agoText(120)).toBe('120\u202Fms ago')
  })
  it('run as a clock, past a day too', () => {
    expect(elapsedText(753_000)).toBe('00:12:33')
    expect(elapsedText(90_061_000)).toBe('1d 01:01:01')
  })
})

describe('times', () => {
  const beforeFallBack = Date.UTC(2026, 10, 1, 5, 30)
  it('show milliseconds in any zone', () => {
    expect(timeText(Date.UTC(2026, 10, 4, 14, 3, 21, 882), 'UTC', 'millis')).toBe('14:03:21.882')
    const sentence = 'Messages dated 2026-11-01T05:30:00.000Z to 2026-11-01T06:30:00.250Z are corrupt.'
    expect(zonedText(sentence, 'America/New_York')).toBe(
      'Messages dated 01 Nov 2026 01:30:00.000 EDT to 01 Nov 2026 01:30:00.250 EST are corrupt.',
    )
    expect(timeText(Date.UTC(2026, 10, 4, 14, 3, 21), 'America/New_York')).toBe('09:03:21')
  })
  it('tell the two repeated hours of a clock change apart', () => {
    const later = beforeFallBack + 3_600_000
    expect(timeText(beforeFallBack, 'America/New_York')).toBe(timeText(later, 'America/New_York'))
    expect(zoneAbbreviation('America/New_York', beforeFallBack)).toBe('EDT')
    expect(zoneAbbreviation('America/New_York', later)).toBe('EST')
  })
  it('fall back to UTC in an unknown zone and to a dash without a time', () => {
    expect(timeText(0, 'No/Where')).toBe('00:00:00')
    expect(timeText(null, 'UTC')).toBe(DASH)
    expect(zonePlace('America/New_York')).toBe('New York')
  })
})
