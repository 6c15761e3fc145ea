import { expect, it } from 'vitest'
import { liveFields } from '../../../../src/renderer/base/live-fields.ts'

it('reads a field when it is used, and only that one', () => {
  let count = 0
  const fields = liveFields<{ readonly count: number; readonly broken: number; readonly run: (n: number) => number }>({
    count: () => ++count,
    broken: () => {
      throw new Error('nobody asked')
    },
    run: () => (n) => n + count,
  })
  expect(count, 'before anything is read').toBe(0)
  expect([fields.count, fields.count]).toEqual([1, 2])
  expect(fields.run(10)).toBe(12)
  expect(Object.keys(fields)).toEqual(['count', 'broken', 'run'])
})
