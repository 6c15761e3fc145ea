import Database from 'better-sqlite3'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LATEST_VERSION, migrate, MIGRATIONS } from '../../../../../src/main/core/store/schema/migrations.ts'
import { openStoreReader, openStoreWriter } from '../../../../../src/main/core/store/open.ts'
import type { WriterEvent } from '../../../../../src/main/core/store/types/writer.ts'
import { APPLICATION_ID } from '../../../../../src/main/core/store/schema/sqlite.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { DEMO, readAll, T0, Writer } from './harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'

let folder: ReturnType<typeof makeStoreFolder>
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(() => folder.remove())

const writerThread = new URL('../../../../../src/main/store-worker.ts', import.meta.url)
const readerThread = new URL('../../../../../src/main/reader-worker.ts', import.meta.url)
const FIXTURES = new URL('../../../../fixtures/store/', import.meta.url)
const hash = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')

describe('opening the store', () => {
  it.each([
    ['in this thread', undefined, undefined],
    ['in threads', writerThread, readerThread],
  ])('writes and reads %s', async (_, w, r) => {
    const writer = await openStoreWriter({ file: folder.file, worker: w })
    const id = await writer.begin(DEMO, unixMs(T0))
    const committed = Promise.withResolvers<WriterEvent>()
    writer.onEvent((event) => committed.resolve(event))
    const texts = Array.from({ length: 100 }, (_, i) => tradeText('BTC-USD', 100 + i, 1, T0 + i))
    writer.append(new Writer().batch(texts.map((data) => ({ conn: 1, data }))))
    expect(writer.backlogBytes).toBeGreaterThan(0)
    expect(await committed.promise).toMatchObject({ is: 'committed', seq: 100, messages: 100 })
    expect(writer.backlogBytes).toBe(0)
    const reader = await openStoreReader({ file: folder.file, worker: r })
    expect((await readAll(reader, 'crypto/XT', id)).map((row) => row.raw)).toEqual(texts)
    await writer.end(unixMs(T0 + 1_000), [])
    expect((await readAll(reader, 'crypto/XT')).map((row) => row.raw)).toEqual(texts)
    const { bars } = await reader.bars({
      instrument: 'crypto:BTCUSD' as never,
      of: 'trade',
      interval: '1m',
      source: 'demo',
      beforeMs: null,
      limit: 10,
    })
    expect(bars).toMatchObject([{ startMs: T0, open: 100, high: 199, low: 100, close: 199, volume: 100, count: 100 }])
    let progress = 0
    expect(await reader.verify(null, (done) => (progress = done))).toEqual({
      sessions: 1,
      messages: 100,
      ok: true,
      problems: [],
    })
    expect(progress).toBe(1)
    await reader.close()
    await writer.close()
  })

  it.each([
    ['in this thread', undefined],
    ['in a thread', writerThread],
  ])('refuses a second writer %s with a sentence, and allows readers', async (_, worker) => {
    const first = await openStoreWriter({ file: folder.file, worker })
    await first.begin(DEMO, unixMs(T0))
    await expect(openStoreWriter({ file: folder.file, worker })).rejects.toMatchObject({
      code: 'store-locked',
      message: expect.stringContaining(folder.file),
    })
    await expect(openStoreWriter({ file: folder.file })).rejects.toMatchObject({ code: 'store-locked' })
    const reader = await openStoreReader({ file: folder.file })
    expect((await reader.sessions()).length).toBe(1)
    await reader.close()
    await first.close()
    await (await openStoreWriter({ file: folder.file })).close()
  })

  it("refuses a newer store, another program's file and garbage, and leaves them unchanged", async () => {
    const cases: [string, string, (file: string) => void][] = [
      [
        'newer.db',
        'store-newer',
        (file) => {
          const db = new Database(file)
          db.exec(
            `CREATE TABLE t (x); PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${LATEST_VERSION + 1}`,
          )
          db.pragma('journal_mode = WAL')
          db.close()
        },
      ],
      [
        'other.db',
        'store-damaged',
        (file) => {
          const db = new Database(file)
          db.exec('CREATE TABLE t (x)')
          db.close()
        },
      ],
      ['garbage.db', 'store-damaged', (file) => writeFileSync(file, 'nothing that SQLite knows '.repeat(100))],
    ]
    for (const [name, code, make] of cases) {
      const file = `${folder.path}/${name}`
      make(file)
      const before = hash(file)
      await expect(openStoreWriter({ file })).rejects.toMatchObject({ code })
      await expect(openStoreReader({ file })).rejects.toMatchObject({ code })
      expect(hash(file)).toBe(before)
    }
    await expect(openStoreReader({ file: `${folder.path}/none.db` })).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('migrations', () => {
  it('keep everything of a store of format 1, written and left open by a Tapedeck of that format', async () => {
    writeFileSync(folder.file, gunzipSync(readFileSync(new URL('format-1.db.gz', FIXTURES))))
    await expect(openStoreReader({ file: folder.file })).rejects.toMatchObject({
      code: 'store-damaged',
      message: expect.stringContaining('older format 1'),
    })
    const writer = await openStoreWriter({ file: folder.file })
    // Beginning closes the session that was left open. Its gap has no skew, because that version measured none.
    const id = await writer.begin(DEMO, unixMs(T0 + 7_200_000))
    const gap = { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], skewMs: 25 } as const
    const committed = Promise.withResolvers<WriterEvent>()
    writer.onEvent((event) => committed.resolve(event))
    writer.append(
      new Writer().batch([
        { conn: 1, data: tradeText('BTC-USD', 7, 1, T0 + 7_201_000) },
        { entry: { ...gap, fromMs: unixMs(T0 + 7_202_000) } },
      ]),
    )
    await committed.promise
    await writer.end(unixMs(T0 + 7_300_000), [])
    await writer.close()
    const reader = await openStoreReader({ file: folder.file })
    expect(await reader.verify(null)).toEqual({ sessions: 3, messages: 211, ok: true, problems: [] })
    const sessions = await reader.sessions()
    expect(sessions.map((row) => [row.session, row.messages, row.clean])).toEqual([
      ['20260105T100000Z-v1first', 180, true],
      ['20260105T110000Z-v1left', 30, false],
      [id, 1, true],
    ])
    expect((await reader.gaps({})).map(({ cause, skewMs }) => [cause, skewMs])).toEqual([
      ['drop', undefined],
      ['crash', undefined],
      ['crash', undefined],
      ['drop', 25],
    ])
    const rows = await readAll(reader, 'crypto/XT', sessions[0].session)
    expect([rows.length, rows[0].raw]).toEqual([120, tradeText('ETH-USD', 100, 1.5, T0)])
    const { bars } = await reader.bars({
      instrument: 'crypto:BTCUSD' as never,
      of: 'trade',
      interval: '1m',
      source: 'demo',
      beforeMs: T0 + 3_600_000,
      limit: 10,
    })
    expect(bars.map(({ startMs, count, complete }) => [(startMs - T0) / 60_000, count, complete])).toEqual([
      [0, 20, true],
      [1, 18, false],
      [2, 20, true],
      [3, 2, false],
    ])
    await reader.close()
  })

  it('ascend by one, and each is named by its file', () => {
    expect(MIGRATIONS.map((m) => m.version)).toEqual(MIGRATIONS.map((_, i) => i + 1))
  })

  it.each(Array.from({ length: LATEST_VERSION + 1 }, (_, v) => v))(
    'migrate format %i to the current one, equal to a new store',
    async (version) => {
      const old = new Database(folder.file)
      migrate(old, APPLICATION_ID, version)
      old.close()
      await (await openStoreWriter({ file: folder.file })).close()
      const db = new Database(folder.file, { readonly: true })
      expect(db.pragma('user_version', { simple: true })).toBe(LATEST_VERSION)
      expect(db.pragma('auto_vacuum', { simple: true })).toBe(2)
      expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
      const fresh = new Database(':memory:')
      migrate(fresh, APPLICATION_ID)
      const schema = 'SELECT type, name, sql FROM sqlite_schema ORDER BY name'
      expect(db.prepare(schema).all()).toEqual(fresh.prepare(schema).all())
      db.close()
      fresh.close()
      const reader = await openStoreReader({ file: folder.file })
      expect(await reader.verify(null)).toEqual({ sessions: 0, messages: 0, ok: true, problems: [] })
      await reader.close()
    },
  )
})
