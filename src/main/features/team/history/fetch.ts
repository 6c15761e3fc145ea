/** Sessions of a team's history on their way into the local store. */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import { teamSource, type Authorship } from '../../../../shared/core/recording/session.ts'
import type { HistoryEntry } from '../../../../shared/features/team/team.ts'
import { ColumnsBuilder } from '../../../core/store/format/message-columns.ts'
import type { ImportOutcome, StoreLibrary } from '../../../core/store/types/library.ts'
import type { Batch } from '../../../core/store/types/messages.ts'
import type { SessionEnd } from '../session-info.ts'
import { AuthorshipCheck, findUnproven, type TrustedKeys } from '../sign/authorship.ts'
import type { History, HistorySession } from './history.ts'

/** Sessions of the history that the store doesn't have, the newest first. */
export function historyEntries(
  sessions: readonly HistorySession[],
  isStored: (session: SessionId) => boolean,
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
  /** Keys of which one must have signed the whole session; absent: none needs to. */
  readonly trusted?: TrustedKeys | null
  /** Gets the messages stored so far, and all of the session. */
  readonly onStored: (stored: number, messages: number) => void
}

export interface CompleteSession {
  readonly about: HistorySession
  readonly end: SessionEnd
}

/** Rejects with `not-found`, or with `not-allowed` while the session isn't complete in the history. */
export async function findComplete(history: History, session: SessionId): Promise<CompleteSession> {
  const about = await history.session(session)
  if (about === null || about.isRemoved)
    throw new CodedError('not-found', `The history of team ${history.team} doesn’t have session ${session}.`, {
      hint:
        about === null
          ? 'Check the ID: tapedeck verify --history lists those of the history.'
          : 'Its day was detached to make room.',
    })
  const { end, isComplete } = about
  if (end === null || !isComplete)
    throw new CodedError('not-allowed', `Session ${session} isn’t complete in the history yet.`, {
      hint: 'Fetch it once it has ended and is archived.',
    })
  return { about, end }
}

export interface FetchOutcome extends ImportOutcome {
  /** Who signed it. Null: it was in the store already, and wasn't read again. */
  readonly author: Authorship | null
}

/**
 * Copies a session, verified against its hash chains and signatures. Readers see it when it is complete. Rejects like an
 * import, with `store-damaged` where a signature doesn't match, and with `not-allowed` where a trusted one is missing.
 */
export async function fetchFromHistory(
  history: History,
  library: StoreLibrary,
  { about, end }: CompleteSession,
  { place, signal, trusted = null, onStored }: FetchOptions,
): Promise<FetchOutcome> {
  const { session, shard, startedMs, epoch } = about
  const { endedMs, clean, heads, messages } = end
  const signatures = new AuthorshipCheck({ ...about, team: history.team }, await history.signatures(session))
  const done = () => {
    signatures.finish(end)
    const [fault] = signatures.faults
    if (fault !== undefined) throw forged(history, session, fault)
    const unproven = trusted === null ? null : findUnproven(signatures.authorship(trusted, true))
    if (unproven !== null) throw notTrusted(session, unproven)
  }
  const outcome = await library.importSession(
    {
      id: session,
      source: teamSource(history.team, shard),
      startedMs,
      endedMs,
      clean,
      heads,
      epoch,
      from: `history of team ${history.team} at ${place}`,
    },
    batchesOf(history, session, signatures, done),
    { signal, onStored: (stored) => onStored(stored, messages) },
  )
  if (!outcome.already) return { ...outcome, author: signatures.authorship(trusted, true) }
  if (trusted === null) return { ...outcome, author: null }
  for await (const flushes of history.flushes(session, 0)) signatures.take(flushes)
  done()
  return { ...outcome, author: signatures.authorship(trusted, true) }
}

const forged = ({ team }: History, session: SessionId, fault: string): CodedError =>
  new CodedError('store-damaged', `Session ${session} isn’t what its recorder signed: ${fault}.`, {
    hint: `Somebody changed the history of team ${team}. The recorder may still have the original.`,
  })

const notTrusted = (session: SessionId, why: string): CodedError =>
  new CodedError('not-allowed', `Session ${session} isn’t signed with a trusted key: ${why}.`, {
    hint: 'Compare its key with those that tapedeck team lists. Without --trust, sessions of any signer, or of none, are fetched.',
  })

/**
 * The flushes of a session as batches with memory of their own, which the store may take over. `done` is called before the
 * last one counts.
 */
async function* batchesOf(
  history: History,
  session: SessionId,
  signatures: AuthorshipCheck,
  done: () => void,
): AsyncGenerator<Batch> {
  for await (const flushes of history.flushes(session, 0)) {
    signatures.take(flushes)
    for (const { batch } of flushes) {
      const { count, offsets } = batch.messages
      const rows = new ColumnsBuilder(Math.max(1, count), Math.max(1, offsets[count] - offsets[0]))
      rows.add(batch.messages, 0, count)
      yield { ...batch, messages: rows.build() }
    }
  }
  done()
}
