import fc from 'fast-check'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exportPackage } from '../../../../../src/main/features/sessions/pack.ts'
import { importPackage, isPackage } from '../../../../../src/main/features/sessions/unpack.ts'
import { encodePart, fileHeader, HEADER_BYTES } from '../../../../../src/main/features/sessions/parts.ts'
import { decodeRows, encodeRows } from '../../../../../src/main/core/store/format/row-codec.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openStoreReader, openStoreWriter } from '../../../../../src/main/core/store/open.ts'
import type { LibraryWriter } from '../../../../../src/main/core/store/types/writer.ts'
import type { ReplayBatch } from '../../../../../src/main/core/store/types/replay.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { FLAG } from '../../../../../src/shared/core/recording/session.ts'
import { unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import { DEMO, T0, Writer, type Item } from '../../core/store/harness.ts'
import { quoteText, tradeText } from '../../../../kit/market.ts'
import { makeFolder } from '../../../../kit/folder.ts'

let folder: string
beforeAll(() => {
  folder = makeFolder('package')
})

let names = 0
const path = (suffix: string): string => join(folder, `${names++}${suffix}`)

/** A closed recording in a store of its own. */
function record(flushes: readonly (readonly Item[])[], clean = true): { file: string; session: SessionId } {
  const file = path('.db')
  const engine = new StoreEngine(file)
  const session = newSessionId(T0 + names)
  engine.begin(session, DEMO, unixMs(T0))
  const writer = new Writer(['crypto/XT', 'crypto/XQ', 'crypto/XT'])
  for (const items of flushes) engine.commit([writer.batch(items)])
  if (clean) engine.end(unixMs(T0 + 60_000), [])
  if (clean) engine.drain()
  engine.close()
  if (!clean) {
    const later = new StoreEngine(file)
    later.recoverSessions(unixMs(T0 + 60_000))
    later.drain()
    later.close()
  }
  return { file, session }
}

/** Everything of a recording: stamps, flags, bytes, entries. */
async function whole(reader: StoreReader, session: SessionId): Promise<unknown[]> {
  const all: unknown[] = []
  for await (const batch of reader.replay({ session, afterSeq: 0 })) all.push(...rowsOf(batch), ...batch.entries)
  return all
}
function* rowsOf(b: ReplayBatch): Generator<unknown> {
  for (let i = 0; i < b.count; i++) {
    const raw = Buffer.from(b.bytes.subarray(b.offsets[i], b.offsets[i + 1])).toString('latin1')
    yield [b.feed[i], b.seq[i], b.recvMs[i], b.monoNs[i], b.conn[i], b.flags[i], raw]
  }
}

async function withStores<T>(
  from: string,
  use: (reader: StoreReader, into: LibraryWriter, other: () => Promise<StoreReader>) => Promise<T>,
): Promise<T> {
  const reader = await openStoreReader({ file: from })
  const file = path('-into.db')
  const writer = await openStoreWriter({ file })
  const readers: StoreReader[] = []
  try {
    return await use(reader, writer, async () => {
      const opened = await openStoreReader({ file })
      readers.push(opened)
      return opened
    })
  } finally {
    for (const one of [reader, ...readers]) await one.close()
    await writer.close()
  }
}

const frame: fc.Arbitrary<Item> = fc.record({
  conn: fc.integer({ min: 1, max: 3 }),
  recvMs: fc.oneof(
    fc.integer({ min: T0 - 1_000, max: T0 + 1e6 }),
    fc.double({ min: 0, max: 4e12, noNaN: true }),
    fc.integer({ min: 0, max: 4e9 }).map((n) => T0 + n / 1_000),
  ),
  data: fc.oneof(
    fc.integer({ min: 1, max: 1e6 }).map((p) => tradeText('BTC-USD', p / 100, 1, T0 + p)),
    fc.integer({ min: 1, max: 1e6 }).map((p) => quoteText('ETH-USD', p / 10, (p + 1) / 10, T0 + p)),
    fc.uint8Array({ maxLength: 200 }),
  ),
  flags: fc.constantFrom(0, 0, FLAG.binary, FLAG.undecodable, FLAG.unasked),
})
const entry: fc.Arbitrary<Item> = fc.oneof(
  fc.constant<Item>({ entry: { type: 'state', feed: 'crypto/XT', conn: 1, state: 'öpen "x"' } }),
  fc.constant<Item>({
    entry: { type: 'gap-open', feed: 'crypto/XQ', cause: 'drop', symbols: ['A'], fromMs: unixMs(T0) },
  }),
  fc.constant<Item>({ entry: { type: 'clock', shiftMs: -0.5 } }),
)
const flush = fc.array(fc.oneof({ weight: 8, arbitrary: frame }, { weight: 1, arbitrary: entry }), {
  minLength: 1,
  maxLength: 40,
})

describe('a session as a file', () => {
  it('comes back the same to the byte and the stamp, with the same heads, whatever was received', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(flush, { maxLength: 12 }), fc.boolean(), async (flushes, clean) => {
        const { file, session } = record(flushes, clean)
        await withStores(file, async (reader, writer, other) => {
          const out = path('.tapedeck')
          const packed = await exportPackage(reader, session, out, '1.0')
          expect(await isPackage(out)).toBe(true)
          const done = await importPackage(out, writer.library)
          expect(done).toEqual({ session, messages: packed.messages, already: false })
          const there = await other()
          expect(await whole(there, session)).toEqual(await whole(reader, session))
          expect((await there.verify(null)).problems).toEqual([])
          const [was, is] = [await reader.ledger(session), await there.ledger(session)]
          expect(is.heads).toEqual(was.heads)
          expect(is.chains).toEqual(was.chains)
          expect({ clean: is.clean, endedMs: is.endedMs, lastSeq: is.lastSeq }).toEqual({
            clean: was.clean,
            endedMs: was.endedMs,
            lastSeq: was.lastSeq,
          })
          const gaps = (rows: readonly object[]) => rows.map((gap) => ({ ...gap, session: '' }))
          expect(gaps(await there.gaps({ session }))).toEqual(gaps(await reader.gaps({ session })))
          expect(await importPackage(out, writer.library)).toMatchObject({ already: true })
          expect((await there.sessions()).length).toBe(1)
        })
      }),
      { numRuns: 12, endOnFailure: true },
    )
  }, 60_000)

  it('is of a source of its own and carries labels; packed again it keeps both', async () => {
    const { file, session } = record([[{ conn: 1, data: tradeText('BTC-USD', 1, 1, T0) }]])
    const labelled = await openStoreWriter({ file })
    await labelled.library.label([
      { session, patch: { name: 'CPI day', notes: 'a\nb', tags: ['macro'], pinned: true } },
    ])
    await labelled.addBookmark({ session, atMs: T0 + 5, seq: 1, text: 'here' })
    await labelled.close()
    await withStores(file, async (reader, writer, other) => {
      const out = path('.tapedeck')
      await exportPackage(reader, session, out, '1.0')
      await importPackage(out, writer.library)
      const there = await other()
      const [row] = await there.sessions()
      expect(row).toMatchObject({ name: 'CPI day', notes: 'a\nb', tags: ['macro'], pinned: true, imported: true })
      expect(row.source).toMatch(/^import:[0-9a-f]{8}@demo$/)
      expect(await there.bookmarks(session)).toMatchObject([{ atMs: T0 + 5, text: 'here' }])
      const again = path('.tapedeck')
      await exportPackage(there, session, again, '1.0')
      const third = await openStoreWriter({ file: path('.db') })
      expect(await importPackage(again, third.library)).toMatchObject({ session })
      await third.close()
    })
  })

  it('of a part of a session keeps the seqs of the whole', async () => {
    const file = path('.db')
    const parts = new Writer(['crypto/XT'])
    const batches = [1, 4, 5, 9].map((seq) => {
      parts.seq = seq - 1
      return parts.batch([{ conn: 1, data: tradeText('BTC-USD', seq, 1, T0) }])
    })
    const session = newSessionId(T0)
    const writer = await openStoreWriter({ file })
    const about = { id: session, source: { kind: 'import', user: 'me', origin: 'demo' } as const, from: 'ticks.jsonl' }
    await writer.library.importSession(
      { ...about, startedMs: unixMs(T0), endedMs: unixMs(T0 + 9), clean: true },
      (async function* () {
        yield* batches
      })(),
    )
    await writer.close()
    await withStores(file, async (reader, into, other) => {
      const out = path('.tapedeck')
      await exportPackage(reader, session, out, '1.0')
      expect(await importPackage(out, into.library)).toMatchObject({ session, messages: 4 })
      const there = await other()
      expect(await whole(there, session)).toEqual(await whole(reader, session))
      expect((await there.verify(null)).problems).toEqual([])
    })
  })

  it('refuses a session that is still running, and leaves no file if it is corrupt or canceled', async () => {
    const { file, session } = record([Array.from({ length: 50 }, () => ({ conn: 1, data: tradeText('A', 1, 1, T0) }))])
    const engine = new StoreEngine(file)
    const live = newSessionId(T0)
    engine.begin(live, DEMO, unixMs(T0))
    const reader = await openStoreReader({ file })
    const here = join(folder, 'none')
    await expect(exportPackage(reader, live, here, '1.0')).rejects.toMatchObject({ code: 'not-allowed' })
    const stop = AbortSignal.abort()
    await expect(exportPackage(reader, session, here, '1.0', { signal: stop })).rejects.toMatchObject({
      code: 'cancelled',
    })
    await reader.close()
    engine.close()
    const { default: Database } = await import('better-sqlite3')
    const db = new Database(file)
    db.exec("UPDATE entry SET body = '{}'; UPDATE block SET min_ms = min_ms + 1")
    db.close()
    const damaged = await openStoreReader({ file })
    await expect(exportPackage(damaged, session, here, '1.0')).rejects.toMatchObject({ code: 'store-damaged' })
    await damaged.close()
    expect(readdirSync(folder).filter((name) => name.includes('none'))).toEqual([])
  })
})

describe('a session file that is not as it was written', () => {
  let bytes: Buffer
  let into: LibraryWriter
  let reader: StoreReader
  beforeAll(async () => {
    const items: Item[] = Array.from({ length: 30 }, (_, i) => ({
      conn: 1 + (i % 2),
      data: tradeText('BTC-USD', i, 1, T0),
    }))
    const { file, session } = record([items, [{ entry: { type: 'clock', shiftMs: 5 } }, { conn: 3, data: 'x' }], items])
    const from = await openStoreReader({ file })
    const out = path('.tapedeck')
    await exportPackage(from, session, out, '1.0')
    await from.close()
    bytes = readFileSync(out)
    const target = path('-hostile.db')
    into = await openStoreWriter({ file: target })
    reader = await openStoreReader({ file: target })
  })
  afterAll(async () => {
    await reader.close()
    await into.close()
  })

  const refused = async (content: Uint8Array): Promise<string> => {
    const file = path('.bad')
    writeFileSync(file, content)
    const failure: unknown = await importPackage(file, into.library).then(
      () => new Error('it was taken'),
      (thrown: unknown) => thrown,
    )
    rmSync(file)
    expect(failure).toHaveProperty('code')
    expect((failure as Error).message).toMatch(/^[A-Z].*\.$/s)
    return (failure as { code: string }).code // a CodedError, as expected above
  }

  it('is refused when it ends anywhere too early, or goes on after its end', async () => {
    for (let at = 0; at < bytes.length; at++) {
      const code = await refused(bytes.subarray(0, at))
      expect(code).toBe(at < HEADER_BYTES ? 'unexpected-answer' : 'store-damaged')
    }
    expect(await refused(Buffer.concat([bytes, Buffer.alloc(1)]))).toBe('store-damaged')
    expect(await refused(Buffer.concat([bytes, bytes]))).toBe('store-damaged')
    expect(await reader.sessions()).toEqual([])
  }, 120_000)

  it('is refused with any byte flipped', async () => {
    for (let at = 0; at < bytes.length; at++) {
      const copy = Buffer.from(bytes)
      copy[at] ^= 1 << (at % 8)
      const code = await refused(copy)
      expect(['store-damaged', ...(at < HEADER_BYTES ? ['unexpected-answer', 'store-newer'] : [])]).toContain(code)
    }
    expect(await reader.sessions()).toEqual([])
    expect((await reader.verify(null)).problems).toEqual([])
  }, 120_000)

  it('is refused of a newer version, with impossible sizes, as a bomb, and with sums that were made to fit', async () => {
    const newer = Buffer.from(bytes)
    newer.writeUInt16LE(2, 8)
    expect(await refused(newer)).toBe('store-newer')
    const bomb = await encodePart('meta', 0, Buffer.alloc(1 << 20))
    bomb.writeUInt32LE(0xffff_ffff, 8)
    expect(await refused(Buffer.concat([fileHeader(), bomb]))).toBe('store-damaged')
    const inflated = await encodePart('meta', 0, Buffer.alloc(1 << 20))
    inflated.writeUInt32LE(64 << 20, 8)
    expect(await refused(Buffer.concat([fileHeader(), inflated]))).toBe('store-damaged')
    const lie = await encodePart(
      'meta',
      0,
      Buffer.from(JSON.stringify({ format: 'tapedeck session', messages: 1e308 })),
    )
    expect(await refused(Buffer.concat([fileHeader(), lie]))).toBe('store-damaged')
    const counts = Buffer.alloc(20, 0xff)
    expect(decodeRows(counts)).toBeNull()
    expect(decodeRows(Buffer.from([0xff, 0xff, 0x7f, 0, 0, 0]))).toBeNull()
    expect(await refused(Buffer.from('a CSV, perhaps\n'))).toBe('unexpected-answer')
    expect(await reader.sessions()).toEqual([])
  })

  it('is detected even if an entry or timestamp was changed and every checksum recomputed', async () => {
    const { file, session } = record([
      [{ conn: 1, data: tradeText('A', 1, 1, T0) }],
      [{ entry: { type: 'clock', shiftMs: 5 } }],
    ])
    const from = await openStoreReader({ file })
    const forged: StoreReader = {
      ...from,
      async *replay(query) {
        for await (const batch of from.replay(query)) yield { ...batch, recvMs: batch.recvMs.map((ms) => ms + 1) }
      },
    }
    const out = path('.tapedeck')
    await exportPackage(forged, session, out, '1.0')
    await from.close()
    await expect(importPackage(out, into.library)).rejects.toMatchObject({ code: 'store-damaged' })
    expect(await reader.sessions()).toEqual([])
  })
})

it('keeps columns of messages to the bit', () => {
  const double = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.constantFrom(-0, NaN, Infinity, 2 ** 60, 0.001, 1e-320, T0 + 0.123),
  )
  fc.assert(
    fc.property(
      fc.array(fc.tuple(double, double, double, fc.nat(), fc.nat(255), fc.uint8Array({ maxLength: 20 })), {
        maxLength: 50,
      }),
      (rows) => {
        const offsets = new Uint32Array(rows.length + 1)
        rows.forEach(([, , , , , raw], i) => (offsets[i + 1] = offsets[i] + raw.length))
        const columns = {
          count: rows.length,
          seq: Float64Array.from(rows, ([seq]) => seq),
          recvMs: Float64Array.from(rows, ([, ms]) => ms),
          monoNs: Float64Array.from(rows, ([, , ns]) => ns),
          conn: Uint32Array.from(rows, ([, , , conn]) => conn),
          flags: Uint8Array.from(rows, ([, , , , flags]) => flags),
          offsets,
          bytes: new Uint8Array(Buffer.concat(rows.map(([, , , , , raw]) => raw))),
        }
        const back = decodeRows(encodeRows(columns))
        for (const name of ['seq', 'recvMs', 'monoNs', 'conn', 'flags', 'offsets', 'bytes'] as const) {
          expect([...(back?.[name] ?? [])]).toEqual([...columns[name]])
        }
      },
    ),
  )
})
