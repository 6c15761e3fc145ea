/** Finds the sessions that cover an instant, to go back to it from the live market. Pure. */
import { inTurn } from '../../../shared/features/sessions/overlaps.ts'
import type { SessionRow } from '../../../shared/core/recording/session.ts'
import type { ReplayRoute } from '../../core/window/window-route.ts'

/**
 * The session in `rows` (all of one source) recorded at `ms`; if several overlap, the one a replay reads there.
 * Between sessions, returns the one before and the one after, so the gap is visible. Before the first session,
 * returns that one, because a bar may start earlier than its first session. Null if nothing was recorded.
 */
export function replayFrom(rows: readonly SessionRow[], ms: number, nowMs: number): ReplayRoute | null {
  const newestFirst = inTurn(rows.filter(({ messages, binnedMs }) => messages > 0 && binnedMs === null)).map(
    ({ of }) => of,
  )
  const endOf = (row: SessionRow) => row.endedMs ?? nowMs
  const at = newestFirst.find((row) => row.startedMs <= ms && endOf(row) >= ms)
  if (at) return { sessions: [at.session], atMs: ms }
  const before = newestFirst.filter((row) => endOf(row) < ms).at(-1)
  const after = newestFirst.find((row) => row.startedMs > ms)
  if (!before) return after ? { sessions: [after.session], atMs: null } : null
  // Sessions of different users of the same service can't be joined.
  const joined = after?.source === before.source ? [before.session, after.session] : [before.session]
  return { sessions: joined, atMs: joined.length > 1 ? ms : endOf(before) }
}
