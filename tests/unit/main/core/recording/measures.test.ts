import { describe, expect, it } from 'vitest'
import { createGrowth, createSkew } from '../../../../../src/main/core/recording/measures.ts'

describe('skew', () => {
  it('is what the fastest message shows, and forgets after two minutes', () => {
    const skew = createSkew()
    for (let i = 0; i < 50; i += 1) skew.seen(i * 100 + 5_000, i * 100 + 10 + (i % 7))
    expect(skew.ms).toBe(4_990)
    for (let i = 0; i < 300; i += 1) skew.seen(1e6 + i * 1_000, 1e6 + i * 1_000 + 30)
    expect(skew.ms).toBe(-30)
  })
  const HOUR = 3_600_000
  it.each([
    ['far ahead', 24 * HOUR],
    ['far behind', -24 * HOUR],
    ['to the end of the century', 2e12],
  ])('is not moved by a message dated %s, however early it comes', (_, wrong) => {
    for (const place of [0, 3, 25, 99]) {
      const skew = createSkew()
      for (let i = 0; i < 100; i += 1) {
        const recvMs = 1e12 + i * 200
        if (i === place) skew.seen(recvMs + wrong, recvMs)
        skew.seen(recvMs - 40 - (i % 5), recvMs)
        if (skew.ms !== null) expect(Math.abs(skew.ms + 40)).toBeLessThanOrEqual(5)
      }
      expect(skew.ms).toBe(-40)
    }
  })
  it('is not moved by a burst of them, and finds another skew within about a minute', () => {
    const skew = createSkew()
    const minute = (from: number, lead: number, odd: (i: number) => number) => {
      for (let i = 0; i < 600; i += 1) skew.seen(from + i * 100 + lead + odd(i), from + i * 100)
    }
    minute(1e12, -40, () => 0)
    minute(1e12 + 60_000, -40, (i) => (i < 100 ? HOUR : 0))
    expect(skew.ms).toBe(-40)
    minute(1e12 + 120_000, 5_000, () => 0)
    minute(1e12 + 180_000, 5_000, () => 0)
    expect(skew.ms).toBe(5_000)
  })
  it('goes on where the clock is set back', () => {
    const skew = createSkew()
    for (let i = 0; i < 100; i += 1) skew.seen(1e12 + i * 100, 1e12 + i * 100 + 10)
    for (let i = 0; i < 100; i += 1) skew.seen(1e12 + i * 100, 1e12 - HOUR + i * 100)
    expect(skew.ms).toBe(HOUR)
  })
  it('is unknown from a few messages', () => {
    const skew = createSkew()
    skew.seen(1, 1)
    expect(skew.ms).toBeNull()
  })
})

describe('growth', () => {
  it('is unknown for five minutes, then bytes an hour', () => {
    const growth = createGrowth()
    for (let minute = 0; minute < 5; minute += 1) growth.sized(minute * 1_000, minute * 60_000)
    expect(growth.bytesPerHour).toBeNull()
    for (let minute = 5; minute <= 10; minute += 1) growth.sized(minute * 1_000, minute * 60_000)
    expect(growth.bytesPerHour).toBe(60_000)
  })
})
