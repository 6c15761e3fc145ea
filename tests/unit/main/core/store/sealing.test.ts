/** Invariants of sealing at every instant: a commit is on disk, and a message is in the journal or in a block. */
import Database from 'better-sqlite3'
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Appender } from '../../../../../src/main/core/store/write/commit.ts'
import { SEAL_AFTER_MS, StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { Sealer } from '../../../../../src/main/core/store/write/sealer.ts'
import { openForWriting } from '../../../../../src/main/core/store/schema/sqlite.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { DEMO, readEverything, T0, Writer } from './harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'

let folder: ReturnType<typeof makeStoreFolder>
let now: number
let engine: StoreEngine
let writer: Writer
let sent: string[]
beforeEach(() => {
  folder = makeStoreFolder()
  now = T0
  engine = new StoreEngine(folder.file, () => now)
  engine.begin(newSessionId(T0), DEMO, unixMs(T0))
  writer = new Writer()
  sent = []
})
afterEach(() => {
  vi.restoreAllMocks()
  engine.close()
  folder.remove()
})

const batchOf = (count: number) => {
  const texts = Array.from({ length: count }, (_, i) =>
    tradeText(i % 2 ? 'BTC-USD' : 'ETH-USD', 1 + sent.length + i, 1, T0),
  )
  sent.push(...texts)
  return writer.batch(texts.map((data) => ({ conn: 1, data })))
}
const record = (count: number): void => void engine.commit([batchOf(count)])

/** What a reader finds in the files as a `kill -9` would leave them now. */
async function readAsKilled(): Promise<{ raws: string[]; problems: unknown }> {
  const copy = join(folder.path, 'killed.db')
  for (const suffix of ['', '-wal', '-head', '-shm']) {
    rmSync(copy + suffix, { force: true })
    if (suffix !== '-shm' && existsSync(folder.file + suffix)) copyFileSync(folder.file + suffix, copy + suffix)
  }
  const reader = openLocalReader(copy)
  try {
    return {
      raws: (await readEverything(reader)).map((row) => row.raw),
      problems: (await reader.verify(null)).problems,
    }
  } finally {
    await reader.close()
  }
}

/** Brings sealing to the point where its blocks are prepared and wait for a commit to share a transaction with. */
function prepareSealing(): void {
  now += SEAL_AFTER_MS
  for (let turns = 0; engine.turn(0) !== 'waiting'; turns++) expect(turns).toBeLessThan(1_000)
}

/** Inspects the files after each step of background work that wrote something. */
async function stepThrough(): Promise<void> {
  let log = Buffer.alloc(0)
  for (let turns = 0, state = ''; state !== 'idle'; turns++) {
    state = engine.turn(0)
    if (state === 'waiting') now += 25
    expect(turns).toBeLessThan(1_000)
    const bytes = readFileSync(`${folder.file}-wal`)
    if (bytes.equals(log)) continue
    log = bytes
    expect(await readAsKilled()).toEqual({ raws: sent, problems: [] })
  }
}

const full = (): never => {
  throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL')
}

it('syncs each commit, in a new store and in a reopened one', () => {
  for (const file of [join(folder.path, 'new.db'), join(folder.path, 'new.db')]) {
    const db = openForWriting(file)
    // 2 is FULL: the log is synced before a commit returns. NORMAL, 1, syncs only at a checkpoint.
    expect(db.pragma('synchronous', { simple: true })).toBe(2)
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
    db.close()
  }
})

it('has every message in the journal or in a block after each single step of sealing, merging and closing', async () => {
  for (let round = 0; round < 5; round++) {
    record(60)
    now += SEAL_AFTER_MS
    await stepThrough()
  }
  engine.end(unixMs(now), [])
  await stepThrough()
})

it('runs prepared work once, in the transaction of the next commit', async () => {
  const put = vi.spyOn(Sealer.prototype, 'writeBlock')
  record(100)
  prepareSealing()
  expect(put).not.toHaveBeenCalled()
  record(10)
  const written = put.mock.calls.length
  expect(written).toBe(2) // BTC-USD and ETH-USD
  now += 1_000
  while (engine.turn(0) !== 'idle') expect(put.mock.calls.length).toBe(written)
  expect(put.mock.calls.length).toBe(written)
  expect(await readAsKilled()).toEqual({ raws: sent, problems: [] })
})

it('commits received messages even if prepared work fails, and does that work later', async () => {
  record(100)
  prepareSealing()
  const put = vi.spyOn(Sealer.prototype, 'writeBlock').mockImplementation(full)
  record(10)
  expect(put).toHaveBeenCalled()
  expect(await readAsKilled()).toEqual({ raws: sent, problems: [] })
  now += 25
  expect(() => engine.turn(0)).toThrow('full') // by itself it fails as well and is reported
  expect(await readAsKilled()).toEqual({ raws: sent, problems: [] })
  put.mockRestore()
  record(10)
  engine.drain()
  expect(engine.journalBytes).toBeGreaterThan(0) // messages received after the sealing was prepared
  now += SEAL_AFTER_MS
  engine.drain()
  expect(engine.journalBytes).toBe(0)
  expect(await readAsKilled()).toEqual({ raws: sent, problems: [] })
})

it('changes nothing if the shared transaction fails, and accepts the same batch again', async () => {
  record(100)
  prepareSealing()
  const before = sent.slice()
  const batch = batchOf(10)
  const append = vi.spyOn(Appender.prototype, 'write').mockImplementation(full)
  expect(() => engine.commit([batch])).toThrow('full')
  expect(append).toHaveBeenCalledTimes(2) // with the prepared work, and without it
  expect(await readAsKilled()).toEqual({ raws: before, problems: [] })
  append.mockRestore()
  engine.commit([batch])
  engine.drain()
  expect(await readAsKilled()).toEqual({ raws: sent, problems: [] })
})

it('seals times of -0, which databases store as 0, so that they verify', async () => {
  const texts = ['-0', '0', String(T0)].map((eventMs) => tradeText('BTC-USD', 1, 1, eventMs))
  sent.push(...texts)
  engine.commit([writer.batch(texts.map((data, i) => ({ conn: 1, data, ...(i === 0 ? { recvMs: -0 } : {}) })))])
  now += SEAL_AFTER_MS
  await stepThrough()
  engine.end(unixMs(now), [])
  await stepThrough()
})
