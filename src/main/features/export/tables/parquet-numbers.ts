/** Writes columns of numbers to Parquet. The library's own way takes a BigInt for each integer, and much longer. */
import type { ColumnChunk, Encoding, SchemaElement } from 'hyparquet'
import type { ByteWriter } from 'hyparquet-writer'
import { writePageHeader } from 'hyparquet-writer/src/datapage.js'
import { canPackDeltas, packDeltas } from './delta.ts'

type Compress = (input: Uint8Array) => Uint8Array

/** Share of distinct values from which on a dictionary isn't tried, as in the library. */
const MOSTLY_DISTINCT = 0.9
const SAMPLE = 1_000

/** `values`: of the column's physical type, as doubles; NaN is null in an optional column. Null if they don't fit. */
export function writeNumbers(
  to: ByteWriter,
  element: SchemaElement,
  values: Float64Array,
  compress: Compress,
): ColumnChunk | null {
  const isOptional = element.repetition_type === 'OPTIONAL'
  const { present, levels } = isOptional ? withoutNulls(values) : { present: values, levels: null }
  const isWhole = element.type === 'INT64'
  if (isWhole && !canPackDeltas(present)) return null
  const start = to.offset
  const nulls = values.length - present.length
  let uncompressed = 0
  let dictionaryAt: bigint | undefined
  let encoding: Encoding = isWhole ? 'DELTA_BINARY_PACKED' : 'PLAIN'
  let body: Uint8Array
  const dictionary = isWhole ? null : dictionaryOf(present)
  if (isWhole) body = packDeltas(present)
  else if (dictionary === null) body = bytesOf(present)
  else {
    encoding = 'RLE_DICTIONARY'
    dictionaryAt = BigInt(to.offset)
    const plain = bytesOf(dictionary.values)
    const packed = compress(plain)
    const from = to.offset
    writePageHeader(to, {
      type: 'DICTIONARY_PAGE',
      uncompressed_page_size: plain.length,
      compressed_page_size: packed.length,
      dictionary_page_header: { num_values: dictionary.values.length, encoding: 'PLAIN' },
    })
    uncompressed += to.offset - from + plain.length
    to.appendBytes(packed)
    body = packIndexes(dictionary.indexes, dictionary.values.length)
  }
  const dataAt = to.offset
  const definitions = isOptional ? packLevels(levels, values.length) : new Uint8Array(0)
  const packed = compress(body)
  writePageHeader(to, {
    type: 'DATA_PAGE_V2',
    uncompressed_page_size: definitions.length + body.length,
    compressed_page_size: definitions.length + packed.length,
    data_page_header_v2: {
      num_values: values.length,
      num_nulls: nulls,
      num_rows: values.length,
      encoding,
      definition_levels_byte_length: definitions.length,
      repetition_levels_byte_length: 0,
      is_compressed: true,
    },
  })
  uncompressed += to.offset - dataAt + definitions.length + body.length
  to.appendBytes(definitions)
  to.appendBytes(packed)
  return {
    meta_data: {
      type: isWhole ? 'INT64' : 'DOUBLE',
      encodings: dictionary === null ? [encoding] : ['PLAIN', encoding],
      path_in_schema: [element.name],
      codec: 'ZSTD',
      num_values: BigInt(values.length),
      total_compressed_size: BigInt(to.offset - start),
      total_uncompressed_size: BigInt(uncompressed),
      data_page_offset: BigInt(dataAt),
      dictionary_page_offset: dictionaryAt,
      statistics: { null_count: BigInt(nulls), ...rangeOf(present, isWhole) },
      encoding_stats: [
        ...(dictionary === null ? [] : [{ page_type: 'DICTIONARY_PAGE', encoding: 'PLAIN', count: 1 } as const]),
        { page_type: 'DATA_PAGE_V2', encoding, count: 1 },
      ],
    },
    file_offset: BigInt(start),
  }
}

/** The values that aren't NaN, and which those are; null: all. */
function withoutNulls(values: Float64Array): { readonly present: Float64Array; readonly levels: Uint8Array | null } {
  let count = 0
  for (let i = 0; i < values.length; i++) if (!Number.isNaN(values[i])) count++
  if (count === values.length) return { present: values, levels: null }
  const present = new Float64Array(count)
  const levels = new Uint8Array(values.length)
  let at = 0
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) continue
    levels[i] = 1
    present[at++] = values[i]
  }
  return { present, levels }
}

/** Least and greatest value, without NaN. Of zeros, the least is -0 and the greatest 0, as the format asks. */
function rangeOf(values: Float64Array, isWhole: boolean): object {
  let [least, most] = [Infinity, -Infinity]
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    if (value < least) least = value
    if (value > most) most = value
  }
  if (least > most) return {}
  if (isWhole) return { min_value: BigInt(least), max_value: BigInt(most) }
  return { min_value: least === 0 ? -0 : least, max_value: most === 0 ? 0 : most }
}

interface Dictionary {
  readonly values: Float64Array
  readonly indexes: Uint32Array
}

/** Null where a dictionary doesn't halve the size. */
function dictionaryOf(values: Float64Array): Dictionary | null {
  const sample = Math.min(SAMPLE, values.length)
  const seen = new Set<number>()
  for (let i = 0; i < sample; i++) seen.add(values[Math.floor((i * (values.length - 1)) / Math.max(1, sample - 1))])
  if (seen.size > sample * MOSTLY_DISTINCT || values.length === 0) return null
  const found = new Map<number, number>()
  const indexes = new Uint32Array(values.length)
  const most = values.length / 2
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    // A map doesn't tell -0 from 0, and a dictionary would lose the sign.
    if (Object.is(value, -0)) return null
    let index = found.get(value)
    if (index === undefined) {
      index = found.size
      if (index >= most) return null
      found.set(value, index)
    }
    indexes[i] = index
  }
  if (2 * (found.size * 8 + (values.length * indexWidth(found.size)) / 8) > values.length * 8) return null
  return { values: Float64Array.from(found.keys()), indexes }
}

const indexWidth = (count: number): number => 32 - Math.clz32(count - 1)

/** One bit-packed run, after the width of an index. */
function packIndexes(indexes: Uint32Array, count: number): Uint8Array {
  const width = indexWidth(count)
  if (width === 0) return Uint8Array.from([0, ...varint(indexes.length * 2)])
  const groups = Math.ceil(indexes.length / 8)
  const head = [width, ...varint(groups * 2 + 1)]
  const out = new Uint8Array(head.length + groups * width)
  out.set(head)
  let at = head.length
  let held = 0
  let bits = 0
  for (let i = 0; i < indexes.length; i++) {
    held |= indexes[i] << bits
    for (bits += width; bits >= 8; bits -= 8) {
      out[at++] = held & 255
      held >>>= 8
    }
  }
  if (bits > 0) out[at] = held
  return out
}

/** Whether each value is there, as one run of levels. */
function packLevels(levels: Uint8Array | null, count: number): Uint8Array {
  if (levels === null) return Uint8Array.from([...varint(count * 2), 1])
  const groups = Math.ceil(count / 8)
  const head = varint(groups * 2 + 1)
  const out = new Uint8Array(head.length + groups)
  out.set(head)
  for (let i = 0; i < count; i++) if (levels[i] === 1) out[head.length + (i >> 3)] |= 1 << (i & 7)
  return out
}

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return [...bytes, rest]
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)
