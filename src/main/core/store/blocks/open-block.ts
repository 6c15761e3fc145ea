/** What an opened block gives: the contract between blocks and their readers. */
import type { FeedId } from '../../../../shared/base/units.ts'
import type { LiteralWriter, MessageColumns } from '../types/store.ts'

/** What a block holds. Arrays are shared: do not write into them. */
export interface OpenBlock {
  readonly feed: FeedId
  readonly count: number
  readonly seq: Float64Array
  readonly conn: Uint32Array
  readonly connSeq: Uint32Array
  readonly recvMs: Float64Array
  readonly monoNs: Float64Array
  readonly flags: Uint8Array
  /** Where all rows have the same. */
  readonly commonFlags: number | undefined
  /** Whether `eventMs` has no NaN. */
  readonly isDated: boolean
  /** UTC ms; NaN: undated. */
  readonly eventMs: Float64Array
  /** Keys of the messages' own numbers, in the order of first appearance. */
  readonly keys: readonly string[]
  /** Numbers by key; NaN where a row has none. */
  column(key: string): Float64Array
  /**
   * Numbers by key as whole ones and the power of ten that divides them, where every row has one and
   * they share it; undefined elsewhere.
   */
  mantissas(key: string): { readonly values: Float64Array; readonly unit: number } | undefined
  /** The server's own number text; '' where a row has none. */
  literal(key: string, row: number): string
  /** Writes that text without making a string. */
  writer(key: string): LiteralWriter
  /** The service's spelling; '' where a message names none. */
  symbol(row: number): string
  /** The whole message to the byte. */
  raw(row: number): Uint8Array
  /** At most so many bytes is `raw(row)`. */
  rawRoom(row: number): number
  /** Writes `raw(row)` at `at`, where `rawRoom` bytes must be; answers one past. */
  writeRaw(row: number, out: Uint8Array, at: number): number
  /**
   * The rows with a seq in (after, upTo], where seqs ascend: only what they need is decoded, and nothing of that is
   * kept by this block. Its `keys` may be those of all rows.
   */
  within(afterSeq: number, upToSeq: number): OpenBlock
  /** Memory that it takes, without what is decoded for its rows, about. */
  readonly bytes: number
  /** Everything that was sealed, or rows [from, to) of it. */
  messages(from?: number, to?: number): MessageColumns
}
