import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { instantOf, placeOf } from '../../../../../src/renderer/charts/model/place.ts'

const rows = (...times: number[]) => times.map((timestamp) => ({ timestamp }))
const times = fc
  .uniqueArray(fc.integer({ min: 0, max: 1e9 }), { minLength: 1, maxLength: 40 })
  .map((list) => rows(...list.toSorted((a, b) => a - b)))

describe('places of instants', () => {
  it('puts a bar in its middle, and what is between two bars between their middles', () => {
    const list = rows(1_000, 2_000, 10_000)
    expect([1_000, 1_500, 2_000, 6_000, 10_000].map((ms) => placeOf(list, ms, 1_000))).toEqual([0, 0.5, 1, 1.5, 2])
  })

  it('goes on beyond both ends at the pace of the interval', () => {
    const list = rows(60_000, 120_000)
    expect([0, 30_000, 180_000, 210_000].map((ms) => placeOf(list, ms, 60_000))).toEqual([-1, -0.5, 2, 2.5])
    expect([-1, 2.5].map((place) => instantOf(list, place, 60_000))).toEqual([0, 210_000])
  })

  it('has no place without rows', () => {
    expect(placeOf([], 5, 1_000)).toBeNaN()
    expect(instantOf([], 5, 1_000)).toBeNaN()
  })

  it('gives back the instant it was asked for, however far away', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: -1e9, max: 2e9 }), fc.constantFrom(100, 1_000, 60_000), (list, ms, pace) => {
        expect(Math.abs(instantOf(list, placeOf(list, ms, pace), pace) - ms)).toBeLessThan(0.01)
      }),
    )
  })

  it('never puts a later instant before an earlier one', () => {
    fc.assert(
      fc.property(times, fc.integer({ max: 2e9 }), fc.nat(1e6), (list, ms, more) => {
        expect(placeOf(list, ms + more, 1_000)).toBeGreaterThanOrEqual(placeOf(list, ms, 1_000))
      }),
    )
  })
})
