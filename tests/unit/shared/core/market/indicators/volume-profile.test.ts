import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BarValues } from '../../../../../../src/shared/core/market/indicators/indicator.ts'
import { pointOfControl, valueArea } from '../../../../../../src/shared/core/market/flow/profile.ts'
import { volumeProfile } from '../../../../../../src/shared/core/market/indicators/volume-profile.ts'
import vectors from '../../../../../fixtures/order-flow/value-area.json' with { type: 'json' }

const bar = (low: number, high: number, volume: number | null, up = true): BarValues => ({
  open: up ? low : high,
  high,
  low,
  close: up ? high : low,
  volume,
})

describe('the value area of published and hand-made profiles', () => {
  it.each(vectors.cases)('$name', ({ method, rows, expect: { poc, val, vah, held } }) => {
    const totals = rows.map((row) => row[1])
    const most = pointOfControl(totals)
    expect(rows[most][0]).toBe(poc)
    if (method === 'poc') return
    const [first, last] = valueArea(totals, most, method === 'one-row' ? 1 : 2)
    expect([rows[first][0], rows[last][0]]).toEqual([val, vah])
    expect(totals.slice(first, last + 1).reduce((a, b) => a + b, 0)).toBe(held)
  })
})

describe('volume profile', () => {
  it('spreads a bar over the prices it went through, by its direction', () => {
    const profile = volumeProfile([bar(0, 4, 8), bar(2, 4, 6, false)], 4)
    expect(profile?.levels.map(({ from, to, up, down }) => [from, to, up, down])).toEqual([
      [0, 1, 2, 0],
      [1, 2, 2, 0],
      [2, 3, 2, 3],
      [3, 4, 2, 3],
    ])
    expect(profile?.greatest).toBe(5)
    expect(profile?.area).toEqual([2, 3])
  })

  it('is nothing without volume, and one level where there is one price', () => {
    expect(volumeProfile([], 10)).toBeNull()
    expect(volumeProfile([bar(1, 2, null), bar(1, 2, 0)], 10)).toBeNull()
    expect(volumeProfile([bar(5, 5, 3), bar(5, 5, 4)], 10)).toMatchObject({
      levels: [{ from: 5, to: 5, up: 7 }],
      most: 0,
    })
  })

  it('loses no volume of a bar whose range is a rounding step of its price', () => {
    const profile = volumeProfile([bar(1, 1.0000000000000002, 1)], 2)
    expect(profile?.levels.reduce((sum, { up, down }) => sum + up + down, 0)).toBe(1)
  })

  it('loses no volume and holds at least 70 % of it in its area', () => {
    const bars = fc.array(
      fc
        .tuple(
          fc.double({ min: 1, max: 1e5, noNaN: true }),
          fc.double({ min: 0, max: 100, noNaN: true }),
          fc.nat(1e6),
          fc.boolean(),
        )
        .map(([low, range, volume, up]) => bar(low, low + range, volume, up)),
      { minLength: 1, maxLength: 60 },
    )
    fc.assert(
      fc.property(bars, fc.integer({ min: 1, max: 120 }), (list, count) => {
        const all = list.reduce((sum, one) => sum + (one.volume ?? 0), 0)
        const profile = volumeProfile(list, count)
        expect(profile === null).toBe(all === 0)
        if (profile === null) return
        const sums = profile.levels.map(({ up, down }) => up + down)
        expect(Math.abs(sums.reduce((a, b) => a + b, 0) - all)).toBeLessThan(all * 1e-6)
        const [first, last] = profile.area
        expect(sums.slice(first, last + 1).reduce((a, b) => a + b, 0)).toBeGreaterThan(all * 0.7 * (1 - 1e-6))
        expect(profile.greatest).toBe(Math.max(...sums))
      }),
    )
  })
})
