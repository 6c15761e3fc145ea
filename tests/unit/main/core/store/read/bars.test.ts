import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decode } from '../../../../../../src/service/codecs/decode.ts'
import { scratch } from '../../../../../../src/service/codec.ts'
import { StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { feedOfBars } from '../../../../../../src/main/core/store/read/bars.ts'
import { applyRecord } from '../../../../../../src/main/core/store/format/classify.ts'
import { openLocalReader } from '../../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../../src/main/core/store/types/session-id.ts'
import type { BarQuery } from '../../../../../../src/main/core/store/types/bars.ts'
import { toBar } from '../../../../../../src/shared/core/market/bars.ts'
import { createBarBuilder } from '../../../../../../src/shared/core/market/bar-builder.ts'
import { gridOf } from '../../../../../../src/shared/core/market/calendar.ts'
import { msOf, type Bar, type BarSource, type Interval } from '../../../../../../src/shared/core/market/market.ts'
import { overlapsOf } from '../../../../../../src/shared/features/sessions/overlaps.ts'
import { FLAG, type LedgerEntry, type Source } from '../../../../../../src/shared/core/recording/session.ts'
import { instrumentId, unixMs } from '../../../../../../src/shared/base/units.ts'
import { DEMO, T0, Writer, type Item } from '../harness.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'
import { quoteText, tradeText } from '../../../../../kit/market.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const FEEDS = ['crypto/XT', 'crypto/XQ', 'crypto/XA'] as const

const event = fc.record({
  what: fc.constantFrom('trade', 'trade', 'quote', 'bar', 'odd', 'unasked', 'undated') as fc.Arbitrary<'trade'>,
  at: fc.integer({ min: 0, max: 3 * 3_600_000 }),
  cents: fc.integer({ min: -5, max: 100_000 }),
  size: fc.integer({ min: 0, max: 1_000_000 }),
})

function toItem({ what, at, cents, size }: { what: string; at: number; cents: number; size: number }): Item {
  const t = T0 + at
  const p = cents / 100
  switch (what) {
    case 'quote':
      return { conn: 2, data: quoteText('BTC-USD', p, p + 0.01, t) }
    case 'bar': {
      const s = Math.floor(t / 60_000) * 60_000
      return {
        conn: 3,
        data: `{"ev":"XA","pair":"BTC-USD","o":${p},"h":${p + 1},"l":${p},"c":${p},"v":${size},"s":${s},"e":${s + 60_000}}`,
      }
    }
    case 'odd':
      return { conn: 1, data: tradeText('BTC-USD', `"${p}"`, 'null', t) }
    case 'unasked':
      return { conn: 1, data: tradeText('BTC-USD', p, size, t), flags: FLAG.unasked }
    case 'undated':
      return { conn: 1, data: tradeText('BTC-USD', p, size, t), flags: FLAG.undated }
    default:
      return { conn: 1, data: tradeText(at % 7 === 0 ? 'ETH-USD' : 'BTC-USD', p, (size / 1e4).toFixed(4), t) }
  }
}

/** The bars computed by the rules, directly from the messages. */
function expected(items: readonly Item[], of: BarSource, interval: Interval, maxSeq = Infinity): unknown[] {
  const builder = createBarBuilder({ grid: gridOf('crypto', interval) })
  const minutes = createBarBuilder({ grid: gridOf('crypto', '1m') })
  const feed = feedOfBars('crypto', of, msOf(interval))
  const record = scratch()
  items.forEach((item, i) => {
    if ('entry' in item || FEEDS[item.conn - 1] !== feed || ((item.flags ?? 0) & FLAG.unasked) !== 0 || i + 1 > maxSeq)
      return
    const bytes = new TextEncoder().encode(String(item.data))
    if (decode(feed, bytes, 0, bytes.length, record) !== 'market' || record.symbol !== 'BTC-USD') return
    const ms = ((item.flags ?? 0) & FLAG.undated) !== 0 || Number.isNaN(record.eventMs) ? T0 + i + 1 : record.eventMs
    applyRecord(of === 'service' ? minutes : builder, of, i + 1, ms, record)
  })
  if (of === 'service') for (const state of minutes.states()) builder.merge(state)
  return builder.states().map((state) => ({ ...toBar(state), complete: null }))
}

it('returns the bars of the messages from rollups, blocks and journal, without look-ahead', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(event, { minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 0, max: 6 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (rounds, sealed, share) => {
        const folder = makeStoreFolder()
        let now = T0
        const engine = new StoreEngine(folder.file, () => now)
        const key = newSessionId(T0)
        engine.begin(key, DEMO, unixMs(T0))
        const writer = new Writer(FEEDS)
        const items: Item[] = []
        for (const [i, round] of rounds.entries()) {
          const add = round.map(toItem)
          items.push(...add)
          engine.commit([writer.batch(add)])
          now += 130_000
          if (i < sealed) engine.drain()
        }
        const reader = openLocalReader(folder.file)
        const maxSeq = Math.max(1, Math.floor(items.length * share))
        /** All bars, page by page from the oldest one. */
        const forward = async (query: BarQuery): Promise<Bar[]> => {
          const bars: Bar[] = []
          for (let more = true; more;) {
            const page = await reader.bars({ ...query, afterMs: bars.at(-1)?.startMs ?? -8.64e15 })
            expect(page.bars.length).toBeLessThanOrEqual(query.limit)
            expect(page.more && page.bars.length < query.limit).toBe(false)
            bars.push(...page.bars)
            more = page.more
          }
          return bars
        }
        for (const of of ['trade', 'bid', 'mid', 'service'] as const) {
          for (const interval of ['1m', '5m', '1h', '1D', '15s', '100ms', '250ms', '7s', '90s', '3m', '45m'] as const) {
            if (of === 'service' && msOf(interval) % 60_000 !== 0) continue
            const query = { instrument: BTC, of, interval, source: 'demo', beforeMs: null, limit: 1_000 } as const
            const strip = (bars: readonly object[]): unknown[] => bars.map((bar) => ({ ...bar, complete: null }))
            const all = await reader.bars(query)
            expect(strip(all.bars)).toEqual(expected(items, of, interval))
            expect(all.more).toBe(false)
            const then = await reader.bars({ ...query, upTo: new Map([[key, maxSeq]]) })
            expect(strip(then.bars)).toEqual(expected(items, of, interval, maxSeq))
            const page = await reader.bars({ ...query, limit: 2 })
            expect(page.bars).toEqual(all.bars.slice(-2))
            expect(page.more).toBe(all.bars.length > 2)
            const last = all.bars.at(-1)
            if (last !== undefined) {
              expect((await reader.bars({ ...query, beforeMs: last.startMs })).bars).toEqual(all.bars.slice(0, -1))
            }
            expect(await forward({ ...query, limit: 9 })).toEqual(all.bars)
            const cut = { ...query, upTo: new Map([[key, maxSeq]]) }
            expect(await forward({ ...cut, limit: 9 })).toEqual(then.bars)
            const [first] = all.bars
            if (last !== undefined) {
              const middle = { ...query, afterMs: first.startMs, beforeMs: last.startMs }
              expect((await reader.bars(middle)).bars).toEqual(all.bars.slice(1, -1))
            }
          }
        }
        expect((await reader.verify(null)).problems).toEqual([])
        await reader.close()
        engine.close()
        folder.remove()
      },
    ),
    { numRuns: 15 },
  )
}, 120_000)

it('returns the same to an old and a new reader while the journal grows, is sealed, and gets another connection', async () => {
  const ETH = instrumentId('crypto', 'ETH-USD')
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          events: fc.array(event, { minLength: 1, maxLength: 20 }),
          conn: fc.constantFrom(1, 4),
          seals: fc.boolean(),
        }),
        { minLength: 2, maxLength: 6 },
      ),
      async (rounds) => {
        const folder = makeStoreFolder()
        let now = T0
        const engine = new StoreEngine(folder.file, () => now)
        engine.begin(newSessionId(T0), DEMO, unixMs(T0))
        // A second connection of the trade feed.
        const writer = new Writer([...FEEDS, 'crypto/XT'])
        const cached = openLocalReader(folder.file)
        for (const { events, conn, seals } of rounds) {
          engine.commit([
            writer.batch(
              events.map(toItem).map((item) => ('conn' in item && item.conn === 1 ? { ...item, conn } : item)),
            ),
          ])
          now += 130_000
          if (seals) engine.drain()
          const fresh = openLocalReader(folder.file)
          for (const instrument of [BTC, ETH]) {
            for (const of of ['trade', 'mid'] as const) {
              for (const interval of ['100ms', '1m'] as const) {
                const query = { instrument, of, interval, source: 'demo', beforeMs: null, limit: 100 } as const
                expect(await cached.bars(query)).toEqual(await fresh.bars(query))
              }
            }
          }
          expect(await cached.sessions()).toEqual(await fresh.sessions())
          expect(await cached.sessions(true)).toEqual(await fresh.sessions(true))
          await fresh.close()
        }
        await cached.close()
        engine.close()
        folder.remove()
      },
    ),
    { numRuns: 25 },
  )
}, 120_000)

it('marks bars that overlap a gap, the start or the end of reception as incomplete', async () => {
  const folder = makeStoreFolder()
  const engine = new StoreEngine(folder.file, () => T0)
  engine.begin(newSessionId(T0), DEMO, unixMs(T0 + 20_000))
  const writer = new Writer(FEEDS)
  const minute = (m: number, s: number): Item => ({
    conn: 1,
    data: tradeText('BTC-USD', 100 + m, 1, T0 + m * 60_000 + s * 1_000),
  })
  engine.commit([
    writer.batch([
      minute(0, 30),
      minute(1, 5),
      minute(2, 5),
      { entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: unixMs(T0 + 125_000) } },
      { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: 4 }, wallMs: T0 + 190_000 },
      minute(3, 20),
      {
        entry: {
          type: 'gap-open',
          feed: 'crypto/XT',
          cause: 'drop',
          symbols: ['ETH-USD'],
          fromMs: unixMs(T0 + 240_000),
        },
      },
      minute(4, 5),
      minute(5, 5),
    ]),
  ])
  engine.end(unixMs(T0 + 330_000), [])
  engine.drain()
  const reader = openLocalReader(folder.file)
  const { bars } = await reader.bars({
    instrument: BTC,
    of: 'trade',
    interval: '1m',
    source: 'demo',
    beforeMs: null,
    limit: 10,
  })
  expect(bars.map((bar) => bar.complete)).toEqual([false, true, false, false, true, false])
  await reader.close()
  engine.close()
  folder.remove()
})

describe('bars of an instrument whose subscription ends', () => {
  const symbols = ['BTC-USD']
  const entry = (ofEntry: LedgerEntry, s: number): Item => ({ entry: ofEntry, wallMs: T0 + s * 1_000 })
  const on = (conn: number, type: 'acknowledged' | 'released', s: number): Item =>
    entry({ type, feed: 'crypto/XT', conn, symbols }, s)
  const ended = (conn: number, s: number): Item =>
    entry({ type: 'disconnected', feed: 'crypto/XT', conn, closeCode: 1000, reason: '' }, s)

  it.each([
    { name: 'are marked from then on', ends: [on(1, 'released', 90)], complete: [true, false, false] },
    { name: 'are marked when its connection is closed', ends: [ended(1, 90)], complete: [true, false, false] },
    {
      name: 'aren’t marked if it has moved to another connection',
      ends: [on(2, 'acknowledged', 80), on(1, 'released', 90), ended(1, 95)],
      complete: [true, true, true],
    },
    {
      name: 'are marked once no connection has it',
      ends: [on(2, 'acknowledged', 80), on(1, 'released', 90), ended(2, 130)],
      complete: [true, true, false],
    },
  ])('$name', async ({ ends, complete }) => {
    const folder = makeStoreFolder()
    const engine = new StoreEngine(folder.file, () => T0)
    engine.begin(newSessionId(T0), DEMO, unixMs(T0))
    const at = (s: number): Item => ({
      conn: 1,
      data: tradeText('BTC-USD', 100, 1, T0 + s * 1_000),
      recvMs: T0 + s * 1_000,
    })
    engine.commit([new Writer(FEEDS).batch([on(1, 'acknowledged', 0), at(10), at(70), ...ends, at(150), at(200)])])
    engine.end(unixMs(T0 + 600_000), [])
    engine.drain()
    const reader = openLocalReader(folder.file)
    const query = { instrument: BTC, of: 'trade', interval: '1m', source: 'demo', beforeMs: null, limit: 10 } as const
    expect((await reader.bars(query)).bars.slice(0, 3).map((bar) => bar.complete)).toEqual(complete)
    await reader.close()
    engine.close()
    folder.remove()
  })
})

it('widens a gap by the clock skew measured when it opened', async () => {
  const folder = makeStoreFolder()
  const engine = new StoreEngine(folder.file, () => T0)
  const key = newSessionId(T0)
  engine.begin(key, DEMO, unixMs(T0 - 600_000))
  const writer = new Writer(FEEDS)
  const minutes = Array.from({ length: 7 }, (_, m): Item => {
    const ms = T0 + m * 60_000 + 5_000
    return { conn: 1, data: tradeText('BTC-USD', 100 + m, 1, ms), recvMs: ms }
  })
  const gap = { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: ['BTC-USD'] } as const
  engine.commit([
    writer.batch([
      { entry: { type: 'acknowledged', feed: 'crypto/XT', conn: 1, symbols: ['BTC-USD'] }, wallMs: T0 - 600_000 },
      ...minutes,
      { entry: { ...gap, fromMs: unixMs(T0 + 185_000), skewMs: -70_000 }, wallMs: T0 + 185_000 },
      { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: 9 }, wallMs: T0 + 186_000 },
    ]),
  ])
  engine.end(unixMs(T0 + 600_000), [])
  engine.drain()
  const reader = openLocalReader(folder.file)
  const query = { instrument: BTC, of: 'trade', interval: '1m', source: 'demo', beforeMs: null, limit: 10 } as const
  const { bars } = await reader.bars(query)
  expect(bars.map((bar) => bar.complete)).toEqual([true, false, false, false, false, true, true])
  expect(await reader.gaps({})).toMatchObject([{ cause: 'drop', skewMs: -70_000 }])

  // A live series with the same gap agrees.
  const live = createBarBuilder({ grid: gridOf('crypto', '1m') })
  minutes.forEach((_, m) => live.apply(T0 + m * 60_000 + 5_000, m, 100 + m, 1))
  live.addGap({ fromMs: T0 + 185_000, toMs: T0 + 186_000 }, 70_000)
  expect(live.states().map((bar) => bar.complete)).toEqual(bars.map((bar) => bar.complete))

  expect((await reader.verify(null)).problems).toEqual([])
  const db = new Database(folder.file)
  db.exec('UPDATE gap SET skew_ms = 0')
  db.close()
  expect((await reader.verify(null)).problems).toMatchObject([{ session: key, kind: 'entry' }])
  await reader.close()
  engine.close()
  folder.remove()
})

it('reads sessions one after another, also if the clock was set back in between', async () => {
  const folder = makeStoreFolder()
  const engine = new StoreEngine(folder.file, () => T0)
  const at = (ms: number, p: number, recvMs: number): Item => ({
    conn: 1,
    data: tradeText('BTC-USD', p, 1, ms),
    recvMs,
  })
  const keys = [T0 + 3_600_000, T0 + 60_000].map((startedMs) => newSessionId(startedMs))
  // The clock was an hour fast and was then corrected. Events are dated by the service.
  engine.begin(keys[0], DEMO, unixMs(T0 + 3_600_000))
  engine.commit([new Writer(FEEDS).batch([at(T0 + 10_000, 1, T0 + 3_610_000), at(T0 + 50_000, 2, T0 + 3_650_000)])])
  engine.end(unixMs(T0 + 3_660_000), [])
  engine.drain()
  engine.begin(keys[1], DEMO, unixMs(T0 + 60_000))
  engine.commit([new Writer(FEEDS).batch([at(T0 + 55_000, 3, T0 + 61_000), at(T0 + 80_000, 4, T0 + 80_000)])])
  engine.end(unixMs(T0 + 180_000), [])
  engine.drain()
  const reader = openLocalReader(folder.file)
  expect((await reader.sessions()).map((row) => row.session)).toEqual(keys)
  expect(overlapsOf(await reader.sessions())).toEqual([])
  const query = { instrument: BTC, of: 'trade', interval: '1m', source: 'demo', beforeMs: null, limit: 10 } as const
  const page = await reader.bars(query)
  expect(page).toMatchObject({
    bars: [
      { open: 1, close: 3, count: 3 },
      { open: 4, count: 1 },
    ],
  })
  expect(page.overlaps).toBeUndefined()
  // At the end of the second session the first is over; at the end of the first, the second is still to come.
  const then = (n: number) => reader.bars({ ...query, upTo: new Map([[keys[n], 2]]) })
  expect((await then(1)).bars).toMatchObject([{ count: 3 }, { count: 1 }])
  expect((await then(0)).bars).toMatchObject([{ count: 2 }])
  const seen: string[] = []
  for await (const ticks of reader.ticks({ feed: 'crypto/XT', instruments: [BTC] })) {
    for (let i = 0; i < ticks.count; i++) seen.push(`${ticks.session} ${ticks.seq[i]}`)
  }
  expect(seen).toEqual([`${keys[0]} 1`, `${keys[0]} 2`, `${keys[1]} 1`, `${keys[1]} 2`])
  await reader.close()
  engine.close()
  folder.remove()
})

it('keeps sources separate and joins sessions of one, preferring the earlier one where they overlap', async () => {
  const folder = makeStoreFolder()
  const engine = new StoreEngine(folder.file, () => T0)
  const record = (source: Source, fromMs: number, toMs: number, items: Item[]): void => {
    engine.begin(newSessionId(fromMs), source, unixMs(fromMs))
    engine.commit([new Writer(FEEDS).batch(items)])
    engine.end(unixMs(toMs), [])
    engine.drain()
  }
  const at = (ms: number, p: number): Item => ({ conn: 1, data: tradeText('BTC-USD', p, 1, ms), recvMs: ms })
  const service = { kind: 'service', origin: 'https://y', user: 'me' } as const
  record(service, T0, T0 + 90_000, [at(T0 + 1_000, 1), at(T0 + 80_000, 2)])
  record(service, T0 + 60_000, T0 + 180_000, [at(T0 + 80_000, 2), at(T0 + 100_000, 3)])
  record({ kind: 'import', origin: 'x', user: '' }, T0, T0 + 90_000, [at(T0 + 1_000, 99)])
  // The second session came from another machine. Imported sessions have negative numbers.
  const db = new Database(folder.file)
  db.exec('UPDATE recording SET id = -id WHERE id = 2')
  for (const table of ['connection', 'chain', 'entry', 'gap', 'series', 'journal']) {
    db.exec(`UPDATE ${table} SET recording = -recording WHERE recording = 2`)
  }
  db.close()
  const reader = openLocalReader(folder.file)
  const { bars, overlaps } = await reader.bars({
    instrument: BTC,
    of: 'trade',
    interval: '1m',
    source: 'service:me@https://y',
    beforeMs: null,
    limit: 10,
  })
  expect(bars).toMatchObject([
    { open: 1, close: 1, count: 1 },
    { open: 2, close: 3, count: 2 },
  ])
  const sessions = (await reader.sessions()).filter((row) => row.source === 'service:me@https://y')
  const [later, earlier] = sessions.map((row) => row.session)
  expect(overlaps).toEqual([{ source: 'service:me@https://y', earlier, later, fromMs: T0 + 60_000, toMs: T0 + 90_000 }])
  expect(overlapsOf(sessions)).toEqual(overlaps)
  const read = async (source?: string): Promise<number> => {
    let n = 0
    for await (const ticks of reader.ticks({ feed: 'crypto/XT', instruments: [BTC], source })) n += ticks.count
    return n
  }
  await expect(read()).rejects.toMatchObject({ code: 'ambiguous-source' })
  expect(await read('service:me@https://y')).toBe(3)
  await reader.close()
  engine.close()
  folder.remove()
})

it('refuses an unknown interval instead of searching without end', async () => {
  const folder = makeStoreFolder()
  const engine = new StoreEngine(folder.file, () => T0)
  engine.begin(newSessionId(T0), DEMO, unixMs(T0))
  engine.commit([new Writer(FEEDS).batch([{ conn: 1, data: tradeText('BTC-USD', 1, 1, T0), recvMs: T0 }])])
  const reader = openLocalReader(folder.file)
  for (const wrong of ['1d', '', 'toString']) {
    const interval = wrong as Interval // a value that untyped callers could pass
    await expect(
      reader.bars({ instrument: BTC, of: 'trade', interval, source: 'demo', beforeMs: null, limit: 5 }),
    ).rejects.toMatchObject({ code: 'bad-arguments' })
  }
  await reader.close()
  engine.close()
  folder.remove()
})
