/** Replicas: verified copies of sessions that another machine records, written as their flushes arrive. */
import type { SessionId, UnixMs } from '../../../../shared/base/units.ts'
import type { Source } from '../../../../shared/core/recording/session.ts'
import type { ChainHead } from './flushes.ts'
import type { Batch } from './messages.ts'

/** The session that a replica copies. */
export interface ReplicaDetails {
  /** The id of the original, and of the replica. */
  readonly id: SessionId
  /** Of kind `team`. */
  readonly source: Source
  readonly startedMs: UnixMs
  /** Number of the lease under which it is recorded; 0 or absent: without one. Decides where two sessions overlap. */
  readonly epoch?: number | undefined
  /** Where it comes from, for the store log: the recorder, and how it was reached. */
  readonly from: string
}

/** How far a replica is. */
export interface ReplicaPosition {
  /** The last durable seq; 0 if there is none. */
  readonly lastSeq: number
  /** By connection (0: entries), those without messages included. */
  readonly heads: ReadonlyMap<number, ChainHead>
  /** Nothing can be appended, because the whole session is stored. */
  readonly isComplete: boolean
}

/** The end of the original, as in its close record. `heads`: hex by connection. */
export interface ReplicaEnd {
  readonly endedMs: UnixMs
  readonly clean: boolean
  readonly heads: Readonly<Record<string, string>>
}

/**
 * Several replicas can be open at once, next to the session that is being recorded here. They stay open over restarts
 * and crashes without a gap, and readers see them while they are open. Every call can reject with a disk error.
 */
export interface StoreReplicas {
  /**
   * Opens or resumes a replica. Rejects with `not-allowed` if another session has its id, that is one of another source
   * or start.
   */
  open(about: ReplicaDetails): Promise<ReplicaPosition>
  /**
   * Commits whole flushes, one per batch, whose seqs continue the replica's without a gap. Resolves when they are
   * durable. `heads`: the expected heads (hex) by connection after the last flush, of at least every connection that
   * the flushes extend. Rejects with `store-damaged` if seqs skip or the recomputed heads differ, and with `not-found`
   * if the replica isn't open; nothing is stored then. Transfers the buffers of `batches`.
   */
  append(id: SessionId, batches: readonly Batch[], heads: Readonly<Record<string, string>>): Promise<void>
  /**
   * Closes a replica with the close record of the original once every head equals its end. Rejects with `store-damaged`
   * if they differ; the replica then stays open. Resolves when the close record is durable. Does nothing if the replica
   * is complete.
   */
  end(id: SessionId, end: ReplicaEnd): Promise<void>
}
