import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { openStoreReader, openStoreWriter } from '../../../../../../src/main/core/store/open.ts'
import type { Batch } from '../../../../../../src/main/core/store/types/messages.ts'
import type { ImportDetails } from '../../../../../../src/main/core/store/types/library.ts'
import { openLocalReader } from '../../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../../src/main/core/store/types/session-id.ts'
import { unixMs, type SessionId } from '../../../../../../src/shared/base/units.ts'
import { DEMO, readEverything, T0, Writer, type Item } from '../harness.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'
import { tradeText } from '../../../../../kit/market.ts'

let folder: ReturnType<typeof makeStoreFolder>
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(() => folder.remove())

const libraryProcess = fileURLToPath(new URL('./library-process.ts', import.meta.url))
const writerThread = new URL('../../../../../../src/main/store-worker.ts', import.meta.url)
const trades = (count: number, from = 0): Item[] =>
  Array.from({ length: count }, (_, i) => ({
    conn: 1 + (i % 2),
    data: tradeText(i % 3 === 0 ? 'ETH-USD' : 'BTC-USD', (100 + i / 100).toFixed(2), '0.5', T0 + from + i),
  }))
const about = (id: SessionId, more: Partial<ImportDetails> = {}): ImportDetails => ({
  id,
  source: { kind: 'import', origin: 'demo', user: 'elsewhere' },
  startedMs: unixMs(T0),
  endedMs: unixMs(T0 + 60_000),
  clean: true,
  from: 'a test',
  ...more,
})
async function* stream(batches: readonly Batch[]): AsyncGenerator<Batch> {
  yield* batches
}
const batchesOf = (count: number, each = 100): { batches: Batch[]; texts: string[] } => {
  const writer = new Writer(['crypto/XT', 'crypto/XT'])
  const texts: string[] = []
  const batches = Array.from({ length: count }, (_, i) => {
    const items = trades(each, i * each)
    for (const item of items) if ('data' in item) texts.push(item.data as string)
    return writer.batch(items)
  })
  return { batches, texts }
}

describe('importing a session', () => {
  it.each([
    ['in this thread', undefined],
    ['in a thread', writerThread],
  ])('rejects if the store is closed in the meantime, and leaves nothing, %s', async (_, worker) => {
    const writer = await openStoreWriter({ file: folder.file, worker })
    const { batches } = batchesOf(40)
    const closing = Promise.withResolvers<void>()
    let taken = 0
    async function* endless(): AsyncGenerator<Batch> {
      for (const batch of batches) {
        yield batch
        if (++taken === 5) void writer.close().then(closing.resolve, closing.reject)
      }
      await closing.promise
    }
    const importing = writer.library.importSession(about(newSessionId(T0)), endless())
    await expect(importing).rejects.toMatchObject({ code: expect.stringMatching(/^(cancelled|disk-error)$/) })
    await closing.promise
    const reader = openLocalReader(folder.file)
    expect(await reader.sessions()).toEqual([])
    await reader.close()
  })

  it('is refused without zstd, like compaction, because neither could finish', () => {
    const engine = new StoreEngine(folder.file, undefined, false)
    const refusal = expect.objectContaining({ code: 'not-allowed' })
    expect(() => engine.library.beginImport(1, about(newSessionId(T0)))).toThrow(refusal)
    const control = { done: vi.fn(), failed: vi.fn(), progress: vi.fn(), isCanceled: () => false }
    expect(() => engine.library.compact(control)).toThrow(refusal)
    engine.close()
  })

  it.each([
    ['in this thread', undefined],
    ['in a thread', writerThread],
  ])('writes it next to the live one, %s', async (_, worker) => {
    const writer = await openStoreWriter({ file: folder.file, worker })
    const live = await writer.begin(DEMO, unixMs(T0 + 100_000))
    const id = newSessionId(T0)
    const { batches, texts } = batchesOf(80)
    const mine = new Writer()
    let stored = 0
    const importing = writer.library.importSession(
      about(id, { label: { name: 'From the desk', tags: ['a', 'b', 'a'] } }),
      stream(batches),
      { onStored: (n) => (stored = n) },
    )
    for (let i = 0; i < 20; i++) writer.append(mine.batch(trades(10)))
    expect(await importing).toEqual({ session: id, messages: 8_000, already: false })
    expect(stored).toBe(8_000)
    await writer.end(unixMs(T0 + 200_000), [])
    const reader = await openStoreReader({ file: folder.file })
    expect((await readEverything(reader, id)).map((row) => row.raw)).toEqual(texts)
    expect(await readEverything(reader, live)).toHaveLength(200)
    expect((await reader.verify(null)).problems).toEqual([])
    const rows = await reader.sessions()
    expect(rows.map(({ session, source, live: now }) => ({ session, source, now }))).toEqual(
      expect.arrayContaining([
        { session: live, source: 'demo', now: false },
        { session: id, source: 'import:elsewhere@demo', now: false },
      ]),
    )
    await reader.close()
    await writer.close()
  })

  it('leaves nothing of an import that fails, is stopped, or reaches a different head', async () => {
    const writer = await openStoreWriter({ file: folder.file })
    const reader = await openStoreReader({ file: folder.file })
    const { library } = writer
    const countRemaining = async (): Promise<number> => {
      await expect.poll(() => count(folder.file)).toBe(0)
      return (await reader.sessions()).length
    }
    async function* brokenOff(): AsyncGenerator<Batch> {
      yield* batchesOf(30).batches
      throw new TypeError('the file ends here')
    }
    await expect(library.importSession(about(newSessionId(T0)), brokenOff())).rejects.toThrow('the file ends here')
    expect(await countRemaining()).toBe(0)
    const stop = new AbortController()
    const stopped = library.importSession(about(newSessionId(T0)), stream(batchesOf(400).batches), {
      signal: stop.signal,
      onStored: () => stop.abort(),
    })
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' })
    expect(await countRemaining()).toBe(0)
    const wrong = about(newSessionId(T0), { heads: { 0: '00', 1: '00', 2: '00' } })
    await expect(library.importSession(wrong, stream(batchesOf(3).batches))).rejects.toMatchObject({
      code: 'store-damaged',
    })
    expect(await countRemaining()).toBe(0)
    const turned = batchesOf(3).batches
    await expect(
      library.importSession(
        about(newSessionId(T0)),
        stream([turned[0], { ...turned[2], connections: [] }, { ...turned[1], connections: [] }]),
      ),
    ).rejects.toMatchObject({ code: 'internal' })
    expect(await countRemaining()).toBe(0)
    expect((await reader.verify(null)).problems).toEqual([])
    await reader.close()
    await writer.close()
  })

  it('shows the sessions of one file at once, or leaves none of them', async () => {
    const writer = await openStoreWriter({ file: folder.file })
    const reader = await openStoreReader({ file: folder.file })
    const ids = [newSessionId(T0), newSessionId(T0 + 1), newSessionId(T0 + 2)]
    const seen: number[] = []
    async function* watched(isBroken: boolean): AsyncGenerator<Batch> {
      seen.push((await reader.sessions()).length)
      yield* batchesOf(3).batches
      if (isBroken) throw new TypeError('the file ends here')
    }
    const parts = (broken: number) => ids.map((id, i) => ({ about: about(id), batches: watched(i === broken) }))
    await expect(writer.library.importSessions(parts(2))).rejects.toThrow('the file ends here')
    await expect.poll(() => count(folder.file)).toBe(0)
    const stop = new AbortController()
    const onStored = (messages: number) => (messages > 600 ? stop.abort() : undefined)
    await expect(writer.library.importSessions(parts(-1), { signal: stop.signal, onStored })).rejects.toMatchObject({
      code: 'cancelled',
    })
    await expect.poll(() => count(folder.file)).toBe(0)
    const outcomes = await writer.library.importSessions(parts(-1))
    expect(outcomes).toEqual(ids.map((session) => ({ session, messages: 300, already: false })))
    expect(seen).toEqual(Array.from({ length: 9 }, () => 0))
    expect((await reader.sessions()).map(({ session }) => session).toSorted()).toEqual(ids.toSorted())
    expect((await reader.verify(null)).problems).toEqual([])
    await reader.close()
    await writer.close()
  })

  it('adds the sessions of one file without preparing a statement for each', () => {
    const engine = new StoreEngine(folder.file, () => T0)
    const { library } = engine
    const responder = { done: vi.fn(), failed: vi.fn() }
    const prepare = vi.spyOn(Database.prototype, 'prepare')
    /** Statements prepared while the last of some sessions is completed. */
    const prepared = (from: number, sessions: number): number => {
      const handles = Array.from({ length: sessions }, (_, i) => from + i)
      for (const handle of handles) {
        library.beginImport(handle, about(newSessionId(T0 + handle), { label: { name: 'A' } }))
        library.appendImport(handle, batchesOf(1).batches, responder)
        engine.drain()
        prepare.mockClear()
        library.endImport(handle, handle === handles.at(-1) ? handles.slice(0, -1) : null, responder)
        engine.drain()
      }
      return prepare.mock.calls.length
    }
    prepared(1, 2)
    expect(prepared(11, 20)).toBe(prepared(101, 2))
    expect(responder.failed).not.toHaveBeenCalled()
    prepare.mockRestore()
    engine.close()
  })

  it("doesn't clear what is imported after an empty import", async () => {
    const engine = new StoreEngine(folder.file, () => T0)
    const { library } = engine
    const done = vi.fn()
    const failed = vi.fn()
    library.beginImport(1, about(newSessionId(T0)))
    library.abortImport(1)
    const id = newSessionId(T0 + 1)
    library.beginImport(3, about(id))
    library.appendImport(3, batchesOf(1).batches, { done, failed })
    engine.drain()
    library.endImport(3, [], { done, failed })
    engine.drain()
    expect(failed).not.toHaveBeenCalled()
    expect(done).toHaveBeenCalledTimes(2)
    const reader = openLocalReader(folder.file)
    expect(await readEverything(reader, id)).toHaveLength(100)
    expect((await reader.verify(null)).problems).toEqual([])
    await reader.close()
    engine.close()
  })

  it('never overwrites: the same session is a no-op, another one with its id is refused', async () => {
    const writer = await openStoreWriter({ file: folder.file })
    const id = newSessionId(T0)
    await writer.library.importSession(about(id), stream(batchesOf(3).batches))
    const db = openLocalReader(folder.file)
    const { heads } = JSON.parse(db.queries.storedSessions()[0].summary!) as { heads: Record<string, string> }
    await db.close()
    expect(await writer.library.importSession(about(id, { heads }), stream([]))).toEqual({
      session: id,
      messages: 300,
      already: true,
    })
    for (const other of [undefined, { ...heads, 1: '00' }]) {
      await expect(
        writer.library.importSession(about(id, { heads: other }), stream(batchesOf(1).batches)),
      ).rejects.toMatchObject({ code: 'not-allowed' })
    }
    await writer.close()
  })
})

/** Rows of the store that refer to a session. */
function count(file: string): number {
  const reader = openLocalReader(file)
  const n = reader.queries.db
    .prepare(
      'SELECT (SELECT count(*) FROM journal) + (SELECT count(*) FROM series) + (SELECT count(*) FROM chain) + (SELECT count(*) FROM block) + (SELECT count(*) FROM connection) + (SELECT count(*) FROM rollup)',
    )
    .pluck()
    .get()
  void reader.close()
  return Number(n)
}

describe('erasing and compacting', () => {
  it('erases at once, clears in steps, and reuses the number for no new session before that', async () => {
    const engine = new StoreEngine(folder.file)
    const keys: SessionId[] = []
    for (let i = 0; i < 2; i++) {
      const key = newSessionId(T0 + i)
      keys.push(key)
      engine.begin(key, DEMO, unixMs(T0))
      engine.commit([new Writer(['crypto/XT', 'crypto/XT']).batch(trades(500))])
      engine.end(unixMs(T0 + 1_000), [])
      engine.drain()
    }
    engine.library.erase([keys[1]])
    const next = newSessionId(T0 + 5)
    engine.begin(next, DEMO, unixMs(T0))
    engine.commit([new Writer(['crypto/XT', 'crypto/XT']).batch(trades(20))])
    const reader = openLocalReader(folder.file)
    expect((await reader.sessions()).map((row) => row.session)).toEqual([keys[0], next])
    expect(await readEverything(reader, next)).toHaveLength(20)
    expect((await reader.verify(null)).problems).toEqual([])
    engine.drain()
    expect(reader.queries.db.prepare('SELECT count(DISTINCT recording) FROM series').pluck().get()).toBe(1)
    expect(await readEverything(reader, next)).toHaveLength(20)
    expect((await reader.verify(null)).problems).toEqual([])
    await reader.close()
    engine.close()
  })

  it("doesn't clear a session that begins after an empty one was erased", async () => {
    const open = (): StoreEngine => new StoreEngine(folder.file, () => T0)
    const empty = newSessionId(T0)
    const before = open()
    before.begin(empty, DEMO, unixMs(T0))
    before.end(unixMs(T0 + 1), [])
    before.drain()
    before.close()
    const engine = open()
    engine.library.erase([empty])
    const next = newSessionId(T0 + 5)
    engine.begin(next, DEMO, unixMs(T0 + 5))
    engine.commit([new Writer(['crypto/XT', 'crypto/XT']).batch(trades(20))])
    engine.drain()
    const reader = openLocalReader(folder.file)
    expect(await readEverything(reader, next)).toHaveLength(20)
    expect((await reader.verify(null)).problems).toEqual([])
    await reader.close()
    engine.close()
  })
})

describe('crash recovery', () => {
  it.each(['importing', 'erasing'] as const)(
    'hides what remains of %s, and clears it at the next start',
    async (what) => {
      const whole = newSessionId(T0)
      const before = new StoreEngine(folder.file)
      before.begin(whole, DEMO, unixMs(T0))
      before.commit([new Writer(['crypto/XT', 'crypto/XT']).batch(trades(300))])
      before.end(unixMs(T0 + 1_000), [])
      before.drain()
      before.close()
      const child = spawn(process.execPath, [libraryProcess, folder.file, what, whole], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      child.kill('SIGKILL')
      await once(child, 'exit')

      const reader = openLocalReader(folder.file)
      expect((await reader.verify(null)).problems).toEqual([])
      expect((await reader.sessions()).map((row) => row.session)).toEqual(what === 'importing' ? [whole] : [])
      expect(reader.queries.db.prepare('SELECT count(*) FROM connection WHERE recording <> 1').pluck().get()).toBe(
        what === 'importing' ? 4 : 0,
      )
      const engine = new StoreEngine(folder.file)
      engine.drain()
      expect((await reader.sessions()).length).toBe(what === 'importing' ? 1 : 0)
      expect(reader.queries.db.prepare('SELECT count(DISTINCT recording) FROM connection').pluck().get()).toBe(
        what === 'importing' ? 1 : 0,
      )
      expect((await reader.verify(null)).problems).toEqual([])
      await reader.close()
      engine.close()
    },
    30_000,
  )
})

describe('labels and rules', () => {
  it('keeps the labels of a session, and reads sessions in the bin only by name', async () => {
    const writer = await openStoreWriter({ file: folder.file })
    const [active, binned] = [newSessionId(T0), newSessionId(T0 + 1)]
    for (const id of [active, binned]) await writer.library.importSession(about(id), stream(batchesOf(2).batches))
    await writer.library.label([{ session: binned, patch: { name: 'A', tags: ['x'] }, binnedMs: T0 }])
    const reader = await openStoreReader({ file: folder.file })
    const [first, second] = (await reader.sessions(true)).toSorted((a, b) => (a.binnedMs ?? 0) - (b.binnedMs ?? 0))
    expect([first.session, second.session, second.name, second.tags]).toEqual([active, binned, 'A', ['x']])
    const seen = new Set<string>()
    for await (const ticks of reader.ticks({ feed: 'crypto/XT', instruments: null })) seen.add(ticks.session)
    expect([...seen]).toEqual([active])
    expect(await readEverything(reader, binned)).toHaveLength(200)
    const none = newSessionId(T0 + 9)
    await expect(writer.library.label([{ session: none, patch: {} }])).rejects.toMatchObject({ code: 'not-found' })
    const live = await writer.begin(DEMO, unixMs(T0))
    await expect(writer.library.label([{ session: live, patch: {}, binnedMs: T0 }])).rejects.toMatchObject({
      code: 'not-allowed',
    })
    await reader.close()
    await writer.close()
  })

  it('compacts without changing what was received', async () => {
    const writer = await openStoreWriter({ file: folder.file })
    const ids = [newSessionId(T0), newSessionId(T0 + 1)]
    for (const id of ids) await writer.library.importSession(about(id), stream(batchesOf(60).batches))
    const reader = await openStoreReader({ file: folder.file })
    const rows = await readEverything(reader, ids[0])
    await writer.library.erase([ids[1]])
    const progress: number[] = []
    const { freedBytes } = await writer.library.compact((done) => progress.push(done))
    expect(freedBytes).toBeGreaterThan(0)
    expect(progress.length).toBeGreaterThan(0)
    expect(await readEverything(reader, ids[0])).toEqual(rows)
    expect((await reader.verify(null)).problems).toEqual([])
    await reader.close()
    await writer.close()
  })
})
