/** The store as its readers see it. Readers never block the writer. */
import type { Scratch } from '../../../../service/codec.ts'
import type { FeedId, InstrumentId, SessionId, UnixMs } from '../../../../shared/base/units.ts'
import type { Gap, SessionRow, VerifyReport } from '../../../../shared/core/recording/session.ts'
import type { ReplayBookmark } from '../../../../shared/features/replay/replay.ts'
import type { SessionShares } from '../../../../shared/core/recording/merged-sessions.ts'
import type { FlushPage, FlushQuery } from './flushes.ts'
import type { BarPage, BarQuery } from './bars.ts'
import type { SessionLedger } from './library.ts'
import type { StoredEntry } from './messages.ts'
import type {
  ActivityQuery,
  EntryQuery,
  Position,
  PositionQuery,
  ReplayBatch,
  ReplayQuery,
  Snapshot,
  SnapshotQuery,
} from './replay.ts'
import type { TickColumns, TickExtent, TickQuery } from './ticks.ts'

/** An instrument of a feed with its symbols as the service wrote them, the latest one last. */
export interface StoredInstrument {
  readonly instrument: InstrumentId
  readonly symbols: readonly string[]
}

export interface InstrumentQuery {
  readonly feed: FeedId
  readonly session?: SessionId | undefined
  readonly sessions?: readonly SessionId[] | undefined
  readonly source?: string | undefined
}

export interface GapQuery {
  readonly feed?: FeedId
  readonly session?: SessionId
  /** Only these sessions, as if no others existed. */
  readonly sessions?: readonly SessionId[]
  readonly source?: string
  readonly fromMs?: number
  readonly toMs?: number
  /** Leaves out what can't be read. Otherwise it throws `store-damaged`. */
  readonly skipCorrupt?: boolean
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
  ledgerHead(sessions: readonly SessionId[]): Promise<string | null>
  ticks(query: TickQuery): AsyncIterable<TickColumns>
  /** Computed from the block index, so it is fast for any amount of data. */
  extent(query: TickQuery): Promise<TickExtent>
  /** `overlaps` lists times covered by two sessions. */
  bars(query: BarQuery): Promise<BarPage>
  /**
   * Gaps as they were recorded. With a team's `source` and no `session`: where sessions overlap, only what none of
   * them received. Rejects with `store-damaged` if a gap can't be read. With `skipCorrupt` it leaves that gap out; a
   * page of bars reports it.
   */
  gaps(query: GapQuery): Promise<readonly Gap[]>
  /**
   * What each of these sessions adds to the view of all of them. `source`: theirs, or that of all shards of their team.
   * Sessions that overlap no other have no feeds. Rejects with `not-found`.
   */
  shares(sessions: readonly SessionId[], source: string): Promise<readonly SessionShares[]>
  /**
   * Everything of a session in seq order, gapless over journal and blocks, up to a seq fixed when reading begins. Reads
   * in short transactions, at most one batch ahead, and stops when iteration stops. `spares`: the caller adds buffers of
   * batches that it no longer uses, and later batches are read into them.
   */
  replay(query: ReplayQuery, spares?: ArrayBuffer[]): AsyncIterable<ReplayBatch>
  /**
   * Flushes of a session after a seq, as they were committed, up to what is durable now. Of a sealed part, flushes of
   * different connections that were committed together may be returned one after another; the chains are the same.
   * Rejects with `not-found`, with `bad-arguments` if `afterSeq` isn't the end of a flush, and with `store-damaged` at
   * corrupt data and for an `afterSeq` that the store doesn't reach.
   */
  flushes(query: FlushQuery): Promise<FlushPage>
  /** The last message or entry received at or before a replay time; null if the session begins later. */
  findPosition(query: PositionQuery): Promise<Position | null>
  /**
   * From when messages of each feed may be missing at the end of a session that was left open, UTC ms: where its gaps
   * begin once the next start has closed it. Empty for a session that is closed.
   */
  lostFrom(session: SessionId): Promise<ReadonlyMap<FeedId, UnixMs>>
  /**
   * Message counts by receive time in equal buckets. Messages are assumed to be spread evenly inside a block, so a
   * bucket shorter than a block is an estimate. The counts add up to the total.
   */
  activity(query: ActivityQuery): Promise<readonly number[]>
  /** A corrupt snapshot counts as absent. */
  snapshot(query: SnapshotQuery): Promise<Snapshot | null>
  entries(query: EntryQuery): Promise<readonly StoredEntry[]>
  /** Ordered by time; null returns those of all sessions. */
  bookmarks(session: SessionId | null): Promise<readonly ReplayBookmark[]>
  /** For a session file. Rejects with `not-found`, or with `not-allowed` while the session is open. */
  ledger(session: SessionId): Promise<SessionLedger>
  /**
   * Only reads, and reports every difference. `onProgress` gets a fraction from 0 to 1 and the messages checked so far.
   * Rejects with `cancelled` soon after the signal.
   */
  verify(
    session: SessionId | null,
    onProgress?: (done: number, messages: number) => void,
    signal?: AbortSignal,
  ): Promise<VerifyReport>
  close(): Promise<void>
}
