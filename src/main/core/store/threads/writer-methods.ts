/** The writer's methods, and the messages between it and its thread. */
import type { SessionId, UnixMs } from '../../../../shared/base/units.ts'
import type { FeedCounts, GapCause, Source } from '../../../../shared/core/recording/session.ts'
import type { ReplayBookmark } from '../../../../shared/features/replay/replay.ts'
import type { Reply, Request } from '../rpc/rpc.ts'
import type { Opened } from '../rpc/thread.ts'
import type { ImportDetails, ImportOutcome, LabelChange } from '../types/library.ts'
import type { Batch } from '../types/messages.ts'
import type { ReplicaDetails, ReplicaEnd, ReplicaPosition } from '../types/replica.ts'
import type { NewBookmark, NewSnapshot } from '../types/replay.ts'
import type { Committed, WriterEvent } from '../types/writer.ts'
import type { CompactResult } from '../write/compact.ts'

/** What the writer does. */
export interface WriterMethods {
  /** `causes`: why sessions that are still open ended; `crash` for those not listed. */
  begin(id: SessionId, source: Source, startedMs: UnixMs, causes: ReadonlyMap<SessionId, GapCause>): void
  /** One way; `committed` follows. `bytes`: size of the batch in memory. */
  append(batch: Batch, bytes: number): void
  end(endedMs: UnixMs, counts: readonly FeedCounts[]): void
  close(): void
  /** One way. */
  snapshot(snapshot: NewSnapshot): void
  addBookmark(bookmark: NewBookmark): ReplayBookmark
  removeBookmark(id: number): boolean
  /** Begins an import under a number chosen by the caller. Returns the outcome if the store has the session already. */
  beginImport(handle: number, about: ImportDetails): ImportOutcome | null
  appendImport(handle: number, batches: readonly Batch[]): void
  /**
   * Completes an import and makes it visible, together with the complete ones that `publishes` names. Null: it stays
   * hidden until another one publishes it.
   */
  endImport(handle: number, publishes: readonly number[] | null): ImportOutcome
  abortImport(handle: number): void
  openReplica(about: ReplicaDetails): ReplicaPosition
  appendReplica(id: SessionId, batches: readonly Batch[], heads: Readonly<Record<string, string>>): void
  endReplica(id: SessionId, end: ReplicaEnd): void
  label(labels: readonly LabelChange[]): void
  erase(sessions: readonly SessionId[]): void
  /** Reports progress. If canceled, it ends early and returns what it did. */
  compact(): CompactResult
}

export type WriterRequest = Request<WriterMethods>

export type WriterReply =
  | Opened
  | Reply
  | ({ readonly is: 'committed'; readonly bytes: number } & Committed)
  | Exclude<WriterEvent, { readonly is: 'committed' }>
