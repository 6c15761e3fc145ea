import fc from 'fast-check'
import { expect, test } from 'vitest'

test('an explicit maximum length is the size that generators draw up to', () => {
  const longest = Math.max(
    ...fc.sample(fc.array(fc.nat(), { maxLength: 200 }), { seed: 1, numRuns: 100 }).map((list) => list.length),
  )
  expect(longest).toBeGreaterThan(100)
})
