/** Writes CSV cells as bytes, without creating a string per row. */
import { DAY_MS } from '../../../../shared/base/durations.ts'

const encoder = new TextEncoder()

/** The two ASCII digits of each number from 0 to 99. */
const PAIRS = new Uint8Array(200)
for (let i = 0; i < 100; i++) {
  PAIRS[2 * i] = 48 + Math.floor(i / 10)
  PAIRS[2 * i + 1] = 48 + (i % 10)
}

/** Maximum bytes of a time's two cells: epoch ms and ISO. */
export const TIME_ROOM = 64

/** Writes an integer from 0 to 2^53. Returns the offset after it. */
export function writeWhole(out: Uint8Array, at: number, value: number): number {
  if (value < 1e9) return writeSmall(out, at, value | 0, digitsOf(value))
  let digits = 10
  for (let power = 1e10; value >= power; power *= 10) digits++
  let i = at + digits
  let rest = value
  while (rest >= 1e9) {
    const above = Math.floor(rest / 1e8)
    writeSmall(out, (i -= 8), (rest - above * 1e8) | 0, 8)
    rest = above
  }
  writeSmall(out, at, rest | 0, i - at)
  return at + digits
}

/** Writes epoch ms with any fraction; nothing for NaN. Returns the offset after it. */
export function writeMs(out: Uint8Array, at: number, ms: number): number {
  if (ms >= 0 && ms <= Number.MAX_SAFE_INTEGER && Number.isInteger(ms)) return writeWhole(out, at, ms)
  return Number.isNaN(ms) ? at : at + encoder.encodeInto(String(ms), out.subarray(at)).written
}

function digitsOf(value: number): number {
  if (value < 1e4) return value < 100 ? (value < 10 ? 1 : 2) : value < 1000 ? 3 : 4
  if (value < 1e8) return value < 1e6 ? (value < 1e5 ? 5 : 6) : value < 1e7 ? 7 : 8
  return 9
}

/** Writes exactly `digits` digits of an integer below 2^31. */
function writeSmall(out: Uint8Array, at: number, value: number, digits: number): number {
  let i = at + digits
  let low = value
  while (i > at + 1) {
    const pair = low % 100
    low = (low / 100) | 0
    out[--i] = PAIRS[2 * pair + 1]!
    out[--i] = PAIRS[2 * pair]!
  }
  if (i > at) out[--i] = 48 + low
  return at + digits
}

/** Writes times as "ms<separator>ISO", or as ISO alone. Each writer caches the last second it wrote. */
export interface TimeWriter {
  /**
   * Returns the offset after the cells. NaN leaves both empty. `view` spans the same buffer as `out`, which needs
   * TIME_ROOM free bytes at `at`.
   */
  write(out: Uint8Array, view: DataView, at: number, ms: number): number
  /** Sets a UTF-8 prefix for every following pair. `write` then needs room for the prefix too. */
  lead(bytes: Uint8Array): void
}

/** Length of "2024-08-08T23:54:15.342Z", and of "1723161255342," before it. */
const ISO_BYTES = 24
const MS_BYTES = 14

/** Creates a time writer: epoch ms with any fraction unless `isoOnly`, and ISO 8601 with Z, to the millisecond. */
export function createTimeWriter(separator: number, isoOnly = false): TimeWriter {
  const isoAt = isoOnly ? 0 : MS_BYTES
  // Prefix and both cells of the last second written. Rows copy it word by word and patch only the milliseconds.
  let start = 0
  let cells = new Uint8Array(40)
  let words = new Float64Array(cells.buffer)
  let from = NaN
  let day = NaN

  const slow = (out: Uint8Array, at: number, ms: number): number => {
    out.set(cells.subarray(0, start), at)
    let i = at + start
    if (!isoOnly) {
      i = writeMs(out, i, ms)
      out[i++] = separator
    }
    const date = new Date(Math.floor(ms))
    const year = date.getUTCFullYear()
    if (year >= 0 && year <= 9999) i += encoder.encodeInto(date.toISOString(), out.subarray(i)).written
    return i
  }
  const second = (ms: number): void => {
    from = Math.floor(ms / 1000) * 1000
    const iso = start + isoAt
    if (!isoOnly) writeWhole(cells, start, from / 1000)
    const midnight = Math.floor(from / DAY_MS) * DAY_MS
    if (midnight !== day) {
      day = midnight
      encoder.encodeInto(new Date(midnight).toISOString().slice(0, 20), cells.subarray(iso))
    }
    const s = (from - midnight) / 1000
    pair(cells, iso + 11, Math.floor(s / 3600))
    pair(cells, iso + 14, Math.floor(s / 60) % 60)
    pair(cells, iso + 17, s % 60)
  }
  const lead = (bytes: Uint8Array): void => {
    start = bytes.length
    cells = new Uint8Array(Math.ceil((start + isoAt + ISO_BYTES) / 8) * 8)
    words = new Float64Array(cells.buffer)
    cells.set(bytes)
    if (!isoOnly) cells[start + MS_BYTES - 1] = separator
    cells[start + isoAt + ISO_BYTES - 1] = 90
    from = day = NaN
  }
  lead(new Uint8Array(0))

  return {
    lead,
    write(out, view, at, ms) {
      let rest = ms - from
      if (!(rest >= 0 && rest < 1000)) {
        // The fast path covers times with 13-digit ms, from 2001 to 2286. Others are rare.
        if (!(ms >= 1e12 && ms < 1e13)) return slow(out, at, ms)
        second(ms)
        rest = ms - from
      }
      const milli = rest | 0
      if (milli !== rest) return slow(out, at, ms)
      // Copying as doubles is safe: no run of eight UTF-8 bytes forms a NaN, whose bits a copy might change.
      const all = words.length
      for (let k = 0; k < all; k++) view.setFloat64(at + 8 * k, words[k], LITTLE_ENDIAN)
      const to = at + start
      const hundreds = 48 + ((milli / 100) | 0)
      const below = 2 * (milli % 100)
      const tens = PAIRS[below]
      const ones = PAIRS[below + 1]
      if (!isoOnly) {
        out[to + 10] = hundreds
        out[to + 11] = tens
        out[to + 12] = ones
      }
      const iso = to + isoAt + 20
      out[iso] = hundreds
      out[iso + 1] = tens
      out[iso + 2] = ones
      return iso + 4
    },
  }
}

/** Words are copied in native byte order. */
const LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

function pair(out: Uint8Array, at: number, value: number): void {
  out[at] = PAIRS[2 * value]!
  out[at + 1] = PAIRS[2 * value + 1]!
}

const QUOTE = 34
const APOSTROPHE = 39
/** = + - @ tab CR LF: characters that start a formula in a spreadsheet, or that it skips before one. */
const FORMULA = new Set([61, 43, 45, 64, 9, 13, 10])
/**
 * Last UTF-8 bytes of the full-width variants of = + - @ (U+FF1D, U+FF0B, U+FF0D, U+FF20: EF BC ..), and below, of the
 * small variants (U+FE66, U+FE62, U+FE63, U+FE6B: EF B9 ..).
 */
const WIDE = new Set([0x9d, 0x8b, 0x8d, 0xa0])
const SMALL = new Set([0xa6, 0xa2, 0xa3, 0xab])
/** A cell may start after any of , ; | tab LF CR if a spreadsheet assumes a separator other than the file's. */
const BEGINS = new Set([44, 59, 124, 9, 10, 13])

/**
 * The byte length of the character at `i` if spreadsheets drop it or show nothing for it, else 0. Must match `UNSEEN`
 * in `shared/base/csv.ts`.
 */
function unseen(text: Uint8Array, i: number): number {
  const c = text[i]
  if (c === undefined) return 0
  if (c <= 32) return 1
  const d = text[i + 1] ?? 0
  if (c === 0xc2) return d === 0xa0 ? 2 : 0
  const e = text[i + 2] ?? 0
  if (c === 0xef) return d === 0xbb && e === 0xbf ? 3 : 0
  if (c !== 0xe2) return 0
  const hidden =
    d === 0x80
      ? (e >= 0x8b && e <= 0x8f) || (e >= 0xaa && e <= 0xae)
      : d === 0x81 && (e === 0xa0 || (e >= 0xa6 && e <= 0xa9))
  return hidden ? 3 : 0
}

/**
 * Whether server text, from offset `from`, needs a leading apostrophe. Text that already has apostrophes gets one more,
 * so removing exactly one always restores the original.
 */
export function needsDefusing(text: Uint8Array, from = 0): boolean {
  let i = from
  while (text[i] === APOSTROPHE) i++
  if (FORMULA.has(text[i] ?? 0)) return true
  for (let more = unseen(text, i); more > 0; more = unseen(text, i)) i += more
  if (FORMULA.has(text[i] ?? 0)) return true
  if (text[i] !== 0xef) return false
  const last = text[i + 2] ?? 0
  return text[i + 1] === 0xbc ? WIDE.has(last) : text[i + 1] === 0xb9 && SMALL.has(last)
}

/** Maximum bytes of a text cell. */
export function textRoom(text: Uint8Array): number {
  return 2 * text.length + 3
}

/**
 * Writes server text as a cell: defused against formula injection, and quoted if RFC 4180 requires it. `parts`: also
 * defuse after every separator inside the text, for spreadsheets that assume a different one. For messages, use
 * `writeMessage`.
 */
export function writeText(out: Uint8Array, at: number, text: Uint8Array, separator: number, parts = false): number {
  return writeCell(out, at, text, separator, needsDefusing(text), parts)
}

/**
 * Writes a message as a cell. A message that looks like JSON is written exactly as it arrived, since `{` and `[` can't
 * start a formula. Any other message is defused at its start.
 */
export function writeMessage(out: Uint8Array, at: number, text: Uint8Array, separator: number): number {
  return writeCell(out, at, text, separator, !beginsAsJson(text) && needsDefusing(text), false)
}

/** JSON's white space. */
const JSON_SPACE = new Set([32, 9, 10, 13])

function beginsAsJson(text: Uint8Array): boolean {
  let i = 0
  while (JSON_SPACE.has(text[i] ?? 0)) i++
  return text[i] === 0x7b || text[i] === 0x5b
}

function writeCell(
  out: Uint8Array,
  at: number,
  text: Uint8Array,
  separator: number,
  defused: boolean,
  parts: boolean,
): number {
  let i = at
  let quoted = false
  let parted = false
  for (const c of text) {
    quoted ||= c === QUOTE || c === separator || c === 10 || c === 13
    parted ||= BEGINS.has(c)
  }
  if (quoted) out[i++] = QUOTE
  if (defused) out[i++] = APOSTROPHE
  if (!quoted && !(parts && parted)) {
    out.set(text, i)
    return i + text.length
  }
  for (let k = 0; k < text.length; k++) {
    const c = text[k]
    if (parts && k > 0 && BEGINS.has(text[k - 1]) && needsDefusing(text, k)) out[i++] = APOSTROPHE
    if (c === QUOTE) out[i++] = QUOTE
    out[i++] = c
  }
  if (quoted) out[i++] = QUOTE
  return i
}
