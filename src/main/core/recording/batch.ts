/** The batch being filled: one buffer for all columns, so that it can be transferred and reused. */
import type { MessageColumns, StoredEntry } from '../store/types/messages.ts'
import type { FeedId } from '../../../shared/base/units.ts'

const BATCH_ROWS = 8192
export const BATCH_BYTES = 1 << 20
const ROW_BYTES = 8 * 3 + 4 * 3 + 1
const HEAD_BYTES = BATCH_ROWS * ROW_BYTES + 8
const BATCH_BUFFER_BYTES = HEAD_BYTES + BATCH_BYTES
const POOLED_BUFFERS = 8

/** Buffers that the writer has returned for reuse. */
export class BatchPool {
  readonly #buffers: ArrayBuffer[] = []

  /** An empty batch, in a returned buffer if there is one. */
  next(): OpenBatch {
    return new OpenBatch(this.#buffers.pop(), 0)
  }

  recycle(buffers: readonly ArrayBuffer[]): void {
    for (const buffer of buffers) {
      if (this.#buffers.length < POOLED_BUFFERS && buffer.byteLength === BATCH_BUFFER_BYTES) this.#buffers.push(buffer)
    }
  }
}

export class OpenBatch {
  count = 0
  size = 0
  readonly seq: Float64Array<ArrayBuffer>
  readonly recvMs: Float64Array<ArrayBuffer>
  readonly monoNs: Float64Array<ArrayBuffer>
  readonly conn: Uint32Array<ArrayBuffer>
  readonly connSeq: Uint32Array<ArrayBuffer>
  readonly offsets: Uint32Array<ArrayBuffer>
  readonly flags: Uint8Array<ArrayBuffer>
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly entries: StoredEntry[] = []
  readonly connections: { conn: number; feed: FeedId }[] = []

  /** Uses a returned buffer, or creates one with room for a message of `bytes`. */
  constructor(used: ArrayBuffer | undefined, bytes: number) {
    const buffer = used ?? new ArrayBuffer(HEAD_BYTES + Math.max(BATCH_BYTES, bytes))
    let at = 0
    const take = (size: number): number => {
      const from = at
      at += size
      return from
    }
    this.seq = new Float64Array(buffer, take(BATCH_ROWS * 8), BATCH_ROWS)
    this.recvMs = new Float64Array(buffer, take(BATCH_ROWS * 8), BATCH_ROWS)
    this.monoNs = new Float64Array(buffer, take(BATCH_ROWS * 8), BATCH_ROWS)
    this.conn = new Uint32Array(buffer, take(BATCH_ROWS * 4), BATCH_ROWS)
    this.connSeq = new Uint32Array(buffer, take(BATCH_ROWS * 4), BATCH_ROWS)
    this.offsets = new Uint32Array(buffer, take(BATCH_ROWS * 4 + 4), BATCH_ROWS + 1)
    this.flags = new Uint8Array(buffer, take(BATCH_ROWS), BATCH_ROWS)
    this.bytes = new Uint8Array(buffer, HEAD_BYTES)
    this.offsets[0] = 0
  }

  fits(bytes: number): boolean {
    return this.count < BATCH_ROWS && this.size + bytes <= this.bytes.length
  }

  /** Appends a message. `fits` must hold for its length; the bytes are copied. */
  add(
    seq: number,
    conn: number,
    connSeq: number,
    recvMs: number,
    monoNs: number,
    flags: number,
    data: Uint8Array,
  ): void {
    const i = this.count
    this.seq[i] = seq
    this.conn[i] = conn
    this.connSeq[i] = connSeq
    this.recvMs[i] = recvMs
    this.monoNs[i] = monoNs
    this.flags[i] = flags
    this.bytes.set(data, this.size)
    this.size += data.length
    this.offsets[i + 1] = this.size
    this.count = i + 1
  }

  /** Adds FLAG bits to the last message; returns the bits that it didn't have before. */
  mark(flags: number): number {
    const i = this.count - 1
    if (i < 0) return 0
    const added = flags & ~this.flags[i]
    this.flags[i] = this.flags[i] | flags
    return added
  }

  /** A copy with room for one large message, with the same entries and connections. */
  enlarged(bytes: number): OpenBatch {
    const large = new OpenBatch(undefined, bytes)
    large.entries.push(...this.entries)
    large.connections.push(...this.connections)
    return large
  }

  get isEmpty(): boolean {
    return this.count === 0 && this.entries.length === 0 && this.connections.length === 0
  }

  /** The columns, longer than `count`, over one shared buffer. */
  columns(): MessageColumns {
    const { count, seq, conn, connSeq, recvMs, monoNs, flags, offsets, bytes } = this
    return { count, seq, conn, connSeq, recvMs, monoNs, flags, offsets, bytes }
  }
}
