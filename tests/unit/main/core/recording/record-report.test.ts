import { expect, it } from 'vitest'
import { lossFailure, reportOf, type RecordedSession } from '../../../../../src/main/core/recording/record-report.ts'
import { UNLABELLED, type SessionRow } from '../../../../../src/shared/core/recording/session.ts'
import { sessionId, unixMs } from '../../../../../src/shared/base/units.ts'

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
    live: false,
    feeds: [{ feed: 'crypto/XT', ...none, received: count, stored: count }],
    symbols: 1,
    messages: count,
    bytes: 0,
    gaps: [],
    gapCount: 0,
    edges: 0,
    imported: false,
    ...UNLABELLED,
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
