/** Copies a session from a team's history into the local store, verified against its hash chains. */
import { CodedError } from '../../../shared/base/errors.ts'
import { teamSource } from '../../../shared/core/recording/recording.ts'
import type { HistoryEntry } from '../../../shared/features/team/team.ts'
import type { RecordingId } from '../../../shared/base/units.ts'
import type { JobProgress } from '../../core/jobs/jobs.ts'
import type { StoreReplicas } from '../../core/store/types/replica.ts'
import { firstSeq, lastSeqOf, verifyPiece } from './follow/verify-piece.ts'
import { copyOf, headsOf } from './follow/session-follower.ts'
import type { ChainHeads } from './frame/frame.ts'
import type { History, HistorySession } from './history/history.ts'

/** Sessions of the history that the store doesn't have, the newest first. */
export function historyEntries(
  sessions: readonly HistorySession[],
  isStored: (session: RecordingId) => boolean,
): HistoryEntry[] {
  return sessions
    .filter(({ session }) => !isStored(session))
    .map(({ session, shard, recorder, startedMs, end, messages, isComplete, isRemoved }): HistoryEntry => ({
      session,
      shard,
      recorder,
      startedMs,
      endedMs: end?.endedMs ?? null,
      messages,
      obstacle: isRemoved ? 'removed' : isComplete ? null : 'open',
    }))
    .toSorted((a, b) => b.startedMs - a.startedMs)
}

/** Resolves with the number of messages. A session that was fetched in part is continued. */
export async function fetchSession(
  history: History,
  replicas: StoreReplicas,
  session: RecordingId,
  progress: (now: JobProgress) => void,
  signal: AbortSignal,
): Promise<number> {
  const about = await history.session(session)
  if (about === null) throw new CodedError('not-found', 'The team’s history doesn’t have this session.')
  const { end, shard, startedMs, recorder } = about
  if (about.isRemoved)
    throw new CodedError('not-found', 'The messages of this session were removed from the history.', {
      hint: 'Ask the team’s operator for the archive of that day.',
    })
  if (!about.isComplete || end === null)
    throw new CodedError('busy', 'This session is still being recorded or archived.', { hint: 'Try again once it has ended.' }) // prettier-ignore
  const from = `the history of team ${history.team}, recorded by ${recorder}`
  const copy = await replicas.open({ id: session, source: teamSource(history.team, shard), startedMs, from })
  if (copy.isComplete) return about.messages
  let lastSeq = copy.lastSeq
  let heads: ChainHeads = new Map(
    [...copy.heads].map(([conn, { head, messages }]) => [conn, { head, messages: conn === 0 ? 0 : messages }]),
  )
  let count = 0
  for await (const flushes of history.flushes(session, lastSeq)) {
    if (signal.aborted) throw new CodedError('cancelled', 'Fetching was canceled.')
    if (flushes.every(({ batch }) => firstSeq(batch) === null)) continue
    const verified = verifyPiece(
      { session, lastSeq, heads },
      { firstSeq: 0, lastSeq: 0, bytes: 0, data: { is: 'flushes', flushes } },
    )
    if (!verified.ok) throw new CodedError('store-damaged', verified.refusal.message, { hint: verified.refusal.hint ?? '' }) // prettier-ignore
    const { flushes: next } = verified.value
    await replicas.append(session, next.map(({ batch }) => copyOf(batch)), headsOf(next)) // prettier-ignore
    heads = verified.value.heads
    for (const { batch } of next) {
      lastSeq = Math.max(lastSeq, lastSeqOf(batch))
      count += batch.messages.count
    }
    progress({ count, done: end.lastSeq === 0 ? null : lastSeq / end.lastSeq })
  }
  await replicas.end(session, { endedMs: end.endedMs, clean: end.clean, heads: end.heads })
  return about.messages
}
