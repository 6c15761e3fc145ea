/** The store as its users see it: one writer in a worker, and readers that never block it. */
import type { GapInterval } from '../../../../shared/core/market/bars.ts'
import type { Bar, BarSource, Interval } from '../../../../shared/core/market/market.ts'
import type {
  FeedCounts,
  Gap,
  LedgerEntry,
  SessionRow,
  Source,
  VerifyReport,
} from '../../../../shared/core/recording/recording.ts'
import type { ReplayBookmark } from '../../../../shared/features/replay/replay.ts'
import type { Overlap } from '../../../../shared/features/sessions/overlaps.ts'
import type { FeedId, InstrumentId, RecordingId, UnixMs } from '../../../../shared/base/units.ts'
import type { GapSpan } from '../../../../shared/core/status/status.ts'
import type { Failure } from '../../../../shared/base/errors.ts'
import type { Scratch } from '../../../../service/codec.ts'

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

/**
 * Sent after a transaction is durable: everything up to `seq` of the session, and every earlier session, is on disk.
 */
export interface Committed {
  readonly recording: RecordingId
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
}

export interface StoreWriter {
  /** Opens a session. Also closes a session that a crash left open, with gaps of cause `crash`. */
  begin(source: Source, startedMs: UnixMs, id?: RecordingId): Promise<RecordingId>
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
  readonly id: RecordingId
  /** Of kind `import`, so that sessions of another machine are never joined with those recorded here. */
  readonly source: Source
  readonly startedMs: UnixMs
  readonly endedMs: UnixMs
  readonly clean: boolean
  /** Where it comes from (a file name or another store), for the store log. */
  readonly from: string
  /** Expected heads (hex) of its chains by connection. Without them nothing is compared. */
  readonly heads?: Readonly<Record<string, string>> | undefined
  readonly label?: LabelPatch | undefined
  readonly bookmarks?: readonly Omit<NewBookmark, 'recording'>[] | undefined
}

export interface ImportOutcome {
  readonly recording: RecordingId
  readonly messages: number
  /** The store already held it with the same heads, so nothing was written. */
  readonly already: boolean
}

export interface LabelChange {
  readonly session: RecordingId
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
  importRecording(
    about: ImportDetails,
    batches: AsyncIterable<Batch>,
    options?: { readonly signal?: AbortSignal | undefined; readonly onStored?: (messages: number) => void },
  ): Promise<ImportOutcome>
  /**
   * Changes all or none. Rejects with `not-found`, and with `not-allowed` for binning a session that is being recorded.
   */
  label(labels: readonly LabelChange[]): Promise<void>
  /**
   * Deletes sessions permanently, all or none. Tombstones are written at once; space is freed later. Rejects with
   * `not-found` or `not-allowed`.
   */
  erase(sessions: readonly RecordingId[]): Promise<void>
  /**
   * Merges partial blocks of closed sessions and returns free pages to the disk. If aborted, it ends early and reports
   * what it did. `onProgress` gets a fraction from 0 to 1.
   */
  compact(
    onProgress?: (done: number) => void,
    signal?: AbortSignal,
  ): Promise<{ readonly merged: number; readonly freedBytes: number }>
}

/** A market state. `version` tells how to read `data`. */
export interface Snapshot {
  /** The last message or entry included. */
  readonly seq: number
  /** Replay time of that message or entry, UTC ms. */
  readonly wallMs: number
  readonly data: Uint8Array
}

export interface NewSnapshot extends Snapshot {
  readonly version: number
  /**
   * The session it belongs to; default the current one. The current one may have changed since the snapshot was taken.
   */
  readonly recording?: RecordingId | undefined
}

export interface NewBookmark {
  readonly recording: RecordingId
  readonly atMs: number
  readonly seq: number | null
  readonly text: string
}

export interface ReplayQuery {
  readonly recording: RecordingId
  /** Seqs after this one; 0 starts at the beginning. */
  readonly afterSeq: number
  /** Seqs up to this one; default the last durable one when reading begins. */
  readonly upToSeq?: number | undefined
  /** Replay time, UTC ms. Reading may stop at the first message received after this. */
  readonly upToMs?: number | undefined
  /** Leaves `monoNs` and `conn` empty. */
  readonly omitConnections?: boolean | undefined
}

/**
 * Stored messages of every feed in seq order, byte for byte as received. Row i spans bytes[offsets[i], offsets[i + 1]).
 * The receiver of a batch owns its buffers.
 */
export interface ReplayBatch {
  readonly recording: RecordingId
  readonly count: number
  /** Index into FEED_IDS. */
  readonly feed: Uint8Array
  readonly seq: Float64Array
  /** Wall clock at receipt, UTC ms. It can decrease. */
  readonly recvMs: Float64Array
  /** Monotonic ns since the start of the session. */
  readonly monoNs: Float64Array
  readonly conn: Uint32Array
  /** FLAG bits. */
  readonly flags: Uint8Array
  readonly offsets: Uint32Array
  readonly bytes: Uint8Array
  /**
   * Entries after the previous batch and up to the end of this one, in seq order, to be merged with the messages by
   * seq. A batch can hold entries only.
   */
  readonly entries: readonly StoredEntry[]
  /** Everything up to this seq is in this batch or an earlier one. */
  readonly upToSeq: number
}

export interface PositionQuery {
  readonly recording: RecordingId
  /** Replay time, UTC ms: receive time that never decreases. */
  readonly ms: number
}

/** A position in a session: a message or entry and its replay time. */
export interface Position {
  readonly seq: number
  readonly ms: number
}

export interface ActivityQuery {
  readonly recordings: readonly RecordingId[]
  /** Replay time, [from, to), UTC ms. */
  readonly fromMs: number
  readonly toMs: number
  readonly buckets: number
}

export interface SnapshotQuery {
  readonly recording: RecordingId
  /** The newest snapshot at or before this seq. */
  readonly upToSeq: number
  /** And at or before this replay time, UTC ms. */
  readonly upToMs?: number | undefined
  /** And after this seq. */
  readonly afterSeq?: number | undefined
  readonly version: number
}

export interface EntryQuery {
  readonly recording: RecordingId
  /** Seqs after this one. */
  readonly afterSeq?: number | undefined
  readonly types?: readonly LedgerEntry['type'][] | undefined
}

export interface TickQuery {
  readonly feed: FeedId
  /** Instruments to return; null returns all of them. */
  readonly instruments: readonly InstrumentId[] | null
  readonly recording?: RecordingId | undefined
  /** Only these sessions, in reading order. */
  readonly recordings?: readonly RecordingId[] | undefined
  readonly source?: string | undefined
  /** Event time, [from, to), UTC ms. Undated messages count by receive time. */
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
  /** Only seqs after this one, in each session; default 0. */
  readonly afterSeq?: number | undefined
  /** Only seqs up to this one. */
  readonly upToSeq?: number | undefined
}

/** Writes the server's number text of a row without creating a string. */
export interface LiteralWriter {
  /** Upper bound of the bytes `write` needs. */
  readonly maxBytes: number
  /** Writes at `at` and returns the offset after it, or `at` itself if the row has no such number. */
  write(row: number, out: Uint8Array, at: number): number
}

/**
 * A run of stored messages of one session in seq order. Numbers are looked up by the message's own JSON key, NaN if a
 * message lacks it. `literal(key, row)` is the server's number text, `raw(row)` the whole message byte for byte.
 */
export interface TickColumns {
  readonly recording: RecordingId
  readonly feed: FeedId
  readonly count: number
  readonly seq: Float64Array
  readonly recvMs: Float64Array
  readonly eventMs: Float64Array
  readonly flags: Uint8Array
  /** Number of the connection in the session, and of the message on that connection. */
  readonly conn: Uint32Array
  readonly connSeq: Uint32Array
  /** The symbol as the service writes it. */
  symbol(row: number): string
  readonly keys: readonly string[]
  column(key: string): Float64Array
  literal(key: string, row: number): string
  /** Like `literal`, without a string. An export gets one writer per run. */
  writer(key: string): LiteralWriter
  raw(row: number): Uint8Array
}

/** Approximate size of a tick query's result. */
export interface TickExtent {
  /** Everything received, and the market records of the queried instruments among it. */
  readonly messages: number
  readonly records: number
  readonly instruments: number
  /** Time of the first and the last of them, UTC ms; null if there are none. */
  readonly fromMs: number | null
  readonly toMs: number | null
}

export interface BarQuery {
  readonly instrument: InstrumentId
  readonly of: BarSource
  readonly interval: Interval
  /** For service bars: the feed whose bars are aggregated; default the feed the interval is built from. */
  readonly feed?: FeedId | undefined
  readonly source: string
  /** Only these sessions, as if no others existed: reception ends where one ends. */
  readonly recordings?: readonly RecordingId[] | undefined
  /** The newest `limit` bars that start before this instant, UTC ms; null starts at the newest bar. */
  readonly beforeMs: number | null
  /** Instead: the oldest `limit` bars that start after this instant, UTC ms. `more` then counts newer ones. */
  readonly afterMs?: number | undefined
  /** No bars that start before this instant, UTC ms. `more` still counts them. */
  readonly fromMs?: number | undefined
  readonly limit: number
  /** Only messages received up to here, so that a replay can't look ahead. */
  readonly maxSeq?: { readonly recording: RecordingId; readonly seq: number } | undefined
  /**
   * For charts: skips corrupt data, marks the bars that touch it as incomplete and lists it among the page's gaps.
   * Without it, a query that meets corrupt data rejects with `store-damaged`.
   */
  readonly skipCorrupt?: boolean | undefined
}

export interface BarPage {
  readonly bars: readonly Bar[]
  readonly more: boolean
  /** Absent if there are none. */
  readonly overlaps?: readonly Overlap[]
  /** With `skipCorrupt`: gaps of cause `unreadable`, ascending. Other gaps are read with `gaps`. */
  readonly gaps: readonly GapSpan[]
  /**
   * With `skipCorrupt`: hours whose stored bars are corrupt and were rebuilt from the messages, so nothing is missing.
   */
  readonly rebuilt?: readonly GapInterval[]
}

/** An instrument of a feed with its symbols as the service wrote them, the latest one last. */
export interface StoredInstrument {
  readonly instrument: InstrumentId
  readonly symbols: readonly string[]
}

export interface InstrumentQuery {
  readonly feed: FeedId
  readonly recording?: RecordingId | undefined
  readonly recordings?: readonly RecordingId[] | undefined
  readonly source?: string | undefined
}

/** Creates the fold that a session's digests are computed with. The market provides one version. */
export interface DigestFolds {
  readonly version: number
  create(): DigestFold
}
export interface DigestFold {
  /** Adds a stored record. If it is the first of a later minute, returns the digest of everything before it. */
  apply(feed: FeedId, recvMs: number, record: Scratch): { readonly minuteMs: UnixMs; readonly sha256: string } | null
  reset(): void
}

/** Flush sizes of a connection (0: of entries), in order, as alternating size and repeat count. */
export interface ChainRuns {
  readonly conn: number
  readonly runs: Uint32Array
}

/** What a session file stores about a closed session besides its messages and entries. */
export interface RecordingLedger {
  readonly recording: RecordingId
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

export interface StoreReader {
  /**
   * `brief` returns only gap counts and the first few gaps of each session, without symbols. Fast for thousands of
   * sessions.
   */
  sessions(brief?: boolean): Promise<readonly SessionRow[]>
  /** Instruments of a feed that were stored or acknowledged. */
  instruments(query: InstrumentQuery): Promise<readonly StoredInstrument[]>
  /**
   * Hash (hex) of the newest store log row about these sessions; null if the store doesn't know them. The row of a
   * closed session holds the heads of its chains, and each row covers the rows before it.
   */
  ledgerHead(recordings: readonly RecordingId[]): Promise<string | null>
  ticks(query: TickQuery): AsyncIterable<TickColumns>
  /** Computed from the block index, so it is fast for any amount of data. */
  extent(query: TickQuery): Promise<TickExtent>
  /** `overlaps` lists times covered by two sessions, where only the earlier session was read. */
  bars(query: BarQuery): Promise<BarPage>
  /**
   * Rejects with `store-damaged` if a gap can't be read. With `skipCorrupt` it leaves that gap out; a page of bars
   * reports it.
   */
  gaps(query: {
    readonly feed?: FeedId
    readonly recording?: RecordingId
    readonly source?: string
    readonly fromMs?: number
    readonly toMs?: number
    readonly skipCorrupt?: boolean
  }): Promise<readonly Gap[]>
  /**
   * Everything of a session in seq order, gapless over journal and blocks, up to a seq fixed when reading begins. Reads
   * in short transactions, at most one batch ahead, and stops when iteration stops.
   */
  replay(query: ReplayQuery): AsyncIterable<ReplayBatch>
  /** The last message or entry received at or before a replay time; null if the session begins later. */
  findPosition(query: PositionQuery): Promise<Position | null>
  /**
   * Message counts by receive time in equal buckets. Messages are assumed to be spread evenly inside a block, so a
   * bucket shorter than a block is an estimate. The counts add up to the total.
   */
  activity(query: ActivityQuery): Promise<readonly number[]>
  /** A corrupt snapshot counts as absent. */
  snapshot(query: SnapshotQuery): Promise<Snapshot | null>
  entries(query: EntryQuery): Promise<readonly StoredEntry[]>
  /** Ordered by time; null returns those of all sessions. */
  bookmarks(recording: RecordingId | null): Promise<readonly ReplayBookmark[]>
  /** For a session file. Rejects with `not-found`, or with `not-allowed` while the session is open. */
  ledger(recording: RecordingId): Promise<RecordingLedger>
  /**
   * Only reads, and reports every difference. `onProgress` gets a fraction from 0 to 1 and the messages checked so far.
   * Rejects with `cancelled` soon after the signal.
   */
  verify(
    session: RecordingId | null,
    onProgress?: (done: number, messages: number) => void,
    signal?: AbortSignal,
  ): Promise<VerifyReport>
  close(): Promise<void>
}
