/** Columns of 64-bit integers are what each of their values is alone. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { integerOf, integersOf } from '../../../../../../src/main/features/export/tables/table.ts'

const value = fc.oneof(
  fc.double({ noDefaultInfinity: true, min: -(2 ** 62), max: 2 ** 62 }),
  fc.integer({ min: -(2 ** 53), max: 2 ** 53 }),
  fc.constantFrom(NaN, 0, -0, -1, 2 ** 32, -(2 ** 32), 2 ** 31, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
)

it('of any value', () => {
  fc.assert(
    fc.property(fc.constantFrom('whole', 'time'), fc.array(value), (is, values) => {
      const expected = values.map((one) => BigInt.asIntN(64, integerOf(is, one) ?? 0n))
      expect([...integersOf(is, Float64Array.from(values))]).toEqual(expected)
    }),
  )
})
