import { writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Worker } from 'node:worker_threads'
import * as hyparquet from 'hyparquet'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { runExport } from '../../../../../src/main/features/export/run.ts'
import { READ_HERE, readIn, type FileReading } from '../../../../../src/main/features/import/file-reading.ts'
import { importText, type ImportStore } from '../../../../../src/main/features/import/run.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { EXIT } from '../../../../../src/main/command-line/exit.ts'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { CodedError } from '../../../../../src/shared/base/errors.ts'
import { exportRequest } from '../../../../kit/export.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'
import { T0 } from '../../core/store/harness.ts'
import { commandContext } from '../../hosts/cli/context.ts'
import { recorded, type RecordedStore } from '../export/recorded.ts'

vi.mock('hyparquet', { spy: true })

const inThread = readIn(new URL('../../../../../src/main/import-worker.ts', import.meta.url))
const folder = makeFolder('reading')
let store: RecordedStore
beforeAll(async () => {
  const items = Array.from({ length: 2_500 }, (_, i) => ({
    conn: 1,
    data: tradeText('BTC-USD', String(100 + i), '1', T0 + i),
    recvMs: T0 + i,
  }))
  store = await recorded([items], { feeds: ['crypto/XT'] })
  await runExport(store.reader, exportRequest({ format: 'parquet' }), join(folder, 't.parquet'))
  await runExport(store.reader, exportRequest(), join(folder, 't.csv'))
  await runExport(store.reader, exportRequest({ format: 'jsonl', raw: true }), join(folder, 't.jsonl'))
})
afterEach(() => void vi.mocked(hyparquet.parquetMetadataAsync).mockReset())
afterAll(() => store.close())

async function readAll({ kindOf, incoming }: FileReading, name: string) {
  const path = join(folder, name)
  const kind = await kindOf(path)
  const portions = []
  for await (const portion of incoming(path, kind, null)) portions.push(portion)
  return { kind, portions }
}

describe('a thread', () => {
  it.each(['t.parquet', 't.csv', 't.jsonl'])('reads the same from %s', async (name) => {
    const here = await readAll(READ_HERE, name)
    expect(here.portions.flatMap(({ messages }) => messages)).toHaveLength(2_500)
    vi.mocked(hyparquet.parquetRead).mockClear()
    expect(await readAll(inThread, name)).toEqual(here)
    expect(hyparquet.parquetRead).not.toHaveBeenCalled()
  })

  it('reports what is wrong with a file by its code', async () => {
    writeFileSync(join(folder, 'bad.parquet'), 'PAR1 nothing')
    await expect(inThread.kindOf(join(folder, 'bad.parquet'))).rejects.toMatchObject({
      code: 'bad-file',
      hint: 'Check that the file is complete.',
    })
  })

  it('ends at once when it is canceled', async () => {
    const kind = await READ_HERE.kindOf(join(folder, 't.csv'))
    const cancel = new AbortController()
    const portions = inThread.incoming(join(folder, 't.csv'), kind, null, cancel.signal)
    const first = portions.next()
    cancel.abort()
    await expect(first).rejects.toMatchObject({ code: 'cancelled' })
    await expect(portions.next()).resolves.toMatchObject({ done: true })
  })
})

/** Makes a thread module that runs `work` when it is asked for something. */
function readingBy(work: string): FileReading {
  const path = join(folder, 'worker.mjs')
  writeFileSync(
    path,
    `import { parentPort } from 'node:worker_threads'\nparentPort.on('message', () => {\n${work}\n})\n`,
  )
  return readIn(pathToFileURL(path))
}
/** The next thread of this process, and its end. */
async function nextThread(): Promise<{ readonly thread: Worker; readonly ended: Promise<void> }> {
  const [thread] = (await once(process, 'worker')) as [Worker] // what this event carries
  return { thread, ended: new Promise((resolve) => thread.on('exit', () => resolve())) }
}
const NOTHING = `parentPort.postMessage({
  is: 'portion',
  portion: { feed: [], seq: [], recvMs: [], flags: [], length: [], all: new Uint8Array(), problems: [], bytes: 1 },
})`

describe('a thread that doesn’t do what it should', () => {
  it('ends at once when a detection is canceled that never answers', async () => {
    const cancel = new AbortController()
    const started = nextThread()
    const kind = readingBy('').kindOf(join(folder, 't.csv'), cancel.signal)
    const { ended } = await started
    cancel.abort()
    await expect(kind).rejects.toMatchObject({ code: 'cancelled' })
    await ended
  })

  it('fails the import if it fails while nobody waits for it, and not the terminal', async () => {
    const started = nextThread()
    const { incoming } = readingBy(`if (globalThis.asked) throw new Error('late'); globalThis.asked = true; ${NOTHING}`)
    const portions = incoming(join(folder, 't.csv'), { is: 'lines', raw: true }, null)
    expect(await portions.next()).toMatchObject({ value: { bytes: 1 } })
    const { thread, ended } = await started
    thread.postMessage('fail')
    await ended
    await expect(portions.next()).rejects.toMatchObject({ code: 'internal', cause: { message: 'late' } })
  })
})

describe('an import', () => {
  const input = (name: string) => ({ path: join(folder, name), name, bytes: 1 })
  const storeOf = (reading: FileReading, library: ImportStore['library']): ImportStore => ({
    ...{ library, reading, newId: newSessionId },
    sessions: () => Promise.resolve([]),
  })

  it('lets go of its file when the store fails', async () => {
    let opened = 0
    let open = 0
    const reading: FileReading = {
      ...READ_HERE,
      async *incoming(...args) {
        opened++
        open++
        try {
          yield* READ_HERE.incoming(...args)
        } finally {
          open--
        }
      },
    }
    const full: ImportStore['library'] = {
      async importSessions([{ batches }]) {
        for await (const _batch of batches) throw new CodedError('disk-full', 'The disk is full.')
        throw new TypeError('it has a batch')
      },
    }
    await expect(importText(input('t.csv'), null, storeOf(reading, full))).rejects.toMatchObject({ code: 'disk-full' })
    expect([opened, open]).toEqual([2, 0])
  })

  it('is canceled during the detection', async () => {
    const cancel = new AbortController()
    const started = nextThread()
    const unused: ImportStore['library'] = { importSessions: () => Promise.reject(new TypeError('not reached')) }
    const importing = importText(input('t.csv'), null, storeOf(readingBy(''), unused), {
      signal: cancel.signal,
    })
    await started
    cancel.abort()
    await expect(importing).rejects.toMatchObject({ code: 'cancelled' })
  })

  it('of the command line is canceled during the detection', async () => {
    const cancel = new AbortController()
    const started = nextThread()
    readingBy('')
    const context = commandContext({ dataDir: folder, signal: cancel.signal })
    const imports = pathToFileURL(join(folder, 'worker.mjs'))
    const code = runCommandLine(['import', join(folder, 't.csv')], {
      ...context,
      workers: { ...context.workers, imports },
    })
    await started
    cancel.abort()
    expect(await code).toBe(EXIT.interrupted)
  })
})

/** Makes the file say something else about itself. */
function alter(change: (about: hyparquet.FileMetaData) => void): void {
  vi.mocked(hyparquet.parquetMetadataAsync).mockImplementation(async (file) => {
    const about = hyparquet.parquetMetadata(await file.slice(0))
    change(about)
    return about
  })
}

const columnsOf = ({ row_groups: [group] }: hyparquet.FileMetaData) =>
  group.columns.flatMap(({ meta_data: about }) => (about === undefined ? [] : [about]))

describe('Parquet that says more than it has', () => {
  it.each<[string, (about: hyparquet.FileMetaData) => void]>([
    ['rows of the file', (about) => (about.num_rows = 2n ** 62n)],
    [
      'rows of a row group',
      (about) => {
        about.row_groups[0].num_rows = 2n ** 62n
        about.num_rows = 2n ** 62n
      },
    ],
    ['less than no rows', (about) => (about.num_rows = about.row_groups[0].num_rows = -1n)],
  ])('%s is refused', async (_, change) => {
    alter(change)
    await expect(readAll(READ_HERE, 't.parquet')).rejects.toMatchObject({ code: 'bad-file' })
  })

  it.each<[string, (about: hyparquet.FileMetaData) => void]>([
    [
      'values',
      (about) => {
        about.num_rows = about.row_groups[0].num_rows = 40_000_000n
        for (const column of columnsOf(about)) column.num_values = 40_000_000n
      },
    ],
    [
      'bytes',
      (about) => {
        for (const column of columnsOf(about)) column.total_uncompressed_size = 1n << 30n
      },
    ],
  ])('%s of a row group that is too large are refused before they are read', async (_, change) => {
    alter(change)
    vi.mocked(hyparquet.parquetRead).mockClear()
    await expect(readAll(READ_HERE, 't.parquet')).rejects.toMatchObject({ code: 'too-large' })
    expect(hyparquet.parquetRead).not.toHaveBeenCalled()
  })
})
