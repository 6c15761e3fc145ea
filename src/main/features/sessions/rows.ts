/**
 * Messages as a part: their columns as whole numbers from one to the next, so that zstd finds little to keep,
 * then their bytes. Doubles are kept to the bit: those that are no whole number, nor one of thousandths or of
 * thousands, as they lie in memory.
 */
import type { MessageColumns } from '../../core/store/types/messages.ts'
import { damaged } from './parts.ts'

/** How the doubles of a column became whole numbers. */
const SCALES = [1, 1_000, 0.001] as const
const AS_BYTES = 255
const MOST_ROWS = 1 << 20

/** Messages of a part; the number on the connection follows from the order, and is not kept. */
export type Rows = Omit<MessageColumns, 'connSeq'>

/** Bytes of a run of messages whose offsets begin at 0. */
export function encodeRows(m: Rows): Buffer {
  const n = m.count
  const out = new VarWriter(n * 12 + 64)
  out.unsigned(n)
  out.doubles(m.seq, n)
  out.doubles(m.recvMs, n)
  out.doubles(m.monoNs, n)
  out.doubles(m.conn, n)
  for (let i = 0; i < n; i++) out.byte(m.flags[i])
  for (let i = 0; i < n; i++) out.unsigned(m.offsets[i + 1] - m.offsets[i])
  return Buffer.concat([out.done(), m.bytes.subarray(m.offsets[0], m.offsets[n])])
}

/** Undoes encodeRows; throws `store-damaged`. */
export function decodeRows(content: Uint8Array): Rows {
  const from = new VarReader(content)
  const count = from.unsigned()
  // Each row takes six bytes at least: a count that the content cannot hold is refused before room is made.
  if (count > MOST_ROWS || count * 6 > content.length) throw damaged('a run of messages')
  const seq = from.doubles(count)
  const recvMs = from.doubles(count)
  const monoNs = from.doubles(count)
  const conns = from.doubles(count)
  const flags = new Uint8Array(count)
  for (let i = 0; i < count; i++) flags[i] = from.byte()
  const offsets = new Uint32Array(count + 1)
  let size = 0
  for (let i = 0; i < count; i++) {
    size += from.unsigned()
    if (size > content.length) throw damaged('a run of messages')
    offsets[i + 1] = size
  }
  const bytes = content.subarray(from.at)
  if (bytes.length !== size) throw damaged('a run of messages')
  return { count, seq, recvMs, monoNs, conn: Uint32Array.from(conns), flags, offsets, bytes }
}

class VarWriter {
  #bytes: Uint8Array
  #at = 0

  constructor(room: number) {
    this.#bytes = new Uint8Array(room)
  }

  byte(value: number): void {
    this.#room(1)
    this.#bytes[this.#at++] = value
  }

  /** A whole number from 0 to 2^53. */
  unsigned(value: number): void {
    this.#room(10)
    let rest = value
    while (rest >= 128) {
      this.#bytes[this.#at++] = (rest % 128) + 128
      rest = Math.floor(rest / 128)
    }
    this.#bytes[this.#at++] = rest
  }

  doubles(values: ArrayLike<number>, count: number): void {
    const scale = SCALES.findIndex((by) => isWhole(values, count, by))
    if (scale < 0) {
      this.byte(AS_BYTES)
      const raw = new Uint8Array(Float64Array.from({ length: count }, (_, i) => values[i]).buffer)
      this.#room(raw.length)
      this.#bytes.set(raw, this.#at)
      this.#at += raw.length
      return
    }
    this.byte(scale)
    let last = 0
    for (let i = 0; i < count; i++) {
      const value = whole(values[i], SCALES[scale])
      const step = value - last
      this.unsigned(step < 0 ? -step * 2 - 1 : step * 2)
      last = value
    }
  }

  done(): Uint8Array {
    return this.#bytes.subarray(0, this.#at)
  }

  #room(more: number): void {
    if (this.#at + more <= this.#bytes.length) return
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + more))
    grown.set(this.#bytes)
    this.#bytes = grown
  }
}

class VarReader {
  at = 0
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  byte(): number {
    if (this.at >= this.#bytes.length) throw damaged('a run of messages')
    return this.#bytes[this.at++]
  }

  unsigned(): number {
    let value = 0
    let by = 1
    for (let i = 0; i < 8; i++) {
      const byte = this.byte()
      value += (byte & 127) * by
      if (byte < 128) {
        if (value > Number.MAX_SAFE_INTEGER) break
        return value
      }
      by *= 128
    }
    throw damaged('a run of messages')
  }

  doubles(count: number): Float64Array {
    const scale = this.byte()
    if (scale === AS_BYTES) {
      const raw = new Uint8Array(this.#bytes.subarray(this.at, this.at + count * 8)) // a copy, aligned
      if (raw.length !== count * 8) throw damaged('a run of messages')
      this.at += raw.length
      return new Float64Array(raw.buffer)
    }
    const by = SCALES[scale]
    if (by === undefined) throw damaged('a run of messages')
    const values = new Float64Array(count)
    let last = 0
    for (let i = 0; i < count; i++) {
      const step = this.unsigned()
      last += step % 2 === 0 ? step / 2 : -(step + 1) / 2
      values[i] = back(last, by)
    }
    return values
  }
}

const whole = (value: number, by: number): number => Math.round(by === 0.001 ? value / 1_000 : value * by)
const back = (value: number, by: number): number => (by === 0.001 ? value * 1_000 : value / by)

/** Whether every value, and every step between two, comes back to the bit. */
function isWhole(values: ArrayLike<number>, count: number, by: number): boolean {
  for (let i = 0; i < count; i++) {
    const value = whole(values[i], by)
    // Half of the range, so that twice a step between two is still exact.
    if (!(Math.abs(value) < 2 ** 51) || Object.is(value, -0) || !Object.is(back(value, by), values[i])) return false
  }
  return true
}
