/** Verifies queued pieces of a session and splits what they hold, in turns of the event loop that don't hold up windows. */
import { setImmediate } from 'node:timers/promises'
import { contentBytes } from '../frame/encode.ts'
import type { CommittedFlush } from '../frame/frame.ts'
import type { Refusal } from '../frame/refusal.ts'
import type { SessionEnd } from '../session-info.ts'
import type { SignedSession } from '../sign/signature.ts'
import type { Piece } from './session-model.ts'
import type { SessionProof } from './session-proof.ts'
import { verifyPiece, type CopyPosition } from './verify-piece.ts'

/** Bytes of pieces that are verified together, and of flushes that are stored with one append. */
const APPEND_BYTES = 1 << 20
/** Messages that are verified or shown in one turn. A backlog arrives in bundles of 40,000. */
const TURN_MESSAGES = 1_000

/** What was verified of a session, and what of it isn't proven yet. */
export interface VerifiedCopy extends CopyPosition {
  /** The last of the flushes up to `lastSeq`: they wait for a signature, and aren't stored. */
  readonly held: readonly CommittedFlush[]
}

/** Flushes that follow the local copy. */
export interface Bundle {
  /** To be stored. */
  readonly flushes: readonly CommittedFlush[]
  readonly copy: VerifiedCopy
  /** Of the pieces, in memory. */
  readonly bytes: number
  /** Why the next piece can't be stored; null: it can, or there is none. */
  readonly refusal: Refusal | null
}

/**
 * Takes the next pieces off `queue`, as many as one append stores. The session's end, too, proves what waits. Null once `isStale`: they are read again.
 */
export async function verifyBundle(
  of: SignedSession & { readonly end: SessionEnd | null },
  copy: VerifiedCopy,
  queue: Piece[],
  proof: SessionProof,
  isStale: () => boolean,
): Promise<Bundle | null> {
  const { session } = copy
  const flushes: CommittedFlush[] = []
  let { heads, lastSeq, held } = copy
  let bytes = 0
  let messages = 0
  const result = (refusal: Refusal | null): Bundle => ({ flushes, copy: { session, heads, lastSeq, held }, bytes, refusal }) // oxfmt-ignore
  while (queue.length > 0 && (bytes === 0 || bytes + queue[0].bytes <= APPEND_BYTES)) {
    const [piece] = queue.splice(0, 1)
    const verified = verifyPiece({ session, lastSeq, heads }, piece)
    if (!verified.ok) return result(verified.refusal)
    const { value } = verified
    const verdict = proof.take(of, {
      before: { lastSeq, heads },
      flushes: value.flushes,
      signatures: value.signatures,
      time: piece.data.is === 'frame' ? piece.data.time : null,
    })
    if (!verdict.ok) return result(verdict.refusal)
    const pending = [...held, ...value.flushes]
    const proven = verdict.proven === 0 ? 0 : held.length + verdict.proven
    for (const flush of pending.slice(0, proven)) flushes.push(flush)
    held = pending.slice(proven)
    for (const { batch } of value.flushes) messages += batch.messages.count
    bytes += piece.bytes
    heads = value.heads
    lastSeq = Math.max(lastSeq, piece.lastSeq)
    if (messages < TURN_MESSAGES || queue.length === 0) continue
    messages = 0
    await setImmediate()
    if (isStale()) return null
  }
  if (!canEnd(of.end, { lastSeq, held })) return result(null)
  const refusal = proof.refuseEnd(of, of.end, heads)
  if (refusal === null) {
    for (const flush of held) flushes.push(flush)
    held = []
  }
  return result(refusal)
}

/** Whether only the session's end can prove what waits. */
export const canEnd = (
  end: SessionEnd | null,
  { lastSeq, held }: Pick<VerifiedCopy, 'lastSeq' | 'held'>,
): end is SessionEnd => held.length > 0 && end?.lastSeq === lastSeq

/** Flushes in order, as many at a time as one append stores. */
export function* inAppends(flushes: readonly CommittedFlush[]): Generator<readonly CommittedFlush[]> {
  for (let from = 0; from < flushes.length;) {
    let to = from
    for (let bytes = 0; to < flushes.length && bytes < APPEND_BYTES; to++) bytes += contentBytes([flushes[to]])
    yield flushes.slice(from, to)
    from = to
  }
}

/** Flushes in order, as many at a time as one turn shows. */
export async function* inTurns(flushes: readonly CommittedFlush[]): AsyncGenerator<readonly CommittedFlush[]> {
  for (let from = 0; from < flushes.length;) {
    if (from > 0) await setImmediate()
    let to = from
    for (let messages = 0; to < flushes.length && messages < TURN_MESSAGES; to++)
      messages += flushes[to].batch.messages.count
    yield flushes.slice(from, to)
    from = to
  }
}
