import { describe, expect, it } from 'vitest'
import { Archive } from '../../../../../../src/main/features/team/history/archive.ts'
import { dropOldTicks, tickSink } from '../../../../../../src/main/features/team/history/ticks.ts'
import { hasPostgres } from '../../../../../kit/postgres-server.ts'
import { quoteText, tradeText } from '../../../../../kit/market.ts'
import { T0 } from '../../../core/store/harness.ts'
import { encode, flushesOf, SESSION } from '../frame/flushes.ts'
import { ABOUT, newHistory } from './kit.ts'

const ODD = '\\\\N\\\\tB'
const FLUSHES = flushesOf([
  [
    { conn: 1, data: tradeText('BTC-USD', 64_000.25, 0.5, T0 + 1) },
    { entry: { type: 'clock', shiftMs: 5 } },
    { conn: 2, data: quoteText('ETH-USD', 3_000, 3_001, T0 + 2) },
    { conn: 1, data: '{"type":"subscribed"}', flags: 4 },
    { conn: 1, data: 'not a record', flags: 8 },
  ],
  [
    { conn: 1, data: tradeText(ODD, 1, 2, T0 + 3) },
    { conn: 1, data: tradeText('BTC-USD', 9, 9, T0 + 4), flags: 16 },
  ],
])
const FRAMES = encode(FLUSHES, { bundleBytes: 1 }).map(({ bytes }) => bytes)
const DAY_MS = 86_400_000

describe.skipIf(!hasPostgres)('rows of ticks [needs postgresql]', () => {
  async function withTicks(nowMs: number, beforeCommit?: () => Promise<void>) {
    const made = await newHistory()
    const archive = new Archive(made.db, { onFrames: await tickSink(made.db, 7, () => nowMs), beforeCommit })
    await archive.putSession(ABOUT)
    return { ...made, archive }
  }

  it('hold each market record once, with the numbers of its kind', async () => {
    const { archive, db } = await withTicks(T0)
    await archive.store(SESSION, FRAMES.slice(0, 1))
    await archive.store(SESSION, FRAMES)
    const none = { price: null, size: null, bid: null, ask: null, bid_size: null, ask_size: null, volume: null }
    expect(
      await db.rows(
        `SELECT seq, feed, symbol, recv_ms, event_ms, price, size, bid, ask, bid_size, ask_size, volume, day
         FROM ${db.schema}.tick ORDER BY seq`,
      ),
    ).toEqual([
      { ...none, seq: 1, feed: 'crypto/XT', symbol: 'BTC-USD', recv_ms: T0 + 1, event_ms: T0 + 1, price: 64_000.25, size: 0.5, day: '2026-01-05' },
      { ...none, seq: 3, feed: 'crypto/XQ', symbol: 'ETH-USD', recv_ms: T0 + 3, event_ms: T0 + 2, bid: 3_000, ask: 3_001, day: '2026-01-05' },
      { ...none, seq: 6, feed: 'crypto/XT', symbol: '\\N\\tB', recv_ms: T0 + 6, event_ms: T0 + 3, price: 1, size: 2, day: '2026-01-05' },
    ]) // oxfmt-ignore
  })

  it('are committed with their frames or not at all', async () => {
    let fail = true
    const { archive, db } = await withTicks(T0, async () => {
      if (fail) throw new Error('killed')
    })
    await expect(archive.store(SESSION, FRAMES)).rejects.toThrow()
    expect(await db.rows(`SELECT 1 FROM ${db.schema}.tick`)).toEqual([])
    fail = false
    await archive.store(SESSION, FRAMES)
    expect(await db.rows(`SELECT 1 FROM ${db.schema}.tick`)).toHaveLength(3)
  })

  it('are dropped after some days, and then not written any more', async () => {
    const { archive, db } = await withTicks(T0)
    await archive.store(SESSION, FRAMES.slice(0, 1))
    expect(await dropOldTicks(db, 7, T0 + 7 * DAY_MS)).toBe(0)
    expect(await db.rows(`SELECT 1 FROM ${db.schema}.tick`)).toHaveLength(2)
    expect(await dropOldTicks(db, 7, T0 + 8 * DAY_MS)).toBe(1)
    expect(await db.rows(`SELECT 1 FROM ${db.schema}.tick`)).toEqual([])
    const later = new Archive(db, { onFrames: await tickSink(db, 7, () => T0 + 8 * DAY_MS) })
    expect(await later.store(SESSION, FRAMES)).toMatchObject({ is: 'stored' })
    expect(await db.rows(`SELECT 1 FROM ${db.schema}.tick`)).toEqual([])
  })
})
