import { expect, it } from 'vitest'
import { LatestRun } from '../../../../src/renderer/base/latest-run.ts'

it('runs one task at a time, and of those that wait only the latest', async () => {
  const latest = new LatestRun()
  const told: string[] = []
  let end = Promise.withResolvers<void>()
  const task = (name: string) => async () => {
    told.push(`${name} starts`)
    await end.promise
    told.push(`${name} ends`)
  }
  latest.run(task('a'))
  expect(latest.isWaiting).toBe(false)
  latest.run(task('b'))
  latest.run(task('c'))
  expect(latest.isWaiting).toBe(true)
  expect(told).toEqual(['a starts'])
  end.resolve()
  await expect.poll(() => told).toEqual(['a starts', 'a ends', 'c starts', 'c ends'])
  end = Promise.withResolvers<void>()
  latest.run(task('f'))
  latest.follow(task('g'))
  latest.follow(task('h'))
  latest.follow(task('i'))
  end.resolve()
  await expect.poll(() => told.slice(4)).toEqual(['f starts', 'f ends', 'g starts', 'g ends', 'i starts', 'i ends'])
  end = Promise.withResolvers<void>()
  latest.run(task('d'))
  latest.run(task('e'))
  latest.drop()
  end.resolve()
  await expect.poll(() => told.at(-1)).toBe('d ends')
})
