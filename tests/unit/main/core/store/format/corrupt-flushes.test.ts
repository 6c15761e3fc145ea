import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StoreEngine } from '../../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader, type LocalReader } from '../../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../../src/main/core/store/types/session-id.ts'
import { instrumentId, unixMs, type SessionId } from '../../../../../../src/shared/base/units.ts'
import { flip, inStore } from '../flip.ts'
import { DEMO, T0, Writer, type Item } from '../harness.ts'
import { makeStoreFolder } from '../../../../../kit/folder.ts'
import { tradeText } from '../../../../../kit/market.ts'

const MINUTE = 60_000
const FEED = 'crypto/XT'
let folder: ReturnType<typeof makeStoreFolder>
beforeEach(() => {
  folder = makeStoreFolder()
})
afterEach(() => folder.remove())

const at = (minute: number, second = 1): number => T0 + minute * MINUTE + second * 1_000
const print = (minute: number, second = 1, lateMs = 0): Item => ({
  conn: 1,
  data: tradeText('BTC-USD', 100 + minute, 1, at(minute, second) - lateMs),
  recvMs: at(minute, second),
})
const digest = (minute: number): Item => ({
  entry: { type: 'digest', minuteMs: unixMs(at(minute, 0)), sha256: 'ab'.repeat(32) },
  wallMs: at(minute, 0),
})

/**
 * Five flushes of one minute each, (1) 1 2, (3) 4 5, (6) 7 8 …, each starting with the digest of a minute. The third
 * one is corrupt: other rows show that its messages came after the digest of 10:01 and before that of 10:03. The first
 * trade is dated 09:59:59.
 */
function store(sealed: boolean, corruptLastSeq?: number): SessionId {
  let now = T0
  const engine = new StoreEngine(folder.file, () => now)
  const id = newSessionId(T0)
  engine.begin(id, DEMO, unixMs(T0))
  const writer = new Writer()
  for (const minute of [0, 1, 2, 3, 4])
    engine.commit([writer.batch([digest(minute), print(minute, 1, minute === 0 ? 2_000 : 0), print(minute, 59)])])
  const third = inStore(folder.file, (db) =>
    db.prepare<[], number>('SELECT id FROM journal ORDER BY id').pluck().all(),
  )[2]
  if (corruptLastSeq === undefined) flip(folder.file, 'journal', third)
  else
    inStore(folder.file, (db) => db.prepare('UPDATE journal SET last_seq = ? WHERE id = ?').run(corruptLastSeq, third))
  if (sealed) {
    now += 10 * MINUTE
    engine.end(unixMs(now), [])
    engine.drain()
  }
  engine.close()
  return id
}

describe.each([
  ['before it is sealed', false],
  ['sealed over', true],
])('a corrupt flush %s', (_, sealed) => {
  let reader: LocalReader
  let session: SessionId
  beforeEach(() => {
    session = store(sealed)
    reader = openLocalReader(folder.file)
  })
  afterEach(() => reader.close())

  const minutes = async (query: { fromMs?: number; toMs?: number; afterSeq?: number; upToSeq?: number }) => {
    const found: number[] = []
    for await (const run of reader.ticks({ feed: FEED, instruments: null, session, ...query }))
      for (let i = 0; i < run.count; i++) found.push(Math.floor((run.recvMs[i] - T0) / MINUTE))
    return found
  }
  const played = async (afterSeq: number, until: { upToSeq?: number; upToMs?: number } = {}) => {
    const found: number[] = []
    const batches = reader.replay({ session, afterSeq, ...until })
    try {
      for await (const { seq } of batches) found.push(...seq)
    } catch (thrown) {
      return { found, thrown }
    }
    return { found, thrown: null }
  }
  const refusal = {
    code: 'store-damaged',
    message: expect.stringContaining(
      'received from 2026-01-05T10:01:00.000Z to 2026-01-05T10:03:00.000Z are corrupt, and their symbols are unknown.',
    ) as string,
  }

  it('refuses ticks of any time and seq that it may hold, and returns all others', async () => {
    await expect(minutes({})).rejects.toMatchObject(refusal)
    await expect(minutes({ fromMs: at(2, 30), toMs: at(2, 31) })).rejects.toMatchObject(refusal)
    await expect(minutes({ fromMs: at(3, 0) })).rejects.toMatchObject(refusal)
    await expect(minutes({ afterSeq: 6, upToSeq: 8 })).rejects.toMatchObject(refusal)
    // The corrupt flush may have held any instrument.
    const other = reader.ticks({ feed: FEED, instruments: [instrumentId('crypto', 'ETH-USD')], session })
    await expect(other[Symbol.asyncIterator]().next()).rejects.toMatchObject(refusal)
    // A trade can arrive up to a minute after its event time.
    await expect(minutes({ toMs: at(1, 0) })).rejects.toMatchObject(refusal)
    await expect(minutes({ toMs: at(0, 1) })).rejects.toMatchObject(refusal)
    expect(await minutes({ toMs: at(0, 0) })).toEqual([0])
    expect(await minutes({ fromMs: at(3, 1) })).toEqual([3, 3, 4, 4])
    expect(await minutes({ upToSeq: 6 })).toEqual([0, 0, 1, 1])
    expect(await minutes({ afterSeq: 9 })).toEqual([3, 3, 4, 4])
  })

  it('ends a replay; one that begins after it continues', async () => {
    expect(await played(0)).toMatchObject({ found: [2, 3, 5, 6], thrown: refusal })
    expect(await played(7)).toMatchObject({ found: [], thrown: refusal })
    expect(await played(0, { upToSeq: 6 })).toEqual({ found: [2, 3, 5, 6], thrown: null })
    expect((await played(0, { upToMs: at(1, 58) })).thrown).toBe(null)
    expect(await played(9)).toEqual({ found: [11, 12, 14, 15], thrown: null })
  })

  it("doesn't prevent a session from being listed, searched and counted", async () => {
    expect((await reader.sessions()).map(({ session }) => session)).toEqual([session])
    const found = await reader.activity({ sessions: [session], fromMs: T0, toMs: at(5, 0), buckets: 5 })
    expect(found.reduce((a, b) => a + b)).toBe(8)
    expect(await reader.findPosition({ session, ms: at(3, 30) })).toMatchObject({ seq: 11 })
  })
})

describe.each([0, 6, 8, 2 ** 50])('a flush with the corrupt last seq %d', (lastSeq) => {
  it.each([
    ['before it is sealed', false],
    ['sealed over', true],
  ])('is neither skipped nor hides what follows, %s', async (_, sealed) => {
    const session = store(sealed, lastSeq)
    const reader = openLocalReader(folder.file)
    const played: number[] = []
    const play = async (): Promise<void> => {
      for await (const { seq } of reader.replay({ session, afterSeq: 0 })) played.push(...seq)
    }
    await expect(play()).rejects.toMatchObject({ code: 'store-damaged' })
    expect(played).toEqual([2, 3, 5, 6])
    const ticks = reader.ticks({ feed: FEED, instruments: null, session })
    await expect(ticks[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'store-damaged' })
    expect((await reader.verify(null)).ok).toBe(false)
    await reader.close()
    const { journal, sealedSeq, lastBlock } = inStore(folder.file, (db) => ({
      journal: db.prepare('SELECT count(*) FROM journal').pluck().get(),
      sealedSeq: db.prepare('SELECT sealed_seq FROM recording').pluck().get(),
      lastBlock: db.prepare('SELECT max(max_seq) FROM block').pluck().get(),
    }))
    // Seqs between a last seq that is too low and the next flush get a corrupt row of their own.
    const rows = lastSeq < 9 ? 2 : 1
    expect({ journal, sealedSeq, lastBlock }).toEqual(
      sealed ? { journal: rows, sealedSeq: 15, lastBlock: 15 } : { journal: 5, sealedSeq: 0, lastBlock: null },
    )
  })
})
