/** Compares the gap table with the entries it is derived from. */
import { isFeedId, type FeedId } from '../../../../shared/base/units.ts'
import type { LedgerEntry } from '../../../../shared/core/recording/session.ts'
import type { EntryRow } from '../format/ledger.ts'
import type { Db } from '../schema/sqlite.ts'
import type { GapRow } from '../schema/records.ts'

type ReportProblem = (kind: 'entry' | 'missing', detail: string, feed?: FeedId, atMs?: number) => void

/** Reports every gap that is missing, has no entry, or differs from its entries. */
export function checkGaps(db: Db, session: number, entries: Iterable<EntryRow>, report: ReportProblem): void {
  const expected = new Map<number, GapRow>()
  for (const { seq, wallMs, body } of entries) {
    let entry: LedgerEntry
    try {
      entry = JSON.parse(body) as LedgerEntry // written from a LedgerEntry; the ledger's hash covers its text
    } catch {
      report('entry', `entry ${seq} can’t be read`, undefined, wallMs)
      continue
    }
    if (entry.type === 'gap-open') {
      const { feed, cause, symbols, fromMs, skewMs = null } = entry
      expected.set(seq, {
        from_seq: seq,
        feed,
        cause,
        symbols: JSON.stringify(symbols),
        from_ms: fromMs,
        to_ms: null,
        to_seq: null,
        skew_ms: skewMs,
      })
    } else if (entry.type === 'gap-close') {
      const gap = expected.get(entry.openedSeq)
      if (gap?.to_seq === null) Object.assign(gap, { to_ms: wallMs, to_seq: seq })
    }
  }
  const stored = db
    .prepare<[number], GapRow>(
      `SELECT from_seq, feed, cause, symbols, from_ms, to_ms, to_seq, skew_ms
       FROM gap WHERE recording = ? ORDER BY from_seq`,
    )
    .all(session)
  for (const gap of stored) {
    const expectedGap = expected.get(gap.from_seq)
    expected.delete(gap.from_seq)
    const feed = isFeedId(gap.feed) ? gap.feed : undefined
    if (expectedGap === undefined) report('entry', `the gap at seq ${gap.from_seq} has no entry`, feed, gap.from_ms)
    else if (JSON.stringify(gap) !== JSON.stringify(expectedGap))
      report('entry', `the gap at seq ${gap.from_seq} doesn’t match its entries`, feed, expectedGap.from_ms)
  }
  for (const { from_seq, feed, from_ms } of expected.values())
    report('missing', `the gap at seq ${from_seq} is missing`, isFeedId(feed) ? feed : undefined, from_ms)
}
