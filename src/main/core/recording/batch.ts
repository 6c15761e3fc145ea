/** A batch being filled: one buffer that holds all its columns, made to be transferred and reused. */
import type { MessageColumns, StoredEntry } from '../store/types/store.ts'
import type { FeedId } from '../../../shared/base/units.ts'

export const BATCH_ROWS = 8192
export const BATCH_BYTES = 1 << 20
const ROW_BYTES = 8 * 3 + 4 * 3 + 1
const HEAD_BYTES = BATCH_ROWS * ROW_BYTES + 8
export const BATCH_BUFFER_BYTES = HEAD_BYTES + BATCH_BYTES

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

  /** Over a used buffer, or a new one with room for a message of `bytes`. */
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

  /** A batch with room for one large message, holding what was put into this one beside messages. */
  enlarged(bytes: number): OpenBatch {
    const large = new OpenBatch(undefined, bytes)
    large.entries.push(...this.entries)
    large.connections.push(...this.connections)
    return large
  }

  get isEmpty(): boolean {
    return this.count === 0 && this.entries.length === 0 && this.connections.length === 0
  }

  /** The columns as they are: longer than `count`, sharing one buffer. */
  columns(): MessageColumns {
    const { count, seq, conn, connSeq, recvMs, monoNs, flags, offsets, bytes } = this
    return { count, seq, conn, connSeq, recvMs, monoNs, flags, offsets, bytes }
  }
}
