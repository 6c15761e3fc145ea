/** A file whose name ends in .tsv holds tabs, or is refused before anything is written. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { runExport } from '../../../../../src/main/features/export/run.ts'
import { createExports } from '../../../../../src/main/features/export/export-jobs.ts'
import { createJobs } from '../../../../../src/main/core/jobs/jobs.ts'
import { T0 } from '../../core/store/harness.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'
import { recorded, type RecordedStore } from './recorded.ts'
import { exportRequest as request } from '../../../../kit/export.ts'

let store: RecordedStore
beforeEach(async () => {
  store = await recorded([[{ conn: 1, data: tradeText('BTC-USD', 100, 1, T0), recvMs: T0 }]])
})
afterEach(() => store.close())

const written = async () => (await readdir(store.path)).filter((name) => !name.startsWith('tapedeck.db')).sort()
const NEEDS_TABS = { code: 'usage', message: expect.stringContaining('separated by tabs') as string }

it.each([
  ['commas', {}],
  ['semicolons', { separator: ';' }],
  ['Parquet', { format: 'parquet' }],
  ['JSON Lines', { format: 'jsonl' }],
] as const)('never holds %s', async (_, part) => {
  await expect(runExport(store.reader, request(part), join(store.path, 'x.Tsv'))).rejects.toMatchObject(NEEDS_TABS)
  expect(await written()).toEqual([])
})

it('is written by the window under the typed name with tabs, and refused without', async () => {
  const jobs = createJobs(() => T0)
  const exports = createExports({ reader: store.reader, jobs, home: store.path, dataDir: makeFolder() })
  const args = { folder: store.path, name: 'day.tsv', replace: false }
  await expect(exports.start({ ...args, request: request() })).rejects.toMatchObject(NEEDS_TABS)
  expect(await written()).toEqual([])
  const ended = Promise.withResolvers<void>()
  const stream = jobs.streams.open(() => {
    if (stream.take()?.some((job) => job.outcome.is !== 'running')) ended.resolve()
  })
  await exports.start({ ...args, request: request({ separator: '\t' }) })
  await ended.promise
  stream.close()
  await jobs.close()
  expect(await written()).toEqual(['day.tsv', 'day.tsv.manifest.json'])
  expect(await readFile(join(store.path, 'day.tsv'), 'utf8')).toMatch(
    /^feed\tsymbol\t[^,]*\ncrypto\/XT\tBTC-USD\t[^,]*\n$/,
  )
})
