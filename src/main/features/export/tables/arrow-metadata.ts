/** The metadata of Arrow's IPC formats: FlatBuffers of schema, record batch and footer, in metadata version 5. */
import { Builder } from 'flatbuffers'
import type { TableColumn } from './table.ts'

const METADATA_V5 = 4
const HEADER = { schema: 1, recordBatch: 3 } as const
const TYPE = { int: 2, floatingPoint: 3, utf8: 5, bool: 6, timestamp: 10 } as const
const DOUBLE = 2
const MICROSECOND = 2
/** Buffers begin at multiples of this; Arrow recommends it. */
export const ALIGNED = 64

/** Where a record batch is in a file, and the lengths of its parts in bytes. */
export interface Block {
  readonly at: number
  readonly metadata: number
  readonly body: number
}

/** A column's part of a record batch. */
export interface BatchColumn {
  readonly nulls: number
  /** Validity, offsets of texts, and values, as Arrow orders them. */
  readonly buffers: readonly Uint8Array[]
}

export const roundUp = (length: number, to: number): number => Math.ceil(length / to) * to
export const isOptional = (column: TableColumn): boolean => 'optional' in column && column.optional

/** The message that a stream begins with. */
export const schemaMessage = (columns: readonly TableColumn[], notes: Readonly<Record<string, string>>): Uint8Array =>
  message(HEADER.schema, (builder) => schemaOf(builder, columns, notes), 0)

/** The message of a record batch, and the length of its body. */
export function recordBatchMessage(
  rows: number,
  columns: readonly BatchColumn[],
): { readonly metadata: Uint8Array; readonly body: number } {
  const body = columns.flatMap(({ buffers }) => buffers).reduce((sum, { length }) => sum + roundUp(length, ALIGNED), 0)
  return { metadata: message(HEADER.recordBatch, (builder) => recordBatchOf(builder, rows, columns), body), body }
}

function message(type: number, header: (builder: Builder) => number, body: number): Uint8Array {
  const builder = new Builder(1_024)
  const offset = header(builder)
  builder.startObject(5)
  builder.addFieldInt16(0, METADATA_V5, 0)
  builder.addFieldInt8(1, type, 0)
  builder.addFieldOffset(2, offset, 0)
  builder.addFieldInt64(3, BigInt(body), 0n)
  builder.finish(builder.endObject())
  return builder.asUint8Array()
}

/** A vector of tables or strings, which are written already. */
function vectorOf(builder: Builder, offsets: readonly number[]): number {
  builder.startVector(4, offsets.length, 4)
  for (const offset of offsets.toReversed()) builder.addOffset(offset)
  return builder.endVector()
}

/** A vector of structs of `size` bytes, each written from its last field to its first. */
function structsOf<T>(builder: Builder, size: number, rows: readonly T[], write: (row: T) => void): number {
  builder.startVector(size, rows.length, 8)
  for (const row of rows.toReversed()) write(row)
  return builder.endVector()
}

function schemaOf(builder: Builder, columns: readonly TableColumn[], notes: Readonly<Record<string, string>>): number {
  const fields = columns.map((column) => fieldOf(builder, column))
  const pairs = Object.entries(notes).map(([key, value]) => {
    const [keyAt, valueAt] = [builder.createString(key), builder.createString(value)]
    builder.startObject(2)
    builder.addFieldOffset(0, keyAt, 0)
    builder.addFieldOffset(1, valueAt, 0)
    return builder.endObject()
  })
  const [fieldsAt, notesAt] = [vectorOf(builder, fields), vectorOf(builder, pairs)]
  builder.startObject(4)
  builder.addFieldOffset(1, fieldsAt, 0)
  builder.addFieldOffset(2, notesAt, 0)
  return builder.endObject()
}

function fieldOf(builder: Builder, column: TableColumn): number {
  const name = builder.createString(column.name)
  const { type, at } = typeOf(builder, column.is)
  const children = vectorOf(builder, [])
  builder.startObject(7)
  builder.addFieldOffset(0, name, 0)
  builder.addFieldInt8(1, isOptional(column) ? 1 : 0, 0)
  builder.addFieldInt8(2, type, 0)
  builder.addFieldOffset(3, at, 0)
  builder.addFieldOffset(5, children, 0)
  return builder.endObject()
}

function typeOf(builder: Builder, is: TableColumn['is']): { readonly type: number; readonly at: number } {
  switch (is) {
    case 'text':
    case 'bool':
      builder.startObject(0)
      return { type: is === 'text' ? TYPE.utf8 : TYPE.bool, at: builder.endObject() }
    case 'number':
      builder.startObject(1)
      builder.addFieldInt16(0, DOUBLE, 0)
      return { type: TYPE.floatingPoint, at: builder.endObject() }
    case 'whole':
      builder.startObject(2)
      builder.addFieldInt32(0, 64, 0)
      builder.addFieldInt8(1, 1, 0)
      return { type: TYPE.int, at: builder.endObject() }
    case 'time': {
      const zone = builder.createString('UTC')
      builder.startObject(2)
      builder.addFieldInt16(0, MICROSECOND, 0)
      builder.addFieldOffset(1, zone, 0)
      return { type: TYPE.timestamp, at: builder.endObject() }
    }
  }
}

function recordBatchOf(builder: Builder, rows: number, parts: readonly BatchColumn[]): number {
  const nodes = structsOf(builder, 16, parts, ({ nulls }) => {
    builder.prep(8, 16)
    builder.writeInt64(BigInt(nulls))
    builder.writeInt64(BigInt(rows))
  })
  let at = 0
  const places = parts
    .flatMap(({ buffers }) => buffers)
    .map(({ length }) => {
      const place = { at, length }
      at += roundUp(length, ALIGNED)
      return place
    })
  const buffers = structsOf(builder, 16, places, (place) => {
    builder.prep(8, 16)
    builder.writeInt64(BigInt(place.length))
    builder.writeInt64(BigInt(place.at))
  })
  builder.startObject(5)
  builder.addFieldInt64(0, BigInt(rows), 0n)
  builder.addFieldOffset(1, nodes, 0)
  builder.addFieldOffset(2, buffers, 0)
  return builder.endObject()
}

/** What a file ends with: the schema again, and where the record batches are. */
export function footerOf(
  columns: readonly TableColumn[],
  notes: Readonly<Record<string, string>>,
  blocks: readonly Block[],
): Uint8Array {
  const builder = new Builder(4_096)
  const schema = schemaOf(builder, columns, notes)
  const none = structsOf(builder, 24, [], () => undefined)
  const batches = structsOf(builder, 24, blocks, ({ at, metadata, body }) => {
    builder.prep(8, 24)
    builder.writeInt64(BigInt(body))
    builder.pad(4)
    builder.writeInt32(metadata)
    builder.writeInt64(BigInt(at))
  })
  builder.startObject(5)
  builder.addFieldInt16(0, METADATA_V5, 0)
  builder.addFieldOffset(1, schema, 0)
  builder.addFieldOffset(2, none, 0)
  builder.addFieldOffset(3, batches, 0)
  builder.finish(builder.endObject())
  return builder.asUint8Array()
}
