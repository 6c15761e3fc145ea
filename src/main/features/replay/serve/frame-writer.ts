/** Writes stored messages as WebSocket frames of a server, many to one write of the socket. */
import type { ReplayBatch } from '../../../core/store/types/replay.ts'

/** Longest head of an unmasked frame. */
const MAX_HEAD = 10
const FIRST_BYTES = 16 * 1024
/** Up to this many bytes are copied, so that a slow feed doesn't need a buffer for each message. */
const COPIED_BYTES = 2 * 1024
const TEXT = 0x81
const BINARY = 0x82

export class FrameWriter {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #at = 0

  /** Bytes written since the last `take`. */
  get length(): number {
    return this.#at
  }

  add({ bytes, offsets }: Pick<ReplayBatch, 'bytes' | 'offsets'>, row: number, isBinary: boolean): void {
    const [from, to] = [offsets[row], offsets[row + 1]]
    const length = to - from
    if (this.#at + MAX_HEAD + length > this.#bytes.length) this.#grow(MAX_HEAD + length)
    const out = this.#bytes
    let at = this.#at
    out[at++] = isBinary ? BINARY : TEXT
    if (length < 126) out[at++] = length
    else if (length < 65_536) {
      out[at++] = 126
      at = out.writeUInt16BE(length, at)
    } else {
      out[at++] = 127
      at = out.writeBigUInt64BE(BigInt(length), at)
    }
    copyBytes(bytes, from, to, out, at)
    this.#at = at + length
  }

  /** Returns what was written. The socket may read it as long as it likes. */
  take(): Uint8Array {
    const written = this.#bytes.subarray(0, this.#at)
    const isCopied = this.#at <= COPIED_BYTES
    if (!isCopied) this.#bytes = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, this.#at))
    this.#at = 0
    return isCopied ? Buffer.from(written) : written
  }

  #grow(need: number): void {
    const more = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#at + need))
    more.set(this.#bytes.subarray(0, this.#at))
    this.#bytes = more
  }
}

/** Above this, a call of the platform is faster than a loop. */
const LOOP_BYTES = 160

/** Copies from[start, end) to `to`, starting at `at`. `to` must have room. */
function copyBytes(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void {
  if (end - start > LOOP_BYTES) to.set(from.subarray(start, end), at)
  else for (let i = start; i < end;) to[at++] = from[i++]
}
