/** Reads when sessions received an instrument, from their acknowledgements and gaps. */
import { isFeedId, sessionId, type SessionId } from '../../../../shared/base/units.ts'
import { skewAt, type Share } from '../../../../shared/core/recording/merged-sessions.ts'
import type { KnownGap, SessionFacts, Subscription } from '../../../../shared/core/recording/reception.ts'
import { isGapCause } from '../../../../shared/core/recording/session.ts'
import { SubscriptionTracker } from '../../../../shared/core/recording/subscription-tracker.ts'
import { findLastStamp } from '../format/last-received.ts'
import type { StoredSession } from '../schema/records.ts'
import { lazyStatements, type Db } from '../schema/sqlite.ts'
import { SessionClocks } from './session-clock.ts'
import { readSubscription, SUBSCRIPTION_ROWS } from '../format/subscription-rows.ts'

/** Finds seqs by receive time, and back. */
export interface Positions {
  /** When a message or entry was received, by the session's clock, UTC ms; null if it isn't there. */
  wallMsAt(session: SessionId, seq: number): number | null
  /** The last seq received at or before an instant, UTC ms; 0 if there is none. */
  seqAt(session: SessionId, ms: number): number
}

export interface ReadSession {
  readonly row: StoredSession
  /** Last seq to read; Infinity: all of it. */
  readonly limit: number
}

interface GapRow {
  readonly from_seq: number
  readonly feed: string
  readonly cause: string
  readonly symbols: string
  readonly from_ms: number
  readonly to_ms: number | null
  readonly to_seq: number | null
  readonly opened_ms: number | null
}

export class ReceptionReader {
  readonly #db: Db
  readonly #clocks: SessionClocks
  readonly #positions: Positions
  readonly #sql

  constructor(db: Db, positions: Positions) {
    this.#db = db
    this.#clocks = new SessionClocks(db)
    this.#positions = positions
    this.#sql = lazyStatements({
      gaps: () =>
        db.prepare<[number, number], GapRow>(
          `SELECT gap.*, entry.wall_ms AS opened_ms FROM gap
         LEFT JOIN entry ON entry.recording = gap.recording AND entry.seq = from_seq
         WHERE gap.recording = ? AND from_seq <= ? ORDER BY from_seq`,
        ),
      acks: () =>
        db.prepare<[number, number], { seq: number; wall_ms: number; body: string }>(
          `SELECT seq, wall_ms, body FROM entry WHERE recording = ? AND seq <= ?
         AND ${SUBSCRIPTION_ROWS} ORDER BY seq`,
        ),
      feeds: () => db.prepare<[number], string>('SELECT DISTINCT feed FROM connection WHERE recording = ?').pluck(),
    })
  }

  /** Service clock minus a session's clock. */
  clockOf(row: StoredSession): Share['clock'] {
    return this.#clocks.of(row)
  }

  /** Call within a read transaction. */
  read({ row, limit }: ReadSession): SessionFacts {
    const upTo = Math.min(limit, Number.MAX_SAFE_INTEGER)
    const clock = this.#clocks.of(row)
    const at = (seq: number, ms: number): number => ms + skewAt({ clock }, seq)
    const running = { fromMs: at(0, row.started_ms), toMs: at(upTo, this.#endMs(row, limit)) }
    const gaps = this.#sql.gaps.all(row.id, upTo).map((gap): KnownGap => {
      const { from_seq: fromSeq, to_seq: toSeq, to_ms: closedMs } = gap
      const isClosed = closedMs !== null && (toSeq ?? fromSeq) <= upTo
      const toMs = isClosed ? at(toSeq ?? fromSeq, closedMs) : Infinity
      const from = at(fromSeq, gap.from_ms)
      const openedMs = gap.opened_ms ?? gap.from_ms
      return {
        ...aboutOf(gap),
        seq: fromSeq,
        toSeq: isClosed ? toSeq : null,
        openedMs,
        closedMs: isClosed ? closedMs : null,
        dated: { fromMs: from, toMs },
        arrived: { fromMs: Math.max(from, at(fromSeq, openedMs)), toMs },
      }
    })
    const tracker = new SubscriptionTracker()
    const subscriptions = this.#sql.acks.all(row.id, upTo).flatMap(({ seq, wall_ms: wallMs, body }): Subscription[] => {
      const change = readSubscription(tracker, body)
      if (change === null) return []
      const { is, isLost } = change
      return [{ seq, atMs: at(seq, wallMs), is, isLost, of: change.feed === null ? null : change }]
    })
    const isAcknowledged = subscriptions.some(({ is }) => is)
    const isOpen = limit < Infinity || row.ended_ms === null
    return { clock, running, isOpen, feeds: new Set(this.#sql.feeds.all(row.id)), gaps, subscriptions, isAcknowledged }
  }

  #endMs(row: StoredSession, limit: number): number {
    const endedMs = row.ended_ms ?? findLastStamp(this.#db, row.id)?.wallMs ?? row.started_ms
    if (limit === Infinity) return endedMs
    if (limit <= 0) return row.started_ms
    return Math.min(endedMs, this.#positions.wallMsAt(sessionId(row.key), limit) ?? Infinity)
  }
}

/** A corrupt gap can be of any feed and symbol. */
function aboutOf({ feed, cause, symbols }: GapRow): Pick<KnownGap, 'cause' | 'feed' | 'symbols'> {
  try {
    const parsed = JSON.parse(symbols) as unknown // checked below
    if (isFeedId(feed) && isGapCause(cause) && Array.isArray(parsed))
      return { cause, feed, symbols: parsed as string[] } // written from a string[]
  } catch {
    // reported by those who read gaps
  }
  return { cause: null, feed: null, symbols: [] }
}
