import fc from 'fast-check'
import { expect, test } from 'vitest'
import { literalDecimals, nearestDecimal } from '../../../../src/shared/base/decimals.ts'

test.each([
  ['1.10000', 5],
  ['1e-05', 5],
  ['120', 0],
  ['-1.5e1', 0],
  ['nothing', 0],
])('%s has %d decimals', (literal, decimals) => expect(literalDecimals(literal)).toBe(decimals))

test('the middle of two prices is the decimal that it is', () => {
  expect((100.1 + 100.3) / 2).not.toBe(100.2)
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1e9 }),
      fc.integer({ min: 0, max: 1e6 }),
      fc.integer({ min: 0, max: 20 }),
      (bid, spread, decimals) => {
        const price = (units: number): number => Number(`${units}e-${decimals}`)
        const middle = Number(`${5 * (bid + bid + spread)}e-${decimals + 1}`)
        expect(nearestDecimal((price(bid) + price(bid + spread)) / 2)).toBe(middle)
      },
    ),
    { examples: [[27, 2, 10]], numRuns: 1_000 },
  )
})

test.each([NaN, Infinity, 1e30, 5e-324, 1e15, 123_456_789_012_345])('%d stays as it is', (value) => {
  expect(nearestDecimal(value)).toBe(value)
})
