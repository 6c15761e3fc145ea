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
const counts = new Uint32Array(256)

/** Plans the window of r[1..n), remainders of at most 2^51, from about `most` of them. */
export function planWindow(r: Float64Array, n: number, most = SAMPLE): Window {
  const step = Math.max(1, Math.ceil((n - 1) / Math.min(most, SAMPLE)))
  let size = 0
  for (let i = 1; i < n; i += step) sorted[size++] = r[i]!
  const sample = sorted.subarray(0, size).sort()
  let least = Infinity
  let greatest = -Infinity
  for (let i = 1; i < n; i++) {
    const v = r[i]
    if (v < least) least = v
    if (v > greatest) greatest = v
  }
  const common = sample[Math.floor(size * 0.95)] - sample[Math.floor(size * 0.05)]
  let best: Window = { floor: 0, lowBits: 0, planes: MAX_PLANES, bits: Infinity }
  for (let planes = 1; planes <= MAX_PLANES; planes++) {
    let tries = planes === 1 ? MAX_TRIES : 1
    for (let lowBits = 0; lowBits <= MAX_LOW_BITS && tries > 0; lowBits++) {
      const room = 2 ** (lowBits + 8 * planes)
      if (common >= room) continue
      const fits = planes === 1 && greatest - least < room
      const floor = fits ? least : bestFloor(sample, room, planes === 1)
      const inside = countInside(sample, floor, room)
      if (inside < size * 0.875) continue
      tries--
      const patches = ((size - inside) / size) * PATCH_BITS
      const bits = lowBits + (lowBits > 0 ? LOW_BITS_COST : 0) + planesBits(sample, floor, lowBits, planes) + patches
      if (bits < best.bits) best = { floor, lowBits, planes, bits }
    }
    if (best.bits < Infinity && planes >= 2) break
  }
  return best
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

function countInside(sample: Float64Array, floor: number, room: number): number {
  let inside = 0
  for (const value of sample) if (value >= floor && value - floor < room) inside++
  return inside
}

/** c × log2(c). */
const LOGS = Float64Array.from({ length: SAMPLE + 1 }, (_, c) => (c === 0 ? 0 : c * Math.log2(c)))

/** Estimated compressed bits of the planes, per value. */
function planesBits(sample: Float64Array, floor: number, lowBits: number, planes: number): number {
  let bits = (planes - 1) * PLANE_COST
  for (let plane = 0; plane < planes; plane++) {
    const n = countBytes(sample, floor, 1 / 2 ** lowBits, 2 ** (8 * planes), 1 / 2 ** (8 * plane))
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

/** Counts the byte values of one plane. Returns the number of bytes. */
function countBytes(sample: Float64Array, floor: number, scale: number, room: number, plane: number): number {
  counts.fill(0)
  let n = 0
  for (let i = 0; i < sample.length; i++) {
    const z = (sample[i] - floor) * scale
    if (!(z >= 0 && z < room)) continue
    const byte = Math.floor(z * plane) & 255
    counts[byte] = counts[byte] + 1
    n++
  }
  return n
}
