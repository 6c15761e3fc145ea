/** Reads integer columns of a block with as few branches and calls per value as possible. */
import { ByteReader, corruptBlock } from './bytes.ts'
import { MAX_VALUES, SHORT_RUN, sumKernel, type SumKernel } from '../kernels/sum-kernel.ts'
import { BY, LOW_PADDING, MAX_LOW_BITS, MAX_PLANES, NS_PER_MS, type IntColumn } from './ints.ts'

/** Offset of the next column's bytes in each section. */
export interface SectionOffsets {
  hot: number
  cold: number
  low: number
}

/** Reads a column's description and advances `places`. */
export function readIntColumn(head: ByteReader, places: SectionOffsets, rows: number, cold: boolean): IntColumn {
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
      if (lowBits > MAX_LOW_BITS) throw corruptBlock('a column has too many low bits')
      const planes = head.byte()
      if (planes < 1 || planes > MAX_PLANES) throw corruptBlock('a column has too many planes')
      const patches = head.count(count - 1, 'a count of patches')
      const highBytes = planes * (count - 1) + (patches === 0 ? 0 : head.varint())
      take(highBytes)
      places.low += Math.ceil(((count - 1) * lowBits) / 8)
      return { count, by, ref, scale, base, first, divisor, floor, planes, patches, ...at, lowBits, highBytes }
    }
    default:
      throw corruptBlock('a column has an unknown encoding')
  }
}

/** The column that another one is predicted from: its first value, and the values in the requested range. */
export interface ReferenceColumn {
  readonly first: number
  readonly values: Float64Array
}

/**
 * Decodes values [from, to) of a column into `out`, which has that length. Earlier values are skipped. If `from` isn't
 * 0, `out[0]` is undefined. `ref` returns the same range of the referenced column, which comes before this one and has
 * the same length.
 */
export function readRange(
  column: IntColumn,
  high: Uint8Array,
  low: Uint8Array,
  ref: (id: number) => ReferenceColumn,
  from: number,
  to: number,
  out: Float64Array,
): Float64Array {
  const n = column.count
  if (!(from >= 0 && from <= to && to <= n) || out.length !== to - from) throw new RangeError('no range of the column')
  if (from === to) return out
  const { by, first } = column
  if (by === BY.constant) return out.fill(first)
  if (column.highAt + column.highBytes > high.length) throw corruptBlock('a column is truncated')
  if (by === BY.doubles) {
    const view = new DataView(high.buffer, high.byteOffset + column.highAt, n * 8)
    for (let i = 0; i < out.length; i++) out[i] = view.getFloat64((from + i) * 8, true)
    return out
  }
  if (column.lowAt + Math.ceil(((n - 1) * column.lowBits) / 8) + LOW_PADDING > low.length) {
    throw corruptBlock('a column is truncated')
  }
  const patches = readPatches(column, high)
  if (by === BY.delta && column.lowBits === 0 && column.planes <= 2) {
    readSums(column, high, patches, from, out)
    return out
  }
  const remainders = { column, high, low, patches }
  switch (by) {
    case BY.plain:
      readRemainders(remainders, from, out)
      if (from === 0) out[0] = first
      return out
    case BY.delta: {
      const before = skipTo(remainders, from, sumAlong, { v: first, step: 0 })
      readRemainders(remainders, from, out)
      sumAlong(out, before)
      return out
    }
    case BY.delta2: {
      const before = skipTo(remainders, from, sumTwice, { v: first, step: 0 })
      readRemainders(remainders, from, out)
      sumTwice(out, before)
      return out
    }
    default: {
      const { first: f0, values } = ref(column.ref)
      if (values.length !== out.length) throw corruptBlock('a column refers to a column of a different length')
      const d0 = first - f0 * column.scale
      const before = by === BY.refDelta ? skipTo(remainders, from, sumAlong, { v: d0, step: 0 }) : { v: d0, step: 0 }
      readRemainders(remainders, from, out)
      if (by === BY.clock) addClock(out, values, f0 - column.base, first)
      else if (by === BY.ref) addColumn(out, values, column.scale, d0)
      else addReferenceDeltas(out, values, column.scale, before.v)
      if (from === 0) out[0] = first
      return out
    }
  }
}

interface Remainders {
  readonly column: IntColumn
  readonly high: Uint8Array
  readonly low: Uint8Array
  readonly patches: Float64Array
}

/** A running sum: its value and, for sums of sums, its step. */
interface Sum {
  readonly v: number
  readonly step: number
}

const PASSED = 1024
const passing = new Float64Array(PASSED + 1)

/** The sum up to a value, skipping what comes before it. */
function skipTo(of: Remainders, upTo: number, add: (r: Float64Array, from: Sum) => Sum, from: Sum): Sum {
  let sum = from
  for (let at = 0; at < upTo; at += PASSED) {
    const part = passing.subarray(0, Math.min(PASSED, upTo - at) + 1)
    readRemainders(of, at, part)
    sum = add(part, sum)
  }
  return sum
}

// One loop per function: V8 replaces a long-running loop while it runs, and drops the optimized code of the whole
// function when it reaches code after the loop that never ran before.

function scaleUp(out: Float64Array, divisor: number): void {
  for (let i = 1; i < out.length; i++) out[i] = out[i] * divisor
}

/** Replaces each value with the running sum up to it; `out[0]` becomes the sum so far. */
function sumAlong(out: Float64Array, { v: start }: Sum): Sum {
  let v = start
  out[0] = v
  for (let i = 1; i < out.length; i++) out[i] = v += out[i]
  return { v, step: 0 }
}

function sumTwice(out: Float64Array, { v: start, step: before }: Sum): Sum {
  let v = start
  let step = before
  out[0] = v
  for (let i = 1; i < out.length; i++) out[i] = v += step += out[i]
  return { v, step }
}

function addClock(out: Float64Array, from: Float64Array, f0: number, first: number): void {
  for (let i = 1; i < out.length; i++) out[i] = out[i] + first + Math.floor((from[i] - f0) / NS_PER_MS)
}

function addColumn(out: Float64Array, from: Float64Array, scale: number, d0: number): void {
  for (let i = 1; i < out.length; i++) out[i] = out[i] + from[i] * scale + d0
}

function addReferenceDeltas(out: Float64Array, from: Float64Array, scale: number, d0: number): void {
  let d = d0
  for (let i = 1; i < out.length; i++) out[i] = (d += out[i]) + from[i] * scale
}

/** Alternating positions and remainders; positions ascend from 1. */
function readPatches(column: IntColumn, high: Uint8Array): Float64Array {
  const { count, patches, planes, highAt, highBytes } = column
  const out = new Float64Array(patches * 2)
  if (patches === 0) return out
  const reader = new ByteReader(high, highAt + planes * (count - 1), highAt + highBytes)
  let at = 0
  for (let p = 0; p < patches; p++) {
    at += reader.varint() + 1
    if (at >= count) throw corruptBlock('a patch is out of range')
    out[2 * p] = at
    out[2 * p + 1] = reader.signed()
  }
  if (reader.at !== reader.end) throw corruptBlock('a column has extra bytes at its end')
  return out
}

/** Sums up differences of one or two planes without low bits, the most common kind of column. */
function readSums(column: IntColumn, high: Uint8Array, patches: Float64Array, from: number, out: Float64Array): void {
  const { count, divisor, highAt, first, planes } = column
  const floor = column.floor * divisor
  const size = count - 1
  const to = from + out.length
  const ones = high.subarray(highAt, highAt + size)
  const twos = high.subarray(highAt + size, highAt + planes * size)
  const areSmall = ((planes === 2 ? 0xffff : 0xff) * divisor + Math.abs(floor)) * SHORT_RUN < 2 ** 31
  const kernel = areSmall ? sumKernel() : null
  let sum = first
  let i = 1
  let p = 0
  const next = (end: number): number => (p < patches.length && patches[p] < end ? patches[p] : end)
  while (i <= from) {
    const stop = next(from + 1)
    sum =
      planes === 2 ? passPairs(i, stop, ones, twos, divisor, floor, sum) : passBytes(i, stop, ones, divisor, floor, sum)
    i = stop
    if (i <= from) {
      sum += patches[p + 1] * divisor
      p += 2
      i++
    }
  }
  out[0] = sum
  while (i < to) {
    const stop = next(to)
    sum =
      kernel !== null && stop - i >= MIN_RUN
        ? sumInKernel(kernel, out.subarray(i - from, stop - from), i, ones, twos, divisor, floor, sum)
        : planes === 2
          ? sumPairs(out, from, i, stop, ones, twos, divisor, floor, sum)
          : sumBytes(out, from, i, stop, ones, divisor, floor, sum)
    i = stop
    if (i < to) {
      out[i++ - from] = sum += patches[p + 1] * divisor
      p += 2
    }
  }
}

/** Fewest values that are worth a call to the kernel. */
const MIN_RUN = 64

/** Sums up the differences of values from number `first` on. Returns the last sum. */
function sumInKernel(
  kernel: SumKernel,
  out: Float64Array,
  first: number,
  ones: Uint8Array,
  twos: Uint8Array,
  divisor: number,
  floor: number,
  start: number,
): number {
  let sum = start
  for (let done = 0; done < out.length; done += MAX_VALUES) {
    const n = Math.min(MAX_VALUES, out.length - done)
    const from = first - 1 + done
    kernel.ones.set(ones.subarray(from, from + n))
    if (twos.length === 0) sum = kernel.sumBytes(n, divisor, floor, sum)
    else {
      kernel.twos.set(twos.subarray(from, from + n))
      sum = kernel.sumPairs(n, divisor, floor, sum)
    }
    out.set(kernel.out.subarray(0, n), done)
  }
  return sum
}

function passBytes(from: number, to: number, bytes: Uint8Array, divisor: number, floor: number, sum: number): number {
  let v = sum
  for (let i = from; i < to; i++) v += bytes[i - 1] * divisor + floor
  return v
}

function passPairs(
  from: number,
  to: number,
  ones: Uint8Array,
  twos: Uint8Array,
  divisor: number,
  floor: number,
  sum: number,
): number {
  let v = sum
  for (let i = from; i < to; i++) v += (ones[i - 1] | (twos[i - 1] << 8)) * divisor + floor
  return v
}

function sumBytes(
  out: Float64Array,
  first: number,
  from: number,
  to: number,
  bytes: Uint8Array,
  divisor: number,
  floor: number,
  sum: number,
): number {
  let v = sum
  for (let i = from; i < to; i++) out[i - first] = v += bytes[i - 1] * divisor + floor
  return v
}

function sumPairs(
  out: Float64Array,
  first: number,
  from: number,
  to: number,
  ones: Uint8Array,
  twos: Uint8Array,
  divisor: number,
  floor: number,
  sum: number,
): number {
  let v = sum
  for (let i = from; i < to; i++) out[i - first] = v += (ones[i - 1] | (twos[i - 1] << 8)) * divisor + floor
  return v
}

/** Reads remainders of values (from, from + out.length), patched and scaled; none for value `from` itself. */
function readRemainders({ column, high, low, patches }: Remainders, from: number, out: Float64Array): void {
  const { count, floor, lowBits, planes, highAt, divisor } = column
  const size = count - 1
  const plane = (at: number): Uint8Array => {
    const start = highAt + at * size + from
    return high.subarray(start, start + out.length - 1)
  }
  let done = 1
  if (lowBits === 0 && planes > 1) {
    takePairs(out, plane(0), plane(1), floor)
    done = 2
  } else if (lowBits === 0) takeBytes(out, plane(0), floor)
  else takeSplit(out, plane(0), low, column.lowAt * 8 + from * lowBits, lowBits, floor)
  for (; done < planes; done++) addPlane(out, plane(done), 2 ** (lowBits + 8 * done))
  for (let p = 0; p < patches.length; p += 2) {
    const at = patches[p] - from
    if (at > 0 && at < out.length) out[at] = patches[p + 1]!
  }
  if (divisor !== 1) scaleUp(out, divisor)
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
