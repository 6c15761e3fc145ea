/** The columns of a replay's batch while it is being filled. */

/** Columns with room for rows and for the bytes of their messages, all views of one buffer. */
export interface Rows {
  readonly buffer: ArrayBuffer
  readonly feed: Uint8Array
  readonly seq: Float64Array
  readonly recvMs: Float64Array
  readonly monoNs: Float64Array
  readonly conn: Uint32Array
  readonly flags: Uint8Array
  readonly offsets: Uint32Array
  readonly bytes: Uint8Array
}

const sizeOf = (rows: number, connections: number): number =>
  8 * (2 * rows + connections) + 4 * (rows + 1 + connections) + 2 * rows

/**
 * Columns for `rows` messages of together `bytes` bytes, in `spare` if it is large enough. Their content is arbitrary,
 * except that the first offset is 0.
 */
export function newRows(rows: number, bytes: number, omitConnections: boolean, spare?: ArrayBuffer): Rows {
  const connections = omitConnections ? 0 : rows
  const size = sizeOf(rows, connections) + bytes
  const buffer = spare !== undefined && spare.byteLength >= size ? spare : new ArrayBuffer(size)
  let at = 0
  const take = (length: number): number => (at += length) - length
  const columns = {
    buffer,
    seq: new Float64Array(buffer, take(8 * rows), rows),
    recvMs: new Float64Array(buffer, take(8 * rows), rows),
    monoNs: new Float64Array(buffer, take(8 * connections), connections),
    offsets: new Uint32Array(buffer, take(4 * (rows + 1)), rows + 1),
    conn: new Uint32Array(buffer, take(4 * connections), connections),
    feed: new Uint8Array(buffer, take(rows), rows),
    flags: new Uint8Array(buffer, take(rows), rows),
    bytes: new Uint8Array(buffer, at),
  }
  columns.offsets[0] = 0
  return columns
}

/** The same rows with room for twice the bytes, and at least `need` bytes. */
export function growRows(rows: Rows, need: number): Rows {
  const grown = newRows(rows.seq.length, Math.max(rows.bytes.length * 2, need), rows.conn.length === 0)
  new Uint8Array(grown.buffer).set(new Uint8Array(rows.buffer, 0, rows.bytes.byteOffset + rows.bytes.length))
  return grown
}

/** The first `n` rows. */
export function trimRows(rows: Rows, n: number): Rows {
  const { buffer, feed, seq, recvMs, monoNs, conn, flags, offsets, bytes } = rows
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
  }
}
