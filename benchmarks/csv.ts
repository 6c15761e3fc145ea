/** CSV of sealed ticks, against DuckDB's COPY on one thread and the sqlite3 shell: the same columns. */
import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { exportTicks } from '../src/main/features/export/ticks.ts'
import { encodeBlock } from '../src/main/core/store/blocks/encode.ts'
import { BLOCK_ROWS } from '../src/main/core/store/write/open-session.ts'
import { openBlock } from '../src/main/core/store/blocks/open.ts'
import { readTicks } from '../src/main/core/store/read/ticks.ts'
import type { StoreReader } from '../src/main/core/store/types/reader.ts'
import type { TickSource } from '../src/main/core/store/types/ticks.ts'
import { WHOLE } from '../src/shared/core/recording/merged-sessions.ts'
import { sessionId, unixMs } from '../src/shared/base/units.ts'
import { loadDuck, openDuck, type DuckColumn } from './duck.ts'
import { UNLABELED } from '../tests/kit/market.ts'
import { duel, row, seconds, type Row } from './row.ts'
import { messageRuns } from './ticks.ts'

const ID = sessionId('bench')

const SYMBOLS = 100

/** A block and its last seq. */
interface BenchBlock {
  readonly last: number
  readonly data: Uint8Array
}

/** The sealed series of one session in memory, read as those of a file. */
function sourceOf(series: readonly (readonly BenchBlock[])[]): TickSource {
  const maxSeq = Math.max(...series.map((blocks) => blocks.at(-1)?.last ?? 0))
  return {
    plan: () => [{ id: 1, session: ID, maxSeq, share: WHOLE, shares: new Map() }],
    window: () => ({
      sealedSeq: maxSeq,
      series: series.map((_, id) => ({ id, instrument: `S${id}` })),
      journal: [],
      upToSeq: maxSeq,
      conns: [],
    }),
    blocks: ({ series: id, after, limit }) =>
      series[id]
        .filter(({ last }) => last > after)
        .slice(0, limit)
        .map(({ data }) => ({ data, minMs: -Infinity, maxMs: Infinity })),
  }
}

/** A store of these series. */
function readerOf(series: readonly (readonly BenchBlock[])[], count: number): StoreReader {
  const source = sourceOf(series)
  const counts = { received: count, decoded: count, control: 0, undecodable: 0, unasked: 0, stored: count }
  return {
    sessions: () =>
      Promise.resolve([
        {
          session: ID,
          source: 'demo',
          startedMs: unixMs(0),
          endedMs: unixMs(1),
          clean: true,
          isCorrupt: false,
          live: false,
          feeds: [{ feed: 'crypto/XT', ...counts }],
          symbols: 1,
          messages: count,
          bytes: 0,
          gaps: [],
          ...UNLABELED,
          gapCount: 0,
          edges: 0,
          imported: false,
        },
      ]),

    ticks: (query) => readTicks(source, query),
    instruments: () => Promise.resolve([]),
    ledgerHead: () => Promise.resolve(null),
    bars: () => Promise.resolve({ bars: [], more: false, gaps: [] }),
    gaps: () => Promise.resolve([]),
    shares: () => Promise.resolve([]),
    extent: () => Promise.resolve({ messages: 0, records: 0, instruments: 0, fromMs: null, toMs: null }),
    replay: () => {
      throw new Error('not measured here')
    },
    flushes: () => Promise.resolve({ flushes: [], heads: null }),
    findPosition: () => Promise.resolve(null),
    lostFrom: () => Promise.resolve(new Map()),
    activity: () => Promise.resolve([]),
    snapshot: () => Promise.resolve(null),
    entries: () => Promise.resolve([]),
    bookmarks: () => Promise.resolve([]),
    ledger: () => Promise.reject(new Error('not measured here')),
    verify: () => Promise.reject(new Error('not measured here')),
    close: () => Promise.resolve(),
  }
}

/** CSV of `count` trades; the shell, being slow, gets a tenth. */
export async function benchCsv(count = 10_000_000): Promise<readonly Row[]> {
  const blocks: Uint8Array[] = []
  for (const run of messageRuns('crypto/XT', count)) blocks.push(encodeBlock('crypto/XT', run, { prove: false }))
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-bench-'))
  const duck = await openDuck()
  try {
    const batches = function* (from: readonly Uint8Array[]): Generator<readonly DuckColumn[]> {
      for (const bytes of from) {
        const block = openBlock(bytes)
        yield [
          { name: 'event_ms', type: 'BIGINT', values: block.eventMs },
          { name: 'recv_ms', type: 'BIGINT', values: block.recvMs },
          { name: 'seq', type: 'BIGINT', values: block.seq },
          { name: 'p', type: 'DOUBLE', values: block.column('p') },
          { name: 's', type: 'DOUBLE', values: block.column('s') },
        ]
      }
    }
    await loadDuck(duck.connection, 'ticks', batches(blocks))
    const theirFile = join(folder, 'duck.csv')
    const iso = (column: string): string => `strftime(make_timestamp_ms(${column}), '%Y-%m-%dT%H:%M:%S.%gZ')`
    const select = `SELECT 'crypto/XT' AS feed, 'BTC-USD' AS symbol, event_ms, ${iso('event_ms')} AS event_iso,
      recv_ms, ${iso('recv_ms')} AS recv_iso, seq, p, s FROM ticks ORDER BY seq`
    const ourFile = join(folder, 'ours.csv')
    const reader = readerOf([blocks.map((data) => ({ data, last: lastSeq(data) }))], count)
    const { ours, theirs } = await duel(
      3,
      () => exportTicks(reader, { out: ourFile, feed: 'crypto/XT', format: 'csv' }),
      () => duck.connection.run(`COPY (${select}) TO '${theirFile}' (FORMAT csv, HEADER)`),
    )
    const [left, right] = [await sample(ourFile), await sample(theirFile)]
    if (left !== right) throw new Error(`the files differ:\n${left}\n${right}`)
    const rate = count / ours / 1e6
    const line = (peerName: string, peer: number, goal: number): Row =>
      row({
        name: `CSV of ${count / 1e6} M stored ticks, with SHA-256 and fsync`,
        unit: 'M ticks/s',
        ours: rate,
        peer,
        peerName,
        goal: { is: 'at least', ratio: goal },
      })
    const rows = [line('DuckDB COPY, one thread', count / theirs / 1e6, 3)]
    const shell = await shellRate(folder, blocks.slice(0, Math.ceil(blocks.length / 10)))
    if (shell !== undefined) rows.push(line('sqlite3 -csv', shell, 5))
    return [...rows, await manySymbols(folder, Math.max(Math.ceil(count / 4), SYMBOLS * BLOCK_ROWS), rate)]
  } finally {
    duck.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * A session has many symbols, and their ticks alternate: the same export beside that of one symbol (M ticks/s). `count` is at least a
 * full block of each, as one symbol has.
 */
async function manySymbols(folder: string, count: number, single: number): Promise<Row> {
  const runs = [...messageRuns('crypto/XT', Math.ceil(count / SYMBOLS))]
  const series = Array.from({ length: SYMBOLS }, (_, i) =>
    runs.map((run) => {
      const text = Buffer.from(run.bytes).toString('latin1')
      const named = text.replaceAll('BTC-USD', `S${String(i).padStart(2, '0')}-USD`)
      const seq = run.seq.map((one) => one * SYMBOLS + i)
      const data = encodeBlock('crypto/XT', { ...run, seq, bytes: Buffer.from(named, 'latin1') }, { prove: false })
      return { data, last: lastSeq(data) }
    }),
  )
  const all = Math.ceil(count / SYMBOLS) * SYMBOLS
  const reader = readerOf(series, all)
  const time = await seconds(3, () =>
    exportTicks(reader, { out: join(folder, 'many.csv'), feed: 'crypto/XT', format: 'csv' }),
  )
  return row({
    name: `CSV of ${all / 1e6} M stored ticks, ${SYMBOLS} symbols in turn`,
    unit: 'M ticks/s',
    ours: all / time / 1e6,
    peer: single,
    peerName: 'our own of one symbol',
    goal: { is: 'at least', ratio: 0.8 },
  })
}

const lastSeq = (data: Uint8Array): number => openBlock(data).seq.at(-1) ?? 0

/** The first lines of a file, numbers reduced to their values: literals are not the peer's concern. */
async function sample(file: string): Promise<string> {
  const text = await head(file)
  return text
    .split(/\r?\n/)
    .slice(0, 500)
    .map((line) => line.split(',').map((cell) => (/^-?[\d.]+(e-?\d+)?$/.test(cell) ? Number(cell) : cell)))
    .join('\n')
}

async function head(file: string): Promise<string> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(100_000) })
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** M ticks/s of `sqlite3 -csv` over one row a tick; undefined where the shell is not installed. */
async function shellRate(folder: string, blocks: readonly Uint8Array[]): Promise<number | undefined> {
  if (spawnSync('sqlite3', ['--version']).status !== 0) return undefined
  const file = join(folder, 'ticks.sqlite')
  const db = new Database(file)
  db.exec('CREATE TABLE ticks(seq INTEGER PRIMARY KEY, event_ms INTEGER, recv_ms INTEGER, p REAL, s REAL)')
  const insert = db.prepare('INSERT INTO ticks VALUES (?, ?, ?, ?, ?)')
  let count = 0
  db.transaction(() => {
    for (const bytes of blocks) {
      const block = openBlock(bytes)
      const { seq, eventMs, recvMs } = block
      const p = block.column('p')
      const s = block.column('s')
      for (let i = 0; i < block.count; i++) insert.run(seq[i], eventMs[i], recvMs[i], p[i], s[i])
      count += block.count
    }
  })()
  db.close()
  const iso = (column: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`
  const sql = `SELECT 'crypto/XT' AS feed, 'BTC-USD' AS symbol, event_ms, ${iso('event_ms')} AS event_iso, recv_ms,
    ${iso('recv_ms')} AS recv_iso, seq, p, s FROM ticks ORDER BY seq`
  const time = await seconds(1, () => {
    const to = openSync(join(folder, 'sqlite.csv'), 'w')
    const run = spawnSync('sqlite3', ['-csv', '-header', file, sql], { stdio: ['ignore', to, 'inherit'] })
    closeSync(to)
    if (run.status !== 0) throw new Error('sqlite3 failed')
  })
  return count / time / 1e6
}
