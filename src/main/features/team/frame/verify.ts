/** Recomputes the hash chains of a frame. */
import { entryRow, equalBytes } from '../../../core/store/format/ledger.ts'
import { LeafHasher } from '../../../core/store/format/leaves.ts'
import { frameBatches } from './batches.ts'
import { newChain, type ChainHead, type ChainHeads, type CommittedFlush, type Frame } from './frame.ts'
import { asResult, FrameError, type FrameResult } from './refusal.ts'

export interface VerifiedFrame {
  /** The flushes with the leaves as the recorder committed them. The first announces all connections of the frame. */
  readonly flushes: readonly CommittedFlush[]
  /** The chains after the frame. */
  readonly heads: ChainHeads
}

/**
 * Recomputes every leaf of a frame and compares the heads with those that the frame claims. `known`: the chains as the
 * receiver has them before the frame; without it, the heads before the frame are taken from the frame itself. Refuses
 * with `not-next` if the frame doesn't follow `known`, and with `chain-mismatch` if a message or entry was altered.
 */
export function verifyFrame(frame: Frame, known: ChainHeads | null = null): FrameResult<VerifiedFrame> {
  return asResult(() => {
    const { session, connections, chains } = frame
    const heads = new Map<number, ChainHead>(known ?? [])
    const starts = new Map(connections.map(({ conn, feed }) => [conn, newChain(session, conn, feed)]))
    starts.set(0, newChain(session, 0, ''))
    for (const [conn, start] of starts) {
      const existing = heads.get(conn)
      if (existing === undefined) {
        // The frame alone doesn't say where the entries stand unless it has some.
        if (conn !== 0 || known !== null) heads.set(conn, start)
      } else if (conn !== 0 && !isSameHead(existing, start)) throw notNext(frame, conn)
    }
    for (const { conn, messages, before } of chains) {
      const claimed = before === null ? starts.get(conn) : { head: before, messages }
      if (claimed === undefined) throw notNext(frame, conn) // decoding checked that such a chain starts here
      const start = known === null ? claimed : heads.get(conn)
      if (start === undefined || !isSameHead(start, claimed)) throw notNext(frame, conn)
      heads.set(conn, start)
    }
    const flushes = recompute(frame, heads)
    for (const { conn, after } of frame.chains) {
      const computed = heads.get(conn)?.head
      if (after !== null && (computed === undefined || !equalBytes(after, computed))) throw mismatch(frame, conn)
    }
    return { flushes, heads }
  })
}

/** Computes the leaves flush by flush; advances `heads`. */
function recompute(frame: Frame, heads: Map<number, ChainHead>): CommittedFlush[] {
  const hasher = new LeafHasher()
  const headOf = (conn: number): ChainHead => {
    const head = heads.get(conn)
    if (head === undefined) throw notNext(frame, conn) // decoding checked that every chain is listed
    return head
  }
  return frameBatches(frame).map((batch) => {
    const leaves = hasher.leaves(batch.messages, batch.entries.map(entryRow), (conn) => headOf(conn).head)
    for (const { conn, count, head } of leaves)
      heads.set(conn, { head, messages: conn === 0 ? 0 : headOf(conn).messages + count })
    return { batch, leaves }
  })
}

const isSameHead = (a: ChainHead, b: ChainHead): boolean => a.messages === b.messages && equalBytes(a.head, b.head)

const place = ({ session, firstSeq, lastSeq }: Frame): string => `seq ${firstSeq} to ${lastSeq} of session ${session}`
const chainName = (conn: number): string => (conn === 0 ? 'the entries' : `connection ${conn}`)

const notNext = (frame: Frame, conn: number): FrameError =>
  new FrameError('not-next', `The frame with ${place(frame)} doesn't follow what was received of ${chainName(conn)}.`)

const mismatch = (frame: Frame, conn: number): FrameError =>
  new FrameError('chain-mismatch', `The frame with ${place(frame)} doesn't match the hash chain of ${chainName(conn)}.`)
