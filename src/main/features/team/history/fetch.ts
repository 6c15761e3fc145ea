/** Sessions of a team's history on their way into the local store. */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { RecordingId } from '../../../../shared/base/units.ts'
import { teamSource } from '../../../../shared/core/recording/recording.ts'
import type { HistoryEntry } from '../../../../shared/features/team/team.ts'
import { ColumnsBuilder } from '../../../core/store/format/message-columns.ts'
import type { ImportOutcome, StoreLibrary } from '../../../core/store/types/library.ts'
import type { Batch } from '../../../core/store/types/messages.ts'
import type { SessionEnd } from '../session-info.ts'
import type { History, HistorySession } from './history.ts'

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

export interface FetchOptions {
  /** Names the history, for the store log. */
  readonly place: string
  readonly signal: AbortSignal
  /** Gets the messages stored so far, and all of the session. */
  readonly onStored: (stored: number, messages: number) => void
}

/** A session that is complete in the history. */
export interface CompleteSession {
  readonly about: HistorySession
  readonly end: SessionEnd
}

/** Rejects with `not-found`, or with `not-allowed` while the session isn't complete in the history. */
export async function findComplete(history: History, session: RecordingId): Promise<CompleteSession> {
  const about = await history.session(session)
  if (about === null || about.isRemoved)
    throw new CodedError('not-found', `The history of team ${history.team} doesn’t have session ${session}.`, {
      hint: about === null ? 'Check the ID with tapedeck team.' : 'Its day was detached to make room.',
    })
  const { end, isComplete } = about
  if (end === null || !isComplete)
    throw new CodedError('not-allowed', `Session ${session} isn’t complete in the history yet.`, {
      hint: 'Fetch it once it has ended and is archived.',
    })
  return { about, end }
}

/** Copies a session, verified against its hash chains. Readers see it when it is complete. Rejects like an import. */
export function fetchFromHistory(
  history: History,
  library: StoreLibrary,
  { about, end }: CompleteSession,
  { place, signal, onStored }: FetchOptions,
): Promise<ImportOutcome> {
  const { session, shard, startedMs } = about
  const { endedMs, clean, heads, messages } = end
  return library.importRecording(
    {
      id: session,
      source: teamSource(history.team, shard),
      startedMs,
      endedMs,
      clean,
      heads,
      from: `history of team ${history.team} at ${place}`,
    },
    batchesOf(history, session),
    { signal, onStored: (stored) => onStored(stored, messages) },
  )
}

/** The flushes of a session as batches with memory of their own, which the store may take over. */
async function* batchesOf(history: History, session: RecordingId): AsyncGenerator<Batch> {
  for await (const flushes of history.flushes(session, 0)) {
    for (const { batch } of flushes) {
      const { count, offsets } = batch.messages
      const rows = new ColumnsBuilder(Math.max(1, count), Math.max(1, offsets[count] - offsets[0]))
      rows.add(batch.messages, 0, count)
      yield { ...batch, messages: rows.build() }
    }
  }
}
