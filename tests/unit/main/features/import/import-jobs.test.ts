/** The previews of a window: one at a time, and none for a file that is gone. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createJobs, type Jobs } from '../../../../../src/main/core/jobs/jobs.ts'
import { READ_HERE } from '../../../../../src/main/features/import/file-reading.ts'
import { createImports, type Imports } from '../../../../../src/main/features/import/import-jobs.ts'
import type { TextKind } from '../../../../../src/main/features/import/kinds.ts'
import { createFiles, type Files } from '../../../../../src/main/features/import/uploads.ts'
import { CodedError } from '../../../../../src/shared/base/errors.ts'
import { manualClock } from '../../../../kit/clock.ts'
import { makeFolder } from '../../../../kit/folder.ts'

let files: Files
let jobs: Jobs
let imports: Imports
let file: string
/** The detections under way, and the most at the same time. */
let open: { readonly answer: () => void }[]
let most: number

const KIND: TextKind = { is: 'table', separator: ',', header: true, columns: ['a'], rows: [] }
/** Detects a file when the test says so, and needs a while to end when it is canceled. */
async function kindOf(_: string, signal?: AbortSignal): Promise<TextKind> {
  const { promise, resolve, reject } = Promise.withResolvers<TextKind>()
  const one = { answer: () => resolve(KIND) }
  open.push(one)
  most = Math.max(most, open.length)
  const cancel = () => reject(new CodedError('cancelled', 'The import was canceled.'))
  // A job that is canceled at once asks with a signal that has aborted already.
  if (signal?.aborted === true) cancel()
  signal?.addEventListener('abort', cancel)
  try {
    return await promise
  } finally {
    await turns()
    open.splice(open.indexOf(one), 1)
  }
}
const turns = async () => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
}
const unused = () => Promise.reject(new TypeError('not reached'))

beforeEach(async () => {
  const folder = makeFolder('previews')
  writeFileSync(join(folder, 'a.csv'), 'a\n1\n')
  open = []
  most = 0
  files = createFiles(join(folder, 'incoming'), manualClock(0))
  jobs = createJobs(() => 0)
  imports = createImports({
    files,
    jobs,
    reader: { sessions: () => Promise.resolve([]) },
    reading: { ...READ_HERE, kindOf },
    library: () => ({ importSession: unused, importSessions: unused, label: unused, erase: unused, compact: unused }),
    ask: () => undefined,
    refused: () => undefined,
  })
  file = await files.adopt(join(folder, 'a.csv'))
})
afterEach(async () => {
  await jobs.close()
  await files.close()
})

const preview = () => imports.preview({ file, mapping: null })
/** A preview that is detecting the kind of its file. */
async function underWay(): Promise<{ readonly canceled: Promise<void> }> {
  const canceled = expect(preview()).rejects.toMatchObject({ code: 'cancelled' })
  await expect.poll(() => open.length).toBe(1)
  return { canceled }
}

it('runs one preview at a time: the newest', async () => {
  const first = await underWay()
  const second = expect(preview()).rejects.toMatchObject({ code: 'cancelled' })
  const third = preview()
  await Promise.all([first.canceled, second])
  await expect.poll(() => open.length).toBe(1)
  open[0].answer()
  expect(await third).toMatchObject({ kind: 'table', name: 'a.csv' })
  expect(most).toBe(1)
})

it('ends the preview of a file that is dropped', async () => {
  const { canceled } = await underWay()
  await files.drop(file)
  await canceled
  expect(open).toEqual([])
})

it('ends the preview of a file that is imported', async () => {
  const { canceled } = await underWay()
  await imports.start({ file, mapping: null })
  await canceled
})

it('refuses a mapping that can’t work before there is a job, and keeps the file', async () => {
  const mapping = { columns: ['price'], feed: 'crypto/XT', zone: 'UTC', symbol: 'A' } as const
  await expect(imports.start({ file, mapping: { ...mapping, columns: [...mapping.columns] } })).rejects.toMatchObject({
    code: 'usage',
  })
  expect(jobs.running()).toBe(0)
  expect(files.received(file).name).toBe('a.csv')
})
