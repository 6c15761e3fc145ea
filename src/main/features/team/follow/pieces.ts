/** Pieces of a session on their way from the history and into the store. */
import { toFailure } from '../../../../shared/base/errors.ts'
import type { Reason } from '../../../../shared/core/status/status.ts'
import { ColumnsBuilder } from '../../../core/store/format/message-columns.ts'
import type { Batch } from '../../../core/store/types/messages.ts'
import type { CommittedFlush } from '../frame/frame.ts'
import type { Refusal } from '../frame/refusal.ts'
import type { StoredSignature } from '../sign/authorship.ts'
import type { Piece } from './session-model.ts'
import { firstSeq, lastSeqOf } from '../frame/seqs.ts'

/** Flushes of the history as a piece, with what of `stored` signs them; null if they have no seq. */
export const pieceOfFlushes = (
  flushes: readonly CommittedFlush[],
  stored: readonly StoredSignature[],
): Piece | null => {
  const first = flushes.map(({ batch }) => firstSeq(batch)).find((seq) => seq !== null)
  if (first === undefined || first === null) return null
  const lastSeq = flushes.reduce((last, { batch }) => Math.max(last, lastSeqOf(batch)), first)
  const bytes = flushes.reduce(
    (sum, { batch }) => sum + batch.messages.bytes.length + 64 * (batch.entries.length + 1),
    0,
  )
  const signatures = stored.filter(({ seq }) => seq >= first && seq <= lastSeq)
  return { firstSeq: first, lastSeq, bytes, data: { is: 'flushes', flushes, signatures } }
}

/** A copy with buffers of its own, which the store takes. */
export function copyOf({ messages, entries, connections = [] }: Batch): Batch {
  const copy = new ColumnsBuilder(messages.count, messages.offsets[messages.count] ?? 0)
  if (messages.count > 0) copy.add(messages, 0, messages.count)
  return { messages: copy.build(), entries, connections }
}

/** The head of each connection after the flushes, hex. */
export function headsOf(flushes: readonly CommittedFlush[]): Record<string, string> {
  const heads: Record<string, string> = {}
  for (const { leaves } of flushes) for (const { conn, head } of leaves) heads[conn] = Buffer.from(head).toString('hex')
  return heads
}

/** An error as a reason to show. */
export const reasonOf = (thrown: unknown): Reason => {
  const { code, message, hint = '' } = toFailure(thrown)
  return { code, message, hint, closeCode: null }
}

/** Why a session stops for good. */
export const stopReason = ({ message, hint }: Refusal): Reason => ({
  code: 'store-damaged',
  message,
  hint:
    hint ?? 'The recorder has the original. Compare with `tapedeck verify --history`, then ask the team’s operator.',
  closeCode: null,
})
