/** Chooses the cheapest window of remainders for a column: floor, low bits and planes. */
import { MAX_LOW_BITS, MAX_PLANES } from './ints.ts'

export interface Window {
  readonly floor: number
  readonly lowBits: number
  readonly planes: number
  /** Estimated bits per value. */
  readonly bits: number
}

/** Maximum values that a window is planned from. */
const SAMPLE = 1024
/** Cost of a patch, in bits: its position and its value. */
const PATCH_BITS = 40
/** Low-bit counts tried above the smallest that fits: more low bits don't make noise smaller. */
const MAX_TRIES = 3
/** Cost of reading another plane, or low bits, per value in bits. */
const PLANE_COST = 0.3
const LOW_BITS_COST = 0.15

const sorted = new Float64Array(SAMPLE)
/** Integers of 32 bits are sorted several times faster than doubles. */
const sortedInts = new Int32Array(SAMPLE)
const counts = new Uint32Array(256)

/** Plans the window of r[1..n), integer remainders of at most 2^51, from about `most` of them. */
export function planWindow(r: Float64Array, n: number, most = SAMPLE): Window {
  let least = Infinity
  let greatest = -Infinity
  for (let i = 1; i < n; i++) {
    const v = r[i]
    if (v < least) least = v
    if (v > greatest) greatest = v
  }
  const step = Math.max(1, Math.ceil((n - 1) / Math.min(most, SAMPLE)))
  const areSmall = least >= -0x80000000 && greatest <= 0x7fffffff
  const sample = areSmall ? sortSmall(r, n, step) : sortLarge(r, n, step)
  const size = sample.length
  const common = sample[Math.floor(size * 0.95)] - sample[Math.floor(size * 0.05)]
  let best: Window = { floor: 0, lowBits: 0, planes: MAX_PLANES, bits: Infinity }
  for (let planes = 1; planes <= MAX_PLANES; planes++) {
    let tries = planes === 1 ? MAX_TRIES : 1
    for (let lowBits = 0; lowBits <= MAX_LOW_BITS && tries > 0; lowBits++) {
      const room = 2 ** (lowBits + 8 * planes)
      if (common >= room) continue
      const fits = planes === 1 && greatest - least < room
      const floor = fits ? least : bestFloor(sample, room, planes === 1)
      const from = indexOfFirst(sample, floor)
      const to = indexOfFirst(sample, floor + room)
      const inside = to - from
      if (inside < size * 0.875) continue
      tries--
      const patches = ((size - inside) / size) * PATCH_BITS
      const low = lowBits + (lowBits > 0 ? LOW_BITS_COST : 0)
      const bits = low + planesBits(sample, from, to, floor, lowBits, planes) + patches
      if (bits < best.bits) best = { floor, lowBits, planes, bits }
    }
    if (best.bits < Infinity && planes >= 2) break
  }
  return best
}

/** Each `step`-th remainder, ascending. */
function sortSmall(r: Float64Array, n: number, step: number): Float64Array {
  let size = 0
  for (let i = 1; i < n; i += step) sortedInts[size++] = r[i]!
  const sample = sorted.subarray(0, size)
  sample.set(sortedInts.subarray(0, size).sort())
  return sample
}

function sortLarge(r: Float64Array, n: number, step: number): Float64Array {
  let size = 0
  for (let i = 1; i < n; i += step) sorted[size++] = r[i]!
  return sorted.subarray(0, size).sort()
}

/**
 * Floor of the window of size `room` that covers most of the sorted sample. `centred` leaves equal room on both sides.
 * Higher planes compress better if the window starts at the minimum, because most of their bytes are then 0.
 */
function bestFloor(sample: Float64Array, room: number, centred: boolean): number {
  const n = sample.length
  let inside = 0
  let floor = sample[0]
  for (let from = 0, to = 0; from < n && to < n; from++) {
    while (to < n && sample[to] - sample[from] < room) to++
    if (to - from <= inside) continue
    inside = to - from
    floor = sample[from] - (centred ? Math.floor((room - 1 - (sample[to - 1] - sample[from])) / 2) : 0)
  }
  return floor
}

/** Index of the first value of a sorted sample that isn't below `least`. */
function indexOfFirst(sample: Float64Array, least: number): number {
  let from = 0
  let to = sample.length
  while (from < to) {
    const middle = (from + to) >> 1
    if (sample[middle] < least) from = middle + 1
    else to = middle
  }
  return from
}

/** c × log2(c). */
const LOGS = Float64Array.from({ length: SAMPLE + 1 }, (_, c) => (c === 0 ? 0 : c * Math.log2(c)))

/** Estimated compressed bits of the planes of sample[from, to), per value. */
function planesBits(
  sample: Float64Array,
  from: number,
  to: number,
  floor: number,
  lowBits: number,
  planes: number,
): number {
  const n = to - from
  let bits = (planes - 1) * PLANE_COST
  for (let plane = 0; plane < planes; plane++) {
    counts.fill(0)
    countBytes(sample, from, to, floor, 1 / 2 ** (lowBits + 8 * plane))
    let used = 0
    let logs = 0
    for (let i = 0; i < 256; i++) {
      const count = counts[i]
      if (count === 0) continue
      used++
      logs += LOGS[count]
    }
    // a small sample underestimates the entropy of many values
    bits += Math.min(8, (LOGS[n] - logs) / n + (used - 1) / (2 * n * Math.LN2))
  }
  return bits
}

/** Counts the byte of each value that begins at the bit with this weight. */
function countBytes(sample: Float64Array, from: number, to: number, floor: number, share: number): void {
  for (let i = from; i < to; i++) {
    const byte = Math.floor((sample[i] - floor) * share) & 255
    counts[byte] = counts[byte] + 1
  }
}
