import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { regressionOf } from '../../../../../src/shared/features/drawings/regression.ts'

/** Least squares by the normal equations, as textbooks write them. */
function byEquations(closes: readonly number[]) {
  const n = closes.length
  const x = closes.reduce((all, _, i) => all + i, 0)
  const y = closes.reduce((all, close) => all + close, 0)
  const xx = closes.reduce((all, _, i) => all + i * i, 0)
  const xy = closes.reduce((all, close, i) => all + i * close, 0)
  const slope = (n * xy - x * y) / (n * xx - x * x)
  const start = (y - slope * x) / n
  const rest = closes.reduce((all, close, i) => all + (close - start - slope * i) ** 2, 0)
  return { first: start, last: start + slope * (n - 1), deviation: Math.sqrt(rest / n) }
}

describe('the regression of closes', () => {
  it('is the line of the normal equations', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 2, maxLength: 60 }), (closes) => {
        const found = regressionOf(closes)
        const wanted = byEquations(closes)
        expect(found?.first).toBeCloseTo(wanted.first, 7)
        expect(found?.last).toBeCloseTo(wanted.last, 7)
        expect(found?.deviation).toBeCloseTo(wanted.deviation, 5)
      }),
    )
  })
  it('keeps its digits at large prices', () => {
    const closes = [1e9 + 0.25, 1e9 + 0.5, 1e9 + 0.75]
    expect(regressionOf(closes)).toEqual({ first: 1e9 + 0.25, last: 1e9 + 0.75, deviation: 0 })
  })
  it('needs two closes', () => {
    expect(regressionOf([])).toBeNull()
    expect(regressionOf([5])).toBeNull()
  })
})
