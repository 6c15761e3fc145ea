/** What a replay reads: messages of every feed in seq order, positions, snapshots, entries and bookmarks. */
import type { RecordShape } from '../../../../service/codecs/reading.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import type { LedgerEntry } from '../../../../shared/core/recording/session.ts'
import type { StoredEntry, MessageColumns } from './messages.ts'

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
  readonly session?: SessionId | undefined
}

export interface NewBookmark {
  readonly session: SessionId
  readonly atMs: number
  readonly seq: number | null
  readonly text: string
}

export interface ReplayQuery {
  readonly session: SessionId
  /** Seqs after this one; 0 starts at the beginning. */
  readonly afterSeq: number
  /** Seqs up to this one; default the last durable one when reading begins. */
  readonly upToSeq?: number | undefined
  /** Replay time, UTC ms. Reading may stop at the first message received after this. */
  readonly upToMs?: number | undefined
  /** Leaves `monoNs` and `conn` empty. */
  readonly omitConnections?: boolean | undefined
  /** Wants `records` instead of the texts that they are decoded from. */
  readonly prefersRecords?: boolean | undefined
  /** Wants lines (`message-line.ts`) instead of the texts. A reader that can't write them gives texts. */
  readonly prefersLines?: boolean | undefined
}

/** Records of a batch as numbers. `decodeRow` reads them. */
export interface BatchRecords {
  /** 1 + index in `shapes` of each row; 0: its text has to be decoded. */
  readonly shape: Uint16Array
  readonly shapes: readonly RecordShape[]
  /** The most decimals among the price literals of each row. */
  readonly decimals: Uint8Array
  /** The numbers of row i start at i times `stride`. */
  readonly numbers: Float64Array
  readonly stride: number
}

/**
 * Stored messages of every feed in seq order, byte for byte as received. Row i spans bytes[offsets[i], offsets[i + 1]).
 * The receiver of a batch owns its buffers.
 */
export interface ReplayBatch extends Omit<MessageColumns, 'connSeq'> {
  readonly session: SessionId
  /** Index into FEED_IDS. */
  readonly feed: Uint8Array
  /** If they were preferred. The texts of the rows that have one are empty. */
  readonly records?: BatchRecords
  /** Whether each text is the message's line instead of the message. */
  readonly areLines?: boolean
  /**
   * Entries after the previous batch and up to the end of this one, in seq order, to be merged with the messages by
   * seq. A batch can hold entries only.
   */
  readonly entries: readonly StoredEntry[]
  /** Everything up to this seq is in this batch or an earlier one. */
  readonly upToSeq: number
  /** Holds all columns and bytes. Absent: they have buffers of their own. */
  readonly buffer?: ArrayBuffer
}

export interface PositionQuery {
  readonly session: SessionId
  /** Replay time, UTC ms: receive time that never decreases. */
  readonly ms: number
}

/** A position in a session: a message or entry and its replay time. */
export interface Position {
  readonly seq: number
  readonly ms: number
}

export interface ActivityQuery {
  readonly sessions: readonly SessionId[]
  /** Replay time, [from, to), UTC ms. */
  readonly fromMs: number
  readonly toMs: number
  readonly buckets: number
}

export interface SnapshotQuery {
  readonly session: SessionId
  /** The newest snapshot at or before this seq. */
  readonly upToSeq: number
  /** And at or before this replay time, UTC ms. */
  readonly upToMs?: number | undefined
  /** And after this seq. */
  readonly afterSeq?: number | undefined
  readonly version: number
}

export interface EntryQuery {
  readonly session: SessionId
  /** Seqs after this one. */
  readonly afterSeq?: number | undefined
  readonly types?: readonly LedgerEntry['type'][] | undefined
}
