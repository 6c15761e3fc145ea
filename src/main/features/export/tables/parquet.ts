/**
 * A streaming Parquet writer. It buffers rows by column until a row group is full, then compresses the group with zstd
 * and writes it, so memory use doesn't grow with the file.
 */
import { constants } from 'node:zlib'
import { zstdCompressSync } from '../../../base/zstd.ts'
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import type { ByteSink } from '../../../base/file-sink.ts'
import { GROUP_ROWS, integerOf, type TableColumn, type TypedTable } from './table.ts'

interface Column {
  readonly about: TableColumn
  text: string[]
  bool: boolean[]
  readonly numbers: Float64Array
}

/** Starts a table. `notes` become the file's key-value metadata. */
export function createParquetTable(
  file: ByteSink,
  columns: readonly TableColumn[],
  notes: Readonly<Record<string, string>>,
): TypedTable {
  const bytes = new FileBytes(file)
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [{ name: 'root', num_children: columns.length }, ...columns.map(elementOf)],
    codec: 'ZSTD',
    compressors: { ZSTD: compress },
    kvMetadata: Object.entries(notes).map(([key, value]) => ({ key, value })),
    createdBy: 'Tapedeck',
  })
  const held: Column[] = columns.map((about) => ({
    about,
    text: [],
    bool: [],
    numbers: new Float64Array(about.is === 'text' || about.is === 'bool' ? 0 : GROUP_ROWS),
  }))
  let rows = 0
  const flush = (): void => {
    if (rows === 0) return
    // Synchronous here: it returns a promise only if the writer's `flush` does.
    void writer.write({
      columnData: held.map((column) => ({
        name: column.about.name,
        data: valuesOf(column, rows),
        offsetIndex: false,
        ...encodingOf(column.about),
      })),
      rowGroupSize: GROUP_ROWS,
    })
    bytes.pour()
    for (const column of held) {
      column.text = []
      column.bool = []
    }
    rows = 0
  }
  return {
    text: (column, value) => void held[column].text.push(value),
    number: (column, value) => void (held[column].numbers[rows] = value),
    bool: (column, value) => void held[column].bool.push(value),
    row() {
      if (++rows === GROUP_ROWS) flush()
    },
    end() {
      flush()
      void writer.finish() // as above
      bytes.pour()
    },
  }
}

/** Times and seqs increase in small steps and rarely repeat, so delta encoding beats a dictionary. */
const encodingOf = (column: TableColumn): { readonly encoding?: 'DELTA_BINARY_PACKED' } =>
  column.is === 'whole' || column.is === 'time' ? { encoding: 'DELTA_BINARY_PACKED' } : {}

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

function valuesOf({ about, text, bool, numbers }: Column, rows: number): unknown[] | Float64Array {
  switch (about.is) {
    case 'text':
      return text
    case 'bool':
      return bool
    case 'number':
      if (!about.optional || !numbers.subarray(0, rows).some(Number.isNaN)) return numbers.subarray(0, rows)
      return Array.from(numbers.subarray(0, rows), (value) => (Number.isNaN(value) ? null : value))
    case 'whole':
    case 'time': {
      const { is } = about
      return Array.from(numbers.subarray(0, rows), (value) => integerOf(is, value))
    }
  }
}

const compress = (input: Uint8Array): Uint8Array =>
  zstdCompressSync(input, { params: { [constants.ZSTD_c_compressionLevel]: 3 } })

/** Buffers the writer's bytes and moves them to the file after each group. */
class FileBytes extends ByteWriter {
  readonly #file: ByteSink

  constructor(file: ByteSink) {
    super(1 << 20)
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
