import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Archive } from '../../../../../../src/main/features/team/history/archive.ts'
import { copyToTail, type TailFrame } from '../../../../../../src/main/features/team/history/tail/copy-to-tail.ts'
import { sealPart } from '../../../../../../src/main/features/team/history/seal.ts'
import { checksum } from '../../../../../../src/main/features/team/frame/envelope.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import { hasPostgres } from '../../../../../kit/postgres-server.ts'
import { T0 } from '../../../core/store/harness.ts'
import { anyFlushes, encode, flushesOf, FEEDS, SESSION, trades } from '../frame/flushes.ts'
import { ABOUT, all, announcements, endOf, newHistory, plain, sealAll } from './kit.ts'

const FLUSHES = flushesOf([
  [{ entry: { type: 'connecting', feed: 'crypto/XT', conn: 1 } }, ...trades(5)],
  trades(3, 'ETH-USD'),
  [{ entry: { type: 'clock', shiftMs: 5 } }],
  [{ conn: 3, data: 'not a record', flags: 8 }, ...trades(4)],
])
const FRAMES = encode(FLUSHES, { bundleBytes: 1 }).map(({ bytes }) => bytes)
const WHOLE = encode(FLUSHES).map(({ bytes }) => bytes)
const LAST = endOf(FLUSHES).lastSeq

const keyCount = async (db: Awaited<ReturnType<typeof newHistory>>['db']): Promise<number> => {
  const [{ rows }] = await db.rows<{ rows: number }>(
    `SELECT (SELECT coalesce(sum(last_seq - first_seq + 1), 0) FROM ${db.schema}.tail) +
            (SELECT coalesce(sum(last_seq - first_seq + 1), 0) FROM ${db.schema}.part) AS rows`,
  )
  return Number(rows)
}

describe.skipIf(!hasPostgres)('storing frames [needs postgresql]', () => {
  it('stores each flush once, whatever is repeated', async () => {
    const { archive, history, db } = await newHistory()
    expect(await archive.store(SESSION, FRAMES)).toEqual({ is: 'unknown' })
    await archive.putSession(ABOUT)
    expect(await archive.store(SESSION, FRAMES.slice(0, 2))).toEqual({ is: 'stored', lastSeq: 9 })
    expect(await archive.store(SESSION, FRAMES)).toEqual({ is: 'stored', lastSeq: LAST })
    expect(await archive.store(SESSION, FRAMES)).toEqual({ is: 'stored', lastSeq: LAST })
    expect(await keyCount(db)).toBe(LAST)
    expect(plain(await all(history.flushes(SESSION, 0)))).toEqual(plain(FLUSHES))
  })

  it('stops where a frame is missing and keeps what came before it', async () => {
    const { archive, db } = await newHistory()
    await archive.putSession(ABOUT)
    const [a, , c] = FRAMES
    expect(await archive.store(SESSION, [a, c])).toEqual({ is: 'missing', lastSeq: 6, nextSeq: 10 })
    expect(await keyCount(db)).toBe(6)
    expect(await archive.store(SESSION, FRAMES)).toEqual({ is: 'stored', lastSeq: LAST })
  })

  it('takes the rest of a frame that bundles what it has with what it lacks', async () => {
    for (let count = 0; count <= FRAMES.length; count++) {
      const { archive, history } = await newHistory()
      await archive.putSession(ABOUT)
      await archive.store(SESSION, FRAMES.slice(0, count))
      expect(await archive.store(SESSION, WHOLE)).toEqual({ is: 'stored', lastSeq: LAST })
      const flushes = await all(history.flushes(SESSION, 0))
      expect(plain(flushes)).toEqual(plain(FLUSHES))
      expect(announcements(flushes)).toEqual(announcements(FLUSHES))
    }
  })

  it('refuses a frame that overlaps without continuing', async () => {
    const { archive } = await newHistory()
    await archive.putSession(ABOUT)
    await archive.store(SESSION, FRAMES.slice(0, 1))
    const others = encode(flushesOf([trades(4), trades(9)]))
    expect(
      await archive.store(
        SESSION,
        others.map(({ bytes }) => bytes),
      ),
    ).toMatchObject({
      is: 'refused',
      lastSeq: 6,
      refusal: { code: 'not-next', message: 'The frame has no flush that begins at seq 7.' },
    })
  })

  it.each([
    ['a flipped bit', 'checksum', (frame: Buffer) => void (frame[60] ^= 4)],
    ['a shortened frame', 'wrong-length', (frame: Buffer) => frame.subarray(0, -3)],
    ['another history with a valid checksum', 'chain-mismatch', () => altered()],
    ['a frame that follows another one', 'not-next', () => foreign()],
  ])('stores nothing of %s, and quarantines it', async (_what, code, change) => {
    const { archive, history, db } = await newHistory()
    await archive.putSession(ABOUT)
    const copy = Buffer.from(FRAMES[1])
    const bad = change(copy) ?? copy
    const outcome = await archive.store(SESSION, [FRAMES[0], bad, FRAMES[2]])
    expect(outcome).toMatchObject({ is: 'refused', lastSeq: 6, refusal: { code } })
    if (outcome.is !== 'refused') return
    await archive.quarantine(SESSION, 1, outcome.refusal, outcome.frame)
    await archive.quarantine(SESSION, 1, outcome.refusal, outcome.frame)
    const rows = await db.rows(`SELECT session, shard, code, data FROM ${db.schema}.quarantine`)
    expect(rows).toEqual([{ session: SESSION, shard: 1, code, data: Buffer.from(bad) }])
    expect(plain(await all(history.flushes(SESSION, 0)))).toEqual(plain(FLUSHES.slice(0, 1)))
    expect(await archive.store(SESSION, FRAMES)).toEqual({ is: 'stored', lastSeq: LAST })
  })

  it('commits all of a call or nothing', async () => {
    let fail = true
    const { archive, db } = await newHistory({
      beforeCommit: async () => {
        if (fail) throw new Error('killed')
      },
    })
    await archive.putSession(ABOUT)
    await expect(archive.store(SESSION, FRAMES)).rejects.toMatchObject({ code: 'server-error' })
    expect(await keyCount(db)).toBe(0)
    fail = false
    expect(await archive.store(SESSION, FRAMES)).toEqual({ is: 'stored', lastSeq: LAST })
  })

  it('stores nothing if a frame fails while others are being copied, and goes on afterwards', async () => {
    const { archive, db } = await newHistory()
    await archive.putSession(ABOUT)
    const [{ id }] = await db.rows<{ id: number }>(`SELECT id FROM ${db.schema}.session`)
    const bytes = Buffer.alloc(1 << 16)
    const copy = (frames: () => AsyncGenerator<TailFrame>) =>
      db.transaction((sql) => copyToTail(sql, db.schema, id, frames()))
    const broken = copy(async function* () {
      for (let seq = 1; seq < 50; seq++) yield { firstSeq: seq, lastSeq: seq, bytes }
      throw new TypeError('a fault')
    })
    await expect(broken).rejects.toThrow('a fault')
    const twice = copy(async function* () {
      for (const seq of [1, 2, 1]) yield { firstSeq: seq, lastSeq: seq, bytes }
    })
    await expect(twice).rejects.toMatchObject({ message: expect.stringContaining('duplicate key') as string })
    expect(await keyCount(db)).toBe(0)
    expect(await archive.store(SESSION, FRAMES)).toEqual({ is: 'stored', lastSeq: LAST })
  })

  it('lets two archivers store the same session at the same time', async () => {
    const { archive, history, db } = await newHistory()
    await archive.putSession(ABOUT)
    const items = Array.from({ length: 60 }, (_, i) => trades(1 + (i % 4)))
    const flushes = flushesOf(items)
    const small = encode(flushes, { bundleBytes: 1 }).map(({ bytes }) => bytes)
    const large = encode(flushes, { bundleBytes: 2_000 }).map(({ bytes }) => bytes)
    const run = async (of: Archive, frames: readonly Uint8Array[]): Promise<void> => {
      for (let i = 0; i < frames.length;) {
        const outcome = await of.store(SESSION, frames.slice(i, i + 3)).catch(() => null)
        if (outcome?.is === 'stored') i += 3
        else expect(outcome).toBeNull()
      }
    }
    await Promise.all([
      run(archive, small),
      run(new Archive(db), large),
      (async () => {
        for (let i = 0; i < 40; i++) await sealPart(db, SESSION, { partBytes: 500 })
      })(),
    ])
    await sealAll(db)
    const { lastSeq } = endOf(flushes)
    expect(await archive.progress(SESSION)).toMatchObject({ lastSeq, sealedSeq: lastSeq })
    expect(await keyCount(db)).toBe(lastSeq)
    const [{ n }] = await db.rows<{ n: number }>(
      `SELECT count(DISTINCT (min_seq, instrument))::int AS n FROM ${db.schema}.block`,
    )
    expect(await db.rows(`SELECT count(*)::int AS n FROM ${db.schema}.block`)).toEqual([{ n }])
    expect(plain(await all(history.flushes(SESSION, 0)))).toEqual(plain(flushes))
  })
})

describe.skipIf(!hasPostgres)('the end of a session [needs postgresql]', () => {
  it('is compared with the heads, once everything is there', async () => {
    const { archive, history } = await newHistory()
    const end = endOf(FLUSHES)
    await archive.putSession(ABOUT)
    await archive.store(SESSION, FRAMES.slice(0, 2))
    await archive.putSession({ ...ABOUT, end })
    expect(await archive.complete(SESSION)).toBeNull()
    expect(await archive.progress(SESSION)).toMatchObject({ end, complete: false })
    await archive.store(SESSION, FRAMES)
    expect(await archive.complete(SESSION)).toBeNull()
    const [row] = await history.sessions()
    expect(row).toEqual({
      ...ABOUT,
      end,
      lastSeq: LAST,
      messages: end.messages,
      entries: end.entries,
      isComplete: true,
      isRemoved: false,
    })
  })

  it('isn’t accepted if it differs from what was received', async () => {
    const end = endOf(FLUSHES)
    const cases = [
      [{ ...end, messages: end.messages - 1, entries: end.entries + 1 }, /^it has 13 messages instead of 12$/],
      [{ ...end, lastSeq: LAST - 1 }, /^it ends at seq 15 instead of 14$/],
      [{ ...end, heads: { ...end.heads, 1: end.heads[2] } }, /the head of connection 1 doesn’t match/],
      [{ ...end, heads: { ...end.heads, 9: end.heads[2] } }, /the feed of connection 9 is unknown/],
      [
        { ...end, heads: { 1: end.heads[1], 2: end.heads[2], 3: end.heads[3] } },
        /the head of connection 0 doesn’t match/,
      ],
    ] as const
    for (const [wrong, text] of cases) {
      const { archive } = await newHistory()
      await archive.putSession({ ...ABOUT, end: wrong })
      await archive.store(SESSION, FRAMES)
      expect(await archive.complete(SESSION)).toMatch(text)
      expect(await archive.progress(SESSION)).toMatchObject({ complete: false })
    }
  })

  it('names connections that had no message', async () => {
    const { archive, history } = await newHistory()
    const [first, ...rest] = FLUSHES
    const silent = { conn: 7, feed: FEEDS[1] }
    const withSilent = [
      { ...first, batch: { ...first.batch, connections: [...(first.batch.connections ?? []), silent] } },
      ...rest,
    ]
    await archive.putSession({ ...ABOUT, end: endOf(withSilent) })
    await archive.store(SESSION, FRAMES)
    expect(await archive.complete(SESSION)).toBeNull()
    const flushes = await all(history.flushes(SESSION, 0))
    expect(announcements(flushes)).toEqual([...announcements(FLUSHES), silent])
    expect(announcements(await all(history.flushes(SESSION, LAST)))).toEqual([silent])
  })

  it('refuses a second description that contradicts the first', async () => {
    const { archive } = await newHistory()
    const end = endOf(FLUSHES)
    await archive.putSession({ ...ABOUT, end })
    await archive.putSession(ABOUT)
    await archive.putSession({ ...ABOUT, end, recorder: 'renamed' })
    for (const other of [
      { ...ABOUT, shard: 2 },
      { ...ABOUT, startedMs: unixMs(T0 + 1) },
      { ...ABOUT, end: { ...end, lastSeq: 3 } },
    ])
      await expect(archive.putSession(other)).rejects.toMatchObject({ code: 'store-damaged' })
  })
})

describe.skipIf(!hasPostgres)('reading a history [needs postgresql]', () => {
  it('gives back random sessions to the bit, sealed anywhere, from the end of any flush', async () => {
    const { history, db } = await newHistory()
    await fc.assert(
      fc.asyncProperty(
        anyFlushes,
        fc.constantFrom(1, 300, 1 << 20),
        fc.array(fc.nat(3)),
        async (flushes, bundleBytes, seals) => {
          for (const table of ['signature', 'entry_block', 'block', 'chain', 'part', 'tail', 'connection', 'session'])
            await db.run(`DELETE FROM ${db.schema}.${table}`)
          const archive = new Archive(db)
          const end = endOf(flushes)
          await archive.putSession({ ...ABOUT, end })
          for (const [i, { bytes }] of encode(flushes, { bundleBytes }).entries()) {
            await archive.store(SESSION, [bytes])
            for (let n = seals[i] ?? 0; n > 0; n--) await sealPart(db, SESSION, { partBytes: 200 })
          }
          expect(await archive.complete(SESSION)).toBeNull()
          const read = await all(history.flushes(SESSION, 0))
          expect(plain(read)).toEqual(plain(flushes))
          expect(announcements(read)).toEqual(announcements(flushes))
          let at = 0
          for (const [i, { batch }] of flushes.entries()) {
            at += batch.messages.count + batch.entries.length
            expect(plain(await all(history.flushes(SESSION, at)))).toEqual(plain(flushes.slice(i + 1)))
          }
        },
      ),
      { numRuns: 12 },
    )
  })

  it('knows a connection whose first message comes in a later part than its announcement', async () => {
    const { archive, history, db } = await newHistory()
    const [first, ...rest] = FLUSHES
    const early = { conn: 3, feed: FEEDS[2] }
    const flushes = [
      { ...first, batch: { ...first.batch, connections: [...(first.batch.connections ?? []), early] } },
      ...rest.map((flush) => ({ ...flush, batch: { ...flush.batch, connections: [] } })),
    ]
    await archive.putSession(ABOUT)
    for (const { bytes } of encode(flushes, { bundleBytes: 1 })) {
      await archive.store(SESSION, [bytes])
      await sealAll(db)
    }
    const read = await all(history.flushes(SESSION, 0))
    expect(plain(read)).toEqual(plain(FLUSHES))
    expect(announcements(read.slice(0, 1))).toEqual(announcements(FLUSHES))
  })

  it('goes on while the tail is being sealed', async () => {
    const { archive, history, db } = await newHistory()
    const flushes = flushesOf(Array.from({ length: 200 }, (_, i) => trades(1 + (i % 3))))
    await archive.putSession(ABOUT)
    await archive.store(
      SESSION,
      encode(flushes, { bundleBytes: 1 }).map(({ bytes }) => bytes),
    )
    const read: typeof flushes = []
    for await (const page of history.flushes(SESSION, 0)) {
      read.push(...page)
      await sealPart(db, SESSION, { partBytes: 3_000 })
    }
    expect(plain(read)).toEqual(plain(flushes))
  })

  it('refuses to begin inside a flush', async () => {
    const { archive, history, db } = await newHistory()
    await archive.putSession(ABOUT)
    await archive.store(SESSION, FRAMES)
    const inside = { code: 'store-damaged', message: expect.stringMatching(/No flush ends at seq 3\.$/) as string }
    await expect(all(history.flushes(SESSION, 3))).rejects.toMatchObject(inside)
    await sealAll(db)
    await expect(all(history.flushes(SESSION, 3))).rejects.toMatchObject(inside)
  })

  it.each([
    ['a block', 'block', 'data'],
    ['the entries', 'entry_block', 'data'],
    ['the sizes of flushes', 'part', 'flushes'],
    ['a head', 'chain', 'head'],
    ['a frame of the tail', 'tail', 'data'],
  ])('refuses a changed byte of %s', async (_what, table, column) => {
    const { archive, history, db } = await newHistory()
    await archive.putSession(ABOUT)
    await archive.store(SESSION, FRAMES)
    if (table !== 'tail') await sealAll(db)
    await db.run(
      `UPDATE ${db.schema}.${table} SET ${column} = set_byte(${column}, length(${column}) - 1, get_byte(${column}, length(${column}) - 1) # 1)`,
    )
    await expect(all(history.flushes(SESSION, 0))).rejects.toMatchObject({ code: 'store-damaged' })
  })

  it('refuses a deleted block and a missing frame', async () => {
    const { archive, history, db } = await newHistory()
    await archive.putSession(ABOUT)
    await archive.store(SESSION, FRAMES)
    await db.run(`DELETE FROM ${db.schema}.tail WHERE first_seq = 7`)
    await expect(all(history.flushes(SESSION, 0))).rejects.toMatchObject({ code: 'store-damaged' })
    const other = await newHistory()
    await other.archive.putSession(ABOUT)
    await other.archive.store(SESSION, FRAMES)
    await sealAll(other.db)
    await other.db.run(`DELETE FROM ${other.db.schema}.block WHERE instrument = 'crypto:ETHUSD'`)
    await expect(all(other.history.flushes(SESSION, 0))).rejects.toMatchObject({ code: 'store-damaged' })
  })

  it('no longer has the sessions of a detached day', async () => {
    const { archive, history, db } = await newHistory()
    await archive.putSession({ ...ABOUT, end: endOf(FLUSHES) })
    await archive.store(SESSION, FRAMES)
    await sealAll(db)
    const detach = `SELECT ${db.schema}.detach_day('2026-01-05')`
    await expect(db.run(detach)).rejects.toMatchObject({
      message: expect.stringMatching(/still being archived/) as string,
    })
    expect(await archive.complete(SESSION)).toBeNull()
    await db.run(detach)
    expect(await db.rows(`SELECT 1 FROM ${db.schema}.block`)).toEqual([])
    expect(await history.sessions()).toMatchObject([{ session: SESSION, isRemoved: true }])
    await expect(all(history.flushes(SESSION, 0))).rejects.toMatchObject({ code: 'not-found' })
    expect(await archive.store(SESSION, FRAMES)).toEqual({ is: 'stored', lastSeq: LAST })
  })
})

/** The second frame with a message of other bytes and a valid checksum. */
function altered(): Buffer {
  const other = flushesOf([
    [{ entry: { type: 'connecting', feed: 'crypto/XT', conn: 1 } }, ...trades(5)],
    trades(3, 'ETH-USX'),
  ])
  const [, second] = encode(other, { bundleBytes: 1, canCompress: false })
  const copy = Buffer.from(second.bytes)
  copy.set(Buffer.from('ETH-USD'), copy.indexOf('ETH-USX'))
  copy.writeUInt32LE(checksum(copy), 8)
  return copy
}

/** The second frame of a session whose first was another one. */
function foreign(): Buffer {
  const [, second] = encode(flushesOf([trades(6), trades(2)]), { bundleBytes: 1 })
  return Buffer.from(second.bytes)
}
