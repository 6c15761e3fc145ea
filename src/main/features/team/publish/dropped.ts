/**
 * Finds what the team's log dropped before the history had it: for its age, by a limit that somebody set, with a damaged
 * file of the server, or because its stream was deleted after a session had ended. The recorder's store still has it.
 */
import { toFailure } from '../../../../shared/base/errors.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import { readHeader } from '../frame/decode.ts'
import type { FrameHeader } from '../frame/frame.ts'
import { isPart, readPart } from '../frame/parts.ts'
import type { StoredMessage, TeamLog } from '../nats/team-log.ts'
import type { SessionInfo } from '../session-info.ts'
import type { Resend } from './resend.ts'

/** How often the inside of the log is looked at while the history stands still, in calls. */
const INSIDE_EVERY = 12

type FrameLog = Pick<TeamLog, 'firstOf' | 'lastOf'>

export class DroppedFrames {
  /** The last seq that the log was known to have; null: unknown. */
  readonly #publishedSeq: (session: SessionId) => number | null
  /** Sequence of the last message of each session when it was published again. */
  readonly #resent = new Map<SessionId, number>()
  /** How far the history of each session was, and for how many calls. */
  readonly #standing = new Map<SessionId, { readonly archivedSeq: number; readonly calls: number }>()

  constructor(publishedSeq: (session: SessionId) => number | null) {
    this.#publishedSeq = publishedSeq
  }

  /**
   * What to publish again of a session that the history has up to `archivedSeq`; null: nothing, or that was found
   * before. Rejects if the log can't be asked.
   */
  async find(log: FrameLog, { session, shard, end }: SessionInfo, archivedSeq: number): Promise<Resend | null> {
    const published = this.#publishedSeq(session)
    if (published === null) return null
    const upToSeq = end?.lastSeq ?? published
    if (archivedSeq >= upToSeq) return null
    const last = await orNull(log.lastOf(shard, session))
    const sequence = last?.sequence ?? 0
    const resent = this.#resent.get(session) ?? 0
    // What was published again is behind that message. A stream that was made again counts from 1.
    const after = resent <= sequence ? resent : 0
    const first = await orNull(log.firstOf(shard, session, after))
    const hasStart = first !== null && last !== null && firstSeqOf(first) <= archivedSeq + 1
    if (hasStart && (!this.#isLookDue(session, archivedSeq) || (await hasNext(log, last, after, archivedSeq))))
      return null
    this.#resent.set(session, sequence)
    return { afterSeq: archivedSeq, upToSeq }
  }

  /** Archivers that follow take a moment, and looking inside takes some requests. */
  #isLookDue(session: SessionId, archivedSeq: number): boolean {
    const known = this.#standing.get(session)
    const calls = known?.archivedSeq === archivedSeq ? known.calls + 1 : 0
    this.#standing.set(session, { archivedSeq, calls })
    return calls % INSIDE_EVERY === 1
  }
}

/** Whether the log has all of the frame behind `archivedSeq`. From message `after` on, seqs rise to `last`. */
async function hasNext(log: FrameLog, last: StoredMessage, after: number, archivedSeq: number): Promise<boolean> {
  const { shard, session } = last
  // A message that can't be read counts as the one that is looked for: nothing is known to be missing.
  const isBehind = (one: StoredMessage): boolean => !((readSpan(one)?.lastSeq ?? NaN) <= archivedSeq)
  if (!isBehind(last)) return false
  let found = last
  for (let [low, high] = [after, last.sequence - 1]; low < high;) {
    const middle = Math.floor((low + high) / 2)
    const one = await log.firstOf(shard, session, middle)
    if (one === null || one.sequence > last.sequence || isBehind(one)) {
      if (one !== null && one.sequence < found.sequence) found = one
      high = middle
    } else low = one.sequence
  }
  return firstSeqOf(found) <= archivedSeq + 1 && hasParts(log, found)
}

/** Whether the log has the other parts of a frame, by its first one. */
async function hasParts(log: FrameLog, first: StoredMessage): Promise<boolean> {
  const start = isPart(first.bytes) ? readPart(first.bytes) : null
  if (start?.ok !== true) return true
  let { sequence } = first
  for (let part = 1; part < start.value.parts; part++) {
    const next = await log.firstOf(first.shard, first.session, sequence)
    const read = next === null || !isPart(next.bytes) ? null : readPart(next.bytes)
    // Nothing is known of one that can't be read.
    if (read?.ok === false) return true
    if (next === null || read === null || read.value.part !== part) return false
    sequence = next.sequence
  }
  return true
}

/** The seqs of a message; null if it can't be read. */
function readSpan({ bytes }: StoredMessage): FrameHeader | null {
  const read = isPart(bytes) ? readPart(bytes) : readHeader(bytes)
  return read.ok ? read.value : null
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
