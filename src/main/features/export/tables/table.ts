/** Tables of typed columns: what Parquet and Arrow have in common. */
import type { ByteSink } from '../../../base/file-sink.ts'

/**
 * `whole`: 64-bit integer. `time`: UTC timestamp in microseconds, given in ms. In an `optional` column, NaN is null.
 */
export type TableColumn =
  | { readonly name: string; readonly is: 'text' | 'bool' }
  | { readonly name: string; readonly is: 'whole' | 'time' | 'number'; readonly optional: boolean }

/** A table being written. */
export interface TypedTable {
  /** Sets a cell of the current row. Set every column once per row. NaN is null in an optional column. */
  text(column: number, value: string): void
  number(column: number, value: number): void
  bool(column: number, value: boolean): void
  /** Ends the row, and writes the rows held so far if they are many. */
  row(): void
  /** Writes the remaining rows and the end of the table. */
  end(): void
}

/** Starts a table. `notes` are its metadata, such as the schema of its columns. */
export type BeginTable = (
  file: ByteSink,
  columns: readonly TableColumn[],
  notes: Readonly<Record<string, string>>,
) => TypedTable

/** Rows held in memory until they are written. */
export const GROUP_ROWS = 65_536

/** The integer of a `whole` or `time` cell; times become microseconds. Null for NaN. */
export const integerOf = (is: 'whole' | 'time', value: number): bigint | null =>
  Number.isNaN(value) ? null : BigInt(is === 'time' ? Math.round(value * 1_000) : Math.floor(value))

/** The integers of a `whole` or `time` column; 0 for NaN. A BigInt for each would take most of the time of a table. */
export function integersOf(is: 'whole' | 'time', values: Float64Array): BigInt64Array<ArrayBuffer> {
  const integers = new BigInt64Array(values.length)
  const halves = new Int32Array(integers.buffer)
  for (let i = 0; i < values.length; i++) {
    const value = is === 'time' ? Math.round(values[i] * 1_000) : Math.floor(values[i])
    if (Number.isSafeInteger(value)) {
      halves[2 * i] = value // the lower 32 bits
      halves[2 * i + 1] = Math.floor(value / 2 ** 32)
    } else integers[i] = integerOf(is, values[i]) ?? 0n
  }
  return integers
}
