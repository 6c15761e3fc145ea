/** What the tick writers share: their interface, and which messages they skip. */
import { isUtf8 } from 'node:buffer'
import { inRange, readTime } from '../../../../service/codecs/times.ts'
import { FLAG } from '../../../../shared/core/recording/session.ts'
import type { TickColumns } from '../../../core/store/types/ticks.ts'

/**
 * CSV and Parquet contain only subscribed market data, the same records that bars are built from. JSON Lines contain
 * every message in the range as it arrived.
 */

/** Writes one feed's rows to one file. */
export interface TickRows {
  /** Returns the row writer for the next batch of ticks. */
  of(ticks: TickColumns): WriteRows
  /** Call after the last row. */
  end(): void
}

/** Earliest and latest time written, UTC ms: event time, or receive time for rows without one. */
export interface Span {
  first: number
  last: number
}

export function widen(span: Span, event: number, recv: number): void {
  const at = Number.isNaN(event) ? recv : event
  if (at < span.first) span.first = at
  if (at > span.last) span.last = at
}

/** Writes rows [from, to) except skipped ones. Returns how many it wrote. */
export type WriteRows = (from: number, to: number) => number

/** Times as sent, in ms: the service sends some in s, µs or ns. NaN stays NaN. */
export function timesOf(column: Float64Array): Float64Array {
  return column.every((ms) => inRange(ms)) ? column : column.map((value) => readTime(value)?.ms ?? NaN)
}

/** Flags of messages that may not be valid UTF-8. */
export const UNSURE = FLAG.invalidUtf8 | FLAG.binary

/** CSV and Parquet text must be UTF-8, so invalid bytes become U+FFFD. JSON Lines keep them. */
export function utf8Of(text: Uint8Array, flags: number): Uint8Array {
  return (flags & UNSURE) === 0 || isUtf8(text) ? text : encoder.encode(new TextDecoder().decode(text))
}
const encoder = new TextEncoder()

/** Maximum cached symbols. When full, the cache is cleared. */
const MAX_CELLS = 20_000

/** Caches one cell per symbol, because symbols alternate from row to row. */
export function createSymbolCells<Cell>(make: (symbol: string) => Cell): (symbol: string) => Cell {
  const cells = new Map<string, Cell>()
  let last: string | undefined
  let cell: Cell | undefined
  return (symbol) => {
    if (symbol === last && cell !== undefined) return cell
    cell = cells.get(symbol)
    if (cell === undefined) {
      if (cells.size >= MAX_CELLS) cells.clear()
      cell = make(symbol)
      cells.set(symbol, cell)
    }
    last = symbol
    return cell
  }
}
