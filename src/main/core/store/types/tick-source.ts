/**
 * The short reads that a tick query makes, each on one snapshot of the file. Everything sealed up to a window's
 * watermark stays in blocks (blocks only merge), so a reader can continue from a seq.
 */
import type { RecordingId } from '../../../../shared/base/units.ts'
import type { TickQuery } from './store.ts'

/** A session to read, up to a seq fixed when reading begins. */
export interface TickPlan {
  readonly id: number
  readonly recording: RecordingId
  readonly maxSeq: number
  /** Rows received before this belong to an earlier session, UTC ms. */
  readonly notBeforeMs: number
}

export interface TickWindow {
  /** Messages up to this seq are in blocks of these series. */
  readonly sealedSeq: number
  readonly series: readonly number[]
  /**
   * The next journal rows, read only when no sealed data is left. `upToSeq` includes corrupt rows that the query
   * doesn't need.
   */
  readonly journal: readonly Uint8Array[]
  readonly upToSeq: number
  /** Connections of the queried feed. */
  readonly conns: readonly number[]
}

export interface BlockQuery {
  readonly series: number
  /** Blocks that hold a seq in (after, upTo], oldest first. */
  readonly after: number
  readonly upTo: number
  readonly fromMs: number
  readonly toMs: number
  readonly limit: number
}

type MaybePromise<T> = T | Promise<T>

export interface TickSource {
  plan(query: TickQuery): MaybePromise<readonly TickPlan[]>
  /** Throws `store-damaged` if a corrupt flush may have held queried messages. */
  window(query: TickQuery, plan: TickPlan, after: number): MaybePromise<TickWindow>
  blocks(query: BlockQuery): MaybePromise<readonly Uint8Array[]>
}
