import { expect, test } from 'vitest'
import { CodedError } from '../../../../../src/shared/base/errors.ts'
import { createLateReader } from '../../../../../src/main/core/store/late-store.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import { manualClock } from '../../../../kit/clock.ts'

const noStore = () => new CodedError('not-found', 'There is no store.')
const reader = { sessions: () => Promise.resolve([]) } as unknown as StoreReader

test('a reader that found no store keeps that for a second, but not once the store can be opened', async () => {
  let there = false
  const opening = () => (there ? Promise.resolve(reader) : Promise.reject(noStore()))
  const late = createLateReader(opening, manualClock(0), () => undefined)
  await expect(late.sessions()).rejects.toMatchObject({ code: 'not-found' })
  there = true
  await expect(late.sessions()).rejects.toMatchObject({ code: 'not-found' })
  late.retry()
  expect(await late.sessions()).toEqual([])
})

test('a reader that looks for the store while it is made looks again', async () => {
  const first = Promise.withResolvers<StoreReader>()
  let opens = 0
  const opening = () => (++opens === 1 ? first.promise : Promise.resolve(reader))
  const late = createLateReader(opening, manualClock(0), () => undefined)
  const asked = late.sessions()
  late.retry()
  first.reject(noStore())
  expect(await asked).toEqual([])
  expect(await late.sessions()).toEqual([])
  expect(opens).toBe(2)
})

test('a reader that is open, or opening, stays', async () => {
  let opens = 0
  const late = createLateReader(
    () => {
      opens++
      return Promise.resolve(reader)
    },
    manualClock(0),
    () => undefined,
  )
  const asked = late.sessions()
  late.retry()
  await asked
  late.retry()
  await late.sessions()
  expect(opens).toBe(1)
})
