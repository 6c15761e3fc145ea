import { join } from 'node:path'
import type Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { exportBars } from '../../../../../src/main/features/export/bars.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import type { BarPage, BarQuery } from '../../../../../src/main/core/store/types/bars.ts'
import { openLocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { touchesGap, type GapInterval } from '../../../../../src/shared/core/market/bars.ts'
import type { Bar, Interval } from '../../../../../src/shared/core/market/market.ts'
import { instrumentId, unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import { blocksOf, flip, inStore, type FlipTarget } from './flip.ts'
import { DEMO, T0, Writer, type Item } from './harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { quoteText, tradeText } from '../../../../kit/market.ts'
import { fixedExamples } from '../../../../kit/properties.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const MINUTE = 60_000
const HOUR = 3_600_000
const BARS = { instrument: BTC, of: 'trade', interval: '1m', source: 'demo', beforeMs: null, limit: 1_000 } as const

let folder: ReturnType<typeof makeStoreFolder>
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(() => folder.remove())

const at = (minute: number, second = 1): number => T0 + minute * MINUTE + second * 1_000
const print = (minute: number, price = 100 + minute, second = 1): Item => ({
  conn: 1,
  data: tradeText('BTC-USD', price, 1, at(minute, second)),
  recvMs: at(minute, second),
})
const acknowledged = (minute: number): Item => ({
  entry: { type: 'acknowledged', feed: 'crypto/XT', conn: 1, symbols: ['BTC-USD'] },
  wallMs: at(minute, 0),
})

/** An open session. Each round is sealed by itself except the last, which stays in the journal. */
function store(rounds: readonly (readonly Item[])[], roundMs = 130_000): SessionId {
  let now = T0
  const engine = new StoreEngine(folder.file, () => now)
  const id = newSessionId(T0)
  engine.begin(id, DEMO, unixMs(T0))
  const writer = new Writer()
  for (const [i, round] of rounds.entries()) {
    engine.commit([writer.batch(round)])
    now += roundMs
    if (i < rounds.length - 1) engine.drain()
  }
  engine.close()
  return id
}

const sql = <T>(run: (db: Database.Database) => T): T => inStore(folder.file, run)
const flipped = (table: 'block' | 'rollup' | 'journal', id: number, where?: FlipTarget): void =>
  flip(folder.file, table, id, where)
const blocks = (): readonly number[] => blocksOf(folder.file, 'crypto/XT', BTC)
const hours = (): readonly number[] =>
  sql((db) => db.prepare<[], number>('SELECT id FROM rollup ORDER BY series, hour_ms').pluck().all())

async function bars(query: Partial<BarQuery> = {}): Promise<BarPage> {
  const reader = openLocalReader(folder.file)
  try {
    return await reader.bars({ ...BARS, ...query })
  } finally {
    await reader.close()
  }
}
const readPastCorrupt = (query: Partial<BarQuery> = {}): Promise<BarPage> => bars({ ...query, skipCorrupt: true })
/** The corrupt spans of a page: every gap says that it is one. */
const corruptSpans = ({ gaps }: BarPage): readonly GapInterval[] =>
  gaps.map(({ cause, fromMs, toMs }) => {
    expect(cause).toBe('unreadable')
    return { fromMs, toMs }
  })
const touches = ({ startMs, endMs }: Bar, span: GapInterval): boolean => touchesGap(startMs, endMs, span)
/** Minute and close of each bar, with "?" if it isn't complete. */
const describeBars = ({ bars }: BarPage): readonly string[] =>
  bars.map(({ startMs, close, complete }) => `${(startMs - T0) / MINUTE} ${close}${complete ? '' : '?'}`)
const range = (from: number, to: number): readonly number[] => Array.from({ length: to - from }, (_, i) => from + i)

describe('a corrupt block', () => {
  const rounds = [[acknowledged(0), ...range(0, 3).map((m) => print(m))], range(3, 6).map((m) => print(m)), [print(6)]]

  it('costs a chart only its own bars, which the page reports; strict reads are refused', async () => {
    store(rounds)
    const before = await bars({ interval: '1s' })
    expect(await readPastCorrupt({ interval: '1s' })).toEqual(before)
    const [, second] = blocks()
    flipped('block', second)
    await expect(bars({ interval: '1s' })).rejects.toMatchObject({ code: 'store-damaged' })
    const page = await readPastCorrupt({ interval: '1s' })
    expect(corruptSpans(page)).toEqual([{ fromMs: at(3), toMs: at(5) + 1 }])
    expect(describeBars(page)).toEqual(describeBars(before).filter((_, m) => m < 3 || m === 6))
    expect(page).toMatchObject({ more: false })
  })

  it('is skipped by a page that has nothing else', async () => {
    store(rounds)
    flipped('block', blocks()[1])
    const page = await readPastCorrupt({ interval: '1s', beforeMs: at(6, 0), limit: 2 })
    expect(describeBars(page).map((one) => one.split(' ')[1])).toEqual(['101', '102'])
    expect(corruptSpans(page)).toEqual([{ fromMs: at(3), toMs: at(5) + 1 }])
  })

  it('costs minute bars nothing while their rollups are intact', async () => {
    store(rounds)
    const before = await bars()
    for (const id of blocks()) flipped('block', id)
    expect(await readPastCorrupt()).toEqual(before)
  })

  it('makes an export fail without leaving a file', async () => {
    store(rounds)
    flipped('block', blocks()[1])
    const reader = openLocalReader(folder.file)
    const out = join(folder.path, 'out.csv')
    const wanted = { out, asset: 'crypto', of: 'trade', interval: '1s' } as const
    await expect(exportBars(reader, wanted)).rejects.toMatchObject({ code: 'store-damaged' })
    expect((await reader.verify(null)).ok).toBe(false)
    await reader.close()
  })

  it("doesn't affect what was received before it", async () => {
    const session = store(rounds)
    flipped('block', blocks()[1])
    const page = await readPastCorrupt({ interval: '1s', upTo: new Map([[session, 4]]) })
    expect(page.gaps).toEqual([])
    expect(page.bars).toHaveLength(3)
    expect((await readPastCorrupt({ interval: '1s', upTo: new Map([[session, 5]]) })).gaps).toHaveLength(1)
  })

  it.each(['bars', 'ticks', 'replay'] as const)('is refused by %s with the times that it is about', async (of) => {
    const session = store(rounds)
    flipped('block', blocks()[1])
    const reader = openLocalReader(folder.file)
    const read = {
      bars: () => reader.bars({ ...BARS, interval: '1s' }),
      ticks: () =>
        reader
          .ticks({ feed: 'crypto/XT', instruments: [BTC], session, fromMs: at(3) })
          [Symbol.asyncIterator]()
          .next(),
      replay: () => reader.replay({ session, afterSeq: 4 })[Symbol.asyncIterator]().next(),
    }
    await expect(read[of]()).rejects.toMatchObject({
      code: 'store-damaged',
      message: 'Stored messages dated 2026-01-05T10:03:01.000Z to 2026-01-05T10:05:01.000Z are corrupt.',
    })
    await reader.close()
  })
})

describe('a corrupt index', () => {
  const rounds = [[acknowledged(0), print(0), print(1)], [print(2), print(3)], [print(4)]]
  const readAll = async (of: 'ticks' | 'replay', session: SessionId): Promise<void> => {
    const reader = openLocalReader(folder.file)
    const seqs: number[] = []
    try {
      const query = { feed: 'crypto/XT', instruments: null, session } as const
      for await (const { seq } of of === 'ticks' ? reader.ticks(query) : reader.replay({ session, afterSeq: 0 }))
        seqs.push(...seq)
    } finally {
      await reader.close()
    }
    expect(seqs).toEqual([2, 3, 4, 5, 6])
  }

  it.each(['ticks', 'replay'] as const)(
    "doesn't keep %s reading a block that ends before its listed end",
    async (of) => {
      const session = store(rounds)
      await readAll(of, session)
      sql((db) => db.prepare('UPDATE block SET max_seq = max_seq + 50 WHERE id = ?').run(blocks()[0]))
      await expect(readAll(of, session)).rejects.toMatchObject({ code: 'store-damaged' })
    },
  )

  it.each([
    ['a block', () => sql((db) => db.prepare('DELETE FROM block WHERE id = ?').run(blocks()[1]))],
    ['a series', () => sql((db) => db.exec(`UPDATE series SET recording = 99 WHERE feed = 'crypto/XT'`))],
    ['an entry', () => sql((db) => db.exec('DELETE FROM entry WHERE seq = 1'))],
  ])('that hides %s makes a replay refuse', async (_, hide) => {
    const session = store(rounds)
    await readAll('replay', session)
    hide()
    await expect(readAll('replay', session)).rejects.toMatchObject({ code: 'store-damaged' })
  })
})

describe('a corrupt hour of bars', () => {
  const rounds = [
    [acknowledged(0), ...range(0, 90).map((m) => print(m))],
    range(90, 150).map((m) => print(m)),
    [print(150)],
  ]

  it('is rebuilt completely from its messages, even if the changed data can be decompressed', async () => {
    store(rounds, HOUR)
    const before = await bars()
    for (const column of ['data', 'sum']) {
      const [first] = hours()
      flipped('rollup', first, { column })
      await expect(bars()).rejects.toThrow(
        'Stored bars dated 2026-01-05T10:00:00.000Z to 2026-01-05T11:00:00.000Z are corrupt.',
      )
      const page = await readPastCorrupt()
      expect(page).toEqual({ ...before, rebuilt: [{ fromMs: T0, toMs: T0 + HOUR }] })
      flipped('rollup', first, { column })
    }
    expect(await bars()).toEqual(before)
  })

  it('lacks messages that are corrupt, too', async () => {
    store(rounds, HOUR)
    const before = await bars()
    for (const id of hours()) flipped('rollup', id)
    flipped('block', blocks()[1])
    const page = await readPastCorrupt()
    expect(corruptSpans(page)).toEqual([{ fromMs: at(90), toMs: at(149) + 1 }])
    expect(page.rebuilt).toEqual([{ fromMs: T0, toMs: T0 + 3 * HOUR }])
    expect(describeBars(page)).toEqual(describeBars(before).filter((_, m) => m < 90 || m === 150))
    const long = await readPastCorrupt({ interval: '1h' })
    expect(long.bars.map(({ complete, count }) => [complete, count])).toEqual([
      [true, 60],
      [false, 30],
      [false, 1],
    ])
  })
})

describe('a corrupt ledger', () => {
  const gap: readonly Item[] = [
    { entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: unixMs(at(1, 30)) } },
    { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: 4 }, wallMs: at(2, 30) },
  ]
  const rounds = [[acknowledged(0), print(0), print(1), ...gap, print(3), print(4)], [print(5)]]

  it('reports an unreadable gap at its time, whichever part of it is corrupt', async () => {
    store(rounds)
    const before = await bars()
    expect(describeBars(before)).toEqual(['0 100', '1 101?', '3 103', '4 104', '5 105?'])
    for (const change of ["cause = 'dqop'", "feed = 'crypto/YT'", "symbols = '['"]) {
      const keep = sql((db) => db.prepare('SELECT * FROM gap').get() as Record<string, unknown>)
      sql((db) => db.exec(`UPDATE gap SET ${change}`))
      await expect(bars()).rejects.toMatchObject({ code: 'store-damaged' })
      const page = await readPastCorrupt()
      expect(corruptSpans(page)).toEqual([{ fromMs: at(1, 30), toMs: at(2, 30) }])
      expect(page.bars).toEqual(before.bars)
      const reader = openLocalReader(folder.file)
      await expect(reader.gaps({ feed: 'crypto/XT' })).rejects.toMatchObject({ code: 'store-damaged' })
      expect(await reader.gaps({ feed: 'crypto/XT', skipCorrupt: true })).toEqual([])
      await reader.close()
      sql((db) => db.prepare('UPDATE gap SET feed = @feed, cause = @cause, symbols = @symbols').run(keep))
    }
  })

  it("doesn't treat an instrument as received because of an unreadable entry", async () => {
    store(rounds)
    for (const body of ['{"type":"acknowledged"', '{"type":"acknowledged","feed":"crypto/XT","rymbols":["BTC-USD"]}']) {
      sql((db) => db.prepare(`UPDATE entry SET body = ? WHERE body LIKE '{"type":"acknowledged"%'`).run(body))
      await expect(bars()).rejects.toMatchObject({ code: 'store-damaged' })
      expect(corruptSpans(await readPastCorrupt())).toEqual([{ fromMs: T0, toMs: T0 }])
    }
  })
})

describe('a corrupt flush', () => {
  const digest = (minute: number): Item => ({
    entry: { type: 'digest', minuteMs: unixMs(at(minute, 0)), sha256: 'ab'.repeat(32) },
    wallMs: at(minute, 2),
  })

  it("is reported between the entries around it, sealed over or not, and its bars aren't complete", async () => {
    store([
      [acknowledged(0), print(0), digest(1)],
      [print(1), print(2), digest(3), print(4), digest(5), print(6)],
      [print(7)],
    ])
    const whole = describeBars(await bars())
    expect(whole).toEqual(['0 100', '1 101', '2 102', '4 104', '6 106', '7 107?'])
    const [last] = sql((db) => db.prepare<[], number>('SELECT id FROM journal').pluck().all())
    flipped('journal', last)
    const page = await readPastCorrupt()
    expect(describeBars(page)).toEqual(['0 100', '1 101', '2 102', '4 104?', '6 106?'])
    // From a minute before it was received, because trades can be that late.
    expect(corruptSpans(page)).toEqual([{ fromMs: at(4, 2), toMs: null }])
    await expect(bars()).rejects.toThrow(/^Messages of .* received from .* or later are corrupt/)
    expect(describeBars(await bars({ beforeMs: at(4, 0) }))).toEqual(['0 100', '1 101', '2 102'])
    // The writer finds it when sealing, marks it and continues.
    const engine = new StoreEngine(folder.file, () => T0 + HOUR)
    engine.begin(newSessionId(T0 + HOUR), DEMO, unixMs(T0 + HOUR))
    engine.drain()
    engine.close()
    const after = await readPastCorrupt()
    expect(describeBars(after)).toEqual(describeBars(page))
    expect(corruptSpans(after)).toMatchObject([{ fromMs: at(4, 2) }])
    await expect(bars()).rejects.toMatchObject({ code: 'store-damaged' })
    expect(describeBars(await bars({ beforeMs: at(4, 0) }))).toEqual(['0 100', '1 101', '2 102'])
  })

  it('is widened by the measured clock difference, in charts as in exports', async () => {
    const [open, close]: Item[] = [
      {
        entry: {
          type: 'gap-open',
          feed: 'crypto/XT',
          cause: 'drop',
          symbols: [],
          fromMs: unixMs(at(1)),
          skewMs: 5_000,
        },
      },
      { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: 3 }, wallMs: at(1, 30) },
    ]
    store([[acknowledged(0), print(0), open, close, print(2), print(3), digest(5), print(6)], [print(7)]])
    flipped(
      'journal',
      sql((db) => db.prepare<[], number>('SELECT id FROM journal').pluck().get() ?? 0),
    )
    // What is lost may be dated from 10:04:02 on, by a clock that is 5 s off.
    expect(describeBars(await readPastCorrupt())).toEqual(['0 100?', '2 102', '3 103?', '6 106?'])
    await expect(bars({ beforeMs: at(4, 0) })).rejects.toMatchObject({ code: 'store-damaged' })
    expect(describeBars(await bars({ beforeMs: at(3, 0) }))).toEqual(['0 100?', '2 102'])
  })
})

describe('a writer that meets corrupt data', () => {
  const rounds = [
    [acknowledged(0), ...range(0, 3).map((m) => print(m))],
    range(3, 6).map((m) => print(m)),
    range(6, 9).map((m) => print(m)),
    [print(9)],
  ]
  /** Closes what a crash left open, and continues recording. */
  function resumeRecording(): void {
    const engine = new StoreEngine(folder.file, () => T0 + 2 * HOUR)
    engine.begin(newSessionId(T0 + 2 * HOUR), DEMO, unixMs(T0 + 2 * HOUR))
    engine.commit([new Writer().batch([print(121)])])
    engine.end(unixMs(T0 + 2 * HOUR + 2 * MINUTE), [])
    engine.drain()
    engine.close()
  }
  const closed = (): unknown =>
    sql((db) => db.prepare('SELECT count(*) FROM recording WHERE summary IS NOT NULL').pluck().get())

  it('closes a session with a corrupt block, leaves the block and continues', async () => {
    store(rounds)
    const before = await bars({ interval: '1s' })
    flipped('block', blocks()[1])
    resumeRecording()
    expect(closed()).toBe(2)
    const page = await readPastCorrupt({ interval: '1s' })
    expect(corruptSpans(page)).toEqual([{ fromMs: at(3), toMs: at(5) + 1 }])
    // Whether the last bar before the crash and those after it are complete depends on the crash.
    expect(describeBars(page).slice(0, -2)).toEqual(describeBars(before).filter((_, m) => m < 3 || (m > 5 && m < 9)))
    expect(page.bars.slice(-2).map(({ close }) => close)).toEqual([109, 221])
  })

  it("writes no rollups for minutes of a block that it can't read", async () => {
    store(rounds)
    sql((db) => db.exec('UPDATE series SET rolled_seq = 4; DELETE FROM rollup'))
    flipped('block', blocks()[1])
    resumeRecording()
    const page = await readPastCorrupt()
    expect(corruptSpans(page)).toEqual([{ fromMs: at(3), toMs: at(5) + 1 }])
    expect(page.bars.map(({ startMs }) => (startMs - T0) / MINUTE)).toEqual([6, 7, 8, 9, 121])
  })

  it("doesn't turn an unreadable hour into a readable one", async () => {
    store(rounds)
    const before = await bars()
    const [hour] = hours()
    const size = sql((db) =>
      db.prepare<[number], number>('SELECT length(data) FROM rollup WHERE id = ?').pluck().get(hour),
    )
    flipped('rollup', hour)
    resumeRecording()
    expect(sql((db) => db.prepare('SELECT length(data) FROM rollup WHERE id = ?').pluck().get(hour))).toBe(size)
    await expect(bars()).rejects.toMatchObject({ code: 'store-damaged' })
    const page = await readPastCorrupt()
    expect(page.rebuilt).toEqual([{ fromMs: T0, toMs: T0 + HOUR }])
    expect(page.gaps).toEqual([])
    expect(page.bars.slice(0, -2)).toEqual(before.bars.slice(0, -1))
  })
})

describe('any corruption of one row', () => {
  const event = fc.record({
    what: fc.constantFrom('trade', 'trade', 'quote'),
    ms: fc.integer({ min: 0, max: 2 * HOUR }),
    cents: fc.integer({ min: 1, max: 100_000 }),
    size: fc.integer({ min: 0, max: 1_000_000 }),
  })
  const toItem = ({ what, ms, cents, size }: { what: string; ms: number; cents: number; size: number }): Item =>
    what === 'quote'
      ? { conn: 2, data: quoteText('BTC-USD', cents / 100, cents / 100 + 0.01, T0 + ms) }
      : { conn: 1, data: tradeText('BTC-USD', cents / 100, (size / 1e4).toFixed(4), T0 + ms) }

  it("changes no bar that it doesn't touch, and leaves none that it touches complete", async () => {
    let refused = 0
    const drawn = [
      fc.array(fc.array(event, { minLength: 1, maxLength: 40 }), { minLength: 2, maxLength: 4 }),
      fc.constantFrom('block' as const, 'rollup' as const, 'both' as const),
      fc.nat(),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 0, max: 7 }),
    ] as const
    await fc.assert(
      fc.asyncProperty(...drawn, async (rounds, what, which, byte, bit) => {
        folder.remove()
        folder = makeStoreFolder()
        store(rounds.map((round) => round.map(toItem)))
        const queries = (['trade', 'mid'] as const).flatMap((of) =>
          (['100ms', '1s', '1m', '5m', '1h', '1D'] as const).map((interval): { of: typeof of; interval: Interval } => ({
            of,
            interval,
          })),
        )
        const before = new Map<object, BarPage>()
        for (const query of queries) before.set(query, await bars(query))
        const all = sql((db) => db.prepare<[], number>('SELECT id FROM block ORDER BY id').pluck().all())
        const rolled = hours()
        if (what !== 'rollup') flipped('block', all[which % all.length], { byte, bit })
        if (what === 'both') for (const id of rolled) flipped('rollup', id, { byte, bit })
        if (what === 'rollup' && rolled.length > 0) flipped('rollup', rolled[which % rolled.length], { byte, bit })
        for (const query of queries) {
          const good = before.get(query)
          if (good === undefined) throw new TypeError('no such query')
          const page = await readPastCorrupt(query)
          const { rebuilt = [] } = page
          const lost = corruptSpans(page)
          const outside = (one: Bar): boolean => !lost.some((span) => touches(one, span))
          expect(page.bars.filter(outside)).toEqual(good.bars.filter(outside))
          expect(page.bars.filter((one) => !outside(one) && one.complete)).toEqual([])
          expect(page.more).toBe(false)
          if (what === 'rollup') expect(lost).toEqual([])
          // A strict read is refused wherever a corrupt span is reported, and only there.
          const strict = await bars(query).catch((thrown: unknown) => thrown)
          if (lost.length + rebuilt.length > 0) {
            refused++
            expect(strict).toMatchObject({ code: 'store-damaged' })
          } else expect(strict).toEqual(good)
        }
      }),
      { numRuns: 10, examples: fixedExamples(2, ...drawn) },
    )
    expect(refused).toBeGreaterThan(10)
  }, 120_000)
})
