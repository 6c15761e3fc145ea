/**
 * What other programs read: `tail` against a bare loop that prints the stored messages undecoded, and `sync` against
 * DuckDB, on one thread, partitioning the same rows from one Parquet file.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncDataset } from '../src/main/features/export/sync/sync.ts'
import { exportTicks } from '../src/main/features/export/ticks.ts'
import { createLines } from '../src/main/features/tail/lines.ts'
import { tailStored } from '../src/main/features/tail/stored.ts'
import { openStoreReader } from '../src/main/core/store/open.ts'
import type { StoreReader } from '../src/main/core/store/types/reader.ts'
import type { SessionId } from '../src/shared/base/units.ts'
import { openDuck } from './duck.ts'
import { makeSession } from './replay.ts'
import { duel, row, type Row } from './row.ts'
import { inFolder } from './session.ts'

const READER_WORKER = new URL('../src/main/reader-worker.ts', import.meta.url)
const FEEDS = ['crypto/XT', 'crypto/XQ'] as const
const RUNS = 3

/** `count` messages of 50 instruments over eight hours. */
export async function benchStreams(count = 3_000_000): Promise<readonly Row[]> {
  return inFolder(async (folder) => {
    const file = join(folder, 'tapedeck.db')
    const { session } = makeSession(file, count, (8 * 3_600_000) / count)
    const reader = await openStoreReader({ file, worker: READER_WORKER })
    try {
      return [await benchTail(reader, session, count), await benchSync(reader, folder, count)]
    } finally {
      await reader.close()
    }
  })
}

async function benchTail(reader: StoreReader, session: SessionId, count: number): Promise<Row> {
  let lines = 0
  const write = (text: string): Promise<void> => {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
    return Promise.resolve()
  }
  const wait = (): Promise<boolean> => Promise.resolve(false)
  const line = createLines('json')
  const bare = async (): Promise<void> => {
    for await (const { count: rows, bytes, offsets } of reader.replay({
      session,
      afterSeq: 0,
      omitConnections: true,
    })) {
      const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      let text = ''
      for (let i = 0; i < rows; i++) text += `${all.toString('latin1', offsets[i], offsets[i + 1])}\n`
      await write(text)
    }
  }
  const { ours, theirs } = await duel(
    RUNS,
    () => tailStored({ reader, session, afterSeq: 0, wanted: null, line, write, wait }),
    bare,
  )
  if (lines !== 2 * RUNS * count) throw new Error(`printed ${lines} lines instead of ${2 * RUNS * count}`)
  return row({
    name: `tail of ${count / 1e6} M stored messages as JSON Lines`,
    unit: 'M messages/s',
    ours: count / ours / 1e6,
    peer: count / theirs / 1e6,
    peerName: 'a bare loop that prints the stored text',
    goal: { is: 'at least', ratio: 0.2 },
  })
}

async function benchSync(reader: StoreReader, folder: string, count: number): Promise<Row> {
  const duck = await openDuck()
  try {
    const tables: string[] = []
    for (const feed of FEEDS) {
      const out = join(folder, `${feed.replace('/', '-')}.parquet`)
      await exportTicks(reader, { out, feed, format: 'parquet', schema: 2 })
      tables.push(out)
    }
    const [root, theirRoot] = [join(folder, 'ours'), join(folder, 'theirs')]
    const { ours, theirs } = await duel(
      RUNS,
      async () => {
        await rm(root, { recursive: true, force: true })
        const { rows } = await syncDataset(reader, { root, feeds: null, signal: new AbortController().signal })
        if (rows !== count) throw new Error(`synced ${rows} rows instead of ${count}`)
      },
      async () => {
        await rm(theirRoot, { recursive: true, force: true })
        for (const [i, table] of tables.entries()) {
          await duck.connection.run(
            `COPY (SELECT *, event_time::DATE AS date FROM '${table}') TO '${theirRoot}${i}'
             (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (feed, symbol, date), OVERWRITE)`,
          )
        }
      },
    )
    return row({
      name: `sync of ${count / 1e6} M stored messages of 50 symbols, with fsync`,
      unit: 'M messages/s',
      ours: count / ours / 1e6,
      peer: count / theirs / 1e6,
      peerName: 'DuckDB COPY PARTITION_BY, one thread',
      goal: { is: 'at least', ratio: 0.15 },
    })
  } finally {
    duck.close()
  }
}
