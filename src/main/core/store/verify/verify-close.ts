/** Compares a session's close record with what was found. */
import type { Problem } from '../../../../shared/core/recording/session.ts'
import type { FeedId } from '../../../../shared/base/units.ts'
import type { Db } from '../schema/sqlite.ts'
import { feedTotals } from '../format/totals.ts'
import type { CloseRecord } from '../schema/records.ts'

/** What the verification read of a session. */
export interface SessionFacts {
  readonly messages: number
  readonly entries: number
  readonly sealedSeq: number
  /** Feeds and last heads by connection. */
  readonly feeds: ReadonlyMap<number, FeedId>
  readonly heads: ReadonlyMap<number, Uint8Array | null>
}

type ReportProblem = (kind: Problem['kind'], detail: string, feed?: FeedId) => void

/** Reports every count and head in which the close record of session `id` differs. */
export function checkClose(db: Db, id: number, close: CloseRecord, found: SessionFacts, report: ReportProblem): void {
  const totals = feedTotals(db, id)
  const count = (what: string, is: number, closed: number): void => {
    if (is !== closed) report('count', `${what}: ${is} stored, ${closed} in the close record`)
  }
  count('messages', found.messages, close.messages)
  count('entries', found.entries, close.entries)
  count('last seq', found.sealedSeq, close.lastSeq)
  count('symbols', totals.symbols, close.symbols)
  count('bytes', totals.bytes, close.bytes)
  for (const closed of close.counts) {
    const is = totals.feeds.find(({ feed }) => feed === closed.feed)
    const stored = is?.stored ?? 0
    if (
      stored !== closed.stored ||
      closed.received !== closed.stored ||
      (is !== undefined &&
        (is.control !== closed.control || is.undecodable !== closed.undecodable || is.unasked !== closed.unasked))
    ) {
      report('count', `${closed.feed}: ${stored} stored, ${closed.received} received`, closed.feed)
    }
  }
  for (const { feed } of totals.feeds) {
    if (!close.counts.some((expected) => expected.feed === feed))
      report('count', `the close record doesn’t list ${feed}`, feed)
  }
  for (const [conn, expected] of Object.entries(close.heads)) {
    const head = found.heads.get(Number(conn)) ?? null
    if (head === null || Buffer.from(head).toString('hex') !== expected) {
      report(
        'digest',
        `the chain head of connection ${conn} doesn’t match the close record`,
        found.feeds.get(Number(conn)),
      )
    }
  }
  if (Object.keys(close.heads).length !== found.heads.size)
    report('digest', 'the close record lists different connections')
}
