/** Heikin-Ashi rows: averages of each bar and the previous row, not traded prices. Pure. */
import type { Row } from './series.ts'

/** The Heikin-Ashi row of a bar's row; `before` is the previous Heikin-Ashi row, if any. */
export function heikinAshi(row: Row, before: Row | undefined): Row {
  if (row.bar === null) return row
  const { open, high, low, close } = row.bar
  const mean = (open + high + low + close) / 4
  const from = before === undefined ? (open + close) / 2 : (before.open + before.close) / 2
  return { ...row, open: from, close: mean, high: Math.max(high, from, mean), low: Math.min(low, from, mean) }
}

/** Converts every row of a list; empty slots stay unchanged. */
export function heikinAshiRows(rows: readonly Row[]): Row[] {
  let before: Row | undefined
  return rows.map((row) => {
    const derived = heikinAshi(row, before)
    if (derived.bar !== null) before = derived
    return derived
  })
}
