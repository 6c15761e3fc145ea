/**
 * Finds what the team's log dropped before the history had it: for its age, by a limit that somebody set, or because its
 * stream was deleted after a session had ended. The recorder's store still has it.
 */
import { toFailure } from '../../../../shared/base/errors.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import { readHeader } from '../frame/decode.ts'
import { isPart, readPart } from '../frame/parts.ts'
import type { StoredMessage, TeamLog } from '../nats/team-log.ts'
import type { SessionInfo } from '../session-info.ts'
import type { Resend } from './resend.ts'

export class DroppedFrames {
  /** The last seq that the log was known to have; null: unknown. */
  readonly #publishedSeq: (session: SessionId) => number | null
  /** Sequence of the last message of each session when it was published again. */
  readonly #resent = new Map<SessionId, number>()

  constructor(publishedSeq: (session: SessionId) => number | null) {
    this.#publishedSeq = publishedSeq
  }

  /**
   * What to publish again of a session that the history has up to `archivedSeq`; null: nothing, or that was found
   * before. Rejects if the log can't be asked.
   */
  async find(
    log: Pick<TeamLog, 'firstOf' | 'lastOf'>,
    { session, shard, end }: SessionInfo,
    archivedSeq: number,
  ): Promise<Resend | null> {
    const published = this.#publishedSeq(session)
    if (published === null) return null
    const upToSeq = end?.lastSeq ?? published
    if (archivedSeq >= upToSeq) return null
    const sequence = (await orNull(log.lastOf(shard, session)))?.sequence ?? 0
    const resent = this.#resent.get(session) ?? 0
    // What was published again is behind that message. A stream that was made again counts from 1.
    const first = await orNull(log.firstOf(shard, session, resent <= sequence ? resent : 0))
    if (first !== null && firstSeqOf(first) <= archivedSeq + 1) return null
    this.#resent.set(session, sequence)
    return { afterSeq: archivedSeq, upToSeq }
  }
}

/** A stream that doesn't exist has nothing. */
const orNull = (found: Promise<StoredMessage | null>): Promise<StoredMessage | null> =>
  found.catch((thrown: unknown) => {
    if (toFailure(thrown).code === 'not-found') return null
    throw thrown
  })

/** The first seq that can be read from here on; 0 if the message can't be read: then nothing is known to be missing. */
function firstSeqOf({ bytes }: StoredMessage): number {
  if (!isPart(bytes)) {
    const header = readHeader(bytes)
    return header.ok ? header.value.firstSeq : 0
  }
  const part = readPart(bytes)
  if (!part.ok) return 0
  // Without its first parts, no frame can be made of the others.
  return part.value.part === 0 ? part.value.firstSeq : part.value.lastSeq + 1
}
