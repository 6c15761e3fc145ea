/** A block's directory and decompressed parts, shared by all views of its rows. */
import { crc32 } from 'node:zlib'
import { zstdDecompressSync } from '../../../base/zstd.ts'
import { corruptBlock } from './bytes.ts'
import { readDirectory, type Directory } from './directory.ts'
import { HEADER_BYTES, MAGIC, MAX_BODY, VERSION } from './format.ts'
import { BY, type IntColumn } from './ints.ts'
import { readRange } from './read-ints.ts'

/** Approximate memory of a directory per column, bytes. */
const COLUMN_BYTES = 300

/** A range of a column's values. */
export interface Span {
  readonly from: number
  readonly to: number
}

export class BlockSource {
  readonly directory: Directory
  readonly #hot: Uint8Array
  readonly #low: Uint8Array
  #packed: Uint8Array
  readonly #coldSize: number
  #cold: Uint8Array | undefined

  /** Checks the CRC of the whole. Throws `store-damaged`. */
  constructor(bytes: Uint8Array) {
    if (bytes.length < HEADER_BYTES) throw corruptBlock('it is truncated')
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (view.getUint32(0, true) !== MAGIC) throw corruptBlock('its header isn’t that of a block')
    if (view.getUint32(4, true) !== crc32(bytes.subarray(8))) throw corruptBlock('it fails its checksum')
    if (view.getUint32(8, true) !== VERSION) throw corruptBlock('its format version is unknown')
    const headLength = view.getUint32(12, true)
    const sizes = { hot: view.getUint32(16, true), cold: view.getUint32(24, true) }
    const hotEnd = HEADER_BYTES + view.getUint32(20, true)
    const coldEnd = hotEnd + view.getUint32(28, true)
    if (sizes.hot + sizes.cold > MAX_BODY || headLength > sizes.hot || coldEnd > bytes.length) {
      throw corruptBlock('its sizes are out of range')
    }
    const body = unpack(bytes.subarray(HEADER_BYTES, hotEnd), sizes.hot)
    this.#hot = body.subarray(headLength)
    this.#packed = bytes.subarray(hotEnd, coldEnd)
    this.#coldSize = sizes.cold
    // copied, so that the original bytes can be freed once the cold part is decompressed
    this.#low = new Uint8Array(bytes.subarray(coldEnd))
    this.directory = readDirectory(body, headLength, { cold: sizes.cold, low: this.#low.length })
  }

  /** Approximate memory use with everything decompressed, bytes. */
  get bytes(): number {
    const { ints } = this.directory
    return this.#hot.length + this.#low.length + this.#coldSize + ints.length * COLUMN_BYTES
  }

  /** The part that few readers need, decompressed on first use. */
  get cold(): Uint8Array {
    if (this.#cold === undefined) {
      this.#cold = unpack(this.#packed, this.#coldSize)
      this.#packed = this.#cold.subarray(0, 0)
    }
    return this.#cold
  }

  column(id: number): IntColumn {
    const column = this.directory.ints[id]
    if (column === undefined) throw corruptBlock('a column is missing')
    return column
  }

  /**
   * Decodes values [from, to) of a column into `out`, which has that length. If `from` isn't 0, `out[0]` is undefined.
   * `known` returns the same range of the referenced column.
   */
  read(id: number, { from, to }: Span, known: (ref: number) => Float64Array, out: Float64Array): Float64Array {
    const column = this.column(id)
    const before = (ref: number): { first: number; values: Float64Array } => {
      if (ref >= id) throw corruptBlock('a column refers to a later one')
      const other = this.column(ref)
      if (other.count !== column.count) throw corruptBlock('a column refers to a column of a different length')
      return { first: this.#first(other), values: known(ref) }
    }
    return readRange(column, this.#high(column), this.#low, before, from, to, out)
  }

  /** Decodes a whole column into `out`, which has the column's length. */
  whole(id: number, out: Float64Array): Float64Array {
    const span = { from: 0, to: this.column(id).count }
    const known = (ref: number): Float64Array => this.read(ref, span, known, new Float64Array(span.to))
    return this.read(id, span, known, out)
  }

  #high(column: IntColumn): Uint8Array {
    return column.cold ? this.cold : this.#hot
  }

  #first(column: IntColumn): number {
    if (column.by !== BY.doubles) return column.first
    const high = this.#high(column)
    if (column.highAt + 8 > high.length) throw corruptBlock('a column is truncated')
    return new DataView(high.buffer, high.byteOffset).getFloat64(column.highAt, true)
  }
}

function unpack(packed: Uint8Array, size: number): Uint8Array {
  let body: Uint8Array
  try {
    body = zstdDecompressSync(packed, {
      maxOutputLength: Math.max(1, size),
      chunkSize: Math.max(1024, Math.min(size, 1 << 24)),
    })
  } catch {
    throw corruptBlock('it can’t be decompressed')
  }
  if (body.length !== size) throw corruptBlock('its decompressed size is wrong')
  return body
}
