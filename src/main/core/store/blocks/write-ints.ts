/** Writes integer columns into a block, choosing the cheapest prediction by trial. */
import { ByteWriter } from './bytes.ts'
import { BY, MAX_INT, NS_PER_MS, type By } from './ints.ts'
import { planWindow, type Window } from './window.ts'

/** A column that others can be predicted from. */
export interface Ref {
  readonly id: number
  readonly values: Float64Array
  /** Multiplied by this, its values have the predicted column's unit; `clock` predicts ms from ns. */
  readonly scale: number | 'clock'
  /** Required gain in size, because the reference must be decoded first; default 1.1. */
  readonly minGain?: number
}
let scratch = new Float64Array(4096)
let trial = new Float64Array(4096)

function reserve(n: number): void {
  if (scratch.length >= n) return
  scratch = new Float64Array(n)
  trial = new Float64Array(n)
}

/** Writes remainders of values[1..] under a prediction to `out`; `out[0]` is 0. */
function remainders(
  by: By,
  values: Float64Array,
  n: number,
  ref: Ref | undefined,
  base: number,
  out: Float64Array,
): void {
  out[0] = 0
  if (by === BY.plain) for (let i = 1; i < n; i++) out[i] = values[i]
  else if (by === BY.delta) {
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

/** Rows that predictions are compared over: first a rough comparison, then a precise one of the finalists. */
const ROUGH_SAMPLE = 256
const SAMPLE = 192
/** Predictions compared precisely. */
const FINALISTS = 2

interface Prediction {
  readonly by: By
  readonly ref: Ref | undefined
  readonly base: number
  /** Factor on the bits, for the cost of decoding the referenced column. */
  readonly weight: number
}

function* predictions(values: Float64Array, n: number, refs: readonly Ref[]): Generator<Prediction> {
  for (const by of [BY.delta, BY.plain, BY.delta2]) {
    // a barely better prediction isn't worth its noise
    yield { by, ref: undefined, base: 0, weight: by === BY.delta2 ? 1.05 : 1 }
  }
  for (const ref of refs) {
    if (ref.scale === 'clock') yield { by: BY.clock, ref, base: clockPhase(values, ref.values, n), weight: 1 }
    else if (ref.scale === 1 || fits(ref.values, n, ref.scale)) {
      for (const by of [BY.ref, BY.refDelta]) yield { by, ref, base: 0, weight: ref.minGain ?? 1.1 }
    }
  }
}

/** The cheapest prediction: a rough estimate picks the finalists, planning their windows decides. */
function choosePrediction(values: Float64Array, n: number, refs: readonly Ref[]): Prediction {
  const roughCount = Math.min(n, ROUGH_SAMPLE)
  const rough = [...predictions(values, n, refs)].map((guess) => {
    remainders(guess.by, values, roughCount, guess.ref, guess.base, trial)
    return { guess, bits: (cost(trial, roughCount) + roughCount / 4) * guess.weight }
  })
  rough.sort((a, b) => a.bits - b.bits)
  const likely = rough.slice(0, FINALISTS)
  if (!likely.some(({ guess }) => guess.by === BY.delta)) likely.push(...rough.filter((r) => r.guess.by === BY.delta))
  const sample = Math.min(n, SAMPLE)
  let best = likely[0].guess
  let least = Infinity
  for (const { guess } of likely) {
    remainders(guess.by, values, sample, guess.ref, guess.base, trial)
    const bits = (planWindow(trial, sample, SAMPLE).bits + 0.05) * guess.weight
    if (bits < least) {
      least = bits
      best = guess
    }
  }
  return best
}

/** Writes a column: description to `head`, bytes for zstd to `high`, raw bits to `low`. */
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

  let { by, ref, base } = choosePrediction(values, n, refs)
  remainders(by, values, n, ref, base, scratch)
  let most = 0
  for (let i = 1; i < n; i++) {
    const v = scratch[i]
    if (v > most) most = v
    else if (-v > most) most = -v
  }
  // a scaled reference may overflow: 2 × most must be exact
  if (most > 2 ** 51) {
    by = BY.delta
    ref = undefined
    base = 0
    remainders(by, values, n, undefined, 0, scratch)
  }
  const divisor = commonDivisor(scratch, n)
  if (divisor > 1) for (let i = 1; i < n; i++) scratch[i] = scratch[i] / divisor
  const window = planWindow(scratch, n)
  head.byte(by)
  head.signed(v0)
  if (by === BY.ref || by === BY.refDelta || by === BY.clock) {
    head.varint(ref?.id ?? 0)
    if (by === BY.clock) head.varint(base)
    else head.varint(typeof ref?.scale === 'number' ? ref.scale : 1)
  }
  head.varint(divisor)
  writeWindow(scratch, n, window, head, high, low)
}

/** Writes remainders as low bits, planes and patches. */
function writeWindow(
  r: Float64Array,
  n: number,
  { floor, lowBits, planes }: Window,
  head: ByteWriter,
  high: ByteWriter,
  low: ByteWriter,
): void {
  const size = n - 1
  high.reserve(planes * size)
  low.reserve(Math.ceil((size * lowBits) / 8) + 8)
  const out = high.bytes
  const bits = low.bytes
  const start = high.at
  const room = 2 ** (lowBits + 8 * planes)
  const unit = 2 ** lowBits
  const mask = unit - 1
  const patches = new ByteWriter(64)
  let patched = 0
  let before = 0
  let last = 0
  let to = low.at
  let acc = 0
  let have = 0
  for (let i = 1; i < n; i++) {
    let z = r[i] - floor
    if (!(z >= 0 && z < room)) {
      patches.varint(i - last - 1)
      patches.signed(r[i])
      last = i
      patched++
      // repeating the previous value compresses best
      z = before
    }
    before = z
    let above: number
    if (room <= 2 ** 30) {
      above = (z | 0) >>> lowBits
      if (lowBits > 0) acc |= ((z | 0) & mask) << have
    } else {
      const whole = Math.floor(z / unit)
      if (lowBits > 0) acc |= (z - whole * unit) << have
      above = whole
    }
    if (lowBits > 0) {
      // at most 7 + 24 bits are pending
      have += lowBits
      while (have >= 8) {
        bits[to++] = acc & 255
        acc >>>= 8
        have -= 8
      }
    }
    const at = start + i - 1
    out[at] = above & 255
    for (let p = 1; p < planes; p++) {
      above = (above - (above & 255)) / 256
      out[at + p * size] = above & 255
    }
  }
  if (have > 0) bits[to++] = acc & 255
  high.at = start + planes * size
  low.at = to
  head.signed(floor)
  head.byte(lowBits)
  head.byte(planes)
  head.varint(patched)
  if (patched === 0) return
  head.varint(patches.at)
  high.raw(patches.finish())
}

/** Whether every value times `scale` is exact, with room for differences. */
function fits(values: Float64Array, n: number, scale: number): boolean {
  const most = MAX_INT / scale
  for (let i = 0; i < n; i++) if (!(Math.abs(values[i]) <= most)) return false
  return true
}

/** The offset that makes floor((ns + offset) / 1e6) match most steps of the wall clock. */
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
      // most are multiples of it, which takes one division
      let x = a | 0
      let y = g | 0
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
