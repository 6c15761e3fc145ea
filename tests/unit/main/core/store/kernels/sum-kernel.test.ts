import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_VALUES, SHORT_RUN, sumKernel } from '../../../../../../src/main/core/store/kernels/sum-kernel.ts'

test('sums of differences are those of a loop, whatever came before', () => {
  const kernel = sumKernel()
  if (kernel === null) throw new Error('WebAssembly can’t run here')
  const counts = fc.oneof(
    fc.nat(40),
    fc.constantFrom(SHORT_RUN - 1, SHORT_RUN, SHORT_RUN + 1, MAX_VALUES),
    fc.nat(MAX_VALUES),
  )
  fc.assert(
    fc.property(
      counts,
      fc.boolean(),
      fc.integer(),
      fc.integer({ min: 1, max: 31 }),
      fc.integer({ min: -60_000, max: 60_000 }),
      fc.integer({ min: -(2 ** 50), max: 2 ** 50 }),
      (n, hasTwos, seed, unit, floor, start) => {
        let state = seed >>> 0
        const byte = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24
        const ones = Uint8Array.from({ length: n }, byte)
        const twos = Uint8Array.from({ length: n }, byte)
        kernel.ones.fill(255).set(ones)
        kernel.twos.fill(255).set(twos)
        kernel.out.fill(NaN)
        let sum = start
        const expected = Float64Array.from(
          ones,
          (one, i) => (sum += (one + (hasTwos ? 256 * twos[i] : 0)) * unit + floor),
        )
        const last = hasTwos ? kernel.sumPairs(n, unit, floor, start) : kernel.sumBytes(n, unit, floor, start)
        expect(last).toBe(sum)
        expect(kernel.out.slice(0, n)).toEqual(expected)
      },
    ),
  )
})
