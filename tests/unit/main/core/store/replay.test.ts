import { isDeepStrictEqual } from 'node:util'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { decodeRow } from '../../../../../src/main/core/playback/decode-row.ts'
import { SEAL_AFTER_MS, StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openStoreWriter } from '../../../../../src/main/core/store/open.ts'
import { lineOf } from '../../../../../src/main/core/store/replay/message-line.ts'
import type { Batch } from '../../../../../src/main/core/store/types/messages.ts'
import type { ReplayBatch, ReplayQuery } from '../../../../../src/main/core/store/types/replay.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import {
  openLocalReader,
  openRemoteReader,
  type LocalReader,
} from '../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { SnapshotReader } from '../../../../../src/main/core/store/write/snapshots.ts'
import { scratch } from '../../../../../src/service/codec.ts'
import { FLAG, type LedgerEntry } from '../../../../../src/shared/core/recording/session.ts'
import { FEED_IDS, sessionId, unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import { DEMO, latin1, T0, Writer, type Item } from './harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { quoteText, tradeText } from '../../../../kit/market.ts'

const READER_WORKER = new URL('../../../../../src/main/reader-worker.ts', import.meta.url)

let folder: ReturnType<typeof makeStoreFolder>
let close: (() => Promise<void> | void)[]
beforeEach(() => {
  folder = makeStoreFolder()
  close = []
})
afterEach(async () => {
  for (const one of close.reverse()) await one()
  folder.remove()
})

/** A line of a session as tests compare it: what was received, in order. */
interface Line {
  readonly seq: number
  readonly ms: number
  readonly what: string
}

async function readLines(reader: StoreReader, query: ReplayQuery): Promise<Line[]> {
  const lines: Line[] = []
  let reached = query.afterSeq
  for await (const batch of reader.replay(query)) {
    const mine: Line[] = linesOf(batch)
    for (const { seq } of mine) expect(seq > reached && seq <= batch.upToSeq).toBe(true)
    reached = batch.upToSeq
    lines.push(...mine)
  }
  return lines
}

function linesOf(batch: ReplayBatch): Line[] {
  const lines: Line[] = batch.entries.map(({ seq, wallMs, entry }) => ({
    seq,
    ms: wallMs,
    what: JSON.stringify(entry),
  }))
  for (let i = 0; i < batch.count; i++) {
    const text = latin1(batch.bytes.slice(batch.offsets[i], batch.offsets[i + 1]))
    const what = `${FEED_IDS[batch.feed[i]]} ${batch.conn[i]} ${batch.flags[i]} ${batch.monoNs[i]} ${text}`
    lines.push({ seq: batch.seq[i], ms: batch.recvMs[i], what })
  }
  return lines.sort((a, b) => a.seq - b.seq)
}

const FEEDS = ['crypto/XT', 'crypto/XQ', 'stocks/T'] as const

async function* stream(batches: readonly Batch[]): AsyncGenerator<Batch> {
  yield* batches
}

/** Items of a session and what reading it must return. */
function linesOfItems(items: readonly Item[]): Line[] {
  return items.map((item, i): Line => {
    const seq = i + 1
    if ('entry' in item) return { seq, ms: item.wallMs ?? T0 + seq, what: JSON.stringify(item.entry) }
    const { conn, flags = 0, recvMs = T0 + seq, data } = item
    return { seq, ms: recvMs, what: `${FEEDS[conn - 1]} ${conn} ${flags} ${seq * 1_000_000} ${latin1(data)}` }
  })
}

/** Writes items in flushes of the given sizes. After each, everything is sealed if `seal` says so. */
function record(
  items: readonly Item[],
  cuts: readonly { readonly size: number; readonly seal: boolean }[],
): StoreEngine {
  let now = T0
  const engine = new StoreEngine(folder.file, () => now)
  const id = newSessionId(unixMs(T0))
  engine.begin(id, DEMO, unixMs(T0))
  const writer = new Writer(FEEDS)
  let at = 0
  for (let n = 0; at < items.length; n++) {
    const { size, seal } = cuts[n % cuts.length]
    engine.commit([writer.batch(items.slice(at, at + size))])
    at += size
    if (seal) {
      now += SEAL_AFTER_MS
      engine.drain()
    }
  }
  return engine
}

function reading(): LocalReader {
  const reader = openLocalReader(folder.file)
  close.push(() => reader.close())
  return reader
}

const only = async (reader: StoreReader): Promise<SessionId> => (await reader.sessions())[0].session

const entryArb: fc.Arbitrary<Item> = fc
  .oneof(
    fc.constant<LedgerEntry>({ type: 'connected', feed: 'crypto/XT', conn: 1 }),
    fc.constant<LedgerEntry>({ type: 'digest', minuteMs: unixMs(T0), sha256: 'ab'.repeat(32) }),
  )
  .map((entry) => ({ entry }))
const messageArb: fc.Arbitrary<Item> = fc.oneof(
  fc
    .tuple(fc.constantFrom('BTC-USD', 'ETH-USD', 'SOL-USD'), fc.integer({ min: 1, max: 1e6 }))
    .map(([pair, p]): Item => ({ conn: 1, data: tradeText(pair, p / 100, 1, T0) })),
  fc.integer({ min: 1, max: 1e6 }).map((p): Item => ({ conn: 2, data: quoteText('BTC-USD', p, p + 1, T0) })),
  fc.constant<Item>({ conn: 1, data: 'not json', flags: FLAG.undecodable }),
  fc.constant<Item>({ conn: 2, data: quoteText('XRP-USD', 1, 2, T0), flags: FLAG.unasked }),
  fc.uint8Array({ maxLength: 40 }).map((data): Item => ({ conn: 3, data, flags: FLAG.undecodable | FLAG.binary })),
)
const itemsArb = fc.array(fc.oneof({ weight: 12, arbitrary: messageArb }, { weight: 1, arbitrary: entryArb }), {
  minLength: 1,
  maxLength: 300,
  size: 'max',
})
const cutsArb = fc.array(fc.record({ size: fc.integer({ min: 1, max: 80 }), seal: fc.boolean() }), {
  minLength: 1,
  maxLength: 8,
})

describe('replay', () => {
  it('returns every message and entry once, in order and byte for byte, from any seq to any other', async () => {
    await fc.assert(
      fc.asyncProperty(itemsArb, cutsArb, fc.nat(320), fc.nat(320), async (items, cuts, a, b) => {
        const made = makeStoreFolder()
        const before = folder
        folder = made
        try {
          record(items, cuts).close()
          const reader = openLocalReader(made.file)
          const session = await only(reader)
          const all = linesOfItems(items)
          expect(await readLines(reader, { session, afterSeq: 0 })).toEqual(all)
          const [afterSeq, upToSeq] = [Math.min(a, b), Math.max(a, b)]
          expect(await readLines(reader, { session, afterSeq, upToSeq })).toEqual(
            all.filter(({ seq }) => seq > afterSeq && seq <= upToSeq),
          )
          await reader.close()
        } finally {
          made.remove()
          folder = before
        }
      }),
      { numRuns: 20 },
    )
  })

  it('continues seamlessly while what it reads is sealed and merged', async () => {
    const items = Array.from({ length: 9_000 }, (_, i): Item =>
      i % 50 === 0
        ? { entry: { type: 'connected', feed: 'crypto/XT', conn: 1 } }
        : { conn: 1, data: tradeText(`S${i % 7}-USD`, i, 1, T0) },
    )
    let now = T0
    const engine = new StoreEngine(folder.file, () => now)
    close.push(() => engine.close())
    engine.begin(newSessionId(unixMs(T0)), DEMO, unixMs(T0))
    const writer = new Writer(FEEDS)
    const commit = (from: number, to: number): void => {
      for (let at = from; at < to; at += 100) engine.commit([writer.batch(items.slice(at, at + 100))])
      now += SEAL_AFTER_MS
    }
    commit(0, 3_000)
    engine.drain()
    commit(3_000, 6_000)
    const reader = reading()
    const lines: Line[] = []
    let turns = 0
    for await (const batch of reader.replay({ session: await only(reader), afterSeq: 0 })) {
      lines.push(...linesOf(batch))
      // New messages are after the end fixed at the start; existing ones move into blocks.
      if (turns++ < 3) {
        commit(6_000 + turns * 300, 6_300 + turns * 300)
        engine.drain()
      }
    }
    expect(turns).toBeGreaterThan(2)
    expect(lines).toEqual(linesOfItems(items.slice(0, 6_000)))
  })

  it('is the same over a thread, one batch ahead, and ends when iteration ends', async () => {
    const items = Array.from({ length: 20_000 }, (_, i): Item => ({ conn: 1, data: tradeText('BTC-USD', i, 1, T0) }))
    record(items, [
      { size: 500, seal: true },
      { size: 700, seal: false },
    ]).close()
    const reader = await openRemoteReader(folder.file, READER_WORKER)
    close.push(() => reader.close())
    const session = await only(reader)
    expect(await readLines(reader, { session, afterSeq: 0 })).toEqual(linesOfItems(items))
    for await (const batch of reader.replay({ session, afterSeq: 5_000 })) {
      expect(batch.seq[0]).toBe(5_001)
      break
    }
    await expect(readLines(reader, { session: sessionId('none'), afterSeq: 0 })).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  it.each([
    ['in this thread', () => Promise.resolve(openLocalReader(folder.file))],
    ['over a thread', () => openRemoteReader(folder.file, READER_WORKER)],
  ])('reads the same into buffers of used batches, %s', async (_, open) => {
    const long = 'x'.repeat(400)
    const items = Array.from({ length: 5_000 }, (_, i): Item => {
      if (i % 700 === 0) return { entry: { type: 'connected', feed: 'crypto/XT', conn: 1 } }
      if (i % 3 === 0) return { conn: 1, data: long, flags: FLAG.undecodable }
      return { conn: 1, data: tradeText(`S${i % 7}-USD`, i / 4, 1, T0) }
    })
    record(items, [
      { size: 4_000, seal: true },
      { size: 1_000, seal: false },
    ]).close()
    const reader = await open()
    close.push(() => reader.close())
    const used = Array.from({ length: 2 }, () => new ArrayBuffer(2 << 20))
    for (const buffer of used) new Uint8Array(buffer).fill(0xff)
    const spares = [...used]
    const lines: Line[] = []
    let reused = 0
    for await (const batch of reader.replay({ session: await only(reader), afterSeq: 0 }, spares)) {
      lines.push(...linesOf(batch))
      const { buffer } = batch
      if (buffer?.byteLength === 2 << 20) reused++
      for (const column of [batch.seq, batch.recvMs, batch.flags, batch.offsets, batch.bytes])
        expect(column.buffer).toBe(buffer)
    }
    expect(lines).toEqual(linesOfItems(items))
    expect([reused, spares]).toEqual([2, []])
  })

  it.each([
    ['in this thread', 0, () => Promise.resolve(openLocalReader(folder.file))],
    ['over a thread', 0, () => openRemoteReader(folder.file, READER_WORKER)],
    ['also where a price of 0 is a text', 5_000, () => Promise.resolve(openLocalReader(folder.file))],
    ['also where no batch has texts', 4_990, () => Promise.resolve(openLocalReader(folder.file))],
  ])('returns records where they are preferred to texts, %s', async (_, plainItems, open) => {
    const items = Array.from({ length: 6_000 }, (_, i): Item => {
      const pair = `S${i % 7}-USD`
      if (i % 700 === 0) return { entry: { type: 'connected', feed: 'crypto/XT', conn: 1 } }
      if (plainItems === 5_000 && i === 1_701) return { conn: 1, data: tradeText(pair, 0, 1, T0) }
      if (i < plainItems)
        return { conn: 1 + (i % 2), data: (i % 2 === 0 ? tradeText : quoteText)(pair, i / 4, i / 4 + 1, T0 + i) }
      if (i % 11 === 0) return { conn: 1, data: 'x'.repeat(i % 500), flags: FLAG.undecodable }
      if (i % 13 === 0) return { conn: 1, data: tradeText(pair, i, 1, T0), flags: FLAG.unasked }
      if (i % 17 === 0) return { conn: 1, data: tradeText(pair, 0, 1, T0) }
      if (i % 3 === 0) return { conn: 2, data: quoteText(pair, i / 8, i / 8 + 1, T0 + i) }
      return { conn: 1, data: tradeText(pair, i / 4, 1, T0) }
    })
    record(items, [
      { size: 4_000, seal: true },
      { size: 1_000, seal: false },
    ]).close()
    const reader = await open()
    close.push(() => reader.close())
    const session = await only(reader)
    let records = 0
    const decoded = async (prefersRecords: boolean): Promise<unknown[]> => {
      const rows: unknown[] = []
      for await (const batch of reader.replay({ session, afterSeq: 0, omitConnections: true, prefersRecords })) {
        for (let row = 0; row < batch.count; row++) {
          const { feed, seq, recvMs, flags } = batch
          const out = scratch()
          const found = decodeRow(batch, row, out)
          rows.push([feed[row], seq[row], recvMs[row], flags[row], found, out])
          if (batch.records !== undefined && batch.records.shape[row] > 0) records++
        }
      }
      return rows
    }
    expect(await decoded(true)).toEqual(await decoded(false))
    expect(records).toBeGreaterThan(2_500)
  })

  it('writes lines where they are preferred to texts, whatever the messages are', async () => {
    // More numbers than WebAssembly takes, exponents, decimals of their own, line breaks, and what isn't JSON
    const keys = [...'abcdefghijklmnopq'].map((key, i) => `"${key}":${i}.25`).join(',')
    const textOf = (i: number): string => {
      const pair = `S${i % 7}-USD`
      if (i % 11 === 0) return tradeText(pair, 1e-7 * i, 1, T0 + i)
      if (i % 13 === 0) return `{"ev":"XT","pair":"${pair}",${keys},"t":${T0 + i}}`
      if (i % 17 === 0) return `{"ev":"XT",\n"pair":"${pair}","p":${i}.50,"s":1E5,"t":${T0 + i}}`
      if (i % 19 === 0)
        return `{"ev": "XT", "pair": "${pair}", "p": ${i}.0, "t": ${T0 + i}, "s": 0.${'0'.repeat(i % 20)}7}`
      return tradeText(pair, i / 8, -i, T0 + i)
    }
    const items = Array.from({ length: 9_000 }, (_, i): Item => {
      const recvMs = T0 + i + (i % 23 === 0 ? 0.125 : 0)
      if (i % 700 === 0) return { entry: { type: 'connected', feed: 'crypto/XT', conn: 1 } }
      if (i % 29 === 0) return { conn: 1, recvMs, data: `no\rJSON ${i}`, flags: FLAG.undecodable }
      if (i % 31 === 0)
        return { conn: 3, recvMs, data: Uint8Array.of(0xff, 10, i), flags: FLAG.binary | FLAG.undecodable }
      return { conn: 1 + (i % 2), recvMs, data: i % 2 === 0 ? textOf(i) : quoteText('BTC-USD', i / 4, i, T0 + i) }
    })
    record(items, [
      { size: 6_000, seal: true },
      { size: 1_000, seal: false },
    ]).close()
    const reader = reading()
    const query = { session: await only(reader), afterSeq: 0, omitConnections: true }
    const expected: string[] = []
    for await (const { count, feed, recvMs, seq, flags, bytes, offsets, areLines } of reader.replay(query)) {
      expect(areLines).toBeUndefined()
      for (let row = 0; row < count; row++) {
        const text = bytes.slice(offsets[row], offsets[row + 1])
        expected.push(Buffer.from(lineOf(feed[row], recvMs[row], seq[row], text, flags[row])).toString())
      }
    }
    expect(expected.length).toBe(items.filter((item) => !('entry' in item)).length)
    const lines: string[] = []
    let fromJournal = 0
    for await (const { count, bytes, offsets, areLines } of reader.replay({ ...query, prefersLines: true })) {
      if (areLines !== true) fromJournal += count
      for (let row = 0; row < count; row++)
        lines.push(Buffer.from(bytes.slice(offsets[row], offsets[row + 1])).toString())
    }
    expect(lines.slice(0, -fromJournal)).toEqual(expected.slice(0, -fromJournal))
    expect(lines.length - fromJournal).toBeGreaterThan(5_000)
  })

  it('reads small batches first and limits their text', async () => {
    const big = 'x'.repeat(300_000)
    record(
      Array.from({ length: 40 }, (): Item => ({ conn: 1, data: big, flags: FLAG.undecodable })),
      [{ size: 4, seal: true }],
    ).close()
    const reader = reading()
    const sizes: number[] = []
    for await (const { count, bytes } of reader.replay({ session: await only(reader), afterSeq: 0 })) {
      sizes.push(count)
      expect(bytes.length).toBeLessThan(3 << 20)
    }
    expect(sizes.reduce((sum, n) => sum + n)).toBe(40)
    expect(sizes.length).toBeGreaterThan(4)
  })
})

/** The position of an instant, by linear search. */
function positionOf(lines: readonly Line[], ms: number): { seq: number; ms: number } | null {
  let replay = -Infinity
  let found: { seq: number; ms: number } | null = null
  for (const line of lines) {
    replay = Math.max(replay, line.ms)
    if (replay <= ms) found = { seq: line.seq, ms: replay }
  }
  return found
}

describe('findPosition', () => {
  it('finds the last message received by then, whatever the clock did', async () => {
    const stepArb = fc.oneof(
      { weight: 30, arbitrary: fc.integer({ min: 0, max: 300 }) },
      { weight: 4, arbitrary: fc.integer({ min: -80, max: 0 }) },
      { weight: 1, arbitrary: fc.integer({ min: -60_000, max: 60_000 }) },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(stepArb, { minLength: 1, maxLength: 400, size: 'max' }),
        cutsArb,
        fc.array(fc.integer({ min: -1_000, max: 90_000 }), { minLength: 1, maxLength: 30, size: 'max' }),
        async (steps, cuts, instants) => {
          const made = makeStoreFolder()
          const before = folder
          folder = made
          try {
            const items: Item[] = []
            let wall = T0
            // Monotonic time never goes back. Wall time goes back no further than the recorder allows without an entry.
            let drift = 0
            for (const step of steps) {
              if (Math.abs(step) > 300) {
                wall += step
                drift = 0
                items.push({ entry: { type: 'clock', shiftMs: step }, wallMs: wall })
                continue
              }
              const back = step < 0 && drift + step > -90 ? step : Math.abs(step)
              drift += Math.min(0, back)
              wall += back
              items.push({ conn: 1 + (items.length % 2), data: tradeText('BTC-USD', 1, 1, T0), recvMs: wall })
            }
            record(items, cuts).close()
            const reader = openLocalReader(made.file)
            const session = await only(reader)
            const lines = linesOfItems(items)
            for (const at of instants) {
              const place = positionOf(lines, T0 + at)
              expect(await reader.findPosition({ session, ms: T0 + at })).toEqual(place)
              // Reading up to an instant ends soon after it, never before, and leaves nothing out.
              const read = await readLines(reader, { session, afterSeq: 0, upToMs: T0 + at })
              const due = lines.slice(0, Math.max(read.length, place?.seq ?? 0))
              // Vitest compares much more slowly, and says what differs.
              if (!isDeepStrictEqual(read, due)) expect(read).toEqual(due)
            }
            await reader.close()
          } finally {
            made.remove()
            folder = before
          }
        },
      ),
      { numRuns: 25 },
    )
  })

  it.each([false, true])(
    'is read up to after long messages that end a batch early (as records: %s)',
    async (records) => {
      const long = (n: number): Item => ({
        conn: 1,
        data: Buffer.from(String(n).repeat(900_000)),
        flags: FLAG.undecodable,
        recvMs: T0,
      })
      const trade = (n: number, ms: number): Item => ({
        conn: 1,
        data: tradeText('BTC-USD', n, 1, T0),
        recvMs: T0 + ms,
      })
      const due = [1, 2, 3, 4, 5].map(long).concat(Array.from({ length: 50 }, (_, n) => trade(n, 10)))
      record([...due, trade(99, 1_000)], [{ size: 100, seal: true }]).close()
      const reader = reading()
      const seqs: number[] = []
      const query = { session: await only(reader), afterSeq: 0, upToMs: T0 + 10, prefersRecords: records }
      for await (const { count, seq } of reader.replay(query)) seqs.push(...seq.subarray(0, count))
      expect(seqs).toEqual(due.map((_, i) => i + 1))
    },
  )

  it('finds it in a long session without entries', async () => {
    const items = Array.from({ length: 60_000 }, (_, i): Item => ({
      conn: 1 + (i % 2),
      data: i % 2 === 0 ? tradeText(`S${i % 5}-USD`, i, 1, T0) : quoteText('BTC-USD', i, i + 1, T0),
      recvMs: T0 + Math.floor(i * 1.5) + (i > 30_000 ? 600_000 : 0),
    }))
    record(items, [{ size: 9_000, seal: true }]).close()
    const reader = reading()
    const session = await only(reader)
    const lines = linesOfItems(items)
    for (const at of [0, 1, 999, 30_000, 44_999, 45_003, 300_000, 645_002, 660_000, 689_998, 689_999, 900_000]) {
      expect([at, await reader.findPosition({ session, ms: T0 + at })]).toEqual([at, positionOf(lines, T0 + at)])
    }
    expect(await reader.findPosition({ session, ms: T0 - 1 })).toBeNull()
  })
})

describe('activity', () => {
  it('adds up to the total and shows when messages were received', async () => {
    const items = Array.from({ length: 20_000 }, (_, i): Item =>
      i % 1_000 === 0
        ? { entry: { type: 'connected', feed: 'crypto/XT', conn: 1 }, wallMs: T0 + (i < 15_000 ? i : 45_000 + i) }
        : { conn: 1, data: tradeText('BTC-USD', 1, 1, T0), recvMs: T0 + (i < 15_000 ? i : 45_000 + i) },
    )
    record(items, [{ size: 1_300, seal: true }]).close()
    const reader = reading()
    const session = await only(reader)
    const ask = (fromMs: number, toMs: number, buckets: number) =>
      reader.activity({ sessions: [session], fromMs: T0 + fromMs, toMs: T0 + toMs, buckets })
    const whole = await ask(0, 70_000, 7)
    expect(whole.reduce((sum, n) => sum + n)).toBe(19_980)
    expect(whole).toHaveLength(7)
    expect(whole[0]).toBeGreaterThan(9_900)
    expect(whole[3]).toBeLessThan(300)
    expect(whole[6]).toBeGreaterThan(4_800)
    const fine = await ask(0, 15_000, 150)
    for (const n of fine) expect(Math.abs(n - 100)).toBeLessThan(12)
    expect(await ask(80_000, 90_000, 3)).toEqual([0, 0, 0])
    expect(await ask(90_000, 80_000, 2)).toEqual([0, 0])
  })

  it("doesn't count what a corrupt flush held, sealed over or not", async () => {
    const items = (n: number): Item[] =>
      Array.from({ length: n }, () => ({ conn: 1, data: tradeText('BTC-USD', 1, 1, T0) }))
    const connected: Item = { entry: { type: 'connected', feed: 'crypto/XT', conn: 1 } }
    const writer = new Writer(FEEDS)
    const engine = new StoreEngine(folder.file, () => T0)
    close.push(() => engine.close())
    engine.begin(newSessionId(T0), DEMO, unixMs(T0))
    for (const batch of [[connected, ...items(99)], [...items(40), connected], items(60)]) {
      engine.commit([writer.batch(batch)])
    }
    const db = new Database(folder.file)
    db.exec("UPDATE journal SET data = CAST(substr(data, 1, length(data) - 1) || x'00' AS BLOB) WHERE first_seq = 101")
    db.close()
    const sum = async (): Promise<number> => {
      const reader = reading()
      const query = { sessions: [await only(reader)], fromMs: T0, toMs: T0 + 10_000, buckets: 10 }
      return (await reader.activity(query)).reduce((a, b) => a + b)
    }
    expect(await sum()).toBe(99 + 60)
    engine.end(unixMs(T0 + 10_000), [])
    engine.drain()
    expect(await sum()).toBe(99 + 60)
  })

  it('counts the messages of an import that has the original seqs but few of them', async () => {
    const writer = await openStoreWriter({ file: folder.file })
    close.push(() => writer.close())
    const parts = new Writer(FEEDS)
    const part = (count: number, fromMs: number) =>
      parts.batch(
        Array.from({ length: count }, (_, i): Item => ({
          conn: 1,
          data: tradeText(i % 2 === 0 ? 'BTC-USD' : 'ETH-USD', 1, 1, T0),
          recvMs: T0 + fromMs + 1 + i,
        })),
      )
    // 3,000 messages in 3 s, an hour that wasn't exported, 1,000 messages in 1 s.
    const batches = [part(3_000, 0)]
    parts.seq += 400_000
    batches.push(part(1_000, 3_600_000))
    const id = newSessionId(T0)
    const about = {
      id,
      source: { ...DEMO, kind: 'import' as const },
      startedMs: unixMs(T0),
      endedMs: unixMs(T0 + 3_700_000),
    }
    await writer.library.importSession({ ...about, clean: true, from: 'a test' }, stream(batches))
    const counts = await reading().activity({ sessions: [id], fromMs: T0, toMs: T0 + 3_720_000, buckets: 62 })
    expect(counts.reduce((a, b) => a + b)).toBe(4_000)
    // The first block of each series after the gap is spread over it.
    expect(counts[0]).toBe(3_000)
    expect(counts[60]).toBeGreaterThan(995)
    // A query about seconds returns seconds.
    const fine = await reading().activity({ sessions: [id], fromMs: T0, toMs: T0 + 3_000, buckets: 30 })
    for (const n of fine) expect(Math.abs(n - 100)).toBeLessThan(12)
  })

  it('adds up sessions and follows a live one', async () => {
    const engine = record(
      Array.from({ length: 100 }, (): Item => ({ conn: 1, data: tradeText('BTC-USD', 1, 1, T0) })),
      [{ size: 10, seal: false }],
    )
    close.push(() => engine.close())
    const reader = reading()
    const session = await only(reader)
    const sum = async (sessions: readonly SessionId[]): Promise<number> =>
      (await reader.activity({ sessions, fromMs: T0, toMs: T0 + 10_000, buckets: 10 })).reduce((a, b) => a + b)
    expect(await sum([session])).toBe(100)
    const writer = new Writer(FEEDS)
    writer.batch(Array.from({ length: 100 }, (): Item => ({ conn: 1, data: '' })))
    engine.commit([writer.batch([{ conn: 1, data: tradeText('BTC-USD', 1, 1, T0) }])])
    expect(await sum([session])).toBe(101)
    expect(await sum([session, session])).toBe(202)
  })
})

describe('entries', () => {
  it('are returned by type and after a seq', async () => {
    const digest: LedgerEntry = { type: 'digest', minuteMs: unixMs(T0), sha256: 'ab'.repeat(32) }
    const connected: LedgerEntry = { type: 'connected', feed: 'crypto/XT', conn: 1 }
    record(
      [{ entry: digest }, { entry: connected }, { conn: 1, data: 'x' }, { entry: digest }],
      [{ size: 2, seal: false }],
    ).close()
    const reader = reading()
    const session = await only(reader)
    const seqs = async (query: { afterSeq?: number; types?: LedgerEntry['type'][] }): Promise<number[]> =>
      (await reader.entries({ session, ...query })).map(({ seq }) => seq)
    expect(await seqs({})).toEqual([1, 2, 4])
    expect(await seqs({ types: ['digest'] })).toEqual([1, 4])
    expect(await seqs({ types: ['digest', 'connected'], afterSeq: 1 })).toEqual([2, 4])
  })
})

describe('snapshots', () => {
  const data = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, i) => (i * 7) & 255)

  it('are written once durable, and the newest before a seq is read', async () => {
    const writer = await openStoreWriter({ file: folder.file })
    close.push(() => writer.close())
    const session = await writer.begin(DEMO, unixMs(T0))
    const items = new Writer(FEEDS)
    const reader = reading()
    const stored = (upToSeq: number) => reader.snapshot({ session, upToSeq, version: 3 })
    writer.snapshot({ seq: 20, wallMs: T0 + 20, version: 3, data: data(600_000) })
    writer.append(items.batch(Array.from({ length: 10 }, (): Item => ({ conn: 1, data: 'x' }))))
    await new Promise<void>((done) => writer.onEvent(({ is }) => is === 'committed' && done()))
    expect(await stored(100)).toBeNull()
    writer.append(items.batch(Array.from({ length: 10 }, (): Item => ({ conn: 1, data: 'x' }))))
    await expect.poll(() => stored(100), { timeout: 20_000 }).toEqual({ seq: 20, wallMs: T0 + 20, data: data(600_000) })
    expect(await stored(19)).toBeNull()
    expect(await reader.snapshot({ session, upToSeq: 100, version: 4 })).toBeNull()
    // A snapshot of another session isn't stored with this one.
    writer.snapshot({ seq: 20, wallMs: 1, version: 3, data: data(9), session: sessionId('other') })
    // A waiting snapshot is written when the session ends.
    writer.snapshot({ seq: 20, wallMs: T0 + 21, version: 3, data: data(10) })
    await writer.end(unixMs(T0 + 100), [])
    expect(await stored(20)).toEqual({ seq: 20, wallMs: T0 + 21, data: data(10) })
    expect((await reader.verify(null)).problems).toEqual([])
  })

  it('of the next session wait while the previous one is closed', () => {
    const engine = record([{ conn: 1, data: 'x' }], [{ size: 1, seal: false }])
    close.push(() => engine.close())
    engine.end(unixMs(T0 + 5), [])
    const next = newSessionId(unixMs(T0 + 5))
    engine.begin(next, DEMO, unixMs(T0 + 5))
    engine.snapshot({ seq: 0, wallMs: T0 + 5, version: 1, data: data(50), session: next })
    engine.drain()
    const stored = reading()
      .queries.db.prepare('SELECT r.key, s.seq FROM snapshot s JOIN recording r ON r.id = s.recording')
      .all()
    expect(stored).toEqual([{ key: next, seq: 0 }])
  })

  it('are thinned out where little lies between them, except the newest', () => {
    const engine = record(
      Array.from({ length: 1_000 }, (): Item => ({ conn: 1, data: 'x' })),
      [{ size: 500, seal: true }],
    )
    close.push(() => engine.close())
    const noise = (seed: number): Uint8Array =>
      Uint8Array.from({ length: 500 }, (_, i) => (Math.imul(i + seed * 1_009, 0x9e3779b1) >>> 13) & 255)
    for (let seq = 100; seq <= 1_000; seq += 100) {
      engine.snapshot({ seq, wallMs: T0 + seq, version: 1, data: noise(seq) })
      engine.drain()
    }
    const stored = reading().queries.db.prepare('SELECT seq FROM snapshot ORDER BY seq').pluck().all()
    expect(stored[0]).toBe(100)
    expect(stored.at(-1)).toBe(1_000)
    expect(stored.length).toBeLessThan(5)
  })

  it('are stored as differences, and read back unchanged', () => {
    const engine = record(
      Array.from({ length: 1_000 }, (): Item => ({ conn: 1, data: 'x' })),
      [{ size: 500, seal: true }],
    )
    close.push(() => engine.close())
    let state = 7
    const noise = (): number => ((state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 13) & 255
    const first = Uint8Array.from({ length: 300_000 }, noise)
    const states = Array.from({ length: 8 }, (_, i) => {
      // Each one is a little further from the first; the last has nothing in common with it.
      const next = i === 7 ? Uint8Array.from({ length: 300_010 }, noise) : first.slice(0, first.length - i)
      if (i > 0 && i < 7) next.fill(i, 1_000, 1_000 + i * 500)
      return next
    })
    const reader = reading()
    const { db } = reader.queries
    const sizes = db.prepare<[], number>('SELECT length(data) FROM snapshot ORDER BY seq DESC').pluck()
    const { id, key } = db.prepare<[], { id: number; key: string }>('SELECT id, key FROM recording').get()!
    for (const [i, data] of states.entries()) {
      engine.snapshot({ seq: 100 + i, wallMs: T0 + i, version: 1, data })
      engine.drain()
      const query = { session: sessionId(key), upToSeq: 1_000, upToMs: T0 + i, version: 1 }
      const snapshots = new SnapshotReader(db)
      expect(snapshots.read(id, query)).toEqual({ seq: 100 + i, wallMs: T0 + i, data })
      expect(snapshots.read(id, { ...query, afterSeq: 100 + i })).toBeNull()
      if (i > 0 && i < 7) expect(sizes.get()).toBeLessThan(10_000)
      // A base of other snapshots stays even where thinning would remove it.
      if (i > 0) expect(snapshots.read(id, { ...query, upToMs: T0 })?.data).toEqual(first)
    }
    expect(sizes.get()).toBeGreaterThan(250_000)
  })

  it('that are corrupt are skipped and reported by verify', async () => {
    const engine = record(
      [
        { conn: 1, data: 'x' },
        { conn: 1, data: 'y' },
      ],
      [{ size: 2, seal: true }],
    )
    for (const seq of [1, 2]) {
      engine.snapshot({ seq, wallMs: T0 + seq, version: 1, data: data(100) })
      engine.drain()
    }
    engine.close()
    const { default: Database } = await import('better-sqlite3')
    const db = new Database(folder.file)
    db.prepare('UPDATE snapshot SET wall_ms = wall_ms + 1 WHERE seq = 2').run()
    db.close()
    const reader = reading()
    const session = await only(reader)
    expect((await reader.snapshot({ session, upToSeq: 2, version: 1 }))?.seq).toBe(1)
    const { problems } = await reader.verify(null)
    expect(problems.map(({ kind, detail }) => `${kind}: ${detail}`)).toEqual([
      'changed: the snapshot after seq 2 fails its checksum',
    ])
  })
})

describe('bookmarks', () => {
  it('are added, listed by time and removed', async () => {
    record([{ conn: 1, data: 'x' }], [{ size: 1, seal: false }]).close()
    const writer = await openStoreWriter({ file: folder.file })
    close.push(() => writer.close())
    const reader = reading()
    const session = await only(reader)
    const later = await writer.addBookmark({ session, atMs: T0 + 9, seq: null, text: 'later' })
    const first = await writer.addBookmark({ session, atMs: T0 + 1, seq: 1, text: 'first' })
    expect(first).toMatchObject({ session, atMs: T0 + 1, seq: 1, text: 'first' })
    expect(await reader.bookmarks(session)).toEqual([first, later])
    expect(await reader.bookmarks(null)).toEqual([first, later])
    expect(await writer.removeBookmark(later.id)).toBe(true)
    expect(await writer.removeBookmark(later.id)).toBe(false)
    expect(await reader.bookmarks(session)).toEqual([first])
    await expect(
      writer.addBookmark({ session: sessionId('none'), atMs: 0, seq: null, text: '' }),
    ).rejects.toMatchObject({ code: 'not-found' })
  })
})
