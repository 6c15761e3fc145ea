/**
 * A streaming writer of Arrow's IPC formats (https://arrow.apache.org/docs/format/Columnar.html, metadata version 5).
 * Rows are held by column until a record batch is full, so memory use doesn't grow with the table. A file is a stream
 * with a footer that says where each batch is.
 */
import type { ByteSink } from '../../../base/file-sink.ts'
import {
  ALIGNED,
  footerOf,
  isOptional,
  recordBatchMessage,
  roundUp,
  schemaMessage,
  type BatchColumn,
  type Block,
} from './arrow-metadata.ts'
import { GROUP_ROWS, integersOf, type TableColumn, type TypedTable } from './table.ts'

const MAGIC = new TextEncoder().encode('ARROW1')
const CONTINUATION = 0xffff_ffff
/** A batch ends early when a text column has this many bytes: its offsets have 31 bits. */
const MOST_TEXT = 64 << 20

/** Starts a table. `notes` become the schema's metadata. */
export function createArrowTable(
  file: ByteSink,
  columns: readonly TableColumn[],
  notes: Readonly<Record<string, string>>,
  layout: 'stream' | 'file',
): TypedTable {
  const held = columns.map(createHeld)
  const blocks: Block[] = []
  const out = createOutput(file)
  /** Writes a message without its body. Returns its length. */
  const begin = (metadata: Uint8Array): number => {
    const length = roundUp(metadata.length, 8)
    out.bytes(new Uint8Array(Uint32Array.of(CONTINUATION, length).buffer))
    out.bytes(metadata, 8)
    return length + 8
  }
  if (layout === 'file') out.bytes(MAGIC, 8)
  begin(schemaMessage(columns, notes))

  let rows = 0
  const flush = (): void => {
    if (rows === 0) return
    const parts = held.map((column) => column.take(rows))
    const { at } = out
    const { metadata, body } = recordBatchMessage(rows, parts)
    blocks.push({ at, metadata: begin(metadata), body })
    for (const buffer of parts.flatMap((part) => part.buffers)) out.bytes(buffer, ALIGNED)
    rows = 0
  }
  return {
    text: (column, value) => held[column].text(value),
    number: (column, value) => held[column].number(rows, value),
    bool: (column, value) => held[column].number(rows, value ? 1 : 0),
    row() {
      rows++
      if (rows === GROUP_ROWS || held.some((column) => column.textBytes() > MOST_TEXT)) flush()
    },
    end() {
      flush()
      out.bytes(new Uint8Array(Uint32Array.of(CONTINUATION, 0).buffer))
      if (layout === 'stream') return
      const footer = footerOf(columns, notes, blocks)
      out.bytes(footer)
      out.bytes(new Uint8Array(Uint32Array.of(footer.length).buffer))
      out.bytes(MAGIC)
    },
  }
}

interface Output {
  /** Bytes written so far. */
  readonly at: number
  /** Writes bytes, and zeros up to a multiple of `to`. */
  bytes(bytes: Uint8Array, to?: number): void
}

function createOutput(file: ByteSink): Output {
  let at = 0
  return {
    get at() {
      return at
    },
    bytes(bytes, to = 1) {
      const length = roundUp(bytes.length, to)
      file.room(length)
      file.bytes.set(bytes, file.at)
      file.bytes.fill(0, file.at + bytes.length, file.at + length)
      file.at += length
      at += length
    },
  }
}

/** Cells of a column until they are written. */
interface Held {
  text(value: string): void
  number(row: number, value: number): void
  textBytes(): number
  take(rows: number): BatchColumn
}

const createHeld = (column: TableColumn): Held =>
  column.is === 'text' ? createTexts() : createNumbers(column.is, isOptional(column))

const NONE = new Uint8Array(0)

function createTexts(): Held {
  const encoder = new TextEncoder()
  let bytes = new Uint8Array(1 << 16)
  let used = 0
  let offsets = [0]
  /** The last text and its bytes: feeds and symbols repeat. */
  let last = ''
  let lastAt = 0
  let lastEnd = 0
  return {
    text(value) {
      // A UTF-16 unit takes at most three bytes.
      const needed = used + 3 * value.length
      if (needed > bytes.length) {
        const grown = new Uint8Array(Math.max(2 * bytes.length, needed))
        grown.set(bytes.subarray(0, used))
        bytes = grown
      }
      if (value === last) {
        bytes.copyWithin(used, lastAt, lastEnd)
        used += lastEnd - lastAt
      } else {
        last = value
        lastAt = used
        used = lastEnd = used + encoder.encodeInto(value, bytes.subarray(used)).written
      }
      offsets.push(used)
    },
    number: () => undefined,
    textBytes: () => used,
    take() {
      const taken = [NONE, new Uint8Array(Int32Array.from(offsets).buffer), bytes.subarray(0, used)]
      used = lastAt = lastEnd = 0
      last = ''
      offsets = [0]
      return { nulls: 0, buffers: taken }
    },
  }
}

function createNumbers(is: Exclude<TableColumn['is'], 'text'>, optional: boolean): Held {
  const values = new Float64Array(GROUP_ROWS)
  return {
    text: () => undefined,
    number: (row, value) => void (values[row] = value),
    textBytes: () => 0,
    take(rows) {
      const taken = values.subarray(0, rows)
      const nulls = optional ? taken.reduce((sum, value) => sum + (Number.isNaN(value) ? 1 : 0), 0) : 0
      const validity = nulls === 0 ? NONE : bitsOf(taken, (value) => !Number.isNaN(value))
      return { nulls, buffers: [validity, valuesOf(is, taken)] }
    },
  }
}

function valuesOf(is: Exclude<TableColumn['is'], 'text'>, values: Float64Array): Uint8Array {
  switch (is) {
    case 'bool':
      return bitsOf(values, (value) => value !== 0)
    case 'number':
      return new Uint8Array(values.slice().buffer)
    case 'whole':
    case 'time':
      return new Uint8Array(integersOf(is, values).buffer)
  }
}

/** One bit for each value, the first in the lowest bit. */
function bitsOf(values: Float64Array, isSet: (value: number) => boolean): Uint8Array {
  const bits = new Uint8Array(Math.ceil(values.length / 8))
  for (let i = 0; i < values.length; i++) if (isSet(values[i])) bits[i >> 3] |= 1 << (i & 7)
  return bits
}
