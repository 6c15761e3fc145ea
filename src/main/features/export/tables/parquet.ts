/**
 * A streaming Parquet writer. It buffers rows by column until a row group is full, then compresses the group with zstd
 * and writes it, so memory use doesn't grow with the file.
 */
import { constants } from 'node:zlib'
import type { ColumnChunk } from 'hyparquet'
import { writeColumn } from 'hyparquet-writer/src/column.js'
import { zstdCompressSync } from '../../../base/zstd.ts'
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import type { ByteSink } from '../../../base/file-sink.ts'
import { writeNumbers } from './parquet-numbers.ts'
import { GROUP_ROWS, integerOf, type TableColumn, type TypedTable } from './table.ts'

interface Column {
  readonly about: TableColumn
  text: string[]
  bool: boolean[]
  /** Grows up to `GROUP_ROWS`. */
  numbers: Float64Array
}

/** A table that takes many rows at once, too. */
export interface ParquetTable extends TypedTable {
  /** Adds `count` rows. A cell is a column's numbers, or the text of all rows. */
  rows(count: number, cells: readonly (Float64Array | string)[]): void
}

/** Starts a table. `notes` become the file's key-value metadata. */
export function createParquetTable(
  file: ByteSink,
  columns: readonly TableColumn[],
  notes: Readonly<Record<string, string>>,
): ParquetTable {
  const bytes = new FileBytes(file)
  const elements = columns.map(elementOf)
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [ROOT(columns.length), ...elements],
    codec: 'ZSTD',
    compressors: COMPRESSORS,
    kvMetadata: Object.entries(notes).map(([key, value]) => ({ key, value })),
    createdBy: 'Tapedeck',
  })
  const held: Column[] = columns.map((about) => ({
    about,
    text: [],
    bool: [],
    numbers: new Float64Array(0),
  }))
  let rows = 0
  const flush = (): void => {
    if (rows === 0) return
    const start = bytes.offset
    const chunks = held.map((column, at) => writeChunk(bytes, elements[at], column, rows))
    const sizeOf = ({ meta_data }: ColumnChunk): bigint => meta_data?.total_uncompressed_size ?? 0n
    writer.row_groups.push({
      columns: chunks,
      total_byte_size: chunks.reduce((sum, chunk) => sum + sizeOf(chunk), 0n),
      num_rows: BigInt(rows),
      total_compressed_size: BigInt(bytes.offset - start),
    })
    writer.num_rows += BigInt(rows)
    bytes.pour()
    for (const column of held) {
      column.text = []
      column.bool = []
    }
    rows = 0
  }
  return {
    text: (column, value) => void held[column].text.push(value),
    number(column, value) {
      const into = held[column]
      if (rows >= into.numbers.length) into.numbers = grown(into.numbers, rows + 1)
      into.numbers[rows] = value
    },
    rows(count, cells) {
      for (let from = 0; from < count;) {
        const size = Math.min(count - from, GROUP_ROWS - rows)
        for (const [column, cell] of cells.entries()) {
          const into = held[column]
          if (typeof cell === 'string') for (let i = 0; i < size; i++) into.text.push(cell)
          else {
            if (rows + size > into.numbers.length) into.numbers = grown(into.numbers, rows + size)
            into.numbers.set(cell.subarray(from, from + size), rows)
          }
        }
        from += size
        rows += size
        if (rows === GROUP_ROWS) flush()
      }
    },
    bool: (column, value) => void held[column].bool.push(value),
    row() {
      if (++rows === GROUP_ROWS) flush()
    },
    end() {
      flush()
      // Synchronous here: it returns a promise only if the writer's `finish` does.
      void writer.finish()
      bytes.pour()
    },
  }
}

/** A partition of a dataset may have a few rows only. */
const FIRST_ROWS = 1_024

function grown(numbers: Float64Array, need: number): Float64Array<ArrayBuffer> {
  const more = new Float64Array(Math.min(GROUP_ROWS, Math.max(FIRST_ROWS, need, numbers.length * 4)))
  more.set(numbers)
  return more
}

const ROOT = (columns: number): SchemaElement => ({ name: 'root', num_children: columns })

/** Writes a column of a row group. */
function writeChunk(to: ByteWriter, element: SchemaElement, column: Column, rows: number): ColumnChunk {
  const { is } = column.about
  if (is !== 'text' && is !== 'bool') {
    const numbers = integers(is, column.numbers.subarray(0, rows))
    const chunk = writeNumbers(to, element, numbers, compress)
    if (chunk !== null) return chunk
  }
  const { name, repetition_type } = element
  const values = valuesOf(column, rows)
  const isOptional = repetition_type === 'OPTIONAL'
  return writeColumn({
    writer: to,
    column: {
      columnName: name,
      element,
      schemaPath: [ROOT(1), element],
      codec: 'ZSTD',
      compressors: COMPRESSORS,
      stats: true,
      pageSize: PAGE_BYTES,
      columnIndex: false,
      offsetIndex: false,
      ...(is === 'whole' || is === 'time' ? { encoding: 'DELTA_BINARY_PACKED' } : {}),
    },
    pageData: {
      values,
      definitionLevels: isOptional ? Array.from(values, (value) => (value === null ? 0 : 1)) : [],
      repetitionLevels: [],
      maxDefinitionLevel: isOptional ? 1 : 0,
    },
  }).chunk
}

/** The numbers of a column in its physical type: times are microseconds. */
function integers(is: 'whole' | 'time' | 'number', numbers: Float64Array): Float64Array {
  if (is === 'number') return numbers
  return numbers.map(is === 'time' ? (ms) => Math.round(ms * 1_000) : Math.floor)
}

function elementOf(column: TableColumn): SchemaElement {
  const { name } = column
  const repetition = (optional: boolean) => ({ repetition_type: optional ? 'OPTIONAL' : 'REQUIRED' }) as const
  switch (column.is) {
    case 'text':
      return {
        name,
        type: 'BYTE_ARRAY',
        converted_type: 'UTF8',
        logical_type: { type: 'STRING' },
        ...repetition(false),
      }
    case 'bool':
      return { name, type: 'BOOLEAN', ...repetition(false) }
    case 'number':
      return { name, type: 'DOUBLE', ...repetition(column.optional) }
    case 'whole':
      return { name, type: 'INT64', ...repetition(column.optional) }
    case 'time':
      return {
        name,
        type: 'INT64',
        converted_type: 'TIMESTAMP_MICROS',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
        ...repetition(column.optional),
      }
  }
}

function valuesOf({ about, text, bool, numbers }: Column, rows: number): (string | boolean | number | bigint | null)[] {
  const { is } = about
  switch (is) {
    case 'text':
      return text
    case 'bool':
      return bool
    case 'number':
      return Array.from(numbers.subarray(0, rows))
    case 'whole':
    case 'time':
      return Array.from(numbers.subarray(0, rows), (value) => integerOf(is, value))
  }
}

const compress = (input: Uint8Array): Uint8Array =>
  zstdCompressSync(input, {
    params: { [constants.ZSTD_c_compressionLevel]: 3 },
    // Its tables are as large as the input needs, which is a lot less for a small page.
    pledgedSrcSize: input.length,
  })

const COMPRESSORS = { ZSTD: compress }
const PAGE_BYTES = 1 << 20
/** Grows as far as a group needs. */
const FIRST_BYTES = 64 << 10

/** Buffers the writer's bytes and moves them to the file after each group. */
class FileBytes extends ByteWriter {
  readonly #file: ByteSink

  constructor(file: ByteSink) {
    super(FIRST_BYTES)
    this.#file = file
  }

  pour(): void {
    const part = this.getBytes()
    this.#file.room(part.length)
    this.#file.bytes.set(part, this.#file.at)
    this.#file.at += part.length
    this.index = 0
  }
}
