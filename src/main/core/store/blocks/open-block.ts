/** The interface between open blocks and their readers. */
import type { FeedId } from '../../../../shared/base/units.ts'
import type { RecordShape } from '../../../../service/codecs/reading.ts'
import type { LiteralWriter } from '../types/ticks.ts'
import type { MessageColumns } from '../types/messages.ts'

/** Where messages are written: bytes, and a view of the same bytes. */
export interface TextTarget {
  readonly bytes: Uint8Array
  readonly view: DataView
}

export const textTarget = (bytes: Uint8Array): TextTarget => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
})

/** Writes messages byte for byte without an array for each. */
export interface TextWriter {
  /** Upper bound of the bytes that `write` needs for a row. */
  room(row: number): number
  /**
   * Writes a row's message at `at` and returns the offset after it. `room` bytes must be free: it may write anything
   * into those after the message.
   */
  write(row: number, out: TextTarget, at: number): number
  /** Gives rows [from, to) to `out`, each at its place in `places`. `feed`: index in FEED_IDS. */
  fill(from: number, to: number, places: Uint32Array, feed: number, out: TextRows): void
}

/** Takes many rows whose messages are a template's texts and numbers between them. */
export interface TextRows {
  /** Another object whenever templates lose their numbers. */
  readonly round: object
  /** Returns the number of a template for `templates`; undefined if its rows have to be written one by one. */
  addTemplate(feed: number, parts: readonly Uint8Array[]): number | undefined
  /** Template of each row, by its place in the batch. */
  readonly templates: Uint16Array
  /** 1 for a row that has to be written by `TextWriter.write`. */
  readonly isSingle: Uint8Array
  /** The first number of each row, the second, and so on, as `RowWriter` takes them. */
  readonly numbers: readonly { readonly values: Float64Array; readonly forms: Uint8Array }[]
}

/** Where the records of many rows are written, each at a place of its own. */
export interface RecordTarget {
  readonly shape: Uint16Array
  readonly decimals: Uint8Array
  readonly numbers: Float64Array
  /** Numbers per place. */
  readonly stride: number
  /** The number of a shape to write; 0 if there are too many. */
  numberOf(shape: RecordShape): number
}

/** Writes records without the texts that they were decoded from. */
export interface RecordWriter {
  /**
   * Writes rows [from, to) at `places`: the number of each one's shape, which says how the record follows from its numbers, the
   * numbers, at most `numbersOf(feed)`, and the most decimals among its price literals. The shape is 0 if only the decoder knows
   * the record; what else was written then means nothing.
   */
  writeAll(from: number, to: number, places: Uint32Array, out: RecordTarget): void
}

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
  /** The symbol of all rows; undefined if they have different ones, or some are stored as text. */
  readonly onlySymbol: string | undefined
  /** The whole message, byte for byte. */
  raw(row: number): Uint8Array
  /** Writes the messages of many rows. */
  readonly texts: TextWriter
  /** Writes the records of many rows, as the decoder reads them from the texts. */
  readonly records: RecordWriter
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

/** Most arrays that are kept for the next block. */
const MAX_ARRAYS = 64

/** Arrays reused from one batch of rows to the next, because allocating memory is the most expensive part of reading. */
export class ArrayScratch {
  readonly #floats: Float64Array[] = []
  readonly #ints: Uint32Array[] = []
  #used = 0
  #usedInts = 0

  /** Makes all arrays available again, and gives up those that only a block of many columns needs. */
  reset(): void {
    this.#used = this.#usedInts = 0
    this.#floats.length = Math.min(this.#floats.length, MAX_ARRAYS)
    this.#ints.length = Math.min(this.#ints.length, MAX_ARRAYS)
  }

  /** Returns an array of `n` whole numbers with arbitrary content. */
  ints(n: number): Uint32Array {
    const at = this.#usedInts++
    let array = this.#ints[at]
    if (array === undefined || array.length < n) this.#ints[at] = array = new Uint32Array(n)
    return array.length === n ? array : array.subarray(0, n)
  }

  /** Returns an array of `n` numbers with arbitrary content. */
  floats(n: number): Float64Array {
    const at = this.#used++
    let array = this.#floats[at]
    if (array === undefined || array.length < n) this.#floats[at] = array = new Float64Array(n)
    return array.length === n ? array : array.subarray(0, n)
  }
}
