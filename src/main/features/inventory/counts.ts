/** Totals over sessions. Pure. */
import { isEdge, type SessionRow } from '../../../shared/core/recording/session.ts'
import type { FeedId } from '../../../shared/base/units.ts'

/** A feed over several sessions, as printed. `messages` = market + control + undecodable; `unasked` are among them. */
export interface FeedStats {
  readonly feed: FeedId
  readonly sessions: number
  readonly messages: number
  readonly market: number
  readonly control: number
  readonly undecodable: number
  readonly unasked: number
  /** Gaps other than connecting at the start and ending at the end, and how long the closed ones were. */
  readonly gap_count: number
  readonly gap_seconds: number
}

const NONE = {
  sessions: 0,
  messages: 0,
  market: 0,
  control: 0,
  undecodable: 0,
  unasked: 0,
  gap_count: 0,
  gap_seconds: 0,
}

/** The totals of each feed that has any, in the order of their first session. */
export function countFeeds(rows: readonly SessionRow[]): ReadonlyMap<FeedId, FeedStats> {
  const found = new Map<FeedId, FeedStats>()
  for (const row of rows) {
    for (const { feed, stored, decoded, control, undecodable, unasked } of row.feeds) {
      const sum = found.get(feed) ?? { feed, ...NONE }
      const gaps = row.gaps.filter((gap) => gap.feed === feed && !isEdge(gap))
      const gapMs = gaps.reduce((ms, { fromMs, toMs }) => ms + (toMs === null ? 0 : toMs - fromMs), 0)
      found.set(feed, {
        feed,
        sessions: sum.sessions + 1,
        messages: sum.messages + stored,
        market: sum.market + decoded,
        control: sum.control + control,
        undecodable: sum.undecodable + undecodable,
        unasked: sum.unasked + unasked,
        gap_count: sum.gap_count + gaps.length,
        gap_seconds: sum.gap_seconds + gapMs / 1_000,
      })
    }
  }
  return found
}

/** Totals of sessions, as printed. `ended`: null while one is being recorded. */
export interface SessionStats {
  readonly sessions: number
  readonly messages: number
  readonly bytes: number
  readonly bytes_per_message: number | null
  readonly started: string
  readonly ended: string | null
}

/** Null without a session. */
export function countSessions(rows: readonly SessionRow[]): SessionStats | null {
  const [first] = rows
  if (first === undefined) return null
  const messages = rows.reduce((sum, row) => sum + row.messages, 0)
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0)
  const startedMs = rows.reduce<number>((ms, row) => Math.min(ms, row.startedMs), first.startedMs)
  const ends = rows.map(({ endedMs }) => endedMs)
  const isOver = ends.every((ms) => ms !== null)
  return {
    sessions: rows.length,
    messages,
    bytes,
    bytes_per_message: messages === 0 ? null : bytes / messages,
    started: new Date(startedMs).toISOString(),
    ended: isOver ? new Date(ends.reduce<number>((ms, end) => Math.max(ms, end ?? 0), 0)).toISOString() : null,
  }
}
