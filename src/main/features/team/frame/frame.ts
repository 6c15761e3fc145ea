/**
 * A frame: consecutive flushes of one session on their way to other machines, with what a receiver needs to recompute
 * the hash chains. The format is described in docs/decisions/0053-wire-frame.md.
 */
import { MAX_FLUSH_ENTRIES } from '../../../../shared/core/recording/session-bounds.ts'
import type { FeedId, SessionId } from '../../../../shared/base/units.ts'
import { genesis } from '../../../core/store/format/ledger.ts'
import type { ChainHead, ChainHeads, CommittedFlush } from '../../../core/store/types/flushes.ts'
import type { MessageColumns, StoredEntry } from '../../../core/store/types/messages.ts'

export type { ChainHead, ChainHeads, CommittedFlush }

export const VERSION = 1
/** The largest content of a frame, uncompressed. */
export const MAX_CONTENT = 96 << 20
/** The most that content grows when it is decompressed; below `SMALL_CONTENT`, any growth is harmless. */
export const MAX_GROWTH = 1_000
export const SMALL_CONTENT = 1 << 20
export const MAX_CONNECTIONS = 100_000
export const MAX_FLUSHES = 1 << 16
/** A frame holds no more entries than one flush may have. */
export const MAX_ENTRIES = MAX_FLUSH_ENTRIES
export const MAX_SIGNATURE_BYTES = 1_024
export const HEAD_BYTES = 32

export interface Connection {
  readonly conn: number
  readonly feed: FeedId
}

export interface FrameChain {
  readonly conn: number
  /** Messages before the frame. */
  readonly messages: number
  /** Head before the frame; null: the chain starts in this frame. */
  readonly before: Uint8Array | null
  /** Head after the frame; null: the frame has nothing of it. */
  readonly after: Uint8Array | null
}

export interface FlushSize {
  readonly messages: number
  readonly entries: number
}

export interface FrameHeader {
  readonly firstSeq: number
  readonly lastSeq: number
  /** Number of the lease under which it was published. */
  readonly epoch: number
}

/** A decoded frame. Its chains are not verified yet: see `verifyFrame`. */
export interface Frame extends FrameHeader {
  readonly session: SessionId
  /** Connections that are announced with this frame. */
  readonly connections: readonly Connection[]
  readonly flushes: readonly FlushSize[]
  /** Messages and entries of all flushes, each in seq order. */
  readonly messages: MessageColumns
  readonly entries: readonly StoredEntry[]
  readonly chains: readonly FrameChain[]
  readonly signature: Uint8Array | null
}

/** A chain that nothing was added to. `feed`: '' for the entries. */
export const newChain = (session: SessionId, conn: number, feed: FeedId | ''): ChainHead => ({
  head: genesis(session, conn, feed),
  messages: 0,
})

/** Bits of a chain: which heads follow. */
export const HAS_BEFORE = 1
export const HAS_AFTER = 2

/** The last seq if the flushes cover every seq from `firstSeq` on once and in order, else null. */
export function findLastSeq(
  firstSeq: number,
  seq: ArrayLike<number>,
  entries: readonly { readonly seq: number }[],
  sizes: readonly FlushSize[],
): number | null {
  let next = firstSeq
  let row = 0
  let entry = 0
  for (const size of sizes) {
    const rowEnd = row + size.messages
    const entryEnd = entry + size.entries
    for (; row < rowEnd || entry < entryEnd; next++) {
      if (row < rowEnd && seq[row] === next) row++
      else if (entry < entryEnd && entries[entry]?.seq === next) entry++
      else return null
    }
  }
  return row === seq.length && entry === entries.length ? next - 1 : null
}
