/** Slices and joins runs of messages stored as columns. */
import type { Batch, MessageColumns } from '../types/messages.ts'

/** An empty run with capacity for `count` messages and `bytes` bytes. offsets[0] is 0. */
export function newColumns(count: number, bytes: number): MessageColumns {
  return {
    count,
    seq: new Float64Array(count),
    conn: new Uint32Array(count),
    connSeq: new Uint32Array(count),
    recvMs: new Float64Array(count),
    monoNs: new Float64Array(count),
    flags: new Uint8Array(count),
    offsets: new Uint32Array(count + 1),
    bytes: new Uint8Array(bytes),
  }
}

/** Rows [from, to) as a separate run. Stamps are views; offsets start at 0 again. */
export function sliceColumns(m: MessageColumns, from: number, to: number): MessageColumns {
  const start = m.offsets[from]
  const offsets = m.offsets.slice(from, to + 1)
  if (start !== 0) for (let i = 0; i < offsets.length; i++) offsets[i] = offsets[i] - start
  return {
    count: to - from,
    seq: m.seq.subarray(from, to),
    conn: m.conn.subarray(from, to),
    connSeq: m.connSeq.subarray(from, to),
    recvMs: m.recvMs.subarray(from, to),
    monoNs: m.monoNs.subarray(from, to),
    flags: m.flags.subarray(from, to),
    offsets,
    bytes: m.bytes.subarray(start, m.offsets[to]),
  }
}

/** A growing run that copies rows from other runs. */
export class ColumnsBuilder {
  private columns: MessageColumns
  count = 0
  private size = 0

  constructor(rows = 64, bytes = 8192) {
    this.columns = newColumns(rows, bytes)
  }

  get byteLength(): number {
    return this.size
  }

  /** Appends rows [from, to) of `m`. */
  add(m: MessageColumns, from: number, to: number): void {
    const rows = to - from
    const start = m.offsets[from]
    const bytes = m.offsets[to] - start
    this.reserve(rows, bytes)
    const { count: at, columns: c } = this
    if (rows === 1) {
      c.seq[at] = m.seq[from]!
      c.conn[at] = m.conn[from]!
      c.connSeq[at] = m.connSeq[from]!
      c.recvMs[at] = m.recvMs[from]!
      c.monoNs[at] = m.monoNs[from]!
      c.flags[at] = m.flags[from]!
    } else {
      c.seq.set(m.seq.subarray(from, to), at)
      c.conn.set(m.conn.subarray(from, to), at)
      c.connSeq.set(m.connSeq.subarray(from, to), at)
      c.recvMs.set(m.recvMs.subarray(from, to), at)
      c.monoNs.set(m.monoNs.subarray(from, to), at)
      c.flags.set(m.flags.subarray(from, to), at)
    }
    for (let i = 1; i <= rows; i++) c.offsets[at + i] = this.size + m.offsets[from + i] - start
    c.bytes.set(m.bytes.subarray(start, start + bytes), this.size)
    this.count += rows
    this.size += bytes
  }

  /** Everything added so far, as views. The next `add` may reallocate and detach them. */
  build(): MessageColumns {
    const { columns: c, count } = this
    return {
      count,
      seq: c.seq.subarray(0, count),
      conn: c.conn.subarray(0, count),
      connSeq: c.connSeq.subarray(0, count),
      recvMs: c.recvMs.subarray(0, count),
      monoNs: c.monoNs.subarray(0, count),
      flags: c.flags.subarray(0, count),
      offsets: c.offsets.subarray(0, count + 1),
      bytes: c.bytes.subarray(0, this.size),
    }
  }

  clear(): void {
    this.count = 0
    this.size = 0
  }

  private reserve(rows: number, bytes: number): void {
    const old = this.columns
    const needRows = this.count + rows
    const needBytes = this.size + bytes
    if (needRows <= old.count && needBytes <= old.bytes.length) return
    const capacity = needRows <= old.count ? old.count : Math.max(needRows, old.count * 2)
    const space = needBytes <= old.bytes.length ? old.bytes.length : Math.max(needBytes, old.bytes.length * 2)
    const now = this.build()
    const grow = newColumns(capacity, space)
    grow.seq.set(now.seq)
    grow.conn.set(now.conn)
    grow.connSeq.set(now.connSeq)
    grow.recvMs.set(now.recvMs)
    grow.monoNs.set(now.monoNs)
    grow.flags.set(now.flags)
    grow.offsets.set(now.offsets)
    grow.bytes.set(now.bytes)
    this.columns = grow
  }
}

/** Consecutive rows of one connection, in order. */
export function* connectionRuns(m: MessageColumns): Generator<readonly [from: number, to: number, conn: number]> {
  let from = 0
  for (let i = 1; i <= m.count; i++) {
    if (i === m.count || m.conn[i] !== m.conn[from]) {
      yield [from, i, m.conn[from]]
      from = i
    }
  }
}

/** The first `count` elements, as bytes. */
const view = (a: Float64Array | Uint32Array | Uint8Array, count: number): Uint8Array =>
  new Uint8Array(a.buffer, a.byteOffset, count * a.BYTES_PER_ELEMENT)

/** The columns' memory in the order used by leaves and journal. */
export function columnBytes(m: MessageColumns): Uint8Array[] {
  const n = m.count
  return [
    view(m.seq, n),
    view(m.recvMs, n),
    view(m.monoNs, n),
    view(m.conn, n),
    view(m.connSeq, n),
    view(m.offsets, n + 1),
    view(m.flags, n),
    m.bytes.subarray(m.offsets[0], m.offsets[n]),
  ]
}

/** Memory a queued batch takes, in bytes (an estimate). */
export function batchBytes({ messages: m, entries }: Batch): number {
  return m.count * 37 + (m.offsets[m.count] ?? 0) + entries.length * 200
}
