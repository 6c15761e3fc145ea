/** Byte buffers for blocks: a growing writer, and a reader that checks its bounds. */
import { CodedError } from '../../../../shared/base/errors.ts'
import { VERIFY_HINT } from '../types/corruption.ts'

/** The error of a block that is corrupt. */
export function corruptBlock(what: string): CodedError {
  return new CodedError('store-damaged', `A block of stored messages is corrupt: ${what}.`, {
    hint: VERIFY_HINT,
  })
}

const encoder = new TextEncoder()

/** A growing byte buffer. `bytes` and `at` are public for hot loops that called `reserve` first. */
export class ByteWriter {
  bytes: Uint8Array
  at = 0

  constructor(size = 1 << 16) {
    this.bytes = new Uint8Array(size)
  }

  /** Makes room for `n` more bytes. */
  reserve(n: number): void {
    if (this.at + n <= this.bytes.length) return
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.at + n))
    grown.set(this.bytes.subarray(0, this.at))
    this.bytes = grown
  }

  byte(value: number): void {
    this.reserve(1)
    this.bytes[this.at++] = value
  }

  /** An integer from 0 to 2^53 - 1, seven bits a byte, low bits first. */
  varint(value: number): void {
    this.reserve(8)
    let rest = value
    while (rest >= 0x80) {
      this.bytes[this.at++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.bytes[this.at++] = rest
  }

  /** A signed integer of at most 2^52. */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value)
  }

  /** Bytes preceded by their length. */
  block(bytes: Uint8Array): void {
    this.varint(bytes.length)
    this.raw(bytes)
  }

  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.bytes.set(bytes, this.at)
    this.at += bytes.length
  }

  text(text: string): void {
    this.block(encoder.encode(text))
  }

  finish(): Uint8Array {
    return this.bytes.subarray(0, this.at)
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Reads what ByteWriter wrote. Throws `store-damaged` if anything is out of bounds. */
export class ByteReader {
  readonly bytes: Uint8Array
  at: number
  readonly end: number

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes
    this.at = at
    this.end = end
  }

  byte(): number {
    if (this.at >= this.end) throw corruptBlock('it is truncated')
    return this.bytes[this.at++]
  }

  varint(): number {
    let value = 0
    let scale = 1
    for (let i = 0; i < 8; i++) {
      const b = this.byte()
      value += (b & 0x7f) * scale
      if (b < 0x80) {
        if (value > Number.MAX_SAFE_INTEGER) break
        return value
      }
      scale *= 0x80
    }
    throw corruptBlock('a number is too large')
  }

  signed(): number {
    const z = this.varint()
    return z % 2 === 0 ? z / 2 : -(z + 1) / 2
  }

  /** A count that must not exceed `most`. */
  count(most: number, what: string): number {
    const n = this.varint()
    if (n > most) throw corruptBlock(`${what} is out of range`)
    return n
  }

  raw(length: number): Uint8Array {
    if (length > this.end - this.at) throw corruptBlock('it is truncated')
    const part = this.bytes.subarray(this.at, this.at + length)
    this.at += length
    return part
  }

  block(): Uint8Array {
    return this.raw(this.varint())
  }

  text(): string {
    return decoder.decode(this.block())
  }
}
