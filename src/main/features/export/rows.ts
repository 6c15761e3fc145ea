/** What the writers of tick rows share: which messages they leave out, and how they are called. */
import { isUtf8 } from 'node:buffer'
import { FLAG } from '../../../shared/core/recording/recording.ts'
import type { TickColumns } from '../../core/store/types/ticks.ts'

/**
 * Tables hold the market's records that were asked for, the ones that bars are made of. JSON Lines hold every
 * message of the range as it arrived.
 */
export const LEFT_OUT_OF_TABLES = FLAG.control | FLAG.undecodable | FLAG.unasked

/** Writes the rows of a feed into one file. */
export interface TickRows {
  /** For the next run of ticks. */
  of(ticks: TickColumns): WriteRows
  /** After the last row. */
  end(): void
}

/** Least and greatest time written: event time, of undated rows the time of receipt. */
export interface Span {
  first: number
  last: number
}

export function widen(span: Span, event: number, recv: number): void {
  const at = Number.isNaN(event) ? recv : event
  if (at < span.first) span.first = at
  if (at > span.last) span.last = at
}

/** Writes rows [from, to) but those left out; answers how many were written. */
export type WriteRows = (from: number, to: number) => number

/** Flags of messages that may be no UTF-8. */
export const UNSURE = FLAG.invalidUtf8 | FLAG.binary

/** A table is UTF-8: bytes that are none become U+FFFD there (JSON Lines keep them). */
export function utf8Of(text: Uint8Array, flags: number): Uint8Array {
  return (flags & UNSURE) === 0 || isUtf8(text) ? text : encoder.encode(new TextDecoder().decode(text))
}
const encoder = new TextEncoder()

/** Symbols that are remembered; all are forgotten beyond. */
const MAX_CELLS = 20_000

/** Remembers what was made of each symbol: those of a session alternate from row to row. */
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
