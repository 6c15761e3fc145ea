/**
 * Messages as bytes for other machines: session files and team frames. Columns are stored as differences of integers,
 * which compress well, then the message bytes. Doubles keep every bit: a column that isn't all whole numbers,
 * thousandths or thousands is stored as it is in memory.
 */
import { ByteReader, ByteWriter } from '../blocks/bytes.ts'
import { tryRead } from '../types/corruption.ts'
import type { MessageColumns } from '../types/messages.ts'

/** How the doubles of a column became integers. */
const SCALES = [1, 1_000, 0.001] as const
const AS_BYTES = 255
/** The most messages of one run. */
export const MAX_ROWS = 1 << 20
/** The fewest bytes of a message: one for each column. */
const MIN_ROW_BYTES = 6

/** A run of messages without `connSeq`, which follows from their order. */
export type Rows = Omit<MessageColumns, 'connSeq'>

/** Encodes a run of messages whose offsets start at 0. */
export function encodeRows(m: Rows): Buffer {
  const n = m.count
  const out = new ByteWriter(n * 12 + 64)
  out.varint(n)
  writeDoubles(out, m.seq, n)
  writeDoubles(out, m.recvMs, n)
  writeDoubles(out, m.monoNs, n)
  writeDoubles(out, m.conn, n)
  for (let i = 0; i < n; i++) out.byte(m.flags[i])
  for (let i = 0; i < n; i++) out.varint(m.offsets[i + 1] - m.offsets[i])
  return Buffer.concat([out.finish(), m.bytes.subarray(m.offsets[0], m.offsets[n])])
}

/** Decodes a run of messages; null if it is corrupt. `bytes` of the result is a view of `content`. */
export function decodeRows(content: Uint8Array): Rows | null {
  let rows: Rows | null = null
  tryRead(() => (rows = readRows(content)))
  return rows
}

function readRows(content: Uint8Array): Rows | null {
  const from = new ByteReader(content)
  const count = from.varint()
  // Refuse a count that the content can't hold before allocating anything.
  if (count > MAX_ROWS || count * MIN_ROW_BYTES > content.length) return null
  const seq = readDoubles(from, new Float64Array(count))
  const recvMs = readDoubles(from, new Float64Array(count))
  const monoNs = readDoubles(from, new Float64Array(count))
  const conn = readDoubles(from, new Uint32Array(count))
  if (seq === null || recvMs === null || monoNs === null || conn === null) return null
  const flags = new Uint8Array(from.raw(count))
  const offsets = new Uint32Array(count + 1)
  let size = 0
  for (let i = 0; i < count; i++) {
    size += from.varint()
    if (size > content.length) return null
    offsets[i + 1] = size
  }
  const bytes = content.subarray(from.at)
  if (bytes.length !== size) return null
  return { count, seq, recvMs, monoNs, conn, flags, offsets, bytes }
}

function writeDoubles(out: ByteWriter, values: ArrayLike<number>, count: number): void {
  const scale = SCALES.findIndex((by) => isExact(values, count, by))
  if (scale < 0) {
    out.byte(AS_BYTES)
    out.raw(new Uint8Array(Float64Array.from({ length: count }, (_, i) => values[i]).buffer))
    return
  }
  out.byte(scale)
  let last = 0
  for (let i = 0; i < count; i++) {
    const value = toInteger(values[i], SCALES[scale])
    out.signed(value - last)
    last = value
  }
}

function readDoubles<T extends Float64Array | Uint32Array>(from: ByteReader, values: T): T | null {
  const count = values.length
  const scale = from.byte()
  if (scale === AS_BYTES) {
    values.set(new Float64Array(new Uint8Array(from.raw(count * 8)).buffer)) // copied to align it
    return values
  }
  const by = SCALES[scale]
  if (by === undefined) return null
  const { bytes, end } = from
  let { at } = from
  let last = 0
  for (let i = 0; i < count; i++) {
    const first = at < end ? bytes[at] : 0x80
    // Most differences take one or two bytes.
    if (first < 0x80) {
      at++
      last += (first >>> 1) ^ -(first & 1)
    } else if (at + 1 < end && bytes[at + 1] < 0x80) {
      const z = (first & 0x7f) | (bytes[at + 1] << 7)
      at += 2
      last += (z >>> 1) ^ -(z & 1)
    } else {
      from.at = at
      last += from.signed()
      at = from.at
    }
    values[i] = by === 1 ? last : fromInteger(last, by)
  }
  from.at = at
  return values
}

const toInteger = (value: number, by: number): number => Math.round(by === 0.001 ? value / 1_000 : value * by)
const fromInteger = (value: number, by: number): number => (by === 0.001 ? value * 1_000 : value / by)

/** Whether every value, and every difference of two, comes back to the bit. */
function isExact(values: ArrayLike<number>, count: number, by: number): boolean {
  for (let i = 0; i < count; i++) {
    const value = toInteger(values[i], by)
    // Half of the range, so that twice a difference is still exact.
    if (!(Math.abs(value) < 2 ** 51) || Object.is(value, -0) || !Object.is(fromInteger(value, by), values[i]))
      return false
  }
  return true
}
