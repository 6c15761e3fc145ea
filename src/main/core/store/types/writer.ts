/** The store as its writer sees it: one per store, in a worker. */
import type { Failure } from '../../../../shared/base/errors.ts'
import type { SessionId, UnixMs } from '../../../../shared/base/units.ts'
import type { FeedCounts, Source } from '../../../../shared/core/recording/session.ts'
import type { ReplayBookmark } from '../../../../shared/features/replay/replay.ts'
import type { StoreLibrary } from './library.ts'
import type { Batch } from './messages.ts'
import type { NewBookmark, NewSnapshot } from './replay.ts'
import type { StoreReplicas } from './replica.ts'

/**
 * Sent after a transaction is durable: everything up to `seq` of the session, and every earlier session, is on disk.
 */
export interface Committed {
  readonly session: SessionId
  readonly seq: number
  readonly messages: number
  /** Monotonic ns (since the session started) of the first message of each committed batch, to measure latency. */
  readonly firstMonoNs: number
  readonly storeBytes: number
  readonly freeBytes: number
  /** Buffers of committed batches, for reuse. */
  readonly recycled?: readonly ArrayBuffer[]
  /** Number of batches in this commit; default 1. */
  readonly batches?: number
}

export type WriterEvent =
  | ({ readonly is: 'committed' } & Committed)
  /** A write failed. The writer keeps the batch and retries. */
  | { readonly is: 'trouble'; readonly failure: Failure }
  | { readonly is: 'recovered' }
  | { readonly is: 'died'; readonly failure: Failure }

/** A fault found when a store was opened that the user has to know about. */
export interface StoreNotice {
  readonly message: string
  readonly hint: string
}

export interface LibraryWriter extends StoreWriter {
  readonly library: StoreLibrary
  readonly replicas: StoreReplicas
}

export interface StoreWriter {
  /** Opens a session. Also closes a session that a crash left open, with gaps of cause `crash`. */
  begin(source: Source, startedMs: UnixMs, id?: SessionId): Promise<SessionId>
  /** Hands a batch over without waiting; `backlogBytes` grows until it is committed. */
  append(batch: Batch): void
  readonly backlogBytes: number
  onEvent(listener: (event: WriterEvent) => void): () => void
  /**
   * Saves the market state after `seq` of the current session, so that a replay doesn't have to begin at its start.
   * Never waits: the snapshot is compressed and written between commits, once `seq` is durable. A newer one replaces
   * one that is still waiting, and one of a session that is no longer current is dropped. Transfers the buffer of
   * `data`.
   */
  snapshot(snapshot: NewSnapshot): void
  /** Rejects with `not-found` if there is no such session. */
  addBookmark(bookmark: NewBookmark): Promise<ReplayBookmark>
  /** Returns whether the bookmark existed. */
  removeBookmark(id: number): Promise<boolean>
  /** Flushes, seals and writes the close record. `endedMs`: UTC ms. */
  end(endedMs: UnixMs, counts: readonly FeedCounts[]): Promise<void>
  close(): Promise<void>
}
