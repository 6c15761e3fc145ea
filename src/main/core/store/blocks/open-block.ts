/** The interface between open blocks and their readers. */
import type { FeedId } from '../../../../shared/base/units.ts'
import type { LiteralWriter } from '../types/ticks.ts'
import type { MessageColumns } from '../types/messages.ts'

/** The contents of a block. Arrays are shared: don't write to them. */
export interface OpenBlock {
  readonly feed: FeedId
  readonly count: number
  readonly seq: Float64Array
  readonly conn: Uint32Array
  readonly connSeq: Uint32Array
  readonly recvMs: Float64Array
  readonly monoNs: Float64Array
  readonly flags: Uint8Array
  /** The flags of all rows if they are equal; undefined otherwise. */
  readonly commonFlags: number | undefined
  /** Whether `eventMs` has no NaN. */
  readonly isDated: boolean
  /** UTC ms; NaN if undated. */
  readonly eventMs: Float64Array
  /** Keys of the messages' own numbers, in order of first appearance. */
  readonly keys: readonly string[]
  /** Numbers by key; NaN for rows without one. */
  column(key: string): Float64Array
  /**
   * Numbers by key as integers with a common power-of-ten divisor. Undefined unless every row has one and they share
   * it.
   */
  mantissas(key: string): { readonly values: Float64Array; readonly unit: number } | undefined
  /** The server's number text; '' for rows without one. */
  literal(key: string, row: number): string
  /** Writes that text without creating a string. */
  writer(key: string): LiteralWriter
  /** The symbol as the service wrote it; '' if the message names none. */
  symbol(row: number): string
  /** The whole message, byte for byte. */
  raw(row: number): Uint8Array
  /** Upper bound of the length of `raw(row)`, bytes. */
  rawRoom(row: number): number
  /** Writes `raw(row)` at `at`, where `rawRoom` bytes must be free. Returns the offset after it. */
  writeRaw(row: number, out: Uint8Array, at: number): number
  /**
   * The rows with a seq in (after, upTo]; seqs must ascend. Decodes only what those rows need and caches none of it in
   * this block. `keys` may include keys of other rows.
   */
  within(afterSeq: number, upToSeq: number): OpenBlock
  /** Approximate memory use, bytes, without columns decoded for its rows. */
  readonly bytes: number
  /** Everything that was sealed, or only rows [from, to). */
  messages(from?: number, to?: number): MessageColumns
}
