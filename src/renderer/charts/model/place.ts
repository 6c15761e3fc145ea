/**
 * Converts instants to fractional row positions and back. The middle of row i is position i; instants between two rows
 * are interpolated, and beyond the ends time continues at the given interval. The functions are inverses. Pure.
 */
import { firstAfter } from '../../../shared/base/search.ts'

interface Timed {
  readonly timestamp: number
}

/** The position of an instant (UTC ms) in rows, fractional; NaN without rows. `paceMs` is above zero. */
export function placeOf(rows: readonly Timed[], ms: number, paceMs: number): number {
  if (rows.length === 0) return NaN
  const last = rows.length - 1
  const after = firstAfter(rows, ({ timestamp }) => timestamp <= ms)
  if (after === 0) return (ms - rows[0].timestamp) / paceMs
  if (after > last) return last + (ms - rows[last].timestamp) / paceMs
  const before = rows[after - 1].timestamp
  return after - 1 + (ms - before) / (rows[after].timestamp - before)
}

/** The instant (UTC ms) of a position; NaN without rows. */
export function instantOf(rows: readonly Timed[], place: number, paceMs: number): number {
  if (rows.length === 0) return NaN
  const last = rows.length - 1
  if (place <= 0) return rows[0].timestamp + place * paceMs
  if (place >= last) return rows[last].timestamp + (place - last) * paceMs
  const at = Math.floor(place)
  const from = rows[at].timestamp
  return from + (place - at) * (rows[at + 1].timestamp - from)
}
