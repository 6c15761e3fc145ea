/** Checks what was received of a session against the chains that the local copy has. */
import { entryRow, equalBytes } from '../../../core/store/format/ledger.ts'
import { LeafHasher } from '../../../core/store/format/leaves.ts'
import { sliceColumns } from '../../../core/store/format/message-columns.ts'
import type { Batch } from '../../../core/store/types/messages.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import { frameBatches } from '../frame/batches.ts'
import { decodeFrame } from '../frame/decode.ts'
import { newChain, type ChainHead, type ChainHeads, type CommittedFlush, type Frame } from '../frame/frame.ts'
import type { FrameResult, Refusal, RefusalCode } from '../frame/refusal.ts'
import { firstSeq, lastSeqOf } from '../frame/seqs.ts'
import { verifyFrame } from '../frame/verify.ts'
import type { StoredSignature } from '../sign/authorship.ts'
import type { Piece } from './session-model.ts'

/** How far the local copy has come. */
export interface CopyPosition {
  readonly session: SessionId
  readonly lastSeq: number
  readonly heads: ChainHeads
}

/** Flushes that follow the local copy, and its chains after them. */
export interface VerifiedPiece {
  readonly flushes: readonly CommittedFlush[]
  readonly heads: ChainHeads
  /** The recorder's signatures of chains in it, not checked yet. */
  readonly signatures: readonly StoredSignature[]
}

/**
 * Verifies a piece that follows the local copy or begins inside it; what the copy has already is left out. Refuses like
 * `decodeFrame` and `verifyFrame`. Never throws.
 */
export function verifyPiece(copy: CopyPosition, { data }: Piece): FrameResult<VerifiedPiece> {
  if (data.is === 'flushes') return signedBy(follow(copy, data.flushes), data.signatures)
  const decoded = decodeFrame(data.bytes)
  if (!decoded.ok) return decoded
  const frame = decoded.value
  if (frame.session !== copy.session)
    return refuse('not-next', `A frame of session ${frame.session} arrived as one of session ${copy.session}.`)
  const verified = frame.firstSeq === copy.lastSeq + 1 ? verifyFrame(frame, copy.heads) : verifyRest(copy, frame)
  return signedBy(verified, frame.signature === null ? [] : [{ seq: frame.lastSeq, bytes: frame.signature }])
}

type Verified = FrameResult<Omit<VerifiedPiece, 'signatures'>>

const signedBy = (verified: Verified, signatures: readonly StoredSignature[]): FrameResult<VerifiedPiece> =>
  verified.ok ? { ok: true, value: { ...verified.value, signatures } } : verified

/** Verifies the part of a frame that the copy doesn't have. */
function verifyRest(copy: CopyPosition, frame: Frame): Verified {
  const isNew = ({ conn }: { readonly conn: number }): boolean => !copy.heads.has(conn)
  const rest = frameBatches(frame)
    .map((batch) => after(batch, copy.lastSeq))
    .filter(({ messages, entries }) => messages.count > 0 || entries.length > 0)
    .map((batch, i) => ({ ...batch, connections: i === 0 ? frame.connections.filter(isNew) : [] }))
  const result = follow(
    copy,
    rest.map((batch) => ({ batch })),
  )
  if (!result.ok) return result
  for (const { conn, after: claimed } of frame.chains) {
    if (claimed === null) continue
    const computed = result.value.heads.get(conn)?.head
    if (computed === undefined || !equalBytes(computed, claimed)) return mismatch(copy, frame.lastSeq)
  }
  return result
}

function after({ messages, entries }: Batch, lastSeq: number): Batch {
  let from = 0
  while (from < messages.count && messages.seq[from] <= lastSeq) from++
  return {
    messages: from === 0 ? messages : sliceColumns(messages, from, messages.count),
    entries: entries.filter(({ seq }) => seq > lastSeq),
  }
}

interface ClaimedFlush extends Partial<Pick<CommittedFlush, 'leaves'>> {
  readonly batch: Batch
}

/** Recomputes the leaves of flushes, and compares them with those that they claim to have. */
function follow(copy: CopyPosition, claimed: readonly ClaimedFlush[]): Verified {
  const hasher = new LeafHasher()
  const heads = new Map<number, ChainHead>(copy.heads)
  const flushes: CommittedFlush[] = []
  let { lastSeq } = copy
  for (const { batch, leaves: claims } of claimed) {
    const first = firstSeq(batch)
    if (first === null) continue
    const last = lastSeqOf(batch)
    if (last <= lastSeq) continue
    if (first !== lastSeq + 1) return refuse('not-next', `Seq ${lastSeq + 1} of session ${copy.session} is missing.`)
    lastSeq = last
    for (const { conn, feed } of batch.connections ?? [])
      if (!heads.has(conn)) heads.set(conn, newChain(copy.session, conn, feed))
    if (!heads.has(0)) heads.set(0, newChain(copy.session, 0, ''))
    for (const conn of new Set(batch.messages.conn.subarray(0, batch.messages.count)))
      if (!heads.has(conn))
        return refuse('not-next', `Connection ${conn} of session ${copy.session} was never announced.`)
    const headOf = (conn: number): ChainHead => heads.get(conn) ?? newChain(copy.session, conn, '')
    const leaves = hasher.leaves(batch.messages, batch.entries.map(entryRow), (conn) => headOf(conn).head)
    if (claims !== undefined && !isSameLeaves(leaves, claims)) return mismatch(copy, last)
    for (const { conn, count, head } of leaves)
      heads.set(conn, { head, messages: conn === 0 ? 0 : headOf(conn).messages + count })
    flushes.push({ batch, leaves })
  }
  return { ok: true, value: { flushes, heads } }
}

const isSameLeaves = (a: CommittedFlush['leaves'], b: CommittedFlush['leaves']): boolean => {
  const heads = new Map(b.map(({ conn, head }) => [conn, head]))
  return a.length === b.length && a.every(({ conn, head }) => equalBytes(head, heads.get(conn) ?? new Uint8Array(0)))
}

const refuse = (code: RefusalCode, message: string): { ok: false; refusal: Refusal } => ({
  ok: false,
  refusal: { code, message },
})

const mismatch = ({ session, lastSeq }: CopyPosition, toSeq: number): { ok: false; refusal: Refusal } =>
  refuse('chain-mismatch', `Seq ${lastSeq + 1} to ${toSeq} of session ${session} don't match the hash chain.`)
