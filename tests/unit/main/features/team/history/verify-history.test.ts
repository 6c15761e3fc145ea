import { describe, expect, it } from 'vitest'
import { verifyHistory } from '../../../../../../src/main/features/team/history/verify-history.ts'
import { sealPart } from '../../../../../../src/main/features/team/history/seal.ts'
import { sessionId } from '../../../../../../src/shared/base/units.ts'
import { hasPostgres } from '../../../../../kit/postgres-server.ts'
import { encode, flushesOf, SESSION, trades } from '../frame/flushes.ts'
import { ABOUT, endOf, newHistory, sealAll } from './kit.ts'

const FLUSHES = flushesOf([
  [{ entry: { type: 'connecting', feed: 'crypto/XT', conn: 1 } }, ...trades(5)],
  trades(3, 'ETH-USD'),
  [{ entry: { type: 'clock', shiftMs: 5 } }],
  [{ conn: 3, data: 'not a record', flags: 8 }, ...trades(4)],
])
const FRAMES = encode(FLUSHES, { bundleBytes: 1 }).map(({ bytes }) => bytes)
const END = endOf(FLUSHES)

/** A complete history in two parts. */
async function sealed() {
  const made = await newHistory()
  await made.archive.putSession({ ...ABOUT, end: END })
  await made.archive.store(SESSION, FRAMES.slice(0, 2))
  await sealAll(made.db)
  await made.archive.store(SESSION, FRAMES)
  await sealAll(made.db)
  await made.archive.complete(SESSION)
  return made
}

describe.skipIf(!hasPostgres)('verifying a history [needs postgresql]', () => {
  it('finds nothing wrong with what was archived, at any point', async () => {
    const { archive, db } = await newHistory()
    const good = async (messages: number, session: typeof SESSION | null = null): Promise<void> =>
      expect(await verifyHistory(db, session)).toMatchObject({ sessions: 1, messages, ok: true, problems: [] })
    await archive.putSession({ ...ABOUT, end: END })
    await good(0)
    await archive.store(SESSION, FRAMES.slice(0, 2))
    await good(8)
    await sealPart(db, SESSION, { partBytes: 1 })
    await good(8)
    await sealAll(db)
    await archive.store(SESSION, FRAMES)
    await good(END.messages)
    await archive.complete(SESSION)
    await sealAll(db)
    await good(END.messages, SESSION)
  })

  it('says that there is no such session, and can be canceled', async () => {
    const { db } = await sealed()
    const other = sessionId('01khj7x0a0zzzzzzzzzzzzzzzz')
    expect(await verifyHistory(db, other)).toMatchObject({
      ok: false,
      problems: [{ session: other, kind: 'missing', detail: 'no such session' }],
    })
    await expect(verifyHistory(db, null, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' })
  })

  it('finds any changed byte of blocks, entries, heads and sizes', async () => {
    const { db } = await sealed()
    const columns = [
      ['block', 'data'], ['block', 'sum'], ['entry_block', 'data'], ['entry_block', 'sum'],
      ['chain', 'head'], ['part', 'flushes'], ['connection', 'head'],
    ] // oxfmt-ignore
    for (const [table, column] of columns) {
      const rows = await db.rows<{ at: string; length: number }>(
        `SELECT tableoid::regclass || ' ' || ctid AS at, length(${column}) AS length FROM ${db.schema}.${table}`,
      )
      expect(rows.length).toBeGreaterThan(0)
      for (const [i, { length }] of rows.entries()) {
        const flip = (byte: number): Promise<number> =>
          db.run(
            `UPDATE ${db.schema}.${table} SET ${column} = set_byte(${column}, $1, get_byte(${column}, $1) # 1)
             WHERE ${column} = (SELECT ${column} FROM ${db.schema}.${table} ORDER BY ${column} OFFSET $2 LIMIT 1)`,
            [byte, i],
          )
        const before = await db.rows<{ v: Buffer }>(`SELECT ${column} AS v FROM ${db.schema}.${table} ORDER BY 1`)
        await flip((i * 7) % length)
        expect([table, column, i, (await verifyHistory(db, null)).ok]).toEqual([table, column, i, false])
        const after = await db.rows<{ v: Buffer }>(`SELECT ${column} AS v FROM ${db.schema}.${table} ORDER BY 1`)
        const changed = after.find(({ v }) => !before.some((old) => old.v.equals(v)))
        const original = before.find(({ v }) => !after.some((now) => now.v.equals(v)))
        if (changed === undefined || original === undefined) throw new Error('nothing was changed')
        await db.run(`UPDATE ${db.schema}.${table} SET ${column} = $2 WHERE ${column} = $1`, [changed.v, original.v])
      }
    }
    expect((await verifyHistory(db, null)).ok).toBe(true)
  })

  it.each([
    ['block.count', 'UPDATE $.block SET count = count + 1', /fails its checksum/],
    [
      'block.instrument',
      "UPDATE $.block SET instrument = 'crypto:XRPUSD' WHERE instrument = 'crypto:ETHUSD'",
      /messages of crypto:ETHUSD/,
    ],
    [
      'block.feed',
      "UPDATE $.block SET feed = 'stocks/T' WHERE instrument = 'crypto:ETHUSD'",
      /messages of another feed/,
    ],
    ['a deleted block', "DELETE FROM $.block WHERE instrument = 'crypto:ETHUSD'", /messages or entries are missing/],
    ['a deleted entry', 'DELETE FROM $.entry_block WHERE part = 0', /messages or entries are missing/],
    [
      'a deleted part',
      'DELETE FROM $.chain WHERE part = 0; DELETE FROM $.part WHERE part = 0',
      /part 1 begins at seq 10, not 1/,
    ],
    [
      'the last part',
      'DELETE FROM $.chain WHERE part = 1; DELETE FROM $.part WHERE part = 1',
      /seq 10 to 15 are missing\nblock has rows of part 1 on 2026-01-05 that belong to no part/,
    ],
    ['a deleted chain', 'DELETE FROM $.chain WHERE part = 0 AND conn = 2', /the head of connection 2 is missing/],
    [
      'session.messages',
      'UPDATE $.session SET messages = messages + 1',
      /13 messages and 2 entries instead of 14 and 2/,
    ],
    ['the watermark', 'UPDATE $.session SET last_seq = last_seq + 1', /seq 16 to 16 are missing/],
    [
      'the close record',
      "UPDATE $.session SET ended = jsonb_set(ended, '{messages}', '99')",
      /it has 13 messages instead of 99/,
    ],
    [
      'connection.messages',
      'UPDATE $.connection SET messages = 77 WHERE conn = 2',
      /the head of connection 2 doesn’t match/,
    ],
    [
      'a deleted connection',
      'DELETE FROM $.connection WHERE conn = 3',
      /messages of another feed|a connection is missing/,
    ],
  ])('finds %s', async (_what, sql, problem) => {
    const { db } = await sealed()
    for (const statement of sql.split(';')) await db.run(statement.replaceAll('$', db.schema))
    const { ok, problems } = await verifyHistory(db, null)
    expect(ok).toBe(false)
    expect(problems.map(({ detail }) => detail).join('\n')).toMatch(problem)
  })

  it('goes on after a corrupt part, and says which seqs it covers', async () => {
    const { db } = await sealed()
    await db.run(`UPDATE ${db.schema}.block SET data = '\\x00' WHERE part = 0 AND instrument = 'crypto:ETHUSD'`)
    const { problems } = await verifyHistory(db, null)
    expect(problems).toEqual([
      {
        session: SESSION,
        kind: 'changed',
        feed: null,
        atMs: null,
        detail: `part 0, seq 1 to 9: Part 0 of session ${SESSION} is corrupt in the history: a block fails its checksum.`,
      },
    ])
  })
})
