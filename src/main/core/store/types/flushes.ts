/** Committed flushes, as a recorder publishes them. */
import type { SessionId } from '../../../../shared/base/units.ts'
import type { Batch } from './messages.ts'

/** What a flush adds to one connection's hash chain. Connection 0 is the entries. */
export interface Leaf {
  readonly conn: number
  readonly count: number
  /** The chain's head after the flush. */
  readonly head: Uint8Array
}

/** A committed flush. `leaves` as its writer committed them. */
export interface CommittedFlush {
  readonly batch: Batch
  readonly leaves: readonly Leaf[]
}

/** How far a chain has come. */
export interface ChainHead {
  readonly head: Uint8Array
  /** Messages so far; 0 for the entries, which have no number of their own. */
  readonly messages: number
}

/** The chains of a session by connection; 0 is the entries. */
export type ChainHeads = ReadonlyMap<number, ChainHead>

export interface FlushQuery {
  readonly session: SessionId
  /** The last seq of a flush; 0 starts at the beginning. */
  readonly afterSeq: number
  /** Message bytes after which the page ends. Above 0, it holds at least one flush if there is one. */
  readonly maxBytes: number
  /** Also returns the chains at `afterSeq`. */
  readonly withHeads?: boolean
}

export interface FlushPage {
  /** Whole flushes in order, with gapless seqs; empty at the end of what is durable. */
  readonly flushes: readonly CommittedFlush[]
  /** The chains at `afterSeq`, of every connection announced up to there; null unless asked for. */
  readonly heads: ChainHeads | null
}
