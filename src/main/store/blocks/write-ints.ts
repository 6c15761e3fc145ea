/** Columns of integers into a block: the prediction that costs least is chosen by trying. */
import type { ByteWriter } from './bytes.ts'
import { BY, MAX_INT, MAX_LOW_BITS, NS_PER_MS, type By } from './ints.ts'

/** A column that another one may be predicted from. */
export interface Ref {
  readonly id: number
  readonly values: Float64Array
  /** Its unit times this is the predicted column's unit; `clock` for ns against ms. */
  readonly scale: number | 'clock'
  /** How many times smaller the column must become by it: it has to be decoded first. 1.1 unless told. */
  readonly worth?: number
}
let scratch = new Float64Array(4096)
let trial = new Float64Array(4096)

function reserve(n: number): void {
  if (scratch.length >= n) return
  scratch = new Float64Array(n)
  trial = new Float64Array(n)
}

/** Remainders of values[1..] under a prediction, into `out`; `out[0]` is 0. */
function remainders(
  by: By,
  values: Float64Array,
  n: number,
  ref: Ref | undefined,
  base: number,
  out: Float64Array,
): void {
  out[0] = 0
  if (by === BY.delta) {
    let before = values[0]
    for (let i = 1; i < n; i++) {
      const v = values[i]
      out[i] = v - before
      before = v
    }
  } else if (by === BY.delta2) {
    let before = values[0]
    let step = 0
    for (let i = 1; i < n; i++) {
      const v = values[i]
      const d = v - before
      out[i] = d - step
      step = d
      before = v
    }
  } else if (by === BY.clock && ref !== undefined) {
    const from = ref.values
    const v0 = values[0]
    const f0 = from[0] - base
    for (let i = 1; i < n; i++) out[i] = values[i] - v0 - Math.floor((from[i] - f0) / NS_PER_MS)
  } else if (ref !== undefined && typeof ref.scale === 'number') {
    const from = ref.values
    const scale = ref.scale
    const d0 = values[0] - from[0] * scale
    if (by === BY.ref) for (let i = 1; i < n; i++) out[i] = values[i] - from[i] * scale - d0
    else {
      let before = d0
      for (let i = 1; i < n; i++) {
        const d = values[i] - from[i] * scale
        out[i] = d - before
        before = d
      }
    }
  }
}

/** Estimated bits of the first rows' remainders. */
function cost(r: Float64Array, n: number): number {
  let bits = 0
  for (let i = 1; i < n; i++) {
    let v = r[i]
    if (v < 0) v = -v
    bits += v < 0x3fffffff ? 33 - Math.clz32(v) - (v === 0 ? 1 : 0) : 34 + Math.log2(v / 0x3fffffff)
  }
  return bits
}

const SAMPLE = 384

/** Writes a column: description to `head`, bytes for zstd to `high`, plain bits to `low`. */
export function writeInts(
  values: Float64Array,
  n: number,
  refs: readonly Ref[],
  head: ByteWriter,
  high: ByteWriter,
  low: ByteWriter,
): void {
  head.varint(n)
  if (n === 0) return
  reserve(n)
  let constant = true
  let integers = true
  const v0 = values[0]
  for (let i = 0; i < n; i++) {
    const v = values[i]
    if (v !== v0) constant = false
    if (!(v <= MAX_INT && v >= -MAX_INT) || v !== Math.floor(v) || (v === 0 && 1 / v < 0)) {
      integers = false
      break
    }
  }
  if (!integers) {
    head.byte(BY.doubles)
    const bytes = new Uint8Array(n * 8)
    const view = new DataView(bytes.buffer)
    for (let i = 0; i < n; i++) view.setFloat64(i * 8, values[i], true)
    high.raw(bytes)
    return
  }
  if (constant) {
    head.byte(BY.constant)
    head.signed(v0)
    return
  }

  const sample = Math.min(n, SAMPLE)
  let by: By = BY.delta
  let ref: Ref | undefined
  let base = 0
  remainders(by, values, sample, undefined, 0, trial)
  let best = cost(trial, sample)
  remainders(BY.delta2, values, sample, undefined, 0, trial)
  // a guess that is barely better is not worth its noise
  let c = cost(trial, sample) * 1.05
  if (c < best) {
    best = c
    by = BY.delta2
  }
  for (const r of refs) {
    if (typeof r.scale === 'number' && r.scale !== 1 && !fits(r.values, n, r.scale)) continue
    if (r.scale === 'clock') {
      const phase = clockPhase(values, r.values, n)
      remainders(BY.clock, values, sample, r, phase, trial)
      c = cost(trial, sample)
      if (c < best) {
        best = c
        by = BY.clock
        ref = r
        base = phase
      }
      continue
    }
    for (const way of [BY.ref, BY.refDelta] as const) {
      remainders(way, values, sample, r, 0, trial)
      // another column must then be decoded for this one: it has to pay
      c = cost(trial, sample) * (r.worth ?? 1.1)
      if (c < best) {
        best = c
        by = way
        ref = r
      }
    }
  }
  remainders(by, values, n, ref, base, scratch)

  let most = 0
  for (let i = 1; i < n; i++) {
    const v = scratch[i]
    if (v > most) most = v
    else if (-v > most) most = -v
  }
  // a scaled reference may leave what fits: exactness of 2 × most must hold
  if (most > 2 ** 52) {
    by = BY.delta
    ref = undefined
    remainders(by, values, n, undefined, 0, scratch)
  }
  const divisor = commonDivisor(scratch, n)
  if (divisor > 1) {
    most = most / divisor
    for (let i = 1; i < n; i++) scratch[i] = scratch[i] / divisor
  }
  const lowBits = chooseLowBits(scratch, n)
  const from = high.at
  if (most < 0x3fffffff) writeSmall(scratch, n, lowBits, high, low)
  else writeWide(scratch, n, lowBits, high, low)

  head.byte(by)
  head.signed(v0)
  if (by === BY.ref || by === BY.refDelta || by === BY.clock) {
    head.varint(ref?.id ?? 0)
    if (by === BY.clock) head.varint(base)
    else head.varint(typeof ref?.scale === 'number' ? ref.scale : 1)
  }
  head.varint(divisor)
  head.byte(lowBits)
  head.varint(high.at - from)
}

/** Whether every value times `scale` is still exact with room for differences. */
function fits(values: Float64Array, n: number, scale: number): boolean {
  const most = MAX_INT / scale
  for (let i = 0; i < n; i++) if (!(Math.abs(values[i]) <= most)) return false
  return true
}

/** The offset that makes most of floor((ns + offset) / 1e6) the wall clock's step. */
function clockPhase(wall: Float64Array, ns: Float64Array, n: number): number {
  const w0 = wall[0]
  const n0 = ns[0]
  let least = 0
  let greatest = 0
  for (let i = 1; i < n; i++) {
    const x = (wall[i] - w0) * NS_PER_MS - (ns[i] - n0)
    const min = x < least ? x : least
    const max = x > greatest ? x : greatest
    if (max - min >= NS_PER_MS) break
    least = min
    greatest = max
  }
  return Math.floor(greatest)
}

/** Greatest common divisor of all remainders. */
function commonDivisor(r: Float64Array, n: number): number {
  let g = 0
  for (let i = 1; i < n; i++) {
    let a = r[i]
    if (a === 0) continue
    if (a < 0) a = -a
    if (g === 0) g = a
    else if (g < 0x7fffffff && a < 0x7fffffff) {
      let x = g | 0
      let y = a | 0
      while (y !== 0) {
        const rest = (x % y) | 0
        x = y
        y = rest
      }
      g = x
    } else {
      let b = g
      while (b !== 0) {
        const rest = a % b
        a = b
        b = rest
      }
      g = a
    }
    if (g === 1) return 1
  }
  return g === 0 ? 1 : g
}

/** Low bits that are noise: what stays above them is about a handful of bits. */
function chooseLowBits(r: Float64Array, n: number): number {
  let bits = 0
  const step = Math.max(1, Math.floor(n / 512))
  let rows = 0
  for (let i = 1; i < n; i += step) {
    let v = r[i]
    if (v < 0) v = -v
    bits += v < 0x3fffffff ? 33 - Math.clz32(v) : 34 + Math.log2(v / 0x3fffffff)
    rows++
  }
  const mean = Math.round(bits / Math.max(1, rows))
  return mean <= 7 ? 0 : Math.min(MAX_LOW_BITS, mean - 5)
}

function writeSmall(r: Float64Array, n: number, lowBits: number, high: ByteWriter, low: ByteWriter): void {
  high.room(n * 5)
  const out = high.bytes
  let at = high.at
  if (lowBits === 0) {
    for (let i = 1; i < n; i++) {
      const v = r[i] | 0
      let z = (v << 1) ^ (v >> 31)
      while (z >= 0x80) {
        out[at++] = (z & 0x7f) | 0x80
        z >>>= 7
      }
      out[at++] = z
    }
    high.at = at
    return
  }
  low.room(Math.ceil((n * lowBits) / 8) + 8)
  const bits = low.bytes
  let to = low.at
  let acc = 0
  let have = 0
  const mask = (1 << lowBits) - 1
  for (let i = 1; i < n; i++) {
    const v = r[i] | 0
    let z = (v << 1) ^ (v >> 31)
    let part = z & mask
    let left = lowBits
    z >>>= lowBits
    while (have + left >= 8) {
      const take = 8 - have
      bits[to++] = acc | ((part & ((1 << take) - 1)) << have)
      part >>>= take
      left -= take
      acc = 0
      have = 0
    }
    acc |= part << have
    have += left
    while (z >= 0x80) {
      out[at++] = (z & 0x7f) | 0x80
      z >>>= 7
    }
    out[at++] = z
  }
  if (have > 0) bits[to++] = acc
  high.at = at
  low.at = to
}

function writeWide(r: Float64Array, n: number, lowBits: number, high: ByteWriter, low: ByteWriter): void {
  const unit = 2 ** lowBits
  low.room(Math.ceil((n * lowBits) / 8) + 8)
  let acc = 0
  let have = 0
  for (let i = 1; i < n; i++) {
    const v = r[i]
    const z = v < 0 ? -2 * v - 1 : 2 * v
    const above = Math.floor(z / unit)
    let part = z - above * unit
    let left = lowBits
    while (have + left >= 8) {
      const take = 8 - have
      low.byte(acc | ((part & ((1 << take) - 1)) << have))
      part >>>= take
      left -= take
      acc = 0
      have = 0
    }
    acc |= part << have
    have += left
    high.varint(above)
  }
  if (have > 0) low.byte(acc)
}
