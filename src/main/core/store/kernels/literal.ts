/**
 * Parses a message's number literals into integers and writes them back byte for byte. A literal is an integer mantissa
 * and a number of decimals; how the decimals are written is a property of the column.
 */
import { STYLE, type Style } from './number-form.ts'

/** Largest mantissa. It keeps differences of differences exact in a double. */
export const MAX_MANTISSA = 1e15
export const MAX_DECIMALS = 22
/** Longest literal written by `writeLiteral`. */
export const MAX_LITERAL = 48

/** Powers of ten that a double represents exactly. */
export const POW10 = Float64Array.from({ length: MAX_DECIMALS + 1 }, (_, i) => Number(`1e${i}`))

/** Bits of `Parsed.form` above the decimals. */
export const FORM = {
  decimals: 31,
  /** Can't be expressed; the text is stored. */
  inexact: 32,
  exponent: 64,
  /** Has a fraction that ends in 0. */
  trailingZero: 128,
} as const

/** Result of `parseLiteral`; the object is reused. */
export interface Parsed {
  mantissa: number
  /** Decimals and FORM bits. */
  form: number
  /** Offset after the literal. */
  end: number
}

/** Bytes allowed in a literal: digits + - . e E. */
const IN_LITERAL = new Uint8Array(256)
for (const c of '0123456789+-.eE') IN_LITERAL[c.charCodeAt(0)] = 1

/** Offset after the literal that starts at `at`, the longest run of literal bytes. */
export function literalEnd(bytes: Uint8Array, at: number, end: number): number {
  let i = at
  while (i < end && IN_LITERAL[bytes[i]] === 1) i++
  return i
}

/** Parses the literal at `at`. Sets `inexact` if it can't be written back exactly. */
export function parseLiteral(bytes: Uint8Array, at: number, end: number, out: Parsed): void {
  let i = at
  let c = i < end ? bytes[i] : 0
  const negative = c === 45
  if (negative) c = ++i < end ? bytes[i] : 0
  const first = i
  // nine digits at a time as a small integer, because a double would wait for every multiplication
  let low = 0
  let lowDigits = 0
  let mantissa = 0
  while (c >= 48 && c <= 57) {
    if (lowDigits === 9) {
      mantissa = mantissa * 1e9 + low
      low = 0
      lowDigits = 0
    }
    low = (low * 10 + (c - 48)) | 0
    lowDigits++
    c = ++i < end ? bytes[i] : 0
  }
  let odd = i === first || (i - first > 1 && bytes[first] === 48)
  let form = 0
  if (c === 46) {
    const point = i
    c = ++i < end ? bytes[i] : 0
    while (c >= 48 && c <= 57) {
      if (lowDigits === 9) {
        mantissa = mantissa * 1e9 + low
        low = 0
        lowDigits = 0
      }
      low = (low * 10 + (c - 48)) | 0
      lowDigits++
      c = ++i < end ? bytes[i] : 0
    }
    form = i - point - 1
    if (form === 0 || form > MAX_DECIMALS) {
      odd = true
      form = 0
    } else if (bytes[i - 1] === 48) form |= FORM.trailingZero
  }
  mantissa = mantissa === 0 ? low : mantissa * POW10[lowDigits] + low
  if (IN_LITERAL[c] === 1 && i < end) {
    const decimals = (form & FORM.decimals) + smallExponent(bytes, i, end)
    i = literalEnd(bytes, i, end)
    if (decimals <= MAX_DECIMALS && !odd) form = decimals | FORM.exponent
    else odd = true
  }
  if (odd || mantissa > MAX_MANTISSA || (negative && mantissa === 0)) form |= FORM.inexact
  out.mantissa = negative ? -mantissa : mantissa
  out.form = form
  out.end = i
}

/** n of "e-n" (up to three digits); Infinity for any other text. */
function smallExponent(bytes: Uint8Array, at: number, end: number): number {
  if (bytes[at] !== 101 || bytes[at + 1] !== 45) return Infinity
  let n = 0
  let i = at + 2
  for (; i < end && i < at + 5 && bytes[i] >= 48 && bytes[i] <= 57; i++) n = n * 10 + (bytes[i] - 48)
  return i === at + 2 || (i < end && IN_LITERAL[bytes[i]] === 1) ? Infinity : n
}

/** The two digits of each number from 0 to 99. */
const PAIRS = new Uint8Array(200)
for (let i = 0; i < 100; i++) {
  PAIRS[2 * i] = 48 + Math.floor(i / 10)
  PAIRS[2 * i + 1] = 48 + (i % 10)
}

/** Number of decimal digits of an integer from 0 to 2^53. */
function digitsOf(value: number): number {
  if (value < 1e4) return value < 100 ? (value < 10 ? 1 : 2) : value < 1000 ? 3 : 4
  if (value < 1e8) return value < 1e6 ? (value < 1e5 ? 5 : 6) : value < 1e7 ? 7 : 8
  let n = 9
  while (n <= 16 && value >= POW10[n]) n++
  return n
}

/** Writes exactly `digits` digits with leading zeros. Returns the offset after them. */
function writeDigits(out: Uint8Array, at: number, value: number, digits: number): number {
  let i = at + digits
  let rest = value
  while (rest >= 0x40000000) {
    const above = Math.floor(rest / 1e8)
    let low = (rest - above * 1e8) | 0
    rest = above
    for (let n = 0; n < 4 && i > at + 1; n++) {
      const pair = (low % 100) | 0
      low = (low / 100) | 0
      out[--i] = PAIRS[2 * pair + 1]!
      out[--i] = PAIRS[2 * pair]!
    }
  }
  let low = rest | 0
  while (low >= 10 && i > at + 1) {
    const pair = (low % 100) | 0
    low = (low / 100) | 0
    out[--i] = PAIRS[2 * pair + 1]!
    out[--i] = PAIRS[2 * pair]!
  }
  while (i > at) {
    out[--i] = 48 + (low % 10)
    low = (low / 10) | 0
  }
  return at + digits
}

/** Writes an unsigned integer of at most 2^53. Returns the offset after it. */
function writeUint(out: Uint8Array, at: number, value: number): number {
  if (value < 1e8) return writeDigits(out, at, value, digitsOf(value))
  // two small integers, because doubles divide slowly
  const high = (value / 1e8) | 0
  const end = writeDigits(out, at, high, digitsOf(high))
  return writeEightDigits(out, end, value - high * 1e8)
}

function writeEightDigits(out: Uint8Array, at: number, value: number): number {
  const low = value | 0
  const above = (low / 10_000) | 0
  const below = (low - Math.imul(above, 10_000)) | 0
  writePair(out, at, (above / 100) | 0)
  writePair(out, at + 2, (above % 100) | 0)
  writePair(out, at + 4, (below / 100) | 0)
  writePair(out, at + 6, (below % 100) | 0)
  return at + 8
}

function writePair(out: Uint8Array, at: number, pair: number): void {
  out[at] = PAIRS[2 * pair]!
  out[at + 1] = PAIRS[2 * pair + 1]!
}

/**
 * Writes mantissa / 10^decimals in a style and returns the offset after it. `out` must have MAX_LITERAL bytes of room.
 * `fixed` and `explicit` write all decimals.
 */
export function writeLiteral(out: Uint8Array, at: number, mantissa: number, decimals: number, style: Style): number {
  let i = at
  let value = mantissa
  if (value < 0) {
    out[i++] = 45
    value = -value
  }
  const plain = style === STYLE.fixed || style === STYLE.explicit
  let left = decimals
  if (value <= 0x7fffffff && decimals > 0) {
    let low = value | 0
    if (!plain) {
      for (; left > 0 && low % 10 === 0; left--) low = (low / 10) | 0
    }
    const digits = digitsOf(low)
    if (left > 0 && (plain || digits - left > -3)) return writeSmallPlain(out, i, low, digits, left)
    left = decimals
  }
  if (plain) return writePlain(out, i, value, decimals)
  if (value === 0) left = 0
  else if (left > 0) {
    const zeros = trailingZeros(value, left)
    value /= POW10[zeros]
    left -= zeros
  }
  const python = style === STYLE.python
  const exponent = digitsOf(value) - 1 - left
  if (value !== 0 && exponent < (python ? -4 : -6)) return writeExponent(out, i, value, exponent, python)
  if (python && left === 0) {
    i = writeUint(out, i, value)
    out[i++] = 46
    out[i++] = 48
    return i
  }
  return writePlain(out, i, value, left)
}

/** Number of trailing zeros of a positive integer, at most `most`. */
function trailingZeros(value: number, most: number): number {
  let zeros = 0
  let rest = value
  // small integers divide much faster than doubles
  while (rest > 0x7fffffff) {
    const above = Math.floor(rest / 1e8)
    const low = (rest - above * 1e8) | 0
    if (low !== 0) {
      rest = low
      break
    }
    rest = above
    zeros += 8
  }
  let low = rest | 0
  while (zeros < most && low % 10 === 0) {
    low = (low / 10) | 0
    zeros++
  }
  return zeros < most ? zeros : most
}

function writePlain(out: Uint8Array, at: number, value: number, decimals: number): number {
  if (decimals === 0) return writeUint(out, at, value)
  const digits = digitsOf(value)
  let integerDigits = digits - decimals
  if (integerDigits < 1) integerDigits = 1
  // write all digits one byte to the right, then move the integer part left over the point
  writeDigits(out, at + 1, value, integerDigits + decimals)
  for (let i = 0; i < integerDigits; i++) out[at + i] = out[at + i + 1]!
  out[at + integerDigits] = 46
  return at + 1 + integerDigits + decimals
}

/** Writes a small integer with a decimal point before the last `decimals` digits (at least one). */
function writeSmallPlain(out: Uint8Array, at: number, value: number, digits: number, decimals: number): number {
  const end = at + 1 + (digits > decimals ? digits : decimals + 1)
  let i = end
  let low = value | 0
  let left = decimals
  for (; left > 1; left -= 2) {
    const pair = (low % 100) | 0
    low = (low / 100) | 0
    out[--i] = PAIRS[2 * pair + 1]!
    out[--i] = PAIRS[2 * pair]!
  }
  if (left === 1) {
    out[--i] = 48 + (low % 10)
    low = (low / 10) | 0
  }
  out[--i] = 46
  while (low >= 10) {
    const pair = (low % 100) | 0
    low = (low / 100) | 0
    out[--i] = PAIRS[2 * pair + 1]!
    out[--i] = PAIRS[2 * pair]!
  }
  if (i > at) out[--i] = 48 + low
  return end
}

function writeExponent(out: Uint8Array, at: number, value: number, exponent: number, python: boolean): number {
  const digits = digitsOf(value)
  let i = at
  if (digits === 1) out[i++] = 48 + value
  else {
    writeDigits(out, i + 1, value, digits)
    out[i] = out[i + 1]!
    out[i + 1] = 46
    i += digits + 1
  }
  out[i++] = 101
  out[i++] = 45
  const size = -exponent
  return writeDigits(out, i, size, python && size < 10 ? 2 : digitsOf(size))
}
