/** Parquet's DELTA_BINARY_PACKED encoding of 64-bit integers, computed with doubles instead of BigInts. */

const BLOCK = 128
const PART = 32
const PARTS = BLOCK / PART
/** Integers up to here, twice them, and differences of differences within the span are exact as doubles. */
const LARGEST = 2 ** 52
const SPAN = 2 ** 51

/** Whether `packDeltas` can encode these integers. */
export function canPackDeltas(values: Float64Array): boolean {
  let [least, most] = [Infinity, -Infinity]
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    if (!(Math.abs(value) <= LARGEST)) return false
    if (value < least) least = value
    if (value > most) most = value
  }
  return most - least <= SPAN || values.length === 0
}

/** Encodes integers that `canPackDeltas` accepts. */
export function packDeltas(values: Float64Array): Uint8Array {
  // A block takes at most its smallest difference, four widths, and eight bytes for each value.
  const out = new Uint8Array(48 + Math.ceil(values.length / BLOCK) * (10 + PARTS + BLOCK * 8))
  let at = 0
  const varint = (value: number): void => {
    let rest = value
    for (; rest >= 128; rest = Math.floor(rest / 128)) out[at++] = (rest % 128) | 128
    out[at++] = rest
  }
  const zigzag = (value: number): void => varint(value < 0 ? -2 * value - 1 : 2 * value)
  varint(BLOCK)
  varint(PARTS)
  varint(values.length)
  zigzag(values.length === 0 ? 0 : values[0])
  const deltas = new Float64Array(BLOCK)
  for (let from = 1; from < values.length; from += BLOCK) {
    const count = Math.min(BLOCK, values.length - from)
    let least = Infinity
    for (let i = 0; i < count; i++) {
      const delta = values[from + i] - values[from + i - 1]
      deltas[i] = delta
      if (delta < least) least = delta
    }
    for (let i = 0; i < count; i++) deltas[i] -= least
    deltas.fill(0, count)
    zigzag(least)
    const widths = at
    at += PARTS
    for (let part = 0; part < PARTS; part++) {
      const first = part * PART
      let most = 0
      for (let i = first; i < first + PART; i++) if (deltas[i] > most) most = deltas[i]
      const width = widthOf(most)
      out[widths + part] = width
      if (width > 0) at = pack(deltas, first, width, out, at)
    }
  }
  return out.subarray(0, at)
}

/** How many bits a whole number needs. */
function widthOf(value: number): number {
  return value < 2 ** 32 ? 32 - Math.clz32(value) : 32 + widthOf(Math.floor(value / 2 ** 32))
}

/** Writes 32 numbers of `width` bits each, lowest bits first. Returns the offset after them. */
function pack(values: Float64Array, from: number, width: number, out: Uint8Array, start: number): number {
  let at = start
  let held = 0
  let bits = 0
  for (let i = from; i < from + PART; i++) {
    let rest = values[i]
    let left = width
    while (left > 0) {
      // At most 7 + 24 bits are held.
      const take = left > 24 ? 24 : left
      const low = left > 24 ? rest % 0x1000000 : rest
      held |= low << bits
      bits += take
      left -= take
      if (left > 0) rest = Math.floor(rest / 0x1000000)
      for (; bits >= 8; bits -= 8) {
        out[at++] = held & 255
        held >>>= 8
      }
    }
  }
  return at
}
