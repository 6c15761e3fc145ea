/** Which recordings hold an instant, for going back to it out of the live market. Pure. */
import { inTurn } from '../../../shared/features/sessions/overlaps.ts'
import type { SessionRow } from '../../../shared/core/recording/recording.ts'
import type { StatusState } from '../../../shared/core/status/status.ts'
import type { ReplayRoute } from '../../core/window/window-route.ts'

/** Whether a session is of what the live market shows. */
export function isOfSource(
  row: Pick<SessionRow, 'source'>,
  { source, origin }: Pick<StatusState, 'source' | 'origin'>,
) {
  return source === 'demo' ? row.source === 'demo' : row.source.endsWith(`@${origin}`)
}

/**
 * The session of `rows`, all of one source, that was recorded at an instant: of several the one that is read
 * there. Where none was, those before and after it, so that the gap between them is seen; before all of them the
 * first; a bar may begin earlier than its first session. Null: nothing was recorded.
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
  // Of different users of one service they cannot be joined.
  const joined = after?.source === before.source ? [before.session, after.session] : [before.session]
  return { sessions: joined, atMs: joined.length > 1 ? ms : endOf(before) }
}
