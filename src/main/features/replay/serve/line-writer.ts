/** Writes stored messages as lines of JSON (`message-line.ts`), many to one write of the socket. */
import type { ReplayBatch } from '../../../core/store/types/replay.ts'
import {
  hasBreak,
  LINE,
  MAX_LINE_HEAD,
  ODD_FLAGS,
  oddBody,
  putLineHead,
  putText,
} from '../../../core/store/replay/message-line.ts'

/** Up to this many bytes are copied, so that a slow replay doesn't need a buffer for each message. */
const COPIED_BYTES = 16 * 1024
/** The most free buffers to keep: about as many as are being sent to a client at once. */
const MAX_FREE = 8

export class LineWriter {
  #bytes: Buffer
  #at = 0
  #batch: ReplayBatch | null = null
  #messages: Buffer = Buffer.alloc(0)
  /** Buffers to reuse, because allocating a new one costs more than filling it. */
  readonly #free: Buffer[] = []
  /** Buffers that the reader still uses. */
  readonly #lent = new Set<ArrayBufferLike>()
  #hasBreaks = false

  constructor(bytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(bytes)
  }

  get length(): number {
    return this.#at
  }

  /** Adds rows [from, to). */
  add(batch: ReplayBatch, from: number, to: number): void {
    if (batch.areLines === true) this.#addLines(batch.bytes.subarray(batch.offsets[from], batch.offsets[to]))
    else for (let row = from; row < to; row++) this.#addMessage(batch, row)
  }

  #addLines(lines: Uint8Array): void {
    if (this.#at + lines.length > this.#bytes.length) this.#grow(lines.length)
    this.#bytes.set(lines, this.#at)
    this.#at += lines.length
  }

  #addMessage(batch: ReplayBatch, row: number): void {
    if (batch !== this.#batch) {
      this.#batch = batch
      const { buffer, byteOffset, length } = batch.bytes
      this.#messages = Buffer.from(buffer, byteOffset, length)
      // Mostly no message has a line break, so that one search does for the whole batch.
      this.#hasBreaks = hasBreak(batch.bytes)
    }
    const { offsets, flags } = batch
    const bytes = this.#messages
    const [from, to] = [offsets[row], offsets[row + 1]]
    const isOdd = (flags[row] & ODD_FLAGS) !== 0 || (this.#hasBreaks && hasBreak(bytes.subarray(from, to)))
    const body = isOdd ? oddBody(bytes.subarray(from, to), flags[row]) : null
    const need = MAX_LINE_HEAD + (body === null ? to - from : body.length)
    if (this.#at + need > this.#bytes.length) this.#grow(need)
    const out = this.#bytes
    let at = putLineHead(batch.feed[row], batch.recvMs[row], batch.seq[row], out, this.#at)
    if (body === null) {
      at = putText(LINE.message, out, at)
      bytes.copy(out, at, from, to)
      at += to - from
    } else {
      out.set(body, at)
      at += body.length
    }
    this.#at = putText(LINE.end, out, at)
  }

  /** Returns what was written, to be read until it is given back with `giveBack`. */
  take(): Uint8Array {
    const written = this.#bytes.subarray(0, this.#at)
    this.#at = 0
    if (written.length <= COPIED_BYTES) return Buffer.from(written)
    this.#lent.add(written.buffer)
    this.#bytes = this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#bytes.length)
    return written
  }

  /** Takes back what `take` returned, once nothing reads it any longer. */
  giveBack({ buffer }: Uint8Array): void {
    if (!this.#lent.delete(buffer)) return
    if (buffer.byteLength === this.#bytes.length && this.#free.length < MAX_FREE) this.#free.push(Buffer.from(buffer))
  }

  #grow(need: number): void {
    const more = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#at + need))
    more.set(this.#bytes.subarray(0, this.#at))
    this.#bytes = more
  }
}
