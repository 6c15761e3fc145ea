/** The store as its users see it: one writer (in a worker), readers that never block it. */
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
import type { Failure } from '../../../../shared/base/errors.ts'
import type { Scratch } from '../../../../service/codec.ts'

/**
 * A run of received messages as columns, in seq order; row i spans bytes[offsets[i], offsets[i + 1]).
 * All buffers are transferred to the worker, never cloned.
 */
export interface MessageColumns {
  readonly count: number
  /** Seq within the recording; entries take seqs between messages, so it may skip. */
  readonly seq: Float64Array
  readonly conn: Uint32Array
  /** Gapless from 1 per connection, messages only. */
  readonly connSeq: Uint32Array
  /** Wall clock at receipt, UTC ms. */
  readonly recvMs: Float64Array
  /** Monotonic ns since the start of the recording; the recorder gives whole microseconds. */
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
  /** Connections of which this batch is the first that may hold a message. */
  readonly connections?: readonly { readonly conn: number; readonly feed: FeedId }[]
}

/** After a transaction is durable: everything up to `seq` of the recording is on disk, and all before it. */
export interface Committed {
  readonly recording: RecordingId
  readonly seq: number
  readonly messages: number
  /** Monotonic ns (recording-relative) of the first message of each committed batch, for latency. */
  readonly firstMonoNs: number
  readonly storeBytes: number
  readonly freeBytes: number
  /** Memory of committed batches, for the next ones. */
  readonly recycled?: readonly ArrayBuffer[]
  /** How many batches this commit took; 1 unless told. */
  readonly batches?: number
}

export type WriterEvent =
  | ({ readonly is: 'committed' } & Committed)
  /** A write failed; the writer keeps the batch and retries until told otherwise. */
  | { readonly is: 'trouble'; readonly failure: Failure }
  | { readonly is: 'recovered' }
  | { readonly is: 'died'; readonly failure: Failure }

/** Something that the user has to know of a store that was opened. */
export interface StoreNotice {
  readonly message: string
  readonly hint: string
}

export interface LibraryWriter extends StoreWriter {
  readonly library: StoreLibrary
}

export interface StoreWriter {
  /** Opens a recording; also closes one that a crash left open, with gaps of cause `crash`. */
  begin(source: Source, startedMs: UnixMs, id?: RecordingId): Promise<RecordingId>
  /** Hands a batch over. Never waits; `backlogBytes` grows until committed. */
  append(batch: Batch): void
  readonly backlogBytes: number
  onEvent(listener: (event: WriterEvent) => void): () => void
  /**
   * Keeps the state of the market after `seq` of the current recording, so that a replay need not begin at
   * its start. Never waits: it is packed and written between commits, once `seq` is durable. One that comes
   * while another waits takes its place; one of a recording that is no longer the current one is let go.
   * The buffer of `data` is transferred.
   */
  snapshot(snapshot: NewSnapshot): void
  /** Rejects with `not-found` where there is no such recording. */
  addBookmark(bookmark: NewBookmark): Promise<ReplayBookmark>
  /** Answers whether there was one. */
  removeBookmark(id: number): Promise<boolean>
  /** Flushes, seals, writes the close record. */
  end(endedMs: UnixMs, counts: readonly FeedCounts[]): Promise<void>
  close(): Promise<void>
}

/** What the user says of a recording; what is absent stays. No evidence: it is in no chain. */
export interface LabelPatch {
  readonly name?: string | undefined
  readonly notes?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly pinned?: boolean | undefined
}

/** A whole recording that is brought in from elsewhere. */
export interface ImportDetails {
  /** Its own identity where it has one; a new one else. */
  readonly id: RecordingId
  /** Of kind `import`: nothing of another machine is joined with what was recorded here. */
  readonly source: Source
  readonly startedMs: UnixMs
  readonly endedMs: UnixMs
  readonly clean: boolean
  /** Where it comes from, for the store's log: a file's name, another store. */
  readonly from: string
  /** Heads (hex) of its chains by connection, to which what comes must lead; absent: whatever comes. */
  readonly heads?: Readonly<Record<string, string>> | undefined
  readonly label?: LabelPatch | undefined
  readonly bookmarks?: readonly Omit<NewBookmark, 'recording'>[] | undefined
}

export interface ImportOutcome {
  readonly recording: RecordingId
  readonly messages: number
  /** It was in the store before, with the same heads: nothing was written. */
  readonly already: boolean
}

export interface LabelChange {
  readonly session: RecordingId
  readonly patch: LabelPatch
  /** UTC ms: into the bin; null: out of it; absent: as it is. */
  readonly binnedMs?: number | null | undefined
}

/** What is done to recordings beside the one that is being made. Every call may reject with a disk's error. */
export interface StoreLibrary {
  /**
   * Writes a whole recording with the stamps it has, beside the live one and without delaying it. Batches are
   * as a recorder makes them: seqs gapless from 1 over messages and entries (of a part of a recording: growing), connections announced with their
   * first message; each batch is a flush, so a leaf of every connection in it. Seen by nobody before it is
   * whole; rejects (`cancelled`, `not-allowed` where another recording has the id, `store-damaged` where the
   * heads differ, a disk's error, or what `batches` threw) and has then left nothing. `onStored`: messages
   * that are durable so far.
   */
  importRecording(
    about: ImportDetails,
    batches: AsyncIterable<Batch>,
    options?: { readonly signal?: AbortSignal | undefined; readonly onStored?: (messages: number) => void },
  ): Promise<ImportOutcome>
  /** All or none; rejects with `not-found`, and with `not-allowed` for the bin and what is being recorded. */
  label(labels: readonly LabelChange[]): Promise<void>
  /** For good, all or none: tombstones at once, the room is freed afterwards. Rejects with `not-found`, `not-allowed`. */
  erase(sessions: readonly RecordingId[]): Promise<void>
  /** Merges partial blocks of closed recordings and gives free pages back. Aborted, it ends early and tells what it did. */
  compact(
    onProgress?: (done: number) => void,
    signal?: AbortSignal,
  ): Promise<{ readonly merged: number; readonly freedBytes: number }>
}

/** A state of the market; what `data` is, `version` says. */
export interface Snapshot {
  /** The last message or entry that is in it. */
  readonly seq: number
  /** Replay time of that one, UTC ms. */
  readonly wallMs: number
  readonly data: Uint8Array
}

export interface NewSnapshot extends Snapshot {
  readonly version: number
  /** Of which recording it is, where the current one may have changed since; the current one unless told. */
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
  /** The last seq that is not wanted; 0: from the start. */
  readonly afterSeq: number
  /** The last one that is; what is durable when reading begins unless told. */
  readonly upToSeq?: number | undefined
  /** Replay time, UTC ms: reading may end at what was received later; all that was not is read. */
  readonly upToMs?: number | undefined
  /** Without `monoNs` and `conn`, which are empty then. */
  readonly omitConnections?: boolean | undefined
}

/**
 * Stored messages of every feed in seq order, to the byte as received; row i spans
 * bytes[offsets[i], offsets[i + 1]). Whoever takes a batch owns its buffers.
 */
export interface ReplayBatch {
  readonly recording: RecordingId
  readonly count: number
  /** Index into FEED_IDS. */
  readonly feed: Uint8Array
  readonly seq: Float64Array
  /** Wall clock at receipt as it was, UTC ms: it may decrease. */
  readonly recvMs: Float64Array
  /** Monotonic ns since the start of the recording. */
  readonly monoNs: Float64Array
  readonly conn: Uint32Array
  /** FLAG bits. */
  readonly flags: Uint8Array
  readonly offsets: Uint32Array
  readonly bytes: Uint8Array
  /**
   * Entries after what the batch before reached and up to this one's end, in seq order: to be merged with the
   * messages by seq. A batch may hold entries only.
   */
  readonly entries: readonly StoredEntry[]
  /** Everything up to here is in this batch or one before it. */
  readonly upToSeq: number
}

export interface PositionQuery {
  readonly recording: RecordingId
  /** Replay time: receive wall time, made never to decrease. UTC ms. */
  readonly ms: number
}

/** A point of a recording's order: a message or entry and its replay time. */
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
  /** The newest at or before. */
  readonly upToSeq: number
  /** Replay time, UTC ms: at or before this, too. */
  readonly upToMs?: number | undefined
  /** Only one that is newer than this. */
  readonly afterSeq?: number | undefined
  readonly version: number
}

export interface EntryQuery {
  readonly recording: RecordingId
  /** The last seq that is not wanted. */
  readonly afterSeq?: number | undefined
  readonly types?: readonly LedgerEntry['type'][] | undefined
}

export interface TickQuery {
  readonly feed: FeedId
  /** Instruments to keep; null: every one. */
  readonly instruments: readonly InstrumentId[] | null
  readonly recording?: RecordingId | undefined
  /** Of these alone, in the order of reading. */
  readonly recordings?: readonly RecordingId[] | undefined
  readonly source?: string | undefined
  /** Event time, [from, to), UTC ms; undated messages by receive time. */
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
  /** Of each recording only what follows this seq; 0 unless told. */
  readonly afterSeq?: number | undefined
  /** Nothing past this seq. */
  readonly upToSeq?: number | undefined
}

/** Writes the server's number text of a row without making a string. */
export interface LiteralWriter {
  /** Most bytes that `write` may need. */
  readonly maxBytes: number
  /** Writes at `at`, answers one past; `at` itself where the row has no such number. */
  write(row: number, out: Uint8Array, at: number): number
}

/**
 * A run of stored messages of one recording in seq order. Numbers by the message's own JSON key;
 * NaN where a message has none. `literal(key, row)` is the server's own number text, `raw(row)` the
 * whole message to the byte.
 */
export interface TickColumns {
  readonly recording: RecordingId
  readonly feed: FeedId
  readonly count: number
  readonly seq: Float64Array
  readonly recvMs: Float64Array
  readonly eventMs: Float64Array
  readonly flags: Uint8Array
  /** Number of the connection in the recording, and of the message on it. */
  readonly conn: Uint32Array
  readonly connSeq: Uint32Array
  /** Service spelling per row. */
  symbol(row: number): string
  readonly keys: readonly string[]
  column(key: string): Float64Array
  literal(key: string, row: number): string
  /** The same without a string; an export asks for it once a run. */
  writer(key: string): LiteralWriter
  raw(row: number): Uint8Array
}

/** How much a tick query would give, about. */
export interface TickExtent {
  /** Everything received, and what of it are records of the market that were asked for. */
  readonly messages: number
  readonly records: number
  readonly instruments: number
  /** Of the first and last of them, UTC ms; null: there are none. */
  readonly fromMs: number | null
  readonly toMs: number | null
}

export interface BarQuery {
  readonly instrument: InstrumentId
  readonly of: BarSource
  readonly interval: Interval
  /** Of the service's own bars: the feed whose bars are folded. Absent: the one that the interval is made of. */
  readonly feed?: FeedId | undefined
  readonly source: string
  /** As if nothing else had been recorded than these; where one ends, reception does. */
  readonly recordings?: readonly RecordingId[] | undefined
  /** Bars that start before this instant, newest `limit` of them; null: the newest. */
  readonly beforeMs: number | null
  /** Instead: bars that start after this instant, the oldest `limit` of them; `more` then tells of newer ones. */
  readonly afterMs?: number | undefined
  /** No bar that starts before this; `more` still tells of such. */
  readonly fromMs?: number | undefined
  readonly limit: number
  /** Only what was received up to here: no look-ahead (settled rule 6). */
  readonly maxSeq?: { readonly recording: RecordingId; readonly seq: number } | undefined
  /**
   * For who looks, not for who must have all of it: what is damaged on the way is passed, bars that touch it are
   * incomplete, and the page tells of it. Without, it rejects with `store-damaged`.
   */
  readonly skipCorrupt?: boolean | undefined
}

/** A stretch of event time, [from, to), UTC ms; `toMs` Infinity: without end. */
export interface StoredSpan {
  readonly fromMs: number
  readonly toMs: number
}

export interface BarPage {
  readonly bars: readonly Bar[]
  readonly more: boolean
  /** Absent: none. */
  readonly overlaps?: readonly Overlap[]
  /** With `skipCorrupt`: where something stored could not be read, ascending, of all that was looked at. Absent: nowhere. */
  readonly corrupt?: readonly StoredSpan[]
  /** With `skipCorrupt`: hours whose kept bars are damaged; they were built from the messages, so nothing is missing. */
  readonly rebuilt?: readonly StoredSpan[]
}

/** An instrument of a feed, and how the service spelt it, the latest spelling last. */
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

/** The fold that a recording's digests are of, of one version; the market's own. */
export interface DigestFolds {
  readonly version: number
  create(): DigestFold
}
export interface DigestFold {
  /** Takes a stored record. Answers the digest of what came before, where it is the first of a later minute. */
  apply(feed: FeedId, recvMs: number, record: Scratch): { readonly minuteMs: UnixMs; readonly sha256: string } | null
  reset(): void
}

/** Sizes of the flushes of a connection (0: of entries), in their order: size and repeats in turn. */
export interface ChainRuns {
  readonly conn: number
  readonly runs: Uint32Array
}

/** What a session file says of a closed recording beside its messages and entries. */
export interface RecordingLedger {
  readonly recording: RecordingId
  readonly source: Source
  readonly startedMs: UnixMs
  readonly endedMs: UnixMs
  readonly clean: boolean
  /** What identifies the store: hex. */
  readonly store: string
  readonly messages: number
  readonly entries: number
  readonly lastSeq: number
  readonly connections: readonly { readonly conn: number; readonly feed: FeedId }[]
  readonly chains: readonly ChainRuns[]
  /** Hex, by connection. */
  readonly heads: Readonly<Record<string, string>>
  readonly ledgerHead: string | null
  readonly label: { readonly name: string; readonly notes: string; readonly tags: string[]; readonly pinned: boolean }
}

export interface StoreReader {
  /** `brief`: of the gaps of each only their numbers, and the first few without symbols; fast for thousands. */
  sessions(brief?: boolean): Promise<readonly SessionRow[]>
  /** What was stored of a feed or acknowledged for it, by instrument. */
  instruments(query: InstrumentQuery): Promise<readonly StoredInstrument[]>
  /**
   * Hash (hex) of the newest row of the store's log about these recordings. The row of a closed one
   * holds the heads of its chains, and each row covers those before it; null: the store knows none.
   */
  ledgerHead(recordings: readonly RecordingId[]): Promise<string | null>
  ticks(query: TickQuery): AsyncIterable<TickColumns>
  /** Told from the index of the blocks, fast however much there is. */
  extent(query: TickQuery): Promise<TickExtent>
  /** `overlaps`: where two recordings hold the same time and only the earlier one was read. */
  bars(query: BarQuery): Promise<BarPage>
  /** Rejects with `store-damaged` where one cannot be read, unless `skipCorrupt`: then a page of bars tells of that one. */
  gaps(query: {
    readonly feed?: FeedId
    readonly recording?: RecordingId
    readonly source?: string
    readonly fromMs?: number
    readonly toMs?: number
    readonly skipCorrupt?: boolean
  }): Promise<readonly Gap[]>
  /**
   * Everything of a recording in seq order, gapless over journal and blocks, up to a seq that is fixed when
   * reading begins. Reads in short transactions and one batch ahead at most; ends when iterating ends.
   */
  replay(query: ReplayQuery): AsyncIterable<ReplayBatch>
  /** The last message or entry received at or before a replay time; null: it begins later. */
  findPosition(query: PositionQuery): Promise<Position | null>
  /**
   * Messages by receive time in equal buckets. Inside of a block they are spread evenly, so a bucket's count is
   * an estimate where it is shorter than a block; the counts of all sum up to what there is.
   */
  activity(query: ActivityQuery): Promise<readonly number[]>
  /** A snapshot that is damaged counts as none. */
  snapshot(query: SnapshotQuery): Promise<Snapshot | null>
  entries(query: EntryQuery): Promise<readonly StoredEntry[]>
  /** In the order of their time; null: of all recordings. */
  bookmarks(recording: RecordingId | null): Promise<readonly ReplayBookmark[]>
  /** For a session file. Rejects with `not-found`, and with `not-allowed` while the recording is not closed. */
  ledger(recording: RecordingId): Promise<RecordingLedger>
  /**
   * Reads only; names every difference. `onProgress` gets a fraction 0 to 1 and the messages checked so far.
   * Rejects with `cancelled` soon after the signal.
   */
  verify(
    session: RecordingId | null,
    onProgress?: (done: number, messages: number) => void,
    signal?: AbortSignal,
  ): Promise<VerifyReport>
  close(): Promise<void>
}
