/** Heikin-Ashi rows: averages of bars and of the row before, never prices that were traded. Pure. */
import type { Row } from './series.ts'

/** The derived row of a bar's; `before` is the derived row of the bar before, if there is one. */
export function heikinAshi(row: Row, before: Row | undefined): Row {
  if (row.bar === null) return row
  const { open, high, low, close } = row.bar
  const mean = (open + high + low + close) / 4
  const from = before === undefined ? (open + close) / 2 : (before.open + before.close) / 2
  return { ...row, open: from, close: mean, high: Math.max(high, from, mean), low: Math.min(low, from, mean) }
}

/** Every row of a list; slots in which nothing was received stay as they are. */
export function heikinAshiRows(rows: readonly Row[]): Row[] {
  let before: Row | undefined
  return rows.map((row) => {
    const derived = heikinAshi(row, before)
    if (derived.bar !== null) before = derived
    return derived
  })
}
