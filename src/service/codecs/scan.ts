/**
 * The byte scanner for known shapes: one pass over a flat JSON object, in any key order and spacing, into `found`.
 * It returns false on anything unexpected (escapes, non-ASCII, nested values, repeated or mistyped keys, numbers it
 * can't round exactly, signs, times out of range, zero prices), and the strict slow path decides. Wherever it returns
 * true, its result equals that path (property-tested).
 */
import type { FieldMap } from '../feeds.ts'
import { hashByte, HASH_START, internedAt, internPlace, LONGEST_SYMBOL } from '../intern.ts'
import { EARLIEST_MS, LATEST_MS } from './times.ts'

/** Index of each number in `found.values`. Prices come first: they must be above zero and determine the decimals. */
export const SLOT = {
  price: 0,
  bid: 1,
  ask: 2,
  open: 3,
  high: 4,
  low: 5,
  close: 6,
  size: 7,
  bidSize: 8,
  askSize: 9,
  volume: 10,
  time: 11,
  start: 12,
  end: 13,
} as const
const PRICES = 7
const TIMES = 11
/** Count of slots. */
export const SLOTS = 14
const EXTRA = SLOTS
const SYMBOL = 15
const EV = 16
const FORBIDDEN = 17

/** The result of the last successful scan, valid until the next one. */
export const found = {
  /** Values by SLOT. Stale where the bit in `seen` isn't set. */
  values: new Float64Array(EXTRA),
  /** One bit per SLOT: the parts this message carries. */
  seen: 0,
  symbol: '',
  symbolPlace: -1,
  decimals: 0,
}

/** The keys of a shape, packed for the scanner. */
export interface ScanTable {
  readonly keys: Int32Array
  readonly parts: Uint8Array
  readonly multiplier: number
  readonly required: number
  readonly code: Uint8Array
}

const pack = (key: string): number => [...key].reduce((sum, c) => (sum << 8) | c.charCodeAt(0), 0)
const KEYS = 64
const hash = (key: number, multiplier: number): number => Math.imul(key, multiplier) >>> 26

/** Builds the scan table of a feed. Throws for keys longer than four characters, which have no fast path. */
export function scanTable(code: string, fields: FieldMap, required: readonly (keyof typeof SLOT)[]): ScanTable {
  const entries: [string, number][] = [
    ['ev', EV],
    ['type', FORBIDDEN],
    [fields.symbol, SYMBOL],
  ]
  for (const [name, slot] of Object.entries(SLOT) as [keyof typeof SLOT, number][]) {
    // keys of a literal object
    const key = fields[name]
    if (key !== undefined) entries.push([key, slot])
  }
  if (entries.some(([key]) => !/^[a-zA-Z]{1,4}$/.test(key)))
    throw new RangeError(`no fast path for the keys of ${code}`)
  const packed = entries.map(([key]) => pack(key))
  let multiplier = 0x9e3779b1 | 0
  while (new Set(packed.map((key) => hash(key, multiplier))).size < packed.length) multiplier = (multiplier + 2) | 0
  const keys = new Int32Array(KEYS)
  const parts = new Uint8Array(KEYS).fill(EXTRA)
  entries.forEach(([, part], i) => {
    keys[hash(packed[i], multiplier)] = packed[i]
    parts[hash(packed[i], multiplier)] = part
  })
  return {
    keys,
    parts,
    multiplier,
    required: required.reduce((mask, name) => mask | (1 << SLOT[name]), (1 << SYMBOL) | (1 << EV)),
    code: Uint8Array.from(code, (c) => c.charCodeAt(0)),
  }
}

/** Powers of ten that a double holds exactly: with a mantissa up to 2^53 one operation rounds correctly (Clinger). */
const POW10 = Float64Array.from({ length: 23 }, (_, i) => Number(`1e${i}`))
const QUOTE = 0x22
const MINUS = 0x2d

/** Scans one message into `found` and returns whether it could. Never throws and never reads outside [from, to). */
export function scan(table: ScanTable, b: Uint8Array, from: number, to: number): boolean {
  const { keys, parts, multiplier, code } = table
  const values = found.values
  let end = to - 1
  while (end > from && b[end] <= 0x20) {
    if (!isSpace(b[end])) return false
    end--
  }
  // The closing brace bounds every loop below except those over strings.
  if (end <= from || b[end] !== 0x7d) return false
  let i = from
  while (isSpace(b[i])) i++
  if (b[i] !== 0x7b) return false
  i++
  let seen = 0
  let decimals = 0
  let place = -1
  for (;;) {
    let c = b[i]
    while (c <= 0x20) {
      if (!isSpace(c)) return false
      c = b[++i]
    }
    if (c !== QUOTE) return false
    const keyFrom = ++i
    let key = 0
    for (;;) {
      if (i >= end) return false
      c = b[i++]
      if (c === QUOTE) break
      if (c < 0x20 || c > 0x7e || c === 0x5c) return false
      key = (key << 8) | c
    }
    let part = EXTRA
    if (i - keyFrom <= 5) {
      const slot = Math.imul(key, multiplier) >>> 26
      if (keys[slot] === key) part = parts[slot]
    }
    if (part !== EXTRA) {
      if (part === FORBIDDEN || (seen & (1 << part)) !== 0) return false
      seen |= 1 << part
    }
    c = b[i]
    while (c <= 0x20) {
      if (!isSpace(c)) return false
      c = b[++i]
    }
    if (c !== 0x3a) return false
    c = b[++i]
    while (c <= 0x20) {
      if (!isSpace(c)) return false
      c = b[++i]
    }
    if (c === QUOTE) {
      const start = ++i
      let hash = HASH_START
      for (;;) {
        if (i >= end) return false
        c = b[i++]
        if (c === QUOTE) break
        if (c < 0x20 || c > 0x7e || c === 0x5c) return false
        hash = hashByte(hash, c)
      }
      if (part === SYMBOL) {
        if (i - 1 === start || i - 1 - start > LONGEST_SYMBOL) return false
        place = internPlace(b, start, i - 1, hash)
      } else if (part === EV) {
        if (i - 1 - start !== code.length) return false
        for (let k = 0; k < code.length; k++) if (b[start + k] !== code[k]) return false
      } else if (part !== EXTRA) return false
    } else if (c === 0x5b && part === EXTRA) {
      i = skipNumbers(b, i, end)
      if (i < 0) return false
    } else if (c === MINUS || (c >= 0x30 && c <= 0x39)) {
      if (part > EXTRA) return false
      if (c === MINUS) {
        if (part !== EXTRA) return false
        c = b[++i]
      }
      let d = c - 0x30
      if (d < 0 || d > 9) return false
      // Two integers of nine digits each: faster than one double, and exact.
      let high = d
      let low = 0
      let digits = 1
      let fraction = 0
      d = b[++i] - 0x30
      if (high === 0) {
        if (d >= 0 && d <= 9) return false
      } else {
        while (d >= 0 && d <= 9) {
          if (digits < 9) high = (Math.imul(high, 10) + d) | 0
          else low = (Math.imul(low, 10) + d) | 0
          digits++
          d = b[++i] - 0x30
        }
      }
      c = b[i]
      if (c === 0x2e) {
        d = b[++i] - 0x30
        if (d < 0 || d > 9) return false
        const dot = i
        while (d >= 0 && d <= 9) {
          if (digits < 9) high = (Math.imul(high, 10) + d) | 0
          else low = (Math.imul(low, 10) + d) | 0
          digits++
          d = b[++i] - 0x30
        }
        fraction = i - dot
        c = b[i]
      }
      if (c === 0x65 || c === 0x45) {
        c = b[++i]
        const negative = c === MINUS
        if (negative || c === 0x2b) c = b[++i]
        d = c - 0x30
        if (d < 0 || d > 9) return false
        let exponent = 0
        while (d >= 0 && d <= 9) {
          if (exponent < 1000) exponent = exponent * 10 + d
          d = b[++i] - 0x30
        }
        fraction += negative ? exponent : -exponent
      }
      if (part !== EXTRA) {
        if (digits > 16 || fraction > 22 || fraction < -22) return false
        const mantissa = digits <= 9 ? high : high * POW10[digits - 9] + low
        if (mantissa >= 9007199254740992) return false
        const value =
          fraction === 0 ? mantissa : fraction > 0 ? mantissa / POW10[fraction] : mantissa * POW10[-fraction]
        if (part < PRICES) {
          if (value === 0) return false
          if (fraction > decimals) decimals = fraction
        } else if (part >= TIMES && (value < EARLIEST_MS || value >= LATEST_MS || !Number.isInteger(value)))
          return false
        values[part] = value
      }
    } else {
      if (part !== EXTRA) return false
      i = skipWord(b, i, end)
      if (i < 0) return false
    }
    c = b[i]
    while (c <= 0x20) {
      if (!isSpace(c)) return false
      c = b[++i]
    }
    i++
    if (c === 0x2c) continue
    if (c !== 0x7d || i !== end + 1) return false
    break
  }
  if ((seen & table.required) !== table.required) return false
  found.seen = seen
  found.symbol = internedAt(place)
  found.symbolPlace = place
  found.decimals = decimals
  return true
}

function isSpace(c: number): boolean {
  return c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09
}

/** Skips true, false or null at `i`. Returns the index after it, or -1 for anything else. */
function skipWord(b: Uint8Array, i: number, end: number): number {
  for (const word of WORDS) {
    if (i + word.length > end) continue
    let k = 0
    while (k < word.length && b[i + k] === word[k]) k++
    if (k === word.length) return i + k
  }
  return -1
}
const WORDS = ['true', 'false', 'null'].map((word) => Uint8Array.from(word, (c) => c.charCodeAt(0)))

/** Skips a list of plain integers such as "c":[0,12]. Returns the index after it, or -1 for any other list. */
function skipNumbers(b: Uint8Array, at: number, end: number): number {
  let i = at + 1
  let expectNumber = false
  while (i < end) {
    while (isSpace(b[i])) i++
    if (b[i] === 0x5d && !expectNumber) return i + 1
    if (b[i] < 0x30 || b[i] > 0x39) return -1
    const zero = b[i] === 0x30
    const start = i
    while (b[i] >= 0x30 && b[i] <= 0x39) i++
    if (zero && i - start > 1) return -1
    while (isSpace(b[i])) i++
    if (b[i] === 0x5d) return i + 1
    if (b[i] !== 0x2c) return -1
    i++
    expectNumber = true
  }
  return -1
}
