/** The quotes of a chart's bars. Pure. */
import type { PriceRows } from '../../../shared/core/market/flow/cells.ts'
import { pointOfControl } from '../../../shared/core/market/flow/profile.ts'
import type { QuoteCells } from '../../../shared/core/market/flow/quote-bars.ts'

export interface QuoteMap {
  readonly rows: PriceRows
  /** The quotes of the bar that starts at an instant (UTC ms); undefined: not read. */
  readonly quotesOf: (startMs: number) => BarQuotes | undefined
}

export interface BarQuotes {
  readonly cells: QuoteCells
  /** How long both sides were quoted, ms. */
  readonly quotedMs: number
  /** The spread: its mean, weighted by time, and its least and greatest value. */
  readonly spread: number
  readonly leastSpread: number
  readonly mostSpread: number
}

/** How long the mid stayed in a row, ms. */
interface TimeRow {
  readonly row: number
  readonly ms: number
  readonly isMost: boolean
}

/** How long the mid stayed in each row, summed over bars (starts, UTC ms), in ascending rows. */
export function timeAtPrices(map: QuoteMap, starts: readonly number[]): readonly TimeRow[] {
  const sums = new Map<number, number>()
  for (const start of starts) {
    const cells = map.quotesOf(start)?.cells
    if (cells === undefined) continue
    for (const [i, row] of cells.row.entries()) if (cells.mid[i] > 0) sums.set(row, (sums.get(row) ?? 0) + cells.mid[i])
  }
  const rows = [...sums].sort(([a], [b]) => a - b)
  const most = rows.length === 0 ? -1 : pointOfControl(rows.map(([, ms]) => ms))
  return rows.map(([row, ms], i) => ({ row, ms, isMost: i === most }))
}
