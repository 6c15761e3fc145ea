/** Cells of a CSV file as bytes, without strings on the way of a row. */

const DAY_MS = 86_400_000
const encoder = new TextEncoder()

/** Two digits of 0 to 99 at once. */
const PAIRS = new Uint8Array(200)
for (let i = 0; i < 100; i++) {
  PAIRS[2 * i] = 48 + Math.floor(i / 10)
  PAIRS[2 * i + 1] = 48 + (i % 10)
}

/** Most bytes of one time cell pair, `epoch ms` and ISO. */
export const TIME_ROOM = 64

/** Writes a whole number from 0 to 2^53; answers one past it. */
export function writeWhole(out: Uint8Array, at: number, value: number): number {
  if (value < 10) {
    out[at] = 48 + value
    return at + 1
  }
  let digits = 2
  for (let power = 100; value >= power; power *= 10) digits++
  let i = at + digits
  let rest = value
  while (rest >= 1e9) {
    const above = Math.floor(rest / 1e8)
    let low = (rest - above * 1e8) | 0
    rest = above
    for (let n = 0; n < 4; n++) {
      const pair = low % 100
      low = (low / 100) | 0
      out[--i] = PAIRS[2 * pair + 1]!
      out[--i] = PAIRS[2 * pair]!
    }
  }
  let low = rest | 0
  while (low >= 10) {
    const pair = low % 100
    low = (low / 100) | 0
    out[--i] = PAIRS[2 * pair + 1]!
    out[--i] = PAIRS[2 * pair]!
  }
  if (i > at) out[--i] = 48 + low
  return at + digits
}

/** Writes "ms<separator>ISO" of instants; each of its kind remembers the second it wrote last. */
export interface TimeWriter {
  /** NaN leaves both cells empty. `out` (and `view` over all of it) has TIME_ROOM bytes of room. */
  write(out: Uint8Array, view: DataView, at: number, ms: number): number
}

/** "1723161255342,2024-08-08T23:54:15.342Z", rounded up to words. */
const PAIR_BYTES = 40
const ISO_AT = 14

/** A writer of times: epoch ms as they are (also fractions), ISO 8601 with Z to the millisecond. */
export function createTimeWriter(separator: number): TimeWriter {
  // both cells of the second written last, copied by words; only the milliseconds differ
  const cells = new Uint8Array(PAIR_BYTES)
  const words = new Int32Array(cells.buffer)
  cells[13] = separator
  cells[37] = 90
  let from = NaN
  let day = NaN

  const slow = (out: Uint8Array, at: number, ms: number): number => {
    let i = at
    if (!Number.isNaN(ms)) i += encoder.encodeInto(String(ms), out.subarray(i)).written
    out[i++] = separator
    const date = new Date(Math.floor(ms))
    const year = date.getUTCFullYear()
    if (year >= 0 && year <= 9999) i += encoder.encodeInto(date.toISOString(), out.subarray(i)).written
    return i
  }
  const second = (ms: number): void => {
    from = Math.floor(ms / 1000) * 1000
    writeWhole(cells, 0, from / 1000)
    const midnight = Math.floor(from / DAY_MS) * DAY_MS
    if (midnight !== day) {
      day = midnight
      encoder.encodeInto(new Date(midnight).toISOString().slice(0, 20), cells.subarray(ISO_AT))
    }
    const s = (from - midnight) / 1000
    pair(cells, ISO_AT + 11, Math.floor(s / 3600))
    pair(cells, ISO_AT + 14, Math.floor(s / 60) % 60)
    pair(cells, ISO_AT + 17, s % 60)
  }

  return {
    write(out, view, at, ms) {
      let rest = ms - from
      if (!(rest >= 0 && rest < 1000)) {
        // with ten digits a second: from 2001 to 2286; the rest is rare, and done the slow way
        if (!(ms >= 1e12 && ms < 1e13)) return slow(out, at, ms)
        second(ms)
        rest = ms - from
      }
      const milli = rest | 0
      if (milli !== rest) return slow(out, at, ms)
      for (let k = 0; k < 10; k++) view.setInt32(at + 4 * k, words[k], LITTLE_ENDIAN)
      const hundreds = 48 + ((milli / 100) | 0)
      const below = 2 * (milli % 100)
      const tens = PAIRS[below]
      const ones = PAIRS[below + 1]
      out[at + 10] = hundreds
      out[at + 11] = tens
      out[at + 12] = ones
      out[at + 34] = hundreds
      out[at + 35] = tens
      out[at + 36] = ones
      return at + 38
    },
  }
}

/** Words are copied as they lie in memory. */
const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

function pair(out: Uint8Array, at: number, value: number): void {
  out[at] = PAIRS[2 * value]!
  out[at + 1] = PAIRS[2 * value + 1]!
}

const QUOTE = 34
const APOSTROPHE = 39
/** = + - @ tab CR LF: what a spreadsheet takes for a formula, or skips before one. */
const FORMULA = new Set([61, 43, 45, 64, 9, 13, 10])
/** Full-width = + - @ (U+FF1D, U+FF0B, U+FF0D, U+FF20): EF BC 9D / 8B / 8D / A0. */
const WIDE = new Set([0x9d, 0x8b, 0x8d, 0xa0])

/**
 * Whether text of a server needs an apostrophe before it. Text that has some already gets one more,
 * so that taking one away always gives the text back.
 */
export function needsDefusing(text: Uint8Array): boolean {
  let i = 0
  while (text[i] === APOSTROPHE) i++
  const c = text[i]
  if (c === undefined) return false
  return FORMULA.has(c) || (c === 0xef && text[i + 1] === 0xbc && WIDE.has(text[i + 2] ?? 0))
}

/** Most bytes of a text cell. */
export function textRoom(text: Uint8Array): number {
  return 2 * text.length + 3
}

/** Writes text that a server sent as a cell: defused, and quoted where RFC 4180 asks for it. */
export function writeText(out: Uint8Array, at: number, text: Uint8Array, separator: number): number {
  let i = at
  let quoted = false
  for (const c of text) {
    if (c === QUOTE || c === separator || c === 10 || c === 13) {
      quoted = true
      break
    }
  }
  if (quoted) out[i++] = QUOTE
  if (needsDefusing(text)) out[i++] = APOSTROPHE
  if (quoted) {
    for (const c of text) {
      if (c === QUOTE) out[i++] = QUOTE
      out[i++] = c
    }
    out[i++] = QUOTE
  } else {
    out.set(text, i)
    i += text.length
  }
  return i
}
