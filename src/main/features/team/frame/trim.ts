/** Cuts flushes off the start of a frame, for a receiver that has them already. */
import type { SessionId } from '../../../../shared/base/units.ts'
import { advanceHeads, encodeFlushes } from './encode.ts'
import { decodeFrame } from './decode.ts'
import { newChain, type ChainHead, type CommittedFlush, type Connection, type Frame } from './frame.ts'
import { asResult, FrameError, type FrameResult } from './refusal.ts'
import { verifyFrame } from './verify.ts'

/**
 * The frame with its flushes after `lastSeq`, and its bytes. Unchanged if all are. Refuses with `not-next` a frame that
 * has no flush that begins there.
 */
export function trimFrame(
  frame: Frame,
  bytes: Uint8Array,
  lastSeq: number,
): FrameResult<{ readonly frame: Frame; readonly bytes: Uint8Array }> {
  if (frame.firstSeq > lastSeq) return { ok: true, value: { frame, bytes } }
  const verified = verifyFrame(frame)
  if (!verified.ok) return verified
  return asResult(() => {
    const { session, firstSeq, epoch, connections, signature } = frame
    let next = firstSeq
    const { flushes } = verified.value
    const cut = frame.flushes.findIndex(({ messages, entries }) => {
      const isAfter = next > lastSeq
      next += messages + entries
      return isAfter
    })
    const start = seqOf(flushes[cut])
    if (cut < 0 || start !== lastSeq + 1)
      throw new FrameError('not-next', `The frame has no flush that begins at seq ${lastSeq + 1}.`)
    const used = new Set(flushes.slice(0, cut).flatMap(({ leaves }) => leaves.map(({ conn }) => conn)))
    // The frame doesn't say which flush announced a connection. Announcing one again that has no messages is harmless.
    const before = advanceHeads(
      session,
      startOf(session, frame),
      announce(
        flushes.slice(0, cut),
        connections.filter(({ conn }) => used.has(conn)),
      ),
    )
    const rest = announce(
      flushes.slice(cut),
      connections.filter(({ conn }) => !used.has(conn)),
    )
    const encoded = encodeFlushes(
      {
        session,
        epoch,
        heads: before,
        maxPayload: Number.MAX_SAFE_INTEGER,
        bundleBytes: Number.MAX_SAFE_INTEGER,
        ...(signature === null ? {} : { sign: () => signature }),
      },
      rest,
    )
    if (!encoded.ok) throw new FrameError(encoded.refusal.code, encoded.refusal.message)
    const [message] = encoded.value.messages
    const decoded = decodeFrame(message.bytes)
    if (!decoded.ok) throw new FrameError(decoded.refusal.code, decoded.refusal.message)
    return { frame: decoded.value, bytes: message.bytes }
  })
}

/** The flushes, the first of which announces these connections and the others none. */
const announce = (flushes: readonly CommittedFlush[], connections: readonly Connection[]): CommittedFlush[] =>
  flushes.map((flush, i) => ({ ...flush, batch: { ...flush.batch, connections: i === 0 ? connections : [] } }))

/** The chains before a frame, as the frame claims them, without those that it announces. */
function startOf(session: SessionId, { chains }: Frame): Map<number, ChainHead> {
  const heads = new Map<number, ChainHead>([[0, newChain(session, 0, '')]])
  for (const { conn, messages, before } of chains) if (before !== null) heads.set(conn, { head: before, messages })
  return heads
}

/** The first seq of a flush; NaN if there is none. */
function seqOf(flush: CommittedFlush | undefined): number {
  if (flush === undefined) return NaN
  const { messages, entries } = flush.batch
  return Math.min(messages.seq[0] ?? Infinity, entries[0]?.seq ?? Infinity)
}
