/** Changes to sessions other than the one being recorded: imports, labels, deletion, compaction. */
import type { FeedId, SessionId, UnixMs } from '../../../../shared/base/units.ts'
import type { Source } from '../../../../shared/core/recording/session.ts'
import type { Batch } from './messages.ts'
import type { NewBookmark } from './replay.ts'

/** The user's labels of a session. Absent fields don't change. Labels aren't evidence: no hash chain covers them. */
export interface LabelPatch {
  readonly name?: string | undefined
  readonly notes?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly pinned?: boolean | undefined
}

/** A whole session imported from elsewhere. */
export interface ImportDetails {
  /** Its own id if it has one, otherwise a new one. */
  readonly id: SessionId
  /** Of kind `import`, so that sessions of another machine are never joined with those recorded here. */
  readonly source: Source
  readonly startedMs: UnixMs
  readonly endedMs: UnixMs
  readonly clean: boolean
  /** Of a team's session: as in `ReplicaDetails`. */
  readonly epoch?: number | undefined
  /** Where it comes from (a file name or another store), for the store log. */
  readonly from: string
  /** Expected heads (hex) of its chains by connection. Without them nothing is compared. */
  readonly heads?: Readonly<Record<string, string>> | undefined
  readonly label?: LabelPatch | undefined
  readonly bookmarks?: readonly Omit<NewBookmark, 'session'>[] | undefined
}

export interface ImportOutcome {
  readonly session: SessionId
  readonly messages: number
  /** The store already held it with the same heads, so nothing was written. */
  readonly already: boolean
}

export interface LabelChange {
  readonly session: SessionId
  readonly patch: LabelPatch
  /** UTC ms when it was moved to the bin; null takes it out; absent leaves it. */
  readonly binnedMs?: number | null | undefined
}

/** Changes sessions other than the one being recorded. Every call can reject with a disk error. */
export interface StoreLibrary {
  /**
   * Writes a whole session with its own stamps, without delaying the live one. Batches look like a recorder's: seqs are
   * gapless from 1 over messages and entries (only increasing if it is part of a session), a connection is announced
   * with its first message, and each batch is one flush with one leaf per connection.
   *
   * Readers see the session only when it is complete. Rejects with `cancelled`, `not-allowed` (another session has the
   * id), `store-damaged` (different heads), a disk error, or what `batches` threw, and then leaves nothing. `onStored`
   * gets the number of durable messages.
   */
  importSession(
    about: ImportDetails,
    batches: AsyncIterable<Batch>,
    options?: { readonly signal?: AbortSignal | undefined; readonly onStored?: (messages: number) => void },
  ): Promise<ImportOutcome>
  /**
   * Like `importSession` for the sessions of one file, whose ids are new: readers see all of them at once, or none. Their
   * batches are read one after the other.
   */
  importSessions(
    parts: readonly { readonly about: ImportDetails; readonly batches: AsyncIterable<Batch> }[],
    options?: { readonly signal?: AbortSignal | undefined; readonly onStored?: (messages: number) => void },
  ): Promise<readonly ImportOutcome[]>
  /**
   * Changes all or none. Rejects with `not-found`, and with `not-allowed` for binning a session that is being recorded.
   */
  label(labels: readonly LabelChange[]): Promise<void>
  /**
   * Deletes sessions permanently, all or none. Tombstones are written at once; space is freed later. Rejects with
   * `not-found` or `not-allowed`.
   */
  erase(sessions: readonly SessionId[]): Promise<void>
  /**
   * Merges partial blocks of closed sessions and returns free pages to the disk. If aborted, it ends early and reports
   * what it did. `onProgress` gets a fraction from 0 to 1.
   */
  compact(
    onProgress?: (done: number) => void,
    signal?: AbortSignal,
  ): Promise<{ readonly merged: number; readonly freedBytes: number }>
}

/** Flush sizes of a connection (0: of entries), in order, as alternating size and repeat count. */
export interface ChainRuns {
  readonly conn: number
  readonly runs: Uint32Array
}

/** What a session file stores about a closed session besides its messages and entries. */
export interface SessionLedger {
  readonly session: SessionId
  readonly source: Source
  readonly startedMs: UnixMs
  readonly endedMs: UnixMs
  readonly clean: boolean
  /** Identity of the store, hex. */
  readonly store: string
  readonly messages: number
  readonly entries: number
  readonly lastSeq: number
  readonly connections: readonly { readonly conn: number; readonly feed: FeedId }[]
  readonly chains: readonly ChainRuns[]
  /** Head of each connection's chain, hex. */
  readonly heads: Readonly<Record<string, string>>
  readonly ledgerHead: string | null
  readonly label: { readonly name: string; readonly notes: string; readonly tags: string[]; readonly pinned: boolean }
}
