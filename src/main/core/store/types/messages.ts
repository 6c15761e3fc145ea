/** Received messages and entries on their way to the store. */
import type { FeedId } from '../../../../shared/base/units.ts'
import type { LedgerEntry } from '../../../../shared/core/recording/session.ts'

/**
 * A run of received messages as columns, in seq order. Row i spans bytes[offsets[i], offsets[i + 1]). All buffers are
 * transferred to the worker, never cloned.
 */
export interface MessageColumns {
  readonly count: number
  /** Seq within the session. Entries take seqs between messages, so it can skip. */
  readonly seq: Float64Array
  readonly conn: Uint32Array
  /** Counts messages per connection, gapless from 1. */
  readonly connSeq: Uint32Array
  /** Wall clock at receipt, UTC ms. */
  readonly recvMs: Float64Array
  /** Monotonic ns since the start of the session; the recorder provides whole microseconds. */
  readonly monoNs: Float64Array
  /** FLAG bits. */
  readonly flags: Uint8Array
  readonly offsets: Uint32Array
  readonly bytes: Uint8Array
}

export interface StoredEntry {
  readonly seq: number
  readonly wallMs: number
  readonly monoNs: number
  readonly entry: LedgerEntry
}

export interface Batch {
  readonly messages: MessageColumns
  readonly entries: readonly StoredEntry[]
  /** Connections whose first message can be in this batch. */
  readonly connections?: readonly { readonly conn: number; readonly feed: FeedId }[]
}
