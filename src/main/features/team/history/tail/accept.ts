/** Verifies frames against what the history has of their session, before they are stored. */
import { decodeFrame, readHeader } from '../../frame/decode.ts'
import type { ChainHeads, Frame } from '../../frame/frame.ts'
import type { Refusal } from '../../frame/refusal.ts'
import { trimFrame } from '../../frame/trim.ts'
import { verifyFrame, type VerifiedFrame } from '../../frame/verify.ts'
import { findForgery, forgeryRefusal } from '../../sign/forgery.ts'
import type { SignedSession } from '../../sign/signature.ts'
import type { TailFrame } from './copy-to-tail.ts'

export type StoreOutcome =
  /** Everything up to `lastSeq` is committed, all of these frames included. */
  | { readonly is: 'stored'; readonly lastSeq: number }
  /** Seqs from `lastSeq` + 1 up to the next of these frames are missing. What came before is committed. */
  | { readonly is: 'missing'; readonly lastSeq: number; readonly nextSeq: number }
  /** The frame after `lastSeq` can't be stored. What came before is committed. */
  | { readonly is: 'refused'; readonly lastSeq: number; readonly refusal: Refusal; readonly frame: Uint8Array }
  /** Nobody has described the session yet. */
  | { readonly is: 'unknown' }

/** Frames accepted by one transaction. */
export interface Accepted {
  readonly frames: Pick<Frame, 'firstSeq' | 'lastSeq' | 'connections' | 'signature'>[]
  /** The flushes of each frame; null: nobody needs them, so their memory is freed at once. */
  readonly flushes: VerifiedFrame['flushes'][] | null
  heads: ChainHeads
  lastSeq: number
  bytes: number
  messages: number
  entries: number
  /** Why the rest wasn't accepted; null: all were. */
  stop: Exclude<StoreOutcome, { is: 'stored' }> | null
}

export const nothingAccepted = (lastSeq: number, heads: ChainHeads, keepsFlushes: boolean): Accepted => ({
  frames: [],
  flushes: keepsFlushes ? [] : null,
  heads,
  lastSeq,
  bytes: 0,
  messages: 0,
  entries: 0,
  stop: null,
})

/** Verifies frames in order until one can't be stored. Yields those that can be, and notes them in `accepted`. */
export async function* acceptFrames(
  of: SignedSession,
  frames: readonly Uint8Array[],
  accepted: Accepted,
): AsyncGenerator<TailFrame, void> {
  for (const bytes of frames) {
    const { lastSeq } = accepted
    const refuse = (refusal: Refusal): void => {
      accepted.stop = { is: 'refused', lastSeq, refusal, frame: bytes }
    }
    const header = readHeader(bytes)
    if (!header.ok) return refuse(header.refusal)
    if (header.value.lastSeq <= lastSeq) continue
    if (header.value.firstSeq > lastSeq + 1) {
      accepted.stop = { is: 'missing', lastSeq, nextSeq: header.value.firstSeq }
      return
    }
    const decoded = decodeFrame(bytes)
    if (!decoded.ok) return refuse(decoded.refusal)
    if (decoded.value.session !== of.session)
      return refuse({ code: 'malformed', message: `The frame is of session ${decoded.value.session}.` })
    // After a publisher lost its place, it may bundle flushes otherwise than before.
    const trimmed = trimFrame(decoded.value, bytes, lastSeq)
    if (!trimmed.ok) return refuse(trimmed.refusal)
    const verified = verifyFrame(trimmed.value.frame, accepted.heads)
    if (!verified.ok) return refuse(verified.refusal)
    const { frame } = trimmed.value
    const forged = findForgery(of, frame.signature, frame.lastSeq, verified.value.heads)
    if (forged !== null) return refuse(forgeryRefusal(of.session, forged))
    const { firstSeq, connections, signature } = frame
    accepted.frames.push({ firstSeq, lastSeq: frame.lastSeq, connections, signature })
    accepted.flushes?.push(verified.value.flushes)
    accepted.heads = verified.value.heads
    accepted.lastSeq = frame.lastSeq
    accepted.bytes += trimmed.value.bytes.length
    accepted.messages += frame.messages.count
    accepted.entries += frame.entries.length
    yield { firstSeq, lastSeq: frame.lastSeq, bytes: trimmed.value.bytes }
  }
}
