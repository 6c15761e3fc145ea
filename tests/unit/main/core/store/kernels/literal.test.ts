import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_LITERAL, writeLiteral } from '../../../../../../src/main/core/store/kernels/literal.ts'
import { STYLE } from '../../../../../../src/main/core/store/kernels/number-form.ts'

function written(value: number): string {
  const out = new Uint8Array(MAX_LITERAL).fill(0x78)
  return Buffer.from(out.subarray(0, writeLiteral(out, 0, value, 0, STYLE.fixed))).toString('latin1')
}

test('writes integers with all their digits', () => {
  const powers = Array.from({ length: 16 }, (_, n) => 10 ** n)
  const halves = Array.from({ length: 60 }, (_, n) => Math.floor(Number.MAX_SAFE_INTEGER / 1e8 - n) * 1e8)
  for (const edge of [...powers, ...halves, 2 ** 30, 2 ** 31, 2 ** 32, 2 ** 26 * 1e8]) {
    for (const value of [edge - 1, edge, edge + 1]) expect(written(value)).toBe(String(value))
  }
  fc.assert(
    fc.property(fc.maxSafeNat(), (value) => {
      expect(written(value)).toBe(String(value))
    }),
  )
})
