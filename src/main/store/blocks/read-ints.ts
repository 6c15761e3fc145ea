/** Columns of integers out of a block, without a branch or a call a value more than needed. */
import { ByteReader, damaged } from './bytes.ts'
import { BY, LOW_PADDING, MAX_LOW_BITS, MAX_PLANES, NS_PER_MS, type IntColumn } from './ints.ts'

/** Where the next column's bytes begin. */
export interface Places {
  hot: number
  cold: number
  low: number
}

/** Reads a column's description; `places` runs along the data sections. */
export function readIntColumn(head: ByteReader, places: Places, rows: number, cold: boolean): IntColumn {
  const count = head.count(rows, 'a count of values')
  const none = { ref: 0, scale: 1, base: 0, first: 0, divisor: 1, floor: 0, lowBits: 0, planes: 0, patches: 0 }
  const at = { highBytes: 0, highAt: cold ? places.cold : places.hot, lowAt: places.low, cold }
  if (count === 0) return { count, by: BY.constant, ...none, ...at }
  const take = (bytes: number): void => {
    if (cold) places.cold += bytes
    else places.hot += bytes
  }
  const by = head.byte()
  switch (by) {
    case BY.constant:
      return { count, by, ...none, ...at, first: head.signed() }
    case BY.doubles:
      take(count * 8)
      return { count, by, ...none, ...at, highBytes: count * 8 }
    case BY.plain:
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
      const floor = head.signed()
      const lowBits = head.byte()
      if (lowBits > MAX_LOW_BITS) throw damaged('a column has too many low bits')
      const planes = head.byte()
      if (planes < 1 || planes > MAX_PLANES) throw damaged('a column has too many planes')
      const patches = head.count(count - 1, 'a count of patches')
      const highBytes = planes * (count - 1) + (patches === 0 ? 0 : head.varint())
      take(highBytes)
      places.low += Math.ceil(((count - 1) * lowBits) / 8)
      return { count, by, ref, scale, base, first, divisor, floor, planes, patches, ...at, lowBits, highBytes }
    }
    default:
      throw damaged('a column is coded in an unknown way')
  }
}

/** Decodes a column into `out`, which has its length. `ref` gives the decoded column of an id that stands before this one. */
export function readInts(
  column: IntColumn,
  high: Uint8Array,
  low: Uint8Array,
  ref: (id: number) => Float64Array,
  out: Float64Array,
): Float64Array {
  const n = column.count
  if (n === 0) return out
  const { by, first, divisor } = column
  if (by === BY.constant) return out.fill(first)
  if (column.highAt + column.highBytes > high.length) throw damaged('a column ends too early')
  if (by === BY.doubles) {
    const view = new DataView(high.buffer, high.byteOffset + column.highAt, n * 8)
    for (let i = 0; i < n; i++) out[i] = view.getFloat64(i * 8, true)
    return out
  }
  if (column.lowAt + Math.ceil(((n - 1) * column.lowBits) / 8) + LOW_PADDING > low.length) {
    throw damaged('a column ends too early')
  }
  const patches = readPatches(column, high)
  if (by === BY.delta && column.lowBits === 0 && column.planes <= 2) {
    readSums(column, high, patches, out)
    return out
  }
  readRemainders(column, high, low, out)
  for (let p = 0; p < patches.length; p += 2) out[patches[p]] = patches[p + 1]!
  if (divisor !== 1) scaleUp(out, divisor)
  out[0] = first
  switch (by) {
    case BY.plain:
      return out
    case BY.delta:
      sumUp(out)
      return out
    case BY.delta2:
      sumTwice(out)
      return out
    default: {
      const from = ref(column.ref)
      if (from.length !== n) throw damaged('a column refers to one of another length')
      if (by === BY.clock) addClock(out, from, from[0] - column.base, first)
      else if (by === BY.ref) addColumn(out, from, column.scale, first - from[0] * column.scale)
      else sumBeside(out, from, column.scale, first - from[0] * column.scale)
      return out
    }
  }
}

// One loop a function: the compiler replaces a long-running loop by itself, and gives up all of a
// function where what follows the loop was never seen.

function scaleUp(out: Float64Array, divisor: number): void {
  for (let i = 1; i < out.length; i++) out[i] = out[i] * divisor
}

function sumUp(out: Float64Array): void {
  let v = out[0]
  for (let i = 1; i < out.length; i++) out[i] = v += out[i]
}

function sumTwice(out: Float64Array): void {
  let v = out[0]
  let step = 0
  for (let i = 1; i < out.length; i++) out[i] = v += step += out[i]
}

function addClock(out: Float64Array, from: Float64Array, f0: number, first: number): void {
  for (let i = 1; i < out.length; i++) out[i] = out[i] + first + Math.floor((from[i] - f0) / NS_PER_MS)
}

function addColumn(out: Float64Array, from: Float64Array, scale: number, d0: number): void {
  for (let i = 1; i < out.length; i++) out[i] = out[i] + from[i] * scale + d0
}

function sumBeside(out: Float64Array, from: Float64Array, scale: number, d0: number): void {
  let d = d0
  for (let i = 1; i < out.length; i++) out[i] = (d += out[i]) + from[i] * scale
}

/** Positions and remainders in turn, positions ascending from 1. */
function readPatches(column: IntColumn, high: Uint8Array): Float64Array {
  const { count, patches, planes, highAt, highBytes } = column
  const out = new Float64Array(patches * 2)
  if (patches === 0) return out
  const reader = new ByteReader(high, highAt + planes * (count - 1), highAt + highBytes)
  let at = 0
  for (let p = 0; p < patches; p++) {
    at += reader.varint() + 1
    if (at >= count) throw damaged('a patch is out of range')
    out[2 * p] = at
    out[2 * p + 1] = reader.signed()
  }
  if (reader.at !== reader.end) throw damaged('a column has bytes left over')
  return out
}

/** Differences of one or two planes without low bits, summed up at once: most columns are such. */
function readSums(column: IntColumn, high: Uint8Array, patches: Float64Array, out: Float64Array): void {
  const { count, divisor, highAt, first, planes } = column
  const floor = column.floor * divisor
  const size = count - 1
  const ones = high.subarray(highAt, highAt + size)
  const twos = high.subarray(highAt + size, highAt + planes * size)
  let sum = first
  out[0] = sum
  let i = 1
  for (let p = 0; p <= patches.length; p += 2) {
    const to = p < patches.length ? patches[p] : count
    if (planes === 2) sum = sumPairs(out, i, to, ones, twos, divisor, floor, sum)
    else if (divisor === 1) sum = sumBytes(out, i, to, ones, floor, sum)
    else sum = sumSteps(out, i, to, ones, divisor, floor, sum)
    i = to
    if (i < count) out[i++] = sum += patches[p + 1] * divisor
  }
}

function sumBytes(out: Float64Array, from: number, to: number, bytes: Uint8Array, floor: number, sum: number): number {
  let v = sum
  for (let i = from; i < to; i++) out[i] = v += bytes[i - 1] + floor
  return v
}

function sumSteps(
  out: Float64Array,
  from: number,
  to: number,
  bytes: Uint8Array,
  divisor: number,
  floor: number,
  sum: number,
): number {
  let v = sum
  for (let i = from; i < to; i++) out[i] = v += bytes[i - 1] * divisor + floor
  return v
}

function sumPairs(
  out: Float64Array,
  from: number,
  to: number,
  ones: Uint8Array,
  twos: Uint8Array,
  divisor: number,
  floor: number,
  sum: number,
): number {
  let v = sum
  for (let i = from; i < to; i++) out[i] = v += (ones[i - 1] | (twos[i - 1] << 8)) * divisor + floor
  return v
}

function readRemainders(column: IntColumn, high: Uint8Array, low: Uint8Array, out: Float64Array): void {
  const { count, floor, lowBits, planes, highAt } = column
  const size = count - 1
  const plane = (at: number): Uint8Array => high.subarray(highAt + at * size, highAt + (at + 1) * size)
  let done = 1
  if (lowBits === 0 && planes > 1) {
    takePairs(out, plane(0), plane(1), floor)
    done = 2
  } else if (lowBits === 0) takeBytes(out, plane(0), floor)
  else takeSplit(out, plane(0), low, column.lowAt * 8, lowBits, floor)
  for (; done < planes; done++) addPlane(out, plane(done), 2 ** (lowBits + 8 * done))
}

function takeBytes(out: Float64Array, bytes: Uint8Array, floor: number): void {
  for (let i = 1; i < out.length; i++) out[i] = bytes[i - 1] + floor
}

function takePairs(out: Float64Array, ones: Uint8Array, twos: Uint8Array, floor: number): void {
  for (let i = 1; i < out.length; i++) out[i] = (ones[i - 1] | (twos[i - 1] << 8)) + floor
}

function takeSplit(
  out: Float64Array,
  bytes: Uint8Array,
  low: Uint8Array,
  at: number,
  lowBits: number,
  floor: number,
): void {
  const view = new DataView(low.buffer, low.byteOffset, low.byteLength)
  const mask = (1 << lowBits) - 1
  const unit = 2 ** lowBits
  for (let i = 1, bit = at; i < out.length; i++, bit += lowBits) {
    out[i] = ((view.getUint32(bit >>> 3, true) >>> (bit & 7)) & mask) + bytes[i - 1] * unit + floor
  }
}

function addPlane(out: Float64Array, bytes: Uint8Array, unit: number): void {
  for (let i = 1; i < out.length; i++) out[i] = out[i] + bytes[i - 1] * unit
}
