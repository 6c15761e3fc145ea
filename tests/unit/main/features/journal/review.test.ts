// What a review says of what was recorded: every price of its range, every gap and alert, and what it doesn't know.
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { historyProblem, readHistory } from '../../../../../src/main/features/alerts/alert-format.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import { alertsOf, buildReview, type ReviewQuery } from '../../../../../src/main/features/journal/review.ts'
import { MAX_EVENTS, type AlertEvent } from '../../../../../src/shared/features/alerts/types.ts'
import type { Review } from '../../../../../src/shared/features/journal/review.ts'
import type { Gap } from '../../../../../src/shared/core/recording/session.ts'
import { instrumentId, unixMs } from '../../../../../src/shared/base/units.ts'
import { quoteText, tradeText } from '../../../../kit/market.ts'
import { T0, type Item } from '../../core/store/harness.ts'
import { recorded } from '../export/recorded.ts'

const HOUR = 3_600_000
const BTC = instrumentId('crypto', 'BTC-USD')
const trade = (price: number, atMs: number): Item => ({
  conn: 1,
  data: tradeText('BTC-USD', price, 1, atMs),
  recvMs: atMs,
})
const quote = (bid: number, atMs: number): Item => ({
  conn: 2,
  data: quoteText('BTC-USD', bid, bid + 2, atMs),
  recvMs: atMs,
})

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function review(items: readonly Item[], query: Partial<ReviewQuery> = {}): Promise<Review> {
  const store = await recorded([items])
  closing.push(() => store.close())
  return reviewOf(store.reader, query)
}
const reviewOf = (reader: StoreReader, query: Partial<ReviewQuery> = {}): Promise<Review> =>
  buildReview(reader, {
    source: 'demo',
    fromMs: T0,
    toMs: T0 + HOUR,
    nowMs: T0 + 5_000 * HOUR,
    gaps: [],
    alerts: { events: [], problem: null },
    notes: [],
    ...query,
  })

describe('the moves of a review', () => {
  it('are from the first price, however many bars there are', async () => {
    const hours = 2_100
    const items = Array.from({ length: hours }, (_, i) => trade(i + 1, T0 + i * HOUR))
    const { moves, barMs } = await review(items, { toMs: T0 + hours * HOUR })
    expect(moves).toMatchObject([{ first: 1, low: 1, lowMs: T0, last: hours, high: hours, change: hours - 1 }])
    expect(barMs).toBe(HOUR)
  })

  it('are of mids, and marked, where only quotes were recorded', async () => {
    const { moves, instruments } = await review([quote(99, T0 + 1_000), quote(109, T0 + 60_000)])
    expect(moves).toMatchObject([{ instrument: BTC, symbol: 'BTC-USD', of: 'mid', first: 100, last: 110 }])
    expect(instruments).toBe(1)
  })

  it('are of trades where both were recorded, once', async () => {
    const { moves } = await review([quote(99, T0 + 1_000), trade(50, T0 + 1_500), trade(60, T0 + 60_000)])
    expect(moves).toMatchObject([{ instrument: BTC, of: 'trade', first: 50, last: 60 }])
  })
})

describe('corrupt messages in a review', () => {
  const corruptFeed = (file: string, feed: string): void => {
    const db = new Database(file)
    for (const table of ['block', 'rollup']) {
      const ids = 'SELECT id FROM series WHERE feed = ?'
      db.prepare(`UPDATE ${table} SET data = zeroblob(length(data)) WHERE series IN (${ids})`).run(feed)
    }
    db.close()
  }
  it('are listed by symbol and time, and quotes don’t stand in for them', async () => {
    const store = await recorded([[quote(99, T0 + 1_000), trade(50, T0 + 1_500), trade(60, T0 + 60_000)]])
    closing.push(() => store.close())
    corruptFeed(store.file, 'crypto/XT')
    const { moves, corrupt } = await reviewOf(store.reader)
    expect(moves).toEqual([])
    expect(corrupt).toEqual([
      { symbol: 'BTC-USD', feed: 'crypto/XT', fromMs: T0 + 1_500, toMs: expect.any(Number) as number },
    ])
    expect(corrupt[0].toMs).toBeGreaterThanOrEqual(T0 + 60_000)
  })
})

describe('the gaps of a review', () => {
  const gap = (toMs: number | null): Gap =>
    ({
      feed: 'crypto/XT',
      symbols: [],
      cause: 'drop',
      fromMs: unixMs(T0 + 1_000),
      toMs: toMs === null ? null : unixMs(toMs),
    }) as unknown as Gap // what a review reads
  it.each([
    ['within it has its end', T0 + 5_000, T0 + 5_000],
    ['that ended after it has its end', T0 + 2 * HOUR, T0 + 2 * HOUR],
    ['that ends after the clock is still open', T0 + 4 * HOUR, null],
    ['without an end is still open', null, null],
  ])('%s', async (_what, toMs, said) => {
    const { gaps } = await review([trade(1, T0)], { gaps: [gap(toMs)], nowMs: T0 + 3 * HOUR })
    expect(gaps).toMatchObject([{ fromMs: T0 + 1_000, toMs: said }])
  })
})

describe('the time without a session', () => {
  const MIN = 60_000
  const drop = (fromMs: number, toMs: number | null): Gap =>
    ({
      feed: 'crypto/XT',
      symbols: [],
      cause: 'crash',
      fromMs: unixMs(fromMs),
      toMs: toMs === null ? null : unixMs(toMs),
    }) as unknown as Gap // what a review reads
  // Each session lasts for 50 minutes of its hour.
  it.each<[string, Partial<ReviewQuery>, number]>([
    ['is none within a session', { toMs: T0 + 50 * MIN }, 0],
    ['is what follows the last session', { toMs: T0 + HOUR }, 10 * MIN - 1],
    ['is what comes before the first session', { fromMs: T0 - 2 * MIN, toMs: T0 + MIN }, 2 * MIN],
    ['is all of a range without sessions', { fromMs: T0 - 5 * MIN, toMs: T0 - MIN }, 4 * MIN],
    ['has not come yet after now', { toMs: T0 + 10 * HOUR, nowMs: T0 + HOUR - 1 }, 10 * MIN - 1],
    ['is not counted again where a gap has it', { gaps: [drop(T0 + 50 * MIN, T0 + 55 * MIN)] }, 5 * MIN],
    ['is that outside the reviewed sessions', { sessions: [] }, HOUR],
  ])('%s', async (_what, query, ms) => {
    const { outsideMs } = await review([trade(1, T0), trade(2, T0 + 20 * MIN)], query)
    expect(outsideMs).toBe(ms)
  })

  it('is what lies between two sessions', async () => {
    const store = await recorded([[trade(1, T0)], [trade(2, T0 + HOUR)]])
    closing.push(() => store.close())
    const { outsideMs, gapCount } = await buildReview(store.reader, {
      source: 'demo',
      fromMs: T0,
      toMs: T0 + 110 * MIN,
      nowMs: T0 + 5 * HOUR,
      gaps: [],
      alerts: { events: [], problem: null },
      notes: [],
    })
    expect([outsideMs, gapCount]).toEqual([10 * MIN - 1, 0])
  })
})

describe('the alerts of a review', () => {
  const fired = (atMs: number, id: number): AlertEvent => ({
    id,
    atMs,
    alert: 'a',
    instrument: BTC,
    condition: { is: 'price', of: 'last', level: 1_000, direction: 'up' },
    note: '',
    is: 'fired',
    eventMs: null,
    value: 1_001,
    before: 999,
  })
  const events = (count: number, fromMs: number): AlertEvent[] =>
    Array.from({ length: count }, (_, i) => fired(fromMs + i, i + 1))

  it('are the last 500, and all are counted', async () => {
    const { alerts, alertCount } = await review([trade(1, T0)], { alerts: { events: events(501, T0), problem: null } })
    expect([alerts.length, alerts[0].atMs, alertCount]).toEqual([500, T0 + 1, 501])
  })

  it('say that older ones are no longer known once the history is full', () => {
    const full = events(MAX_EVENTS, T0 + 1_000)
    const problemOf = (all: readonly AlertEvent[], fromMs: number) =>
      alertsOf('demo', { events: all, problem: null, fromMs }, []).problem
    expect(problemOf(full, T0)).toBe('The history of alerts holds only the last 2000 events.')
    expect(problemOf(full, T0 + 1_000)).toBeNull()
    expect(problemOf(full.slice(1), T0)).toBeNull()
    expect(alertsOf('import:x', { events: full, problem: 'x', fromMs: T0 }, [])).toEqual({ events: [], problem: null })
  })

  it.each([
    ['garbage', 'The history of alerts couldn’t be read.'],
    ['{"version":99,"entries":[]}', 'The history of alerts was written by a newer Tapedeck.'],
    ['{"version":1,"entries":[{}]}', '1 event of the history of alerts couldn’t be read.'],
    ['{"version":1,"entries":[]}', null],
  ])('of the file %s', (text, problem) => {
    expect(historyProblem(readHistory(text))).toBe(problem)
  })
})
