import { describe, expect, it } from 'vitest'
import {
  failureOf,
  lossFailure,
  reportOf,
  type RecordedSession,
} from '../../../../../src/main/core/recording/record-report.ts'
import type { FeedStatus } from '../../../../../src/shared/core/status/status.ts'
import { UNLABELED } from '../../../../kit/market.ts'
import type { SessionRow } from '../../../../../src/shared/core/recording/session.ts'
import { sessionId, unixMs, type FeedId } from '../../../../../src/shared/base/units.ts'

const NO_HOST = { code: 'offline', message: 'No such host.', hint: 'Check the address.' } as const
const STARTED = Date.UTC(2026, 0, 5)
const requested = new Map([['crypto/XT', ['BTC-USD']]] as const)
const acknowledged = { type: 'acknowledged', feed: 'crypto/XT', conn: 1, symbols: ['BTC-USD'] } as const
const none = { decoded: 0, control: 0, undecodable: 0, unasked: 0 }
const stored = (count: number): RecordedSession => {
  const row: SessionRow = {
    session: sessionId('00000000000000000000000001'),
    source: 'demo',
    startedMs: unixMs(STARTED),
    endedMs: null,
    clean: false,
    isCorrupt: false,
    live: false,
    feeds: [{ feed: 'crypto/XT', ...none, received: count, stored: count }],
    symbols: 1,
    messages: count,
    bytes: 0,
    gaps: [],
    gapCount: 0,
    edges: 0,
    imported: false,
    ...UNLABELED,
  }
  const entries = [{ seq: 1, wallMs: STARTED, monoNs: 0, entry: acknowledged }]
  return { row, entries, lastMs: unixMs(STARTED + 8_000), lostFrom: new Map([['crypto/XT', unixMs(STARTED + 7_500)]]) }
}
const received = [{ feed: 'crypto/XT', received: 10 }] as const
const until = unixMs(STARTED + 10_000)

it('tells no loss where only the close record is missing, as without zstd', () => {
  const report = reportOf([stored(10)], requested, null, received, until)
  expect(report.feeds).toMatchObject([{ received: 10, stored: 10, gap_count: 0 }])
  expect(lossFailure([stored(10)], received, until, null)).toBeUndefined()
})

it('tells what was received and isn’t stored, with a gap up to the end', () => {
  const report = reportOf([stored(7)], requested, null, received, until)
  expect(report.feeds).toMatchObject([{ received: 10, stored: 7, gap_count: 1 }])
  // From where recovery will mark the gap, not from the last message.
  expect(report.missing_seconds).toBe(2.5)
  expect(lossFailure([stored(7)], received, until, null)?.message).toBe('3 messages of the last 2.5 s weren’t stored.')
  expect(lossFailure([stored(9)], received, until, null)?.message).toBe('1 message of the last 2.5 s wasn’t stored.')
})

it('rounds times to what they mean: seconds to the millisecond, as are their totals, and delays to the microsecond', () => {
  const lag = { p50: 11.14695177786905, p99: 35.95003355138487, max: 56.794869 }
  const end = unixMs(STARTED + 10_000.123456)
  const feeds = new Map<FeedId, readonly string[]>([...requested, ['crypto/XQ', ['BTC-USD']], ['forex/C', ['EUR/USD']]])
  const one = { ...stored(10), lastMs: end }
  const report = reportOf([one], feeds, lag, received, end)
  expect(report.lag_ms).toEqual({ p50: 11.147, p99: 35.95, max: 56.795 })
  const all = [report, ...report.feeds].flatMap(({ covered_seconds, missing_seconds }) => [
    covered_seconds,
    missing_seconds,
  ])
  expect(all.map((seconds) => String(seconds).split('.')[1]?.length ?? 0).every((digits) => digits <= 3)).toBe(true)
  expect(report.missing_seconds).toBe(30)
})

describe('what the service never did', () => {
  const asked = new Map<FeedId, readonly string[]>([
    ['crypto/XT', ['BTC-USD', 'ETH-USD']],
    ['crypto/XQ', ['BTC-USD']],
  ])
  const [feed] = reportOf([stored(10)], requested, null, received, until).feeds
  const unconfirmed = (trades: readonly string[], quotes: readonly string[]) => ({
    feeds: [
      { ...feed, feed: 'crypto/XT' as const, unconfirmed: trades },
      { ...feed, feed: 'crypto/XQ' as const, unconfirmed: quotes },
    ],
  })
  const waiting = (of: FeedId): FeedStatus => ({
    feed: of,
    state: { is: 'waiting', untilMs: until, attempt: 3, why: { ...NO_HOST, closeCode: null } },
    connections: 1,
    acknowledged: [],
    missing: [],
    overBudget: [],
    budget: 50,
    perSecond: 0,
    received: 0,
    undecodable: 0,
    unasked: 0,
    lastMessageMs: null,
    mappings: [],
  })

  it.each([
    ['nothing, if every symbol was confirmed', unconfirmed([], []), [], undefined],
    [
      'only symbols of feeds that lack some',
      unconfirmed(['ETH-USD'], []),
      [],
      'The service never confirmed ETH-USD on crypto/XT.',
    ],
    [
      'feeds that confirmed nothing',
      unconfirmed(['ETH-USD'], ['BTC-USD']),
      [],
      'crypto/XQ never opened before the recording ended.',
    ],
    [
      'all of them',
      unconfirmed(['BTC-USD', 'ETH-USD'], ['BTC-USD']),
      [],
      'crypto/XT, crypto/XQ never opened before the recording ended.',
    ],
    [
      'why it didn’t open',
      unconfirmed([], ['BTC-USD']),
      [waiting('crypto/XT'), waiting('crypto/XQ')],
      'crypto/XQ never opened: No such host.',
    ],
    [
      'no other feed’s reason',
      unconfirmed([], ['BTC-USD']),
      [waiting('crypto/XT')],
      'crypto/XQ never opened before the recording ended.',
    ],
  ] as const)('is %s', (_, report, last, message) => {
    expect(failureOf(report, asked, last)?.message).toBe(message)
  })
})
