import { expect, it } from 'vitest'
import { largeSize } from '../../../../../../src/main/core/market/flow/large-trades.ts'

it('finds the size that 99.5 % of a day’s trades don’t exceed', () => {
  const upTo = (n: number) => Array.from({ length: n }, (_, i) => ((i * 7) % n) + 1)
  expect([1, 100, 200, 201, 1_000].map((n) => largeSize(upTo(n)))).toEqual([1, 100, 199, 200, 995])
  expect(largeSize([])).toBeNull()
})
