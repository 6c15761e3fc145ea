import { expect, it } from 'vitest'
import { createJobs } from '../../../../../src/main/core/jobs/jobs.ts'
import { CodedError } from '../../../../../src/shared/base/errors.ts'

function list(jobs: ReturnType<typeof createJobs>) {
  return jobs.streams.open(() => undefined).take() ?? []
}

it('tells the progress and the end of a job', async () => {
  let now = 5
  const jobs = createJobs(() => now)
  const going = Promise.withResolvers<{ text: string; result: number }>()
  const id = jobs.start('export', 'btc.csv', 'rows', (progress) => {
    progress({ done: 0.5, count: 7, bytes: 70 })
    return going.promise
  })
  expect(list(jobs)).toMatchObject([{ id, startedMs: 5, done: 0.5, count: 7, bytes: 70, outcome: { is: 'running' } }])
  now = 9
  going.resolve({ text: 'written', result: 3 })
  await jobs.close()
  expect(list(jobs)).toMatchObject([{ endedMs: 9, done: 1, outcome: { is: 'done', text: 'written', result: 3 } }])
  jobs.dismiss(id)
  expect(list(jobs)).toEqual([])
})

it('cancels a job, keeps one that runs from being dismissed, and says what failed', async () => {
  const jobs = createJobs(() => 0)
  const id = jobs.start('verify', 'all', 'messages', (_progress, signal) => {
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new CodedError('cancelled', 'Cancelled.')))
    })
  })
  jobs.dismiss(id)
  expect(list(jobs)).toHaveLength(1)
  jobs.cancel(id)
  const failing = jobs.start('import', 'x', 'messages', () => Promise.reject(new CodedError('disk-full', 'Full.')))
  await jobs.close()
  expect(list(jobs)).toMatchObject([
    { id, outcome: { is: 'cancelled' } },
    { id: failing, outcome: { is: 'failed', failure: { code: 'disk-full' } } },
  ])
  expect(() => jobs.cancel('job-9')).toThrow(CodedError)
})

it('forgets the oldest ended jobs', async () => {
  const jobs = createJobs(() => 0)
  for (let i = 0; i < 60; i++) jobs.start('export', `${i}`, 'rows', () => Promise.resolve({ text: '' }))
  await jobs.close()
  expect(list(jobs)).toHaveLength(50)
  expect(list(jobs)[0]?.title).toBe('10')
})

it('holds a flood of jobs to those that can be worked on, and says so of the rest', async () => {
  const jobs = createJobs(() => 0)
  let begun = 0
  for (let i = 0; i < 1_000; i++) {
    jobs.start('export', `${i}`, 'rows', (_progress, signal) => {
      begun++
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new CodedError('cancelled', 'Cancelled.')))
      })
    })
  }
  await new Promise(setImmediate)
  expect({ begun, running: jobs.running() }).toEqual({ begun: 64, running: 64 })
  expect(list(jobs).at(-1)).toMatchObject({ outcome: { is: 'failed', failure: { code: 'budget' } } })
  expect(list(jobs).length).toBeLessThanOrEqual(64 + 50)
  await jobs.close()
})

it('begins nothing else while the store is moved', async () => {
  const jobs = createJobs(() => 0)
  const moved = Promise.withResolvers<{ text: string }>()
  jobs.start('move', 'the store', 'bytes', () => moved.promise)
  expect(jobs.storeIsAway()).toBe(true)
  let begun = false
  const refused = jobs.start('export', 'btc.csv', 'rows', () => {
    begun = true
    return Promise.resolve({ text: '' })
  })
  moved.resolve({ text: 'there' })
  await jobs.close()
  expect(begun).toBe(false)
  expect(list(jobs).find(({ id }) => id === refused)?.outcome).toMatchObject({
    is: 'failed',
    failure: { code: 'busy' },
  })
  expect(jobs.storeIsAway()).toBe(false)
  const after = jobs.start('export', 'btc.csv', 'rows', () => Promise.resolve({ text: 'written' }))
  await jobs.close()
  expect(list(jobs).find(({ id }) => id === after)?.outcome).toMatchObject({ is: 'done' })
})
