import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SEAL_AFTER_MS, StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openStoreWriter } from '../../../../../src/main/core/store/open.ts'
import { openLocalReader, type LocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import type { GapCause } from '../../../../../src/shared/core/recording/session.ts'
import { instrumentId, unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import { DEMO, readEverything, T0, Writer, type Item } from './harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'

let folder: ReturnType<typeof makeStoreFolder>
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(() => folder.remove())

/** Trades dated at `fromMs` and after; by default after their receipt, as from a service whose clock is ahead. */
const items = (n: number, fromMs = T0 + 1_000): Item[] =>
  Array.from({ length: n }, (_, i) => ({ conn: 1, data: tradeText('BTC-USD', 100 + i, 1, fromMs + i) }))

/** Leaves a session as a crash would: some sealed, some only in the journal, one connection open. */
function recordAndCrash(sealed: boolean): SessionId {
  let now = T0
  const engine = new StoreEngine(folder.file, () => now)
  const key = newSessionId(T0)
  engine.begin(key, DEMO, unixMs(T0))
  const writer = new Writer()
  engine.commit([writer.batch([{ entry: { type: 'connected', feed: 'crypto/XT', conn: 1 } }, ...items(20)])])
  if (sealed) {
    now += SEAL_AFTER_MS
    engine.drain()
  }
  engine.commit([writer.batch(items(10))])
  engine.close()
  return key
}

it('reopens a store of many sessions, also if rows have lower numbers than their sessions', () => {
  const engine = new StoreEngine(folder.file, () => T0)
  for (const n of [0, 1, 2]) {
    engine.begin(newSessionId(T0 + n), DEMO, unixMs(T0 + n))
    if (n > 0) engine.commit([new Writer().batch(items(5))])
    engine.end(unixMs(T0 + n), [])
    engine.drain()
  }
  engine.close()
  const again = new StoreEngine(folder.file, () => T0)
  expect([again.unclosed, again.hasWork]).toEqual([[], false])
  again.close()
})

describe('a session left open by a crash', () => {
  it('has a gap with the clock skew measured last', async () => {
    const engine = new StoreEngine(folder.file, () => T0)
    engine.begin(newSessionId(T0), DEMO, unixMs(T0))
    const opened = { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: unixMs(T0) } as const
    const entries: Item[] = [300, -400].map((skewMs) => ({ entry: { ...opened, skewMs } }))
    engine.commit([new Writer().batch([...items(1), ...entries, { entry: opened }])])
    engine.close()
    const next = new StoreEngine(folder.file)
    next.begin(newSessionId(T0 + 60_000), DEMO, unixMs(T0 + 60_000))
    const reader = openLocalReader(folder.file)
    const gaps = (await reader.gaps({})).map(({ cause, skewMs }) => [cause, skewMs])
    expect(gaps).toEqual([
      ['drop', 300],
      ['drop', -400],
      ['drop', undefined],
      ['crash', -400],
    ])
    expect((await reader.verify(null)).problems).toEqual([])
    await reader.close()
    next.close()
  })

  it.each([true, false])(
    'is closed by the next begin with a gap that has both edges (sealed first: %s)',
    async (sealed) => {
      const key = recordAndCrash(sealed)
      const engine = new StoreEngine(folder.file)
      expect(engine.unclosed).toEqual([key])
      engine.begin(newSessionId(T0 + 60_000), DEMO, unixMs(T0 + 60_000))
      engine.drain()
      const reader = openLocalReader(folder.file)
      const [old, live] = await reader.sessions()
      expect(old).toMatchObject({ session: key, clean: false, live: false, endedMs: T0 + 31, messages: 30 })
      expect(live).toMatchObject({ live: true, messages: 0 })
      expect(old.gaps).toEqual([
        {
          session: key,
          feed: 'crypto/XT',
          symbols: [],
          cause: 'crash',
          fromMs: T0 + 31,
          toMs: T0 + 60_000,
          fromSeq: 32,
          toSeq: 33,
        },
      ])
      expect((await readEverything(reader, key)).length).toBe(30)
      expect((await reader.verify(null)).problems).toEqual([])
      await reader.close()
      engine.close()
    },
  )

  it("leaves no gap open forever: a quit's lasts to the next start, and none ends before it began", async () => {
    const engine = new StoreEngine(folder.file)
    const first = newSessionId(T0)
    engine.begin(first, DEMO, unixMs(T0))
    const open = (cause: GapCause, fromMs: number): Item => ({
      entry: { type: 'gap-open', feed: 'crypto/XT', cause, symbols: [], fromMs: unixMs(fromMs) },
    })
    const batch = new Writer().batch([
      open('drop', T0 + 5_000),
      { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: 1 }, wallMs: T0 - 3_600_000 }, // the clock was set back
      open('quit', T0 + 8_000),
    ])
    engine.commit([batch])
    engine.end(unixMs(T0 + 9_000), [])
    engine.drain()
    const reader = openLocalReader(folder.file)
    const edges = async () => (await reader.gaps({})).map(({ cause, fromMs, toMs }) => [cause, fromMs, toMs])
    expect(await edges()).toEqual([
      ['drop', T0 + 5_000, T0 + 5_000],
      ['quit', T0 + 8_000, null],
    ])
    engine.begin(newSessionId(T0), { kind: 'service', origin: 'https://x.example', user: 'u' }, unixMs(T0 + 10_000))
    expect((await edges())[1][2]).toBe(null)
    engine.begin(newSessionId(T0), DEMO, unixMs(T0 + 20_000))
    expect((await edges())[1]).toEqual(['quit', T0 + 8_000, T0 + 20_000])
    expect((await reader.gaps({ session: first, fromMs: T0 + 30_000 })).length).toBe(0)
    expect((await reader.verify(null)).problems).toEqual([])
    await reader.close()
    engine.close()
  })

  it('has gaps that last as long as they did if the clock was set back meanwhile, not if it was set forward', async () => {
    const engine = new StoreEngine(folder.file)
    engine.begin(newSessionId(T0), DEMO, unixMs(T0))
    // The clock is set `shiftsMs` after the gap was opened, and 5 min pass.
    const gap = (seq: number, fromMs: number, ...shiftsMs: number[]): Item[] => [
      { entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: unixMs(fromMs) } },
      ...shiftsMs.map((shiftMs): Item => ({ entry: { type: 'clock', shiftMs } })),
      {
        entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: seq },
        wallMs: shiftsMs.reduce((sum, ms) => sum + ms, fromMs + 300_000),
      },
    ]
    engine.commit([
      new Writer().batch([
        ...gap(1, T0 + 7_200_000, -3_600_000),
        ...gap(4, T0 + 3_900_000, 60_000),
        // A sleep of an older session, and then the clock was set back.
        ...gap(7, T0 + 4_800_000, 28_800_000, -3_600_000),
      ]),
    ])
    const reader = openLocalReader(folder.file)
    const minutes = (all: readonly { readonly fromMs: number; readonly toMs: number | null }[]) =>
      all.map(({ fromMs, toMs }) => [(fromMs - T0) / 60_000, ((toMs ?? NaN) - T0) / 60_000])
    const expected = [
      [120, 125],
      [65, 71],
      [80, 565],
    ]
    expect(minutes(await reader.gaps({}))).toEqual(expected)
    expect(minutes(await reader.gaps({ fromMs: T0 + 124 * 60_000 }))).toEqual([
      [120, 125],
      [80, 565],
    ])
    expect((await reader.sessions()).map(({ gaps }) => minutes(gaps))).toEqual([expected])
    expect((await reader.sessions(true)).map(({ gaps }) => minutes(gaps))).toEqual([expected])
    engine.end(unixMs(T0 + 9_000_000), [])
    engine.drain()
    expect(minutes(await reader.gaps({ fromMs: T0 + 124 * 60_000 }))).toEqual([
      [120, 125],
      [80, 565],
    ])
    expect((await reader.verify(null)).problems).toEqual([])
    await reader.close()
    engine.close()
  })

  it("isn't reported live once its writer is dead, and an earlier one isn't while another writes", async () => {
    const crashed = recordAndCrash(false)
    const reader = openLocalReader(folder.file)
    const live = async () => (await reader.sessions()).map((row) => [row.session, row.live, row.clean])
    expect(await live()).toEqual([[crashed, false, false]])
    const engine = new StoreEngine(folder.file)
    const now = newSessionId(T0 + 60_000)
    engine.begin(now, DEMO, unixMs(T0 + 60_000))
    expect(await live()).toEqual([
      [crashed, false, false],
      [now, true, false],
    ])
    expect(() => new StoreEngine(folder.file)).toThrow(/Another Tapedeck/)
    engine.close()
    expect((await live())[1]).toEqual([now, false, false])
    await reader.close()
  })

  const recorded = (reader: LocalReader, key: SessionId) =>
    Promise.all([
      reader.sessions().then((rows) => rows.find(({ session }) => session === key)?.endedMs),
      reader.gaps({ session: key }).then((gaps) => gaps.map(({ cause, fromMs, toMs }) => [cause, fromMs, toMs])),
    ])

  it("doesn't delay new commits: it is sealed and closed in the background", async () => {
    const crashed = recordAndCrash(false)
    const engine = new StoreEngine(folder.file)
    const now = newSessionId(T0 + 5_000)
    engine.begin(now, DEMO, unixMs(T0 + 5_000))
    expect([engine.unclosed, engine.isFinishing(crashed), engine.hasWork]).toEqual([[], true, true])
    engine.commit([new Writer().batch(items(3))])
    const reader = openLocalReader(folder.file)
    expect(await recorded(reader, crashed)).toEqual([null, [['crash', T0 + 31, T0 + 5_000]]])
    expect(await readEverything(reader, crashed)).toHaveLength(30)
    expect(await readEverything(reader, now)).toHaveLength(3)
    engine.drain()
    expect(engine.isFinishing(crashed)).toBe(false)
    expect(await recorded(reader, crashed)).toEqual([T0 + 31, [['crash', T0 + 31, T0 + 5_000]]])
    expect(await readEverything(reader, crashed)).toHaveLength(30)
    expect((await reader.verify(null)).problems).toEqual([])
    await reader.close()
    engine.close()
  })

  it('causes no gap in the next session while it is closed', async () => {
    const symbols = ['BTC-USD']
    const subscription = (type: 'acknowledged' | 'released', wallMs: number): Item => ({
      entry: { type, feed: 'crypto/XT', conn: 1, symbols },
      wallMs,
    })
    const print = (ms: number): Item => ({ conn: 1, data: tradeText('BTC-USD', 100, 1, ms), recvMs: ms })
    const before = new StoreEngine(folder.file)
    before.begin(newSessionId(T0), DEMO, unixMs(T0))
    const open: Item = {
      entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'quit', symbols, fromMs: unixMs(T0 + 3_000) },
    }
    before.commit([
      new Writer().batch([
        subscription('acknowledged', T0),
        print(T0 + 1_000),
        subscription('released', T0 + 2_000),
        open,
      ]),
    ])
    before.close()
    const engine = new StoreEngine(folder.file)
    const start = T0 + 600_000
    engine.begin(newSessionId(start), DEMO, unixMs(start))
    engine.commit([
      new Writer().batch([subscription('acknowledged', start), ...[1, 61, 121].map((s) => print(start + s * 1_000))]),
    ])
    const reader = openLocalReader(folder.file)
    const complete = async (): Promise<boolean[]> => {
      const page = await reader.bars({
        instrument: instrumentId('crypto', 'BTC-USD'),
        of: 'trade',
        interval: '1m',
        source: 'demo',
        beforeMs: null,
        limit: 9,
      })
      return page.bars.map((bar) => bar.complete)
    }
    expect(await complete()).toEqual([false, true, true, true])
    engine.drain()
    expect(await complete()).toEqual([false, true, true, true])
    await reader.close()
    engine.close()
  })

  it('is recovered once, even if another crash comes before it is closed', async () => {
    const crashed = recordAndCrash(false)
    const key = (n: number): SessionId => newSessionId(T0 + n * 5_000)
    const begun = [1, 2, 3].map((n) => {
      const engine = new StoreEngine(folder.file)
      const id = key(n)
      engine.begin(id, DEMO, unixMs(T0 + n * 5_000))
      const own: Item = { conn: 1, data: tradeText('BTC-USD', n, 1, T0 + n * 5_000 + 9), recvMs: T0 + n * 5_000 + 9 }
      engine.commit([
        new Writer().batch([{ entry: { type: 'connected', feed: 'crypto/XT', conn: 1 }, wallMs: T0 + n * 5_000 }, own]),
      ])
      if (n === 3) {
        engine.end(unixMs(T0 + 16_000), [])
        engine.drain()
      }
      engine.close()
      return id
    })
    const reader = openLocalReader(folder.file)
    expect(await recorded(reader, crashed)).toEqual([T0 + 31, [['crash', T0 + 31, T0 + 5_000]]])
    expect(await recorded(reader, begun[0])).toEqual([T0 + 5_009, [['crash', T0 + 5_009, T0 + 10_000]]])
    expect(await recorded(reader, begun[1])).toEqual([T0 + 10_009, [['crash', T0 + 10_009, T0 + 15_000]]])
    expect((await recorded(reader, begun[2]))[0]).toBe(T0 + 16_000)
    expect((await reader.verify(null)).problems).toEqual([])
    await reader.close()
  })

  it("has no gap over the next session if it had ended and wasn't closed yet", async () => {
    const engine = new StoreEngine(folder.file, () => T0)
    const yesterday = newSessionId(T0)
    engine.begin(yesterday, DEMO, unixMs(T0))
    engine.commit([new Writer().batch([{ entry: { type: 'connected', feed: 'crypto/XT', conn: 1 } }, ...items(20)])])
    engine.end(unixMs(T0 + 25), [])
    const today = newSessionId(T0 + 25)
    engine.begin(today, DEMO, unixMs(T0 + 25))
    engine.commit([new Writer().batch(items(20, T0 + 60_000).map((item) => ({ ...item, recvMs: T0 + 60_000 })))])
    engine.close()
    const next = new StoreEngine(folder.file)
    next.begin(newSessionId(T0 + 90_000), DEMO, unixMs(T0 + 90_000))
    next.drain()
    const reader = openLocalReader(folder.file)
    expect(await recorded(reader, yesterday)).toEqual([T0 + 21, [['crash', T0 + 21, T0 + 25]]])
    expect(await recorded(reader, today)).toEqual([T0 + 60_000, [['crash', T0 + 60_000, T0 + 90_000]]])
    await reader.close()
    next.close()
  })

  it('has no gap over what was received after a clock was set back', async () => {
    const connected: Item = { entry: { type: 'connected', feed: 'crypto/XT', conn: 1 } }
    const engine = new StoreEngine(folder.file, () => T0)
    const ahead = newSessionId(T0)
    engine.begin(ahead, DEMO, unixMs(T0))
    engine.commit([new Writer().batch([connected, ...items(20)])])
    engine.end(unixMs(T0 + 25), [])
    const behind = newSessionId(T0 - 60_000)
    engine.begin(behind, DEMO, unixMs(T0 - 60_000))
    engine.commit([new Writer().batch(items(20, T0 + 30_000).map((item) => ({ ...item, recvMs: T0 + 30_000 })))])
    engine.close()
    const next = new StoreEngine(folder.file)
    next.begin(newSessionId(T0 + 90_000), DEMO, unixMs(T0 + 90_000))
    next.drain()
    const reader = openLocalReader(folder.file)
    expect(await recorded(reader, ahead)).toEqual([T0 + 21, [['crash', T0 + 21, T0 + 21]]])
    expect(await recorded(reader, behind)).toEqual([T0 + 30_000, [['crash', T0 + 30_000, T0 + 90_000]]])
    await reader.close()
    next.close()
  })

  it.each([false, true])(
    'has a gap from the last message received, not from the latest stamp (sealed: %s)',
    async (sealed) => {
      let now = T0
      const engine = new StoreEngine(folder.file, () => now)
      const key = newSessionId(T0)
      engine.begin(key, DEMO, unixMs(T0))
      const writer = new Writer()
      for (const from of [T0 + 3_600_000, T0])
        engine.commit([writer.batch(items(20).map((item, i) => ({ ...item, recvMs: from + i })))])
      if (sealed) {
        now += SEAL_AFTER_MS
        engine.drain()
      }
      engine.close()
      const next = new StoreEngine(folder.file)
      next.begin(newSessionId(T0 + 60_000), DEMO, unixMs(T0 + 60_000))
      next.drain()
      const reader = openLocalReader(folder.file)
      expect(await recorded(reader, key)).toEqual([T0 + 19, [['crash', T0 + 19, T0 + 60_000]]])
      expect((await reader.verify(null)).problems).toEqual([])
      await reader.close()
      next.close()
    },
  )

  it('has no gap over its own messages if all of them are sealed and in bars', async () => {
    let now = T0
    const engine = new StoreEngine(folder.file, () => now)
    const key = newSessionId(T0)
    engine.begin(key, DEMO, unixMs(T0))
    const writer = new Writer()
    for (const wait of [SEAL_AFTER_MS, 300_000]) {
      const batch = writer.batch(items(20))
      engine.commit([batch])
      now += wait
      engine.drain()
    }
    engine.close()
    const reader = openLocalReader(folder.file)
    const { db } = reader.queries
    expect(db.prepare('SELECT rolled_seq FROM series').pluck().all()).toEqual([40])
    const next = new StoreEngine(folder.file)
    next.begin(newSessionId(T0 + 60_000), DEMO, unixMs(T0 + 60_000))
    next.drain()
    expect(await recorded(reader, key)).toEqual([T0 + 40, [['crash', T0 + 40, T0 + 60_000]]])
    await reader.close()
    next.close()
  })

  it.each([
    ['cut off', 'substr(body, 1, 20)'],
    ['without its feed', `replace(body, '"feed"', '"fede"')`],
    ['of no feed', `replace(body, 'crypto/XT', 'crypto/XU')`],
    ['nothing', `'null'`],
  ])("doesn't prevent recording if one of its entries is %s", async (_, body) => {
    const engine = new StoreEngine(folder.file)
    const key = newSessionId(T0)
    engine.begin(key, DEMO, unixMs(T0))
    const open = { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: unixMs(T0 + 4) } as const
    engine.commit([new Writer().batch([...items(3), { entry: open }, ...items(2)])])
    engine.close()
    const db = new Database(folder.file)
    db.exec(`UPDATE entry SET body = ${body}`)
    db.close()
    const next = new StoreEngine(folder.file)
    next.begin(newSessionId(T0), DEMO, unixMs(T0 + 5_000))
    next.drain()
    const reader = openLocalReader(folder.file)
    expect(await recorded(reader, key)).toEqual([
      T0 + 6,
      [
        ['drop', T0 + 4, T0 + 5_000],
        ['crash', T0 + 6, T0 + 5_000],
      ],
    ])
    expect((await reader.verify(key)).problems).not.toEqual([])
    await reader.close()
    next.close()
  })

  it('is closed even if nothing is recorded', async () => {
    const crashed = recordAndCrash(false)
    const writer = await openStoreWriter({ file: folder.file })
    const reader = openLocalReader(folder.file)
    await vi.waitFor(async () => expect((await reader.sessions())[0].endedMs).toBe(T0 + 31))
    expect((await reader.gaps({ session: crashed })).map(({ cause }) => cause)).toEqual(['crash'])
    await writer.close()
    await reader.close()
  })

  it('uses the given cause', async () => {
    const key = recordAndCrash(false)
    const engine = new StoreEngine(folder.file)
    engine.begin(newSessionId(T0), DEMO, unixMs(T0 + 5_000), new Map<SessionId, GapCause>([[key, 'worker']]))
    const reader = openLocalReader(folder.file)
    expect((await reader.gaps({ session: key })).map((gap) => gap.cause)).toEqual(['worker'])
    await reader.close()
    engine.close()
  })

  it('keeps a corrupt journal row, reports it, and continues without it', async () => {
    const key = recordAndCrash(false)
    const db = new Database(folder.file)
    db.exec("UPDATE journal SET data = CAST(substr(data, 1, length(data) - 1) || x'00' AS BLOB) WHERE first_seq = 1")
    db.close()
    const engine = new StoreEngine(folder.file)
    engine.begin(newSessionId(T0), DEMO, unixMs(T0 + 5_000))
    engine.drain()
    const reader = openLocalReader(folder.file)
    await expect(readEverything(reader, key)).rejects.toMatchObject({ code: 'store-damaged' })
    expect(reader.queries.db.prepare('SELECT min_seq, max_seq FROM block').raw().all()).toEqual([[22, 31]])
    const report = await reader.verify(key)
    expect(report.problems.map((problem) => problem.kind)).toEqual(expect.arrayContaining(['torn', 'missing']))
    expect(reader.queries.db.prepare('SELECT torn FROM journal').pluck().all()).toEqual([1])
    const listed = (await reader.sessions(true)).map(({ session, isCorrupt }) => [session === key, isCorrupt])
    expect(listed).toEqual([
      [true, true],
      [false, false],
    ])
    await reader.close()
    engine.close()
  })

  it('deletes a closed session completely and leaves a tombstone', async () => {
    const key = recordAndCrash(true)
    const engine = new StoreEngine(folder.file)
    engine.begin(newSessionId(T0), DEMO, unixMs(T0 + 5_000))
    engine.drain()
    expect(() => engine.library.erase([newSessionId(1)])).toThrow(/no session/)
    engine.library.erase([key])
    engine.drain()
    const reader = openLocalReader(folder.file)
    expect((await reader.sessions()).length).toBe(1)
    expect(reader.queries.db.prepare('SELECT kind FROM store_log ORDER BY n').pluck().all()).toEqual([
      'begin',
      'begin',
      'close',
      'delete',
    ])
    expect(reader.queries.db.prepare('SELECT count(*) FROM block').pluck().get()).toBe(0)
    expect((await reader.verify(null)).problems).toEqual([])
    await reader.close()
    engine.close()
  })
})
