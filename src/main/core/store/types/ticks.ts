/** Reading ticks: queries, their results, and the short reads they consist of. */
import type { Share } from '../../../../shared/core/recording/merged-sessions.ts'
import type { FeedId, InstrumentId, SessionId } from '../../../../shared/base/units.ts'

export interface TickQuery {
  readonly feed: FeedId
  /** Instruments to return; null returns all of them. */
  readonly instruments: readonly InstrumentId[] | null
  readonly session?: SessionId | undefined
  /** Only these sessions, in reading order. */
  readonly sessions?: readonly SessionId[] | undefined
  readonly source?: string | undefined
  /** Event time, [from, to), UTC ms. Undated messages count by receive time. */
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
  /** Of named sessions of a team, only what counts in the view of all sessions of their shard. */
  readonly asInSource?: boolean | undefined
  /** Only seqs after this one, in each session; default 0. */
  readonly afterSeq?: number | undefined
  /** Only seqs up to this one. */
  readonly upToSeq?: number | undefined
  /** Each result is used only until the next one is asked for, so its arrays may be reused. */
  readonly reusesArrays?: boolean | undefined
}

/** Writes the server's number text of a row without creating a string. */
export interface LiteralWriter {
  /** Upper bound of the bytes `write` needs. */
  readonly maxBytes: number
  /** Writes at `at` and returns the offset after it, or `at` itself if the row has no such number. */
  write(row: number, out: Uint8Array, at: number): number
  /** The same numbers for `RowWriter`, made on first use. */
  readonly numbers: BatchNumbers
}

/**
 * Numbers of many rows as they are written: a whole number and its `NUMBER_FORM`, the same for all rows if there is one. NaN for rows
 * without a number, Infinity for those that only `write` can write.
 */
export interface BatchNumbers {
  readonly values: Float64Array
  readonly forms: Uint8Array | number
}

/** Symbols by row: `which` has the number of each row's name, or is null if they all have the first. */
export interface RowSymbols {
  readonly names: readonly string[]
  readonly which: Uint32Array | null
}

/**
 * A run of stored messages of one session in seq order. Numbers are looked up by the message's own JSON key, NaN if a
 * message lacks it. `literal(key, row)` is the server's number text, `raw(row)` the whole message byte for byte.
 */
export interface TickColumns {
  readonly session: SessionId
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
  /** The same for all rows; undefined if it takes as long as asking for each. */
  readonly symbols: RowSymbols | undefined
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

/** A session to read, up to a seq fixed when reading begins. */
export interface TickPlan {
  readonly id: number
  readonly session: SessionId
  readonly maxSeq: number
  /** What counts of messages without an instrument, and of instruments that aren't in `shares`. */
  readonly share: Share
  readonly shares: ReadonlyMap<string, Share>
}

export interface TickWindow {
  /** Messages up to this seq are in blocks of these series. */
  readonly sealedSeq: number
  readonly series: readonly { readonly id: number; readonly instrument: string }[]
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
  /** The plan that the series belongs to. */
  readonly plan: Pick<TickPlan, 'id' | 'session'>
  readonly series: number
  /** Blocks that hold a seq in (after, upTo], oldest first. */
  readonly after: number
  readonly upTo: number
  readonly fromMs: number
  readonly toMs: number
  readonly limit: number
}

/** A block and the event times it is listed with, UTC ms. */
export interface ListedBlock {
  readonly data: Uint8Array
  readonly minMs: number
  readonly maxMs: number
}

type MaybePromise<T> = T | Promise<T>

/**
 * The short reads that a tick query makes, each on one snapshot of the file. Everything sealed up to a window's
 * watermark stays in blocks (blocks only merge), so a reader can continue from a seq. Each read of a plan throws `not-found`
 * once its session was erased, because what is left of it looks like its end.
 */
export interface TickSource {
  plan(query: TickQuery): MaybePromise<readonly TickPlan[]>
  /** Throws `store-damaged` if a corrupt flush may have held queried messages. */
  window(query: TickQuery, plan: TickPlan, after: number): MaybePromise<TickWindow>
  blocks(query: BlockQuery): MaybePromise<readonly ListedBlock[]>
}
