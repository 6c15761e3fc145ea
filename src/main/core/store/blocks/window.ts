/** Which window of remainders a column is coded in: floor, low bits and planes that cost least. */
import { MAX_LOW_BITS, MAX_PLANES } from './ints.ts'

export interface Window {
  readonly floor: number
  readonly lowBits: number
  readonly planes: number
  /** Estimated bits a value. */
  readonly bits: number
}

/** Most values that a window is planned by. */
const SAMPLE = 1024
/** A patch: its position and its value. */
const PATCH_BITS = 40
/** More low bits than the least that will do: noise is no smaller for being coded. */
const MAX_TRIES = 3
/** What reading one plane more, or low bits, is worth in bits. */
const PLANE_COST = 0.3
const LOW_BITS_COST = 0.15

const sorted = new Float64Array(SAMPLE)
const counts = new Uint32Array(256)

/** Plans the window of r[1..n), remainders of at most 2^51, by about `most` of them. */
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
 * Where the window of this size begins that holds most of the sorted sample. `centred`: with what room
 * is left on both sides. Upper planes gain by beginning at the least instead: most of them is then 0.
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

/** Bits a value that the planes take once coded. */
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
    // a small sample knows too little of many values
    bits += Math.min(8, (LOGS[n] - logs) / n + (used - 1) / (2 * n * Math.LN2))
  }
  return bits
}

/** Counts the bytes of one plane; answers of how many values. */
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
