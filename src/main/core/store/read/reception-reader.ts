/** Reads when sessions received an instrument, from their acknowledgements and gaps. */
import {
  feedAsset,
  instrumentKey,
  isFeedId,
  sessionId,
  type FeedId,
  type SessionId,
} from '../../../../shared/base/units.ts'
import { mergeSpans, withoutSpans, type Span } from '../../../../shared/base/spans.ts'
import { skewAt, type Reception, type Share } from '../../../../shared/core/recording/merged-sessions.ts'
import { findLastStamp } from '../format/last-received.ts'
import type { StoredSession } from '../schema/records.ts'
import { lazyStatements, type Db } from '../schema/sqlite.ts'
import { SessionClocks } from './session-clock.ts'

/** Finds seqs by receive time, and back. */
export interface Positions {
  /** When a message or entry was received, by the session's clock, UTC ms; null if it isn't there. */
  wallMsAt(session: SessionId, seq: number): number | null
  /** The last seq received at or before an instant, UTC ms; 0 if there is none. */
  seqAt(session: SessionId, ms: number): number
}

/** A session up to a seq. */
export interface ReadSession {
  readonly row: StoredSession
  /** Last seq to read; Infinity: all of it. */
  readonly limit: number
}

/** What the ledger of a session says about its reception. Times are by the service's clock, UTC ms. */
export interface SessionFacts {
  readonly clock: Share['clock']
  /** To its end, or to the last thing received while it is open. */
  readonly running: Span
  /** Whether it may receive more than is read. */
  readonly isOpen: boolean
  /** Feeds that it had a connection of. */
  readonly feeds: ReadonlySet<string>
  readonly gaps: readonly KnownGap[]
  readonly subscriptions: readonly Subscription[]
  /** Whether it has acknowledgements at all. */
  readonly isAcknowledged: boolean
}

interface KnownGap {
  /** Null: it can't be read, and may be of any feed. */
  readonly feed: string | null
  /** Empty: every symbol. */
  readonly symbols: readonly string[]
  readonly dated: Span
  /** From when it was noticed. */
  readonly arrived: Span
}

/** An acknowledgement (`is` true) or the end of a subscription. Null: it can't be read. */
interface Subscription {
  readonly atMs: number
  readonly is: boolean
  readonly of: { readonly feed: FeedId; readonly symbols: readonly string[] } | null
}

interface GapRow {
  readonly from_seq: number
  readonly feed: string
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
         AND (body LIKE '{"type":"acknowledged"%' OR body LIKE '{"type":"released"%') ORDER BY seq`,
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
      return {
        ...aboutOf(gap),
        dated: { fromMs: from, toMs },
        arrived: { fromMs: Math.max(from, at(fromSeq, gap.opened_ms ?? gap.from_ms)), toMs },
      }
    })
    const subscriptions = this.#sql.acks
      .all(row.id, upTo)
      .map(({ seq, wall_ms: wallMs, body }) => ({ atMs: at(seq, wallMs), ...subscriptionOf(body) }))
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

/** When a session received a symbol of a feed, by any alias; null: any symbol. */
export function receptionOf(facts: SessionFacts, feed: FeedId, key: string | null): Reception {
  const { running, feeds, gaps, subscriptions, isAcknowledged } = facts
  if (!feeds.has(feed)) return { covered: [], connected: [], running }
  const asset = feedAsset(feed)
  const isMine = (symbols: readonly string[]): boolean =>
    key === null || symbols.some((symbol) => instrumentKey(asset, symbol) === key)
  const subscribed: Span[] = []
  let sinceMs: number | null = isAcknowledged ? null : running.fromMs
  for (const { atMs, is, of } of subscriptions) {
    // What can't be read may have ended this subscription, and proves no other one.
    if (of === null ? is : of.feed !== feed || !isMine(of.symbols)) continue
    // The end of one symbol doesn't end the others.
    if (key === null && !is) continue
    if (is) sinceMs ??= atMs
    else if (sinceMs !== null) {
      subscribed.push({ fromMs: sinceMs, toMs: atMs })
      sinceMs = null
    }
  }
  if (sinceMs !== null) subscribed.push({ fromMs: sinceMs, toMs: running.toMs })
  const mine = gaps.filter(
    (gap) =>
      gap.feed === null || (gap.feed === feed && (gap.symbols.length === 0 || (key !== null && isMine(gap.symbols)))),
  )
  const received = mergeSpans(subscribed)
  return {
    covered: withoutSpans(
      received,
      mine.map(({ dated }) => dated),
    ),
    connected: withoutSpans(
      received,
      mine.map(({ arrived }) => arrived),
    ),
    running,
  }
}

/** A corrupt gap can be of any feed and symbol. */
function aboutOf({ feed, symbols }: GapRow): Pick<KnownGap, 'feed' | 'symbols'> {
  try {
    const parsed = JSON.parse(symbols) as unknown // checked below
    if (isFeedId(feed) && Array.isArray(parsed)) return { feed, symbols: parsed as string[] } // written from a string[]
  } catch {
    // reported by those who read gaps
  }
  return { feed: null, symbols: [] }
}

function subscriptionOf(body: string): Pick<Subscription, 'is' | 'of'> {
  const is = body.startsWith('{"type":"acknowledged"')
  try {
    const { feed, symbols } = JSON.parse(body) as { readonly feed?: string; readonly symbols?: unknown } // checked below
    if (feed !== undefined && isFeedId(feed) && Array.isArray(symbols))
      return { is, of: { feed, symbols: symbols as string[] } } // written from a string[]
  } catch {
    // reported by those who read the ledger
  }
  return { is, of: null }
}
