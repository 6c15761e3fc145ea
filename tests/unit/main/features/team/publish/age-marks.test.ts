/** How old the oldest of what waits is. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { AgeMarks } from '../../../../../../src/main/features/team/publish/age-marks.ts'

it('is the age of the oldest that waits, to the step', () => {
  const marks = new AgeMarks(1_000)
  expect(marks.oldestAfter(0)).toBeNull()
  for (let i = 1; i <= 10; i++) marks.add(i, i * 500)
  expect([0, 1, 2, 3].map((seq) => marks.oldestAfter(seq))).toEqual([500, 1_500, 1_500, 2_500])
  expect(marks.oldestAfter(10)).toBeNull()
  marks.add(11, 9_000)
  expect(marks.oldestAfter(10)).toBe(9_000)
})

it('never makes what waits younger than it is but for a share of its age, however much waits', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (count, part) => {
      const marks = new AgeMarks(1_000)
      for (let i = 1; i <= count; i++) marks.add(i, i * 1_000)
      const done = Math.floor(part * (count - 1))
      const age = count * 1_000 - (marks.oldestAfter(done) ?? count * 1_000)
      const exact = (count - done - 1) * 1_000
      expect(age).toBeLessThanOrEqual(exact)
      expect(age).toBeGreaterThanOrEqual(exact - Math.max(1_000, (count * 1_000) / 64))
    }),
    { numRuns: 200 },
  )
})
