/**
 * Journal flushes that are corrupt. The instruments of their messages are unknown; only their seqs, and the entries
 * before and after them, are known.
 */
import { CodedError } from '../../../../shared/base/errors.ts'
import { formatInstant } from '../types/corruption.ts'
import { Journal } from './journal.ts'
import { lazyStatements, type Db } from '../schema/sqlite.ts'

/** First and last seq of a flush. */
export type SeqRange = readonly [first: number, last: number]

/** How late a message may arrive after its event time, ms: transmission, and trades reported afterwards. */
const MAX_LATE_MS = 60_000

/** Earliest and latest time of a flush, UTC ms; null if nothing bounds it. */
export interface TimeBounds {
  readonly fromMs: number
  readonly toMs: number | null
}

/** Finds corrupt flushes. Call within a read transaction. */
export class CorruptFlushes {
  readonly #journal: Journal
  readonly #sql

  constructor(db: Db) {
    this.#journal = new Journal(db)
    this.#sql = lazyStatements({
      session: () =>
        db.prepare<[number], { key: string; started_ms: number; ended_ms: number | null }>(
          'SELECT key, started_ms, ended_ms FROM recording WHERE id = ?',
        ),
      // Up to the watermark, only corrupt rows remain in the journal.
      sealed: () =>
        db
          .prepare<[number, number, number], SeqRange>(
            `SELECT first_seq, max(first_seq, last_seq) AS last FROM journal
           WHERE recording = ? AND last > ? AND first_seq <= ? AND torn <> 0 ORDER BY first_seq`,
          )
          .raw(),
      skew: () => db.prepare<[number], number | null>('SELECT max(abs(skew_ms)) FROM gap WHERE recording = ?').pluck(),
      entryBefore: () =>
        db
          .prepare<[number, number], number>(
            'SELECT wall_ms FROM entry WHERE recording = ? AND seq < ? ORDER BY seq DESC LIMIT 1',
          )
          .pluck(),
      entryAfter: () =>
        db
          .prepare<[number, number], number>(
            'SELECT wall_ms FROM entry WHERE recording = ? AND seq > ? ORDER BY seq LIMIT 1',
          )
          .pluck(),
    })
  }

  /** Flushes found corrupt at sealing that hold a seq in (after, upTo], ascending. */
  sealed(session: number, afterSeq: number, upToSeq: number): readonly SeqRange[] {
    return this.#sql.sealed.all(session, afterSeq, Math.min(upToSeq, Number.MAX_SAFE_INTEGER))
  }

  /** All corrupt flushes that begin in (after, upTo], ascending. Reads the unsealed journal. */
  all(session: number, afterSeq: number, upToSeq: number): SeqRange[] {
    const found: SeqRange[] = []
    for (const { firstSeq, lastSeq, isIntact } of this.#journal.from(session, afterSeq + 1)) {
      if (firstSeq > upToSeq) break
      if (!isIntact) found.push([firstSeq, lastSeq])
    }
    return found
  }

  /** Receive times, bounded by the entries before and after. */
  receivedWithin(session: number, [first, last]: SeqRange): TimeBounds {
    const row = this.#sql.session.get(session)
    const fromMs = this.#sql.entryBefore.get(session, first) ?? row?.started_ms ?? -Infinity
    const toMs = this.#sql.entryAfter.get(session, last) ?? row?.ended_ms ?? null
    return { fromMs, toMs: toMs === null ? null : Math.max(fromMs, toMs) }
  }

  /** Event times that its messages can have: they are dated before they arrive, by a clock that may differ. */
  eventTimesWithin(session: number, seqs: SeqRange): TimeBounds {
    const { fromMs, toMs } = this.receivedWithin(session, seqs)
    const skewMs = this.#sql.skew.get(session) ?? 0
    return { fromMs: fromMs - MAX_LATE_MS - skewMs, toMs: toMs === null ? null : toMs + skewMs }
  }

  /** The error for a reader that needs every message of the session. */
  refusal(session: number, seqs: SeqRange): CodedError {
    const { fromMs, toMs } = this.receivedWithin(session, seqs)
    const key = this.#sql.session.get(session)?.key ?? 'a session'
    const until = toMs === null ? 'or later' : `to ${formatInstant(toMs)}`
    return new CodedError(
      'store-damaged',
      `Messages of ${key} received from ${formatInstant(fromMs)} ${until} are corrupt, and their symbols are unknown.`,
      {
        hint: 'Choose a range that ends a minute before them or starts after them, or restore the store from a backup. Run Verify in the Evidence pane, or "tapedeck verify", to see everything affected.',
      },
    )
  }
}
