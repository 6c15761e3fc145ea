/**
 * Writes stored messages as lines of JSON: `{"feed","recv_ms","seq","message"}`, with the message's own bytes. A
 * message that isn't JSON on one line is `raw`, a string; one that isn't UTF-8 text is `raw_base64`.
 */
import { FLAG } from '../../../../shared/core/recording/session.ts'
import { FEED_IDS } from '../../../../shared/base/units.ts'
import type { ReplayBatch } from '../../../core/store/types/replay.ts'

/** The most that a line has besides its message. */
const MAX_HEAD = 96
/** Up to this many bytes are copied, so that a slow replay doesn't need a buffer for each message. */
const COPIED_BYTES = 16 * 1024
/** The most free buffers to keep: about as many as are being sent to a client at once. */
const MAX_FREE = 8
const NEWLINE = 0x0a
const RETURN = 0x0d

const encoder = new TextEncoder()
const HEADS = FEED_IDS.map((feed) => encoder.encode(`{"feed":"${feed}","recv_ms":`))
const SEQ = encoder.encode(',"seq":')
const MESSAGE = encoder.encode(',"message":')

export class LineWriter {
  #bytes: Buffer
  #at = 0
  #batch: ReplayBatch | null = null
  /** The messages of the batch. */
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

  add(batch: ReplayBatch, row: number): void {
    if (batch !== this.#batch) {
      this.#batch = batch
      const { buffer, byteOffset, length } = batch.bytes
      this.#messages = Buffer.from(buffer, byteOffset, length)
      // Mostly no message has a line break, so that one search does for the whole batch.
      this.#hasBreaks = batch.bytes.includes(NEWLINE) || batch.bytes.includes(RETURN)
    }
    const { offsets, flags } = batch
    const bytes = this.#messages
    const [from, to] = [offsets[row], offsets[row + 1]]
    const isOdd =
      (flags[row] & (FLAG.undecodable | FLAG.invalidUtf8 | FLAG.binary)) !== 0 ||
      (this.#hasBreaks && hasBreak(bytes.subarray(from, to)))
    const body = isOdd ? oddBody(bytes.subarray(from, to), flags[row]) : null
    const need = MAX_HEAD + (body === null ? to - from : body.length)
    if (this.#at + need > this.#bytes.length) this.#grow(need)
    const out = this.#bytes
    const head = HEADS[batch.feed[row]]
    let at = this.#at
    for (let i = 0; i < head.length; i++) out[at++] = head[i]
    at = putTime(batch.recvMs[row], out, at)
    for (let i = 0; i < SEQ.length; i++) out[at++] = SEQ[i]
    at = putWhole(batch.seq[row], out, at)
    if (body === null) {
      for (let i = 0; i < MESSAGE.length; i++) out[at++] = MESSAGE[i]
      bytes.copy(out, at, from, to)
      at += to - from
    } else {
      out.set(body, at)
      at += body.length
    }
    out[at++] = 0x7d
    out[at++] = NEWLINE
    this.#at = at
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

/** Seqs below this are written with 32-bit arithmetic. */
const INT32 = 2 ** 31

/** Writes a whole number in decimal; returns where it ends. */
function putWhole(n: number, out: Uint8Array, at: number): number {
  if (n >= INT32) return at + encoder.encodeInto(String(n), out.subarray(at)).written
  let digits = 1
  for (let power = 10; power <= n; power *= 10) digits++
  const end = at + digits
  for (let i = end - 1, rest = n | 0; i >= at; i--) {
    const tenth = (rest / 10) | 0
    out[i] = 0x30 + rest - tenth * 10
    rest = tenth
  }
  return end
}

const MILLION = 1_000_000

/** Writes a time in whole milliseconds as two numbers of 32 bits, and others as they are; returns where it ends. */
function putTime(ms: number, out: Uint8Array, at: number): number {
  const high = Math.floor(ms / MILLION)
  const low = ms - high * MILLION
  if (!Number.isInteger(low) || !(high > 0 && high < INT32)) {
    return at + encoder.encodeInto(String(ms), out.subarray(at)).written
  }
  const end = putWhole(high, out, at) + 6
  for (let i = end - 1, rest = low | 0; i >= end - 6; i--) {
    const tenth = (rest / 10) | 0
    out[i] = 0x30 + rest - tenth * 10
    rest = tenth
  }
  return end
}

const hasBreak = (message: Uint8Array): boolean => message.includes(NEWLINE) || message.includes(RETURN)

function oddBody(message: Uint8Array, flags: number): Uint8Array {
  const text = Buffer.from(message.buffer, message.byteOffset, message.length)
  const isText = (flags & (FLAG.invalidUtf8 | FLAG.binary)) === 0
  return encoder.encode(
    isText ? `,"raw":${JSON.stringify(text.toString('utf8'))}` : `,"raw_base64":"${text.toString('base64')}"`,
  )
}
