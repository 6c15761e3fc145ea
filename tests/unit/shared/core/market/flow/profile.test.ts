import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pointOfControl, valueArea, volumeNodes } from '../../../../../../src/shared/core/market/flow/profile.ts'

const volumes = fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 60 })

describe('the value area', () => {
  it('holds at least 70 % and contains the point of control', () => {
    fc.assert(
      fc.property(volumes, fc.constantFrom<1 | 2>(1, 2), (totals, rows) => {
        const most = pointOfControl(totals)
        const [first, last] = valueArea(totals, most, rows)
        const held = totals.slice(first, last + 1).reduce((a, b) => a + b, 0)
        expect(first <= most && most <= last).toBe(true)
        expect(held).toBeGreaterThanOrEqual(totals.reduce((a, b) => a + b, 0) * 0.7 - 1e-9)
      }),
    )
  })
})

it.each([
  [
    [0.2, 0.4, 0.3, 0.1],
    [1, 2],
  ],
  [
    [0.4, 0.8, 0.6, 0.2],
    [1, 2],
  ],
  [
    [0.3, 0.1, 0.8, 0.6, 0.2],
    [2, 3],
  ],
])('of %j, exactly 70 percent are in the value area %j', (totals, area) => {
  expect(valueArea(totals, pointOfControl(totals), 1)).toEqual(area)
})

describe('nodes', () => {
  it('are the peaks and the valley of two humps', () => {
    const totals = [1, 4, 9, 20, 30, 20, 9, 3, 1, 1, 1, 3, 9, 18, 28, 18, 9, 4, 1]
    expect(volumeNodes(totals)).toEqual({ high: [4, 14], low: [9] })
  })

  it('don’t include peaks that are low, nor valleys that are high', () => {
    const totals = [10, 50, 100, 50, 10, 8, 6, 10, 14, 12, 8, 2, 2, 2, 2]
    const { high, low } = volumeNodes(totals)
    expect(high).toEqual([2])
    for (const row of low) expect(totals[row]).toBeLessThanOrEqual(10)
  })

  it('are none of a flat or empty profile', () => {
    expect(volumeNodes([])).toEqual({ high: [], low: [] })
    expect(volumeNodes([0, 0, 0, 0, 0, 0, 0])).toEqual({ high: [], low: [] })
  })
})
