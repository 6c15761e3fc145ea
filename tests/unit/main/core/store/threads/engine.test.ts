import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SEAL_AFTER_MS, StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { CommitHead } from '../../../../../../src/main/core/store/wal/commit-head.ts'
import type { BarQuery } from '../../../../../../src/main/core/store/types/bars.ts'
import { openLocalReader } from '../../../../../../src/main/core/store/threads/reader.ts'
import { Ownership } from '../../../../../../src/main/core/store/schema/ownership.ts'
import { newSessionId } from '../../../../../../src/main/core/store/types/session-id.ts'
import { FLAG, MAX_ALIASES } from '../../../../../../src/shared/core/recording/session.ts'
import { instrumentId, unixMs, type SessionId } from '../../../../../../src/shared/base/units.ts'
import { DEMO, latin1, readAll, readEverything, T0, Writer, type Item } from '../harness.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'
import { quoteText, tradeText } from '../../../../../kit/market.ts'

let folder: ReturnType<typeof makeStoreFolder>
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(() => folder.remove())

const frame = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom('BTC-USD', 'ETH-USD', 'X:SOL-USD'),
        fc.integer({ min: 1, max: 1e6 }),
        fc.integer({ min: 0, max: 200_000 }),
      )
      .map(([s, p, t]) => tradeText(s, p / 100, 0.5, T0 + t)),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 0, max: 200_000 }))
      .map(([p, t]) => quoteText('BTC-USD', p / 10, (p + 1) / 10, T0 + t)),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 65_536 }).map((n) => new Uint8Array(n).fill(n & 255)) },
  { weight: 1, arbitrary: fc.json() },
)
const item: fc.Arbitrary<Item> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      conn: fc.integer({ min: 1, max: 3 }),
      data: frame,
      flags: fc.constantFrom(0, 0, 0, FLAG.binary, FLAG.undecodable, FLAG.unasked, FLAG.undated | FLAG.control),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Item>({ entry: { type: 'state', feed: 'crypto/XT', conn: 1, state: 'open' } }) },
)
const step = fc.oneof(
  { weight: 5, arbitrary: fc.array(item, { minLength: 1, maxLength: 40 }) },
  { weight: 2, arbitrary: fc.constantFrom('seal' as const, 'turn' as const) },
)

describe('StoreEngine', () => {
  it('returns every message byte for byte, in order, across journal, seal and merge', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), fc.boolean(), async (steps, ended) => {
        const here = makeStoreFolder()
        let now = T0
        const engine = new StoreEngine(here.file, () => now)
        const reader = openLocalReader(here.file)
        try {
          const key = newSessionId(T0)
          engine.begin(key, DEMO, unixMs(T0))
          const writer = new Writer(['crypto/XT', 'crypto/XQ', 'crypto/XT'])
          const expected: { seq: number; raw: string; flags: number; recvMs: number }[] = []
          for (const s of steps) {
            if (s === 'seal') {
              now += SEAL_AFTER_MS
              engine.drain()
            } else if (s === 'turn') {
              now += SEAL_AFTER_MS
              engine.turn(0)
            } else {
              let seq = writer.seq
              for (const i of s) {
                seq++
                if (!('entry' in i)) expected.push({ seq, raw: latin1(i.data), flags: i.flags ?? 0, recvMs: T0 + seq })
              }
              expect(engine.commit([writer.batch(s)]).seq).toBe(seq)
            }
            const rows = await readEverything(reader, key)
            expect(rows.map(({ seq, raw, flags, recvMs }) => ({ seq, raw, flags, recvMs }))).toEqual(expected)
          }
          if (ended) {
            engine.end(unixMs(T0 + 100_000), [])
            engine.drain()
            const rows = await readEverything(reader, key)
            expect(rows.map(({ seq, raw }) => ({ seq, raw }))).toEqual(expected.map(({ seq, raw }) => ({ seq, raw })))
          }
          const report = await reader.verify(null)
          expect(report.problems).toEqual([])
          expect(report.messages).toBe(expected.length)
        } finally {
          await reader.close()
          engine.close()
          here.remove()
        }
      }),
      { numRuns: 10 },
    )
  })

  it('closes everything if the store cannot be opened completely, so that retries leak nothing', () => {
    new StoreEngine(folder.file).close()
    const db = new Database(folder.file)
    db.exec('DROP TABLE snapshot')
    db.close()
    const opened: unknown[] = []
    const committed = vi.spyOn(CommitHead.prototype, 'committed').mockImplementation(function (this: CommitHead) {
      opened.push(this)
      return 0
    })
    const closed = vi.spyOn(CommitHead.prototype, 'close')
    try {
      for (const tries of [1, 2]) {
        expect(() => new StoreEngine(folder.file)).toThrow('The store failed unexpectedly.')
        expect(opened).toHaveLength(tries)
        expect(closed.mock.contexts).toEqual(opened)
      }
    } finally {
      committed.mockRestore()
      closed.mockRestore()
    }
  })

  it("lists a limited number of an instrument's symbols, the first ones, however they are sealed", async () => {
    let now = T0
    const engine = new StoreEngine(folder.file, () => now)
    engine.begin(newSessionId(T0), DEMO, unixMs(T0))
    const writer = new Writer()
    const alias = (i: number) => `B${'-'.repeat(i % 16)}TC${'_'.repeat(i >> 4)}USD`
    for (let round = 0; round < 10; round++) {
      const texts = Array.from({ length: 20 }, (_, i) => tradeText(alias(round * 20 + i - round), 1, 1, T0))
      engine.commit([writer.batch(texts.map((data) => ({ conn: 1, data })))])
      now += SEAL_AFTER_MS
      if (round % 3 === 0) engine.drain()
    }
    engine.end(unixMs(now), [])
    engine.drain()
    const reader = openLocalReader(folder.file)
    const [found] = await reader.instruments({ feed: 'crypto/XT' })
    expect([...found.symbols].sort()).toEqual(Array.from({ length: MAX_ALIASES }, (_, i) => alias(i)).sort())
    expect(await reader.verify(null)).toMatchObject({ messages: 200, problems: [] })
    await reader.close()
    engine.close()
  })

  it('merges small blocks without losing a row', async () => {
    let now = T0
    const engine = new StoreEngine(folder.file, () => now)
    engine.begin(newSessionId(T0), DEMO, unixMs(T0))
    const writer = new Writer()
    const reader = openLocalReader(folder.file)
    const sent: string[] = []
    for (let round = 0; round < 40; round++) {
      const items = Array.from({ length: 150 }, (_, i) => {
        const text = tradeText(
          i % 3 === 0 ? 'ETH-USD' : 'BTC-USD',
          (30_000 + round + i / 100).toFixed(2),
          '0.25',
          T0 + round * 3_000 + i,
        )
        sent.push(text)
        return { conn: 1, data: text }
      })
      engine.commit([writer.batch(items)])
      now += SEAL_AFTER_MS
      engine.drain()
    }
    const blocks = reader.queries.db.prepare('SELECT count(*) FROM block').pluck().get()
    expect(blocks).toBeLessThan(14)
    expect((await readEverything(reader)).map((row) => row.raw)).toEqual(sent)
    expect((await reader.verify(null)).problems).toEqual([])
    engine.end(unixMs(now), [])
    engine.drain()
    expect(reader.queries.db.prepare('SELECT count(*) FROM block').pluck().get()).toBe(2)
    expect((await readEverything(reader)).map((row) => row.raw)).toEqual(sent)
    expect((await reader.verify(null)).problems).toEqual([])
    await reader.close()
    engine.close()
  })

  it('counts the instruments of unsealed messages, and skips a corrupt flush', async () => {
    let now = T0
    const engine = new StoreEngine(folder.file, () => now)
    engine.begin(newSessionId(T0), DEMO, unixMs(T0))
    const writer = new Writer()
    const reader = openLocalReader(folder.file)
    const session = async (): Promise<unknown> => (await reader.sessions())[0]
    engine.commit([
      writer.batch([
        { conn: 1, data: tradeText('BTC-USD', 1, 1, T0) },
        { conn: 2, data: quoteText('BTC-USD', 1, 2, T0) },
      ]),
    ])
    expect(await session()).toMatchObject({ symbols: 1, messages: 2 })
    engine.commit([writer.batch([{ conn: 1, data: tradeText('ETH-USD', 1, 1, T0) }])])
    expect(await session()).toMatchObject({ symbols: 2, messages: 3 })
    now += SEAL_AFTER_MS
    engine.drain()
    engine.commit([writer.batch([{ conn: 1, data: tradeText('SOL-USD', 1, 1, T0) }])])
    expect(await session()).toMatchObject({ symbols: 3, messages: 4 })
    engine.commit([writer.batch([{ conn: 1, data: tradeText('BTC-USD', 2, 1, T0) }])])
    const disk = new Database(folder.file)
    disk.exec('UPDATE journal SET data = CAST(substr(data, 1, length(data) - 1) AS BLOB) WHERE first_seq = 5')
    disk.close()
    expect(await session()).toMatchObject({ symbols: 3, messages: 4 })
    now += SEAL_AFTER_MS
    engine.drain()
    expect(await session()).toMatchObject({ symbols: 3, messages: 4 })
    await reader.close()
    engine.close()
  })

  describe('a journal row with corrupt seqs', () => {
    const MINUTES: BarQuery = {
      instrument: instrumentId('crypto', 'BTC-USD'),
      of: 'trade',
      interval: '1m',
      source: 'demo',
      beforeMs: null,
      limit: 10,
    }
    let now = T0
    const flushOf = (writer: Writer, count: number) =>
      writer.batch(Array.from({ length: count }, () => ({ conn: 1, data: tradeText('BTC-USD', 100, 1, T0) })))
    const flip = (statement: string): void => {
      const disk = new Database(folder.file)
      disk.exec(statement)
      disk.close()
    }
    /** Seals a flush of 50, corrupts what follows, and records three more flushes. */
    function recordPast(corrupt: readonly string[]): { engine: StoreEngine; writer: Writer; id: SessionId } {
      now = T0
      vi.spyOn(Ownership.prototype, 'check').mockReturnValue(undefined)
      const engine = new StoreEngine(folder.file, () => now)
      const id = newSessionId(T0)
      engine.begin(id, DEMO, unixMs(T0))
      const writer = new Writer()
      engine.commit([flushOf(writer, 50)])
      now += SEAL_AFTER_MS
      engine.drain()
      engine.commit([flushOf(writer, 50)])
      engine.commit([flushOf(writer, 50)])
      for (const statement of corrupt) flip(statement)
      now += SEAL_AFTER_MS
      engine.drain()
      for (let i = 0; i < 3; i++) {
        engine.commit([flushOf(writer, 50)])
        now += SEAL_AFTER_MS
        engine.drain()
      }
      return { engine, writer, id }
    }
    afterEach(() => {
      vi.restoreAllMocks()
    })

    it('never moves the watermark past the end of the session', async () => {
      const { engine, writer } = recordPast([
        'UPDATE journal SET data = CAST(substr(data, 1, length(data) - 1) AS BLOB) WHERE first_seq = 51',
        'UPDATE journal SET first_seq = first_seq + 1048576 WHERE first_seq = 101',
      ])
      engine.end(unixMs(now), [])
      engine.drain()
      const disk = new Database(folder.file)
      expect(disk.prepare('SELECT sealed_seq FROM recording').pluck().get()).toBe(writer.seq)
      disk.close()
      const reader = openLocalReader(folder.file)
      const { bars } = await reader.bars({
        ...MINUTES,
        skipCorrupt: true,
      })
      // The first flush, and the three that arrived after the corrupt ones.
      expect(bars).toMatchObject([{ volume: 200, complete: false }])
      await reader.close()
      engine.close()
    })

    const HIDING = [
      ['a first seq that is too high', 'UPDATE journal SET first_seq = first_seq + 1048576 WHERE first_seq = 51'],
      ['a first seq that is too low', 'UPDATE journal SET first_seq = 5 WHERE first_seq = 51'],
      ['a hidden last flush', 'UPDATE journal SET first_seq = first_seq + 1048576 WHERE first_seq = 101'],
      [
        'a corrupt last seq before a hidden flush',
        'UPDATE journal SET last_seq = 60 WHERE first_seq = 51; UPDATE journal SET first_seq = 1048576 WHERE first_seq = 101',
      ],
    ] as const
    it.each(HIDING)('%s hides no messages: exports refuse, and bars are incomplete', async (_, statement) => {
      const { engine, id } = recordPast([statement])
      engine.end(unixMs(now), [])
      engine.drain()
      const reader = openLocalReader(folder.file)
      await expect(readAll(reader, 'crypto/XT', id)).rejects.toMatchObject({ code: 'store-damaged' })
      const page = await reader.bars({ ...MINUTES, skipCorrupt: true })
      expect(page.bars).toMatchObject([{ complete: false }])
      expect(page.gaps).toMatchObject([{ cause: 'unreadable' }])
      await expect(reader.bars(MINUTES)).rejects.toMatchObject({ code: 'store-damaged' })
      expect(await reader.verify(null)).toMatchObject({ ok: false })
      await reader.close()
      engine.close()
    })

    it('marks nothing as missing in an intact journal', () => {
      const { engine } = recordPast([])
      engine.end(unixMs(now), [])
      engine.drain()
      const disk = new Database(folder.file)
      expect(disk.prepare('SELECT count(*) FROM journal').pluck().get()).toBe(0)
      disk.close()
      engine.close()
    })

    it('does not decide where a crashed session ended', async () => {
      const { engine, writer, id } = recordPast([
        'UPDATE journal SET last_seq = last_seq + 1048576 WHERE first_seq = 51',
      ])
      engine.close()
      const again = new StoreEngine(folder.file, () => now)
      again.recoverSessions(unixMs(now))
      again.drain()
      again.close()
      const reader = openLocalReader(folder.file)
      const entries = await reader.entries({ session: id })
      expect(entries.map(({ seq }) => seq).filter((seq) => seq > writer.seq + 10)).toEqual([])
      await reader.close()
    })
  })

  it('seals slowly if nobody waits, and fast if a session ends or the journal is long', () => {
    let now = T0
    const engine = new StoreEngine(folder.file, () => now)
    engine.begin(newSessionId(T0), DEMO, unixMs(T0))
    const writer = new Writer()
    const put = (bytes: number): void => {
      const text = tradeText('BTC-USD', '1'.padEnd(1_000_000, '0'), 1, T0)
      for (let sent = 0; sent < bytes; sent += text.length) engine.commit([writer.batch([{ conn: 1, data: text }])])
    }
    put(1)
    expect(engine.turn(3)).toBe('idle')
    expect(engine.isLeisurely).toBe(false)
    now += SEAL_AFTER_MS
    engine.turn(0)
    expect(engine.isLeisurely).toBe(true)
    put(17 << 20)
    expect(engine.isLeisurely).toBe(false)
    engine.drain()
    expect(engine.journalBytes).toBeLessThan(8 << 20)
    put(1)
    now += SEAL_AFTER_MS
    engine.turn(0)
    expect(engine.isLeisurely).toBe(true)
    engine.end(unixMs(now), [])
    expect(engine.isLeisurely).toBe(false)
    engine.drain()
    engine.close()
  })
})
