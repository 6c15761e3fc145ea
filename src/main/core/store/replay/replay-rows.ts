/** The columns of a replay's batch while it is being filled. */

import type { BatchRecords, ReplayBatch } from '../types/replay.ts'

/** Columns with room for rows and for the bytes of their messages, all views of one buffer. */
export interface Rows extends Pick<
  ReplayBatch,
  'feed' | 'seq' | 'recvMs' | 'monoNs' | 'conn' | 'flags' | 'offsets' | 'bytes'
> {
  readonly buffer: ArrayBuffer
  readonly records?: Omit<BatchRecords, 'shapes'>
}

interface RowsOptions {
  readonly omitConnections: boolean
  /** Numbers per row; 0: only texts. */
  readonly stride: number
}

const sizeOf = (rows: number, connections: number, stride: number): number =>
  8 * ((2 + stride) * rows + connections) + 4 * (rows + 1 + connections) + (stride === 0 ? 2 : 5) * rows

/**
 * Columns for `rows` messages of together `bytes` bytes, in `spare` if it is large enough. Their content is arbitrary,
 * except that the first offset is 0.
 */
export function newRows(
  rows: number,
  bytes: number,
  { omitConnections, stride }: RowsOptions,
  spare?: ArrayBuffer,
): Rows {
  const connections = omitConnections ? 0 : rows
  const size = sizeOf(rows, connections, stride) + bytes
  const buffer = spare !== undefined && spare.byteLength >= size ? spare : new ArrayBuffer(size)
  let at = 0
  const take = (length: number): number => (at += length) - length
  const { numbers, shape, decimals, ...columns } = {
    buffer,
    seq: new Float64Array(buffer, take(8 * rows), rows),
    recvMs: new Float64Array(buffer, take(8 * rows), rows),
    monoNs: new Float64Array(buffer, take(8 * connections), connections),
    numbers: new Float64Array(buffer, take(8 * stride * rows), stride * rows),
    offsets: new Uint32Array(buffer, take(4 * (rows + 1)), rows + 1),
    conn: new Uint32Array(buffer, take(4 * connections), connections),
    shape: new Uint16Array(buffer, take(stride === 0 ? 0 : 2 * rows), stride === 0 ? 0 : rows),
    decimals: new Uint8Array(buffer, take(stride === 0 ? 0 : rows), stride === 0 ? 0 : rows),
    feed: new Uint8Array(buffer, take(rows), rows),
    flags: new Uint8Array(buffer, take(rows), rows),
    bytes: new Uint8Array(buffer, at),
  }
  columns.offsets[0] = 0
  return stride === 0 ? columns : { ...columns, records: { shape, decimals, numbers, stride } }
}

/** The same rows with room for twice the bytes, and at least `need` bytes. */
export function growRows(rows: Rows, need: number): Rows {
  const options = { omitConnections: rows.conn.length === 0, stride: rows.records?.stride ?? 0 }
  const grown = newRows(rows.seq.length, Math.max(rows.bytes.length * 2, need), options)
  new Uint8Array(grown.buffer).set(new Uint8Array(rows.buffer, 0, rows.bytes.byteOffset + rows.bytes.length))
  return grown
}

export function trimRows(rows: Rows, n: number): Rows {
  const { buffer, feed, seq, recvMs, monoNs, conn, flags, offsets, bytes, records } = rows
  return {
    buffer,
    feed: feed.subarray(0, n),
    seq: seq.subarray(0, n),
    recvMs: recvMs.subarray(0, n),
    monoNs: monoNs.subarray(0, n),
    conn: conn.subarray(0, n),
    flags: flags.subarray(0, n),
    offsets: offsets.subarray(0, n + 1),
    bytes: bytes.subarray(0, offsets[n]),
    ...(records === undefined ? {} : { records: trimRecords(records, n) }),
  }
}

function trimRecords(records: NonNullable<Rows['records']>, n: number): NonNullable<Rows['records']> {
  const { shape, decimals, numbers, stride } = records
  return {
    shape: shape.subarray(0, n),
    decimals: decimals.subarray(0, n),
    numbers: numbers.subarray(0, n * stride),
    stride,
  }
}
