/** Columns of integers out of a block, without a branch or a call a value more than needed. */
import { damaged, type ByteReader } from './bytes.ts'
import { BY, LOW_PADDING, MAX_LOW_BITS, NS_PER_MS, type IntColumn } from './ints.ts'

/** Reads a column's description; `places` runs along the data sections. */
export function readIntColumn(head: ByteReader, places: { high: number; low: number }, rows: number): IntColumn {
  const count = head.count(rows, 'a count of values')
  const none = { ref: 0, scale: 1, base: 0, first: 0, divisor: 1, lowBits: 0, highBytes: 0 }
  const at = { highAt: places.high, lowAt: places.low }
  if (count === 0) return { count, by: BY.constant, ...none, ...at }
  const by = head.byte()
  switch (by) {
    case BY.constant:
      return { count, by, ...none, first: head.signed(), ...at }
    case BY.doubles:
      places.high += count * 8
      return { count, by, ...none, highBytes: count * 8, ...at }
    case BY.delta:
    case BY.delta2:
    case BY.ref:
    case BY.refDelta:
    case BY.clock: {
      const first = head.signed()
      let ref = 0
      let scale = 1
      let base = 0
      if (by === BY.clock || by === BY.ref || by === BY.refDelta) {
        ref = head.varint()
        if (by === BY.clock) base = head.varint()
        else scale = head.varint()
      }
      const divisor = head.varint()
      const lowBits = head.byte()
      if (lowBits > MAX_LOW_BITS) throw damaged('a column has too many low bits')
      const highBytes = head.varint()
      places.high += highBytes
      places.low += Math.ceil(((count - 1) * lowBits) / 8)
      return { count, by, ref, scale, base, first, divisor, lowBits, highBytes, ...at }
    }
    default:
      throw damaged('a column is coded in an unknown way')
  }
}

/** Decodes a column. `ref` gives the decoded column of an id that stands before this one. */
export function readInts(
  column: IntColumn,
  high: Uint8Array,
  low: Uint8Array,
  ref: (id: number) => Float64Array,
): Float64Array {
  const n = column.count
  const out = new Float64Array(n)
  if (n === 0) return out
  const end = column.highAt + column.highBytes
  if (end > high.length) throw damaged('a column ends too early')
  if (column.by === BY.constant) return out.fill(column.first)
  if (column.by === BY.doubles) {
    const view = new DataView(high.buffer, high.byteOffset + column.highAt, n * 8)
    for (let i = 0; i < n; i++) out[i] = view.getFloat64(i * 8, true)
    return out
  }
  if (column.highBytes < n - 1 || column.lowAt + Math.ceil(((n - 1) * column.lowBits) / 8) + LOW_PADDING > low.length) {
    throw damaged('a column ends too early')
  }
  const { first, divisor } = column
  if (column.by === BY.delta && column.lowBits === 0) {
    if (readSums(column, high, out) !== end) throw damaged('a column has bytes left over')
    return out
  }
  readRemainders(column, high, low, out)
  if (divisor !== 1) for (let i = 1; i < n; i++) out[i] = out[i] * divisor
  out[0] = first
  if (column.by === BY.delta) {
    let v = first
    for (let i = 1; i < n; i++) out[i] = v += out[i]
    return out
  }
  if (column.by === BY.delta2) {
    let v = first
    let step = 0
    for (let i = 1; i < n; i++) out[i] = v += step += out[i]
    return out
  }
  const from = ref(column.ref)
  if (from.length !== n) throw damaged('a column refers to one of another length')
  if (column.by === BY.clock) {
    const f0 = from[0] - column.base
    for (let i = 1; i < n; i++) out[i] = out[i] + first + Math.floor((from[i] - f0) / NS_PER_MS)
    return out
  }
  const { scale } = column
  const d0 = first - from[0] * scale
  if (column.by === BY.ref) for (let i = 1; i < n; i++) out[i] = out[i] + from[i] * scale + d0
  else {
    let d = d0
    for (let i = 1; i < n; i++) out[i] = (d += out[i]) + from[i] * scale
  }
  return out
}
function readRemainders(column: IntColumn, high: Uint8Array, low: Uint8Array, out: Float64Array): void {
  const end = column.highAt + column.highBytes
  const at = column.lowBits === 0 ? readPlain(column, high, out) : readSplit(column, high, low, out)
  // reading past the end gave no number at all, which is found here
  if (at !== end) throw damaged('a column has bytes left over')
}

/** The rare long number from `at` on; answers one past it, its value in `long`. */
let long = 0
function readLong(high: Uint8Array, at: number): number {
  let value = 0
  let scale = 1
  let i = at
  for (;;) {
    const b = high[i++]
    if (b === undefined || scale > 2 ** 53) throw damaged('a number is too long')
    value += (b & 0x7f) * scale
    if (b < 0x80) break
    scale *= 0x80
  }
  long = value
  return i
}

function readPlain(column: IntColumn, high: Uint8Array, out: Float64Array): number {
  const n = column.count
  let at = column.highAt
  for (let i = 1; i < n; i++) {
    let z = high[at++]
    if (z >= 0x80) {
      const b = high[at]
      if (b < 0x80) {
        z = (z & 0x7f) | (b << 7)
        at++
      } else {
        at = readLong(high, at - 1)
        if (long >= 0x7fffffff) {
          out[i] = long % 2 === 0 ? long / 2 : -(long + 1) / 2
          continue
        }
        z = long | 0
      }
    }
    out[i] = (z >>> 1) ^ -(z & 1)
  }
  return at
}

/** As `readPlain`, summed up at once: most columns are differences without low bits. */
function readSums(column: IntColumn, high: Uint8Array, out: Float64Array): number {
  const n = column.count
  const { divisor } = column
  let at = column.highAt
  let sum = column.first
  out[0] = sum
  for (let i = 1; i < n; i++) {
    let z = high[at++]
    if (z >= 0x80) {
      const b = high[at]
      if (b < 0x80) {
        z = (z & 0x7f) | (b << 7)
        at++
      } else {
        at = readLong(high, at - 1)
        if (long >= 0x7fffffff) {
          out[i] = sum += (long % 2 === 0 ? long / 2 : -(long + 1) / 2) * divisor
          continue
        }
        z = long | 0
      }
    }
    out[i] = sum += ((z >>> 1) ^ -(z & 1)) * divisor
  }
  return at
}

function readSplit(column: IntColumn, high: Uint8Array, low: Uint8Array, out: Float64Array): number {
  const n = column.count
  const { lowBits } = column
  const view = new DataView(low.buffer, low.byteOffset, low.byteLength)
  const mask = (1 << lowBits) - 1
  const unit = 1 << lowBits
  // above this the whole no longer fits a small integer
  const most = 0x3fffffff >>> lowBits
  const base = column.lowAt * 8
  let at = column.highAt
  for (let i = 1, bit = base; i < n; i++, bit += lowBits) {
    const part = (view.getUint32(bit >>> 3, true) >>> (bit & 7)) & mask
    let above = high[at++]
    if (above >= 0x80) {
      const b = high[at]
      if (b < 0x80) {
        above = (above & 0x7f) | (b << 7)
        at++
      } else {
        at = readLong(high, at - 1)
        above = long
      }
    }
    if (above <= most) {
      const z = (above << lowBits) | part
      out[i] = (z >>> 1) ^ -(z & 1)
    } else {
      const z = above * unit + part
      out[i] = z % 2 === 0 ? z / 2 : -(z + 1) / 2
    }
  }
  return at
}
