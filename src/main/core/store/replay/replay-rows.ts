/** The columns of a replay's batch while it is being filled. */

/** Rows being collected into a batch. */
export interface Rows {
  readonly feed: Uint8Array
  readonly seq: Float64Array
  readonly recvMs: Float64Array
  readonly monoNs: Float64Array
  readonly conn: Uint32Array
  readonly flags: Uint8Array
  readonly offsets: Uint32Array
}

export function newRows(n: number, omitConnections: boolean): Rows {
  return {
    feed: new Uint8Array(n),
    seq: new Float64Array(n),
    recvMs: new Float64Array(n),
    monoNs: new Float64Array(omitConnections ? 0 : n),
    conn: new Uint32Array(omitConnections ? 0 : n),
    flags: new Uint8Array(n),
    offsets: new Uint32Array(n + 1),
  }
}

export function trimRows(rows: Rows, n: number): Rows {
  return {
    feed: rows.feed.subarray(0, n),
    seq: rows.seq.subarray(0, n),
    recvMs: rows.recvMs.subarray(0, n),
    monoNs: rows.monoNs.subarray(0, n),
    conn: rows.conn.subarray(0, n),
    flags: rows.flags.subarray(0, n),
    offsets: rows.offsets.subarray(0, n + 1),
  }
}

export function grow(out: Uint8Array<ArrayBuffer>, used: number, need: number): Uint8Array<ArrayBuffer> {
  const more = new Uint8Array(Math.max(out.length * 2, need))
  more.set(out.subarray(0, used))
  return more
}
