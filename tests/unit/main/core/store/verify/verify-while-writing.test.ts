import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader } from '../../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../../src/main/core/store/types/session-id.ts'
import { instrumentId, unixMs, type SessionId } from '../../../../../../src/shared/base/units.ts'
import { DEMO, T0, Writer, type Item } from '../harness.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'
import { tradeText } from '../../../../../kit/market.ts'

let folder: ReturnType<typeof makeStoreFolder>
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(() => folder.remove())

const STEP = 60_000

/** A session of half a minute with a drop in it and a gap open at its end. */
function record(engine: StoreEngine, startMs: number, messages = 10): SessionId {
  const key = newSessionId(startMs)
  const writer = new Writer(['crypto/XT'])
  engine.begin(key, DEMO, unixMs(startMs))
  const ms = (i: number): number => startMs + i * 100
  const items: Item[] = [
    { entry: { type: 'acknowledged', feed: 'crypto/XT', conn: 1, symbols: ['BTC-USD'] }, wallMs: startMs },
    {
      entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: unixMs(ms(2)) },
      wallMs: ms(2),
    },
    { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: 2 }, wallMs: ms(3) },
    ...Array.from({ length: messages }, (_, i): Item => {
      return { conn: 1, data: tradeText('BTC-USD', 100 + i, '0.5', ms(4 + i)), recvMs: ms(4 + i) }
    }),
    { entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'quit', symbols: [], fromMs: unixMs(startMs + 30_000) } },
  ]
  engine.commit([writer.batch(items)])
  engine.end(unixMs(startMs + 30_000), [])
  engine.drain()
  return key
}

describe('verifying while the store changes', () => {
  it('skips what is erased in the meantime, and still reports what vanished without a tombstone', async () => {
    const engine = new StoreEngine(folder.file)
    const keys = [0, 1, 2].map((i) => record(engine, T0 + i * STEP))
    const reader = openLocalReader(folder.file)
    let erased = false
    const report = await reader.verify(null, (_, messages) => {
      if (messages === 0 || erased) return
      erased = true
      engine.library.erase([keys[2]])
      engine.drain()
    })
    expect(erased).toBe(true)
    expect(report).toMatchObject({ ok: true, problems: [], sessions: 2 })
    // before the list of sessions is read
    let first = true
    const named = await reader.verify(keys[1], () => {
      if (first) {
        engine.library.erase([keys[1]])
        engine.drain()
      }
      first = false
    })
    expect(named.problems.map(({ kind }) => kind)).toEqual(['missing'])
    await reader.close()
    engine.close()
  })

  it('compares what is closed and compacted in the meantime with its close record', async () => {
    const engine = new StoreEngine(folder.file)
    record(engine, T0)
    const open = newSessionId(T0 + STEP)
    const writer = new Writer(['crypto/XT'])
    engine.begin(open, DEMO, unixMs(T0 + STEP))
    engine.commit([writer.batch([{ conn: 1, data: tradeText('BTC-USD', 1, 1, T0 + STEP), recvMs: T0 + STEP }])])
    const reader = openLocalReader(folder.file)
    let closed = false
    const report = await reader.verify(null, (_, messages) => {
      if (messages === 0 || closed) return
      closed = true
      engine.end(unixMs(T0 + 2 * STEP), [])
      engine.drain()
    })
    expect(closed).toBe(true)
    expect(report).toMatchObject({ ok: true, problems: [], sessions: 2, messages: 11 })
    await reader.close()
    engine.close()
  })
})

describe('verifying in short reads', () => {
  const MANY = 9_800

  /** A live session in small blocks, with its last flushes in the journal. */
  function startRecording(): { engine: StoreEngine; key: SessionId; more: (n: number) => void } {
    let now = T0
    const engine = new StoreEngine(folder.file, () => now)
    const key = newSessionId(T0)
    const writer = new Writer(['crypto/XT'])
    engine.begin(key, DEMO, unixMs(T0))
    const more = (n: number): void => {
      const at = T0 + writer.seq * 50
      const items = Array.from({ length: n }, (_, i): Item => {
        const pair = i % 3 === 0 ? 'ETH-USD' : 'BTC-USD'
        return { conn: 1, data: tradeText(pair, 100 + (i % 50), '0.5', at + i * 50), recvMs: at + i * 50 }
      })
      engine.commit([writer.batch(items)])
      now = at + n * 50
    }
    for (let done = 0; done < MANY; done += 700) {
      more(700)
      if (done < MANY - 1_400) engine.drain()
    }
    return { engine, key, more }
  }

  it('reports no problem in a session that is written, sealed, merged and ended in the meantime', async () => {
    const { engine, more } = startRecording()
    const reader = openLocalReader(folder.file)
    const { db } = reader.queries
    const blocks = (): number[] => db.prepare<[], number>('SELECT id FROM block').pluck().all()
    const before = blocks()
    let calls = 0
    const report = await reader.verify(null, (_, messages) => {
      expect(db.inTransaction).toBe(false)
      if (messages === 0 || messages === MANY) return
      if (++calls === 1) {
        more(900)
        engine.drain()
      } else if (calls === 2) {
        engine.end(unixMs(T0 + 3_600_000), [])
        engine.drain()
      }
    })
    expect(calls).toBeGreaterThan(1)
    expect(before.some((id) => !blocks().includes(id))).toBe(true)
    expect(report).toMatchObject({ problems: [], messages: MANY, sessions: 1 })
    expect(await reader.verify(null)).toMatchObject({ problems: [], messages: MANY + 900 })
    await reader.close()
    engine.close()
  })

  it('reports a block that vanishes while it reads', async () => {
    const { engine } = startRecording()
    const reader = openLocalReader(folder.file)
    let gone = false
    const { problems } = await reader.verify(null, (_, messages) => {
      if (messages === 0 || gone) return
      gone = true
      const db = new Database(folder.file)
      db.exec('DELETE FROM block WHERE id = (SELECT max(id) FROM block WHERE series = 1)')
      db.close()
    })
    expect(gone).toBe(true)
    expect(problems.map(({ kind }) => kind)).toContain('missing')
    await reader.close()
    engine.close()
  })

  it('skips a session that is erased while it is read', async () => {
    const { engine, key } = startRecording()
    engine.end(unixMs(T0 + 3_600_000), [])
    engine.drain()
    const remaining = record(engine, T0 + 2 * 3_600_000)
    const reader = openLocalReader(folder.file)
    let erased = false
    const report = await reader.verify(null, (_, messages) => {
      if (messages === 0 || erased) return
      erased = true
      engine.library.erase([key])
      engine.drain()
    })
    expect(report).toMatchObject({ problems: [], sessions: 1, messages: 10 })
    expect((await reader.sessions(true)).map(({ session }) => session)).toEqual([remaining])
    await reader.close()
    engine.close()
  })
})

describe('what a reader caches of closed sessions', () => {
  const bars = { instrument: instrumentId('crypto', 'BTC-USD'), of: 'trade', interval: '1m', source: 'demo' } as const
  const all = { ...bars, beforeMs: null, limit: 100 }

  it('equals what a fresh reader finds, after recording, erasing and recording again', async () => {
    const engine = new StoreEngine(folder.file)
    const old = record(engine, T0)
    const reader = openLocalReader(folder.file)
    const same = async (): Promise<void> => {
      const fresh = openLocalReader(folder.file)
      for (const ask of [
        (of: typeof reader) => of.sessions(true),
        (of: typeof reader) => of.sessions(),
        (of: typeof reader) => of.gaps({}),
        (of: typeof reader) =>
          of.gaps({ feed: 'crypto/XT', source: 'demo', fromMs: T0 + 40_000, toMs: T0 + STEP + 250 }),
        (of: typeof reader) => of.bars(all),
      ])
        expect(await ask(reader)).toEqual(await ask(fresh))
      await fresh.close()
    }
    await same()
    expect((await reader.gaps({ session: old })).map(({ toMs }) => toMs)).toEqual([T0 + 300, null])
    record(engine, T0 + STEP)
    await same()
    // a gap open at the end lasts until the next session begins
    expect((await reader.gaps({ session: old })).map(({ toMs }) => toMs)).toEqual([T0 + 300, T0 + STEP])
    expect(await reader.gaps({ fromMs: T0 + 300, toMs: T0 + 30_000 })).toEqual([])
    expect(await reader.gaps({ source: 'another' })).toEqual([])
    engine.library.erase([old])
    engine.drain()
    record(engine, T0 + 2 * STEP, 3)
    await same()
    expect((await reader.sessions(true)).map(({ messages }) => messages)).toEqual([10, 3])
    await reader.close()
    engine.close()
  })

  it('costs a page of bars one query per further session, and none for what it holds', async () => {
    const engine = new StoreEngine(folder.file)
    /** Statements and rows read for the newest page of bars and its gaps by a reader that has read before. */
    const work = async (count: number): Promise<{ readonly statements: number; readonly rows: number }> => {
      const reader = openLocalReader(folder.file)
      const page = { ...all, limit: 1 }
      await reader.bars(page)
      const counts = countStatements()
      await reader.bars(page)
      await reader.gaps({ source: 'demo', fromMs: T0 + (count - 1) * 4 * 3_600_000 })
      counts.stop()
      await reader.close()
      return counts
    }
    for (let i = 0; i < 10; i++) record(engine, T0 + i * 4 * 3_600_000)
    const few = await work(10)
    for (let i = 10; i < 150; i++) record(engine, T0 + i * 4 * 3_600_000)
    const many = await work(150)
    engine.close()
    expect(few.statements).toBeGreaterThan(0)
    expect(few.rows).toBeGreaterThan(0)
    // One query per further session, and none for what it holds.
    expect(many.statements - few.statements).toBeLessThanOrEqual(140)
    expect(many.rows - few.rows).toBeLessThanOrEqual(140)
  })
})

/** Counts what every statement of this process does until `stop`, including statements prepared before. */
function countStatements(): { statements: number; rows: number; readonly stop: () => void } {
  const db = new Database(':memory:')
  const prototype = Object.getPrototypeOf(db.prepare('SELECT 1')) as Database.Statement // what prepare returns
  db.close()
  const { get, all: every, iterate } = prototype
  const counts = {
    statements: 0,
    rows: 0,
    stop: () => void Object.assign(prototype, { get, all: every, iterate }),
  }
  prototype.get = function (...args) {
    counts.statements++
    counts.rows++
    return get.apply(this, args)
  }
  prototype.all = function (...args) {
    const found = every.apply(this, args)
    counts.statements++
    counts.rows += found.length
    return found
  }
  prototype.iterate = function* (...args) {
    counts.statements++
    for (const found of iterate.apply(this, args)) {
      counts.rows++
      yield found
    }
  }
  return counts
}
