import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDigestFold, FOLD_VERSION } from '../../../../../../src/main/core/market/digest.ts'
import { ColumnsBuilder } from '../../../../../../src/main/core/store/format/message-columns.ts'
import { SEAL_AFTER_MS, StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { genesis, messageLeaf } from '../../../../../../src/main/core/store/format/ledger.ts'
import type { MessageColumns } from '../../../../../../src/main/core/store/types/messages.ts'
import { openLocalReader } from '../../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../../src/main/core/store/types/session-id.ts'
import { openStoreReader } from '../../../../../../src/main/core/store/open.ts'
import { ChainWalk } from '../../../../../../src/main/core/store/verify/verify-chain.ts'
import { KIND, scratch } from '../../../../../../src/service/codec.ts'
import { decode } from '../../../../../../src/service/codecs/decode.ts'
import type { BarSource } from '../../../../../../src/shared/core/market/market.ts'
import {
  differenceCount,
  FLAG,
  type LedgerEntry,
  type VerifyReport,
} from '../../../../../../src/shared/core/recording/session.ts'
import {
  sessionId,
  unixMs,
  type FeedId,
  type InstrumentId,
  type SessionId,
} from '../../../../../../src/shared/base/units.ts'
import { DEMO, T0, Writer, type Item } from '../harness.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'
import { tradeText } from '../../../../../kit/market.ts'

const FOLDS = { version: FOLD_VERSION, create: createDigestFold }
const BTC = 'crypto:BTCUSD' as InstrumentId // a normalized instrument key

let folder: ReturnType<typeof makeStoreFolder>
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(() => folder.remove())

const sha = (): string => createHash('sha256').update(readFileSync(folder.file)).digest('hex')

async function verify(
  onProgress?: (done: number, messages: number) => void,
  session?: SessionId,
): Promise<VerifyReport> {
  const reader = openLocalReader(folder.file, FOLDS)
  try {
    return await reader.verify(session ?? null, onProgress)
  } finally {
    await reader.close()
  }
}

/** Items as live writes them: trades, and before the first one of a later minute the digest of everything before. */
class Live {
  readonly #fold = createDigestFold()
  readonly #record = scratch()
  readonly #encoder = new TextEncoder()

  trade(ms: number, price: number): Item[] {
    const text = tradeText('BTC-USD', price, 0.5, ms)
    const bytes = this.#encoder.encode(text)
    decode('crypto/XT', bytes, 0, bytes.length, this.#record)
    const taken = this.#fold.apply('crypto/XT', ms, this.#record)
    const message: Item = { conn: 1, data: text, recvMs: ms }
    if (taken === null) return [message]
    return [message, { entry: { type: 'digest', ...taken, fold: FOLD_VERSION }, wallMs: ms }]
  }

  /** The disk lost messages in between: a gap, and the fold restarts. */
  cut(writer: Writer, fromMs: number, toMs: number): Item[] {
    this.#fold.reset()
    const open: LedgerEntry = {
      type: 'gap-open',
      feed: 'crypto/XT',
      cause: 'disk',
      symbols: [],
      fromMs: unixMs(fromMs),
    }
    return [
      { entry: open, wallMs: toMs },
      { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: writer.seq + 1 }, wallMs: toMs },
    ]
  }
}

/** A store with one session, ended or live. */
function store(
  fill: (write: (items: readonly Item[]) => void, writer: Writer) => void,
  end = true,
  feed: FeedId = 'crypto/XT',
): StoreEngine {
  let now = T0
  const engine = new StoreEngine(folder.file, () => now)
  engine.begin(newSessionId(T0), DEMO, unixMs(T0))
  const writer = new Writer([feed])
  fill((items) => {
    engine.commit([writer.batch(items)])
    now += SEAL_AFTER_MS / 2
    engine.drain()
  }, writer)
  if (end) {
    engine.end(unixMs(T0 + 3_600_000), [])
    engine.drain()
  }
  return engine
}

const tamper = (sql: string, ...args: unknown[]): void => {
  const db = new Database(folder.file)
  db.prepare(sql).run(...args)
  db.close()
}

describe('digests', () => {
  const minutes = (live: Live, from: number, to: number): Item[] =>
    Array.from({ length: to - from }, (_, i) => from + i).flatMap((m) => [
      ...live.trade(T0 + m * 60_000 + 1_000, 100 + m),
      ...live.trade(T0 + m * 60_000 + 31_000, 101 + m / 7),
    ])

  it('are recomputed from the messages, over any number of seals', async () => {
    const live = new Live()
    const engine = store((write) => {
      write(minutes(live, 0, 4))
      write(minutes(live, 4, 9))
    })
    engine.close()
    expect(await verify()).toMatchObject({ ok: true, messages: 18, problems: [] })
  })

  it('restart after a disk gap, whose bars are incomplete on both sides', async () => {
    const live = new Live()
    const engine = store((write, writer) => {
      write(minutes(live, 0, 3))
      write(live.cut(writer, T0 + 170_000, T0 + 250_000))
      write(minutes(live, 5, 8))
    })
    engine.close()
    expect((await verify()).problems).toEqual([])
    const reader = openLocalReader(folder.file)
    const query = { instrument: BTC, of: 'trade', interval: '1m', source: 'demo', beforeMs: null, limit: 10 } as const
    const { bars } = await reader.bars(query)
    await reader.close()
    // the first bar is incomplete: no acknowledgement proves that reception began with its start
    const marked = bars.map(({ startMs, complete }) => [(startMs - T0) / 60_000, complete])
    expect(marked.filter(([minute]) => minute === 1 || minute === 2 || minute === 5 || minute === 6)).toEqual([
      [1, true],
      [2, false],
      [5, true],
      [6, true],
    ])
  })

  it.each([
    ['stocks/T', '{"ev":"T","sym":"AAPL","p":101.5,"s":2,"t":1610462007}', ['trade']],
    ['stocks/Q', '{"ev":"Q","sym":"AAPL","bp":101,"ap":102,"bs":2,"as":3,"t":1610462007}', ['bid', 'ask', 'mid']],
    ['stocks/AM', '{"ev":"AM","sym":"AAPL","o":1,"h":2,"l":1,"c":2,"v":9,"s":1610462007,"e":1610462067}', []],
  ] as const)(
    'and bars of %s dated in seconds stay as an earlier version recorded them',
    async (feed, text, sources) => {
      const fold = createDigestFold()
      const record = scratch()
      const bytes = new TextEncoder().encode(text)
      const engine = store(
        (write) => {
          for (let minute = 0; minute < 4; minute++) {
            const recvMs = T0 + minute * 60_000 + 2_000
            // That version found no time: it gave trades and quotes their receive time and decoded no bars.
            decode(feed, bytes, 0, bytes.length, record)
            record.eventMs = NaN
            if (feed === 'stocks/AM') record.kind = KIND.unknown
            const taken = fold.apply(feed, recvMs, record)
            const digest: Item[] =
              taken === null ? [] : [{ entry: { type: 'digest', ...taken, fold: FOLD_VERSION }, wallMs: recvMs }]
            write([{ conn: 1, data: text, recvMs, flags: FLAG.undated }, ...digest])
          }
        },
        true,
        feed,
      )
      engine.close()
      expect(await verify()).toMatchObject({ ok: true, messages: 4, problems: [] })
      const reader = openLocalReader(folder.file)
      const instrument = 'stocks:AAPL' as InstrumentId // a normalized instrument key
      const starts = async (of: BarSource): Promise<number[]> => {
        const query = { instrument, of, interval: '1m', source: 'demo', beforeMs: null, limit: 10 } as const
        return (await reader.bars(query)).bars.map(({ startMs }) => startMs)
      }
      for (const of of sources) expect(await starts(of)).toEqual([0, 1, 2, 3].map((minute) => T0 + minute * 60_000))
      if (feed === 'stocks/AM') expect(await starts('service')).toEqual([])
      await reader.close()
    },
  )

  it("of a fold that wasn't reset by a disk gap are detected", async () => {
    const live = new Live()
    const other = new Live()
    const engine = store((write, writer) => {
      write(minutes(live, 0, 3))
      write(other.cut(writer, T0 + 170_000, T0 + 250_000)) // live's own fold doesn't know of the cut
      write(minutes(live, 5, 8))
    })
    engine.close()
    const { problems } = await verify()
    expect(problems).toMatchObject([{ kind: 'digest', atMs: T0 + 120_000 }])
  })

  it('that are wrong are reported with their minute, once', async () => {
    const live = new Live()
    const engine = store((write) => {
      const items = minutes(live, 0, 6).map((item): Item => {
        if (!('entry' in item) || item.entry.type !== 'digest' || item.entry.minuteMs !== T0 + 120_000) return item
        return { ...item, entry: { ...item.entry, sha256: 'ab'.repeat(32) } }
      })
      write(items)
    })
    engine.close()
    expect((await verify()).problems).toMatchObject([
      {
        kind: 'digest',
        atMs: T0 + 120_000,
        detail: expect.stringContaining('its messages produce a different one') as string,
      },
    ])
  })

  it('of another fold version are skipped', async () => {
    const engine = store((write) => {
      write([{ entry: { type: 'digest', minuteMs: unixMs(T0), sha256: 'ab'.repeat(32), fold: FOLD_VERSION + 1 } }])
    })
    engine.close()
    expect((await verify()).ok).toBe(true)
  })
})

describe('verifying', () => {
  const some = (from: number, n: number): Item[] =>
    Array.from({ length: n }, (_, i) => ({
      conn: 1,
      data: tradeText('BTC-USD', 100 + ((from + i) % 9), 0.5, T0 + (from + i) * 1_000),
      recvMs: T0 + (from + i) * 1_000,
    }))
  const gapped: Item[] = [
    { entry: { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: unixMs(T0 + 5), skewMs: 3 } },
    { entry: { type: 'gap-close', feed: 'crypto/XT', openedSeq: 1 } },
  ]

  it('changes nothing and reports progress', async () => {
    store((write) => {
      write(gapped)
      write(some(0, 300))
    }).close()
    const before = sha()
    const seen: [number, number][] = []
    expect((await verify((done, messages) => seen.push([done, messages]))).ok).toBe(true)
    expect(sha()).toBe(before)
    expect(seen.at(-1)).toEqual([1, 300])
    for (const [i, [done]] of seen.entries()) expect(done).toBeGreaterThanOrEqual(seen[i - 1]?.[0] ?? 0)
  })

  it('ends early when canceled, here and in a thread', async () => {
    store((write) => write(some(0, 300))).close()
    const reader = openLocalReader(folder.file, FOLDS)
    const stop = new AbortController()
    stop.abort()
    await expect(reader.verify(null, undefined, stop.signal)).rejects.toMatchObject({ code: 'cancelled' })
    expect((await reader.verify(null)).ok).toBe(true) // and it can run again
    await reader.close()
    const worker = new URL('../../../../../../src/main/reader-worker.ts', import.meta.url)
    const remote = await openStoreReader({ file: folder.file, worker })
    await expect(remote.verify(null, undefined, stop.signal)).rejects.toMatchObject({ code: 'cancelled' })
    const counted: number[] = []
    expect((await remote.verify(null, (_, messages) => counted.push(messages))).ok).toBe(true)
    expect(counted.at(-1)).toBe(300)
    await remote.close()
  })

  it('reads a live session as it is when its turn comes', async () => {
    const engine = store((write) => write(some(0, 300)))
    engine.begin(newSessionId(T0 + 1), DEMO, unixMs(T0 + 1))
    const writer = new Writer(['crypto/XT'])
    engine.commit([writer.batch(some(0, 200))])
    let grown = false
    const report = await verify((_, messages) => {
      if (grown || messages < 300) return
      grown = true
      engine.commit([writer.batch(some(200, 200))])
      engine.drain()
    })
    engine.close()
    expect(report).toMatchObject({ ok: true, sessions: 2, messages: 700 })
    expect(grown).toBe(true)
  })

  it('reports a block that is gone, duplicated or corrupt, with feed and time', async () => {
    const make = (): void =>
      store((write) => {
        write(some(0, 300))
        write(some(300, 300))
      }).close()
    make()
    tamper('DELETE FROM block WHERE id = (SELECT max(id) FROM block)')
    expect((await verify()).problems).toContainEqual(
      expect.objectContaining({
        kind: 'missing',
        feed: 'crypto/XT',
        detail: expect.stringContaining('of connection 1') as string,
      }),
    )
    folder.remove()
    folder = makeStoreFolder()
    make()
    tamper(
      `INSERT INTO block (series, min_seq, max_seq, min_ms, max_ms, count, control, undecodable, unasked, size, sum, data)
       SELECT series, min_seq, max_seq, min_ms + 1, max_ms, count, control, undecodable, unasked, size, sum, data FROM block LIMIT 1`,
    )
    const doubled = (await verify()).problems
    expect(doubled).toContainEqual(expect.objectContaining({ kind: 'doubled', feed: 'crypto/XT' }))
    expect(doubled.find(({ kind }) => kind === 'doubled')?.atMs).toBeGreaterThanOrEqual(T0)
    folder.remove()
    folder = makeStoreFolder()
    make()
    tamper('UPDATE block SET data = zeroblob(size) WHERE id = (SELECT max(id) FROM block)')
    expect((await verify()).problems.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['torn', 'changed']))
  })

  it.each([
    ['missing', 'DELETE FROM gap'],
    ['entry', "UPDATE gap SET cause = 'sleep'"],
    ['entry', 'UPDATE gap SET to_ms = to_ms + 1'],
    ['entry', 'UPDATE gap SET skew_ms = NULL'],
    [
      'entry',
      "INSERT INTO gap (recording, from_seq, feed, cause, symbols, from_ms) VALUES (1, 77, 'crypto/XT', 'drop', '[]', 5)",
    ],
  ])('reports a gap that differs from its entries: %s, %s', async (kind, sql) => {
    store((write) => {
      write(gapped)
      write(some(2, 10))
    }).close()
    tamper(sql)
    expect((await verify()).problems).toMatchObject([{ kind, feed: 'crypto/XT' }])
  })

  it('counts the differences that it doesn’t list', async () => {
    store((write) => write(some(0, 10))).close()
    tamper(
      `WITH RECURSIVE n (i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 1599)
       INSERT INTO gap (recording, from_seq, feed, cause, symbols, from_ms)
       SELECT 1, i, 'crypto/XT', 'drop', '[]', 5 FROM n`,
    )
    const report = await verify()
    expect(report.problems).toHaveLength(500)
    expect(report.unlisted).toBe(100)
    expect(differenceCount(report)).toBe(600)
  })

  it('ignores labels, which are no evidence', async () => {
    store((write) => write(some(0, 10))).close()
    tamper("INSERT INTO label (recording, name, notes, tags, pinned) VALUES (1, 'mine', '', '[]', 1)")
    expect((await verify()).ok).toBe(true)
  })

  it("reports that a session doesn't exist", async () => {
    store((write) => write(some(0, 10))).close()
    const none = sessionId('01none')
    expect((await verify(undefined, none)).problems).toMatchObject([{ session: none, kind: 'missing' }])
  })
})

describe('the walk of a chain', () => {
  const encoder = new TextEncoder()
  const rows = (connSeqs: readonly number[]): MessageColumns => {
    const builder = new ColumnsBuilder(8, 64)
    for (const connSeq of connSeqs) {
      const bytes = encoder.encode(`m${connSeq}`)
      builder.add(
        {
          count: 1,
          seq: Float64Array.of(connSeq),
          conn: Uint32Array.of(1),
          connSeq: Uint32Array.of(connSeq),
          recvMs: Float64Array.of(T0 + connSeq),
          monoNs: Float64Array.of(connSeq),
          flags: Uint8Array.of(0),
          offsets: Uint32Array.of(0, bytes.length),
          bytes,
        },
        0,
        1,
      )
    }
    return builder.build()
  }
  const start = genesis(sessionId('r'), 1, 'crypto/XT')
  const first = messageLeaf(start, rows([1, 2, 3, 4]))
  const second = messageLeaf(first, rows([5, 6, 7]))
  const walk = (connSeqs: readonly number[]) => {
    const one = new ChainWalk(start, [
      { size: 4, repeats: 1, head: first },
      { size: 3, repeats: 1, head: second },
    ])
    const m = rows(connSeqs)
    const strangers = connSeqs.filter((_, i) => !one.take(m, i))
    return { damage: one.faults, ...one.finish(), strangers }
  }

  it('matches every head if nothing is missing', () => {
    expect(walk([1, 2, 3, 4, 5, 6, 7])).toMatchObject({ damage: [], missing: 0, strangers: [] })
  })
  it('reports messages in another order', () => {
    expect(walk([1, 3, 2, 4, 5, 6, 7]).damage).toMatchObject([{ kind: 'reordered', from: 2, to: 2, atMs: T0 + 2 }])
  })
  it('reports duplicates, and nothing after them', () => {
    expect(walk([1, 2, 2, 3, 4, 5, 6, 7]).damage).toMatchObject([{ kind: 'doubled', from: 2, to: 2, atMs: T0 + 2 }])
    expect(walk([1, 2, 3, 4, 4, 5, 6, 7])).toMatchObject({ damage: [{ kind: 'doubled', from: 4 }], missing: 0 })
  })
  it('counts what is missing and reports where', () => {
    const { damage, missing } = walk([1, 2, 4, 5, 6, 7])
    expect(missing).toBe(0) // the flush was closed by the first message of the next one
    expect(damage).toMatchObject([{ kind: 'changed', from: 1, to: 4 }])
    expect(walk([1, 2, 3, 4, 5, 6])).toMatchObject({ missing: 1 })
  })
  it("claims no message that the ledger doesn't count", () => {
    expect(walk([1, 2, 3, 4, 5, 6, 7, 8]).strangers).toEqual([8])
  })
})
