/** Moves over the cells of a footprint by key, and describes a cell. */
import type { ChartPort } from '../../../charts/model/chart.ts'
import type { FootprintCell } from '../../../charts/model/footprint.ts'
import { barProfile } from '../../../../shared/core/market/flow/footprint.ts'
import { priceOfRow, rowOfPrice, type CellColumns, type PriceRows } from '../../../../shared/core/market/flow/cells.ts'
import { listed, t } from '../../../../shared/base/text.ts'

type CellChart = Pick<ChartPort, 'footprintAt' | 'selectCell' | 'barAt' | 'pointAt'>

/** A cell, and the price rows that it belongs to. */
export interface PlacedCell extends FootprintCell {
  readonly rows: PriceRows
}

const areSame = (a: PriceRows, b: PriceRows): boolean => a.decimals === b.decimals && a.group === b.group

export class CellWalk {
  readonly #chart: CellChart
  readonly #moved: (cell: PlacedCell | null) => void
  #cell: PlacedCell | null = null

  /** `moved` is called with each newly selected cell. */
  constructor(chart: CellChart, moved: (cell: PlacedCell | null) => void) {
    this.#chart = chart
    this.#moved = moved
  }

  get cell(): PlacedCell | null {
    return this.#cell
  }

  /**
   * Selects the next row of a bar (start, UTC ms) with a trade: higher (1) or lower (-1). If no cell of the bar is
   * selected, selects the one with the most volume. Returns false if the bar has no cells.
   */
  step(startMs: number, direction: 1 | -1): boolean {
    const found = this.#chart.footprintAt(startMs)
    if (found === null || found.cells.row.length === 0) return false
    const { row } = found.cells
    const from = this.#cell
    const next =
      from?.startMs !== startMs
        ? (barProfile(found.cells)?.poc ?? row[0])
        : direction === 1
          ? (row.find((one) => one > from.row) ?? from.row)
          : (row.findLast((one) => one < from.row) ?? from.row)
    this.#select({ startMs, row: next, rows: found.rows })
    return true
  }

  /**
   * Moves the selection to the nearest row of another bar (start, UTC ms; null: the same one), in the chart's current
   * price rows. It stays while its own bar is being read again.
   */
  follow(barMs: number | null): void {
    const before = this.#cell
    if (before === null) return
    const startMs = barMs ?? before.startMs
    const found = this.#chart.footprintAt(startMs)
    if (startMs === before.startMs && (found === null || areSame(found.rows, before.rows))) return
    const row = found === null ? NaN : rowOfPrice(priceOfRow(before.row + 0.5, before.rows), found.rows)
    const nearest = found?.cells.row.reduce(
      (best, one) => (Math.abs(one - row) < Math.abs(best - row) ? one : best),
      Infinity,
    )
    this.#select(
      !found || nearest === undefined || nearest === Infinity ? null : { startMs, row: nearest, rows: found.rows },
    )
  }

  /** Selects the cell at a position, px from the chart's top left corner. Returns false if there is none. */
  pick(x: number, y: number): boolean {
    const bar = this.#chart.barAt(x)
    const point = this.#chart.pointAt(x, y)
    const found = bar === null ? null : this.#chart.footprintAt(bar.startMs)
    if (bar === null || point === null || found === null) return false
    const row = rowOfPrice(point.price, found.rows)
    if (!found.cells.row.includes(row)) return false
    this.#select({ startMs: bar.startMs, row, rows: found.rows })
    return true
  }

  clear(): void {
    if (this.#cell !== null) this.#select(null)
  }

  #select(cell: PlacedCell | null): void {
    this.#cell = cell
    this.#chart.selectCell(cell)
    this.#moved(cell)
  }
}

/** A cell as a sentence. */
export function cellSentence(
  { row, rows }: PlacedCell,
  cells: CellColumns,
  price: (value: number) => string,
  size: (value: number) => string,
): string {
  const i = cells.row.indexOf(row)
  if (i < 0) return ''
  const profile = barProfile(cells)
  return listed([
    t('{low} to {high}: sold {sell}, bought {buy}', {
      low: price(priceOfRow(row, rows)),
      high: price(priceOfRow(row + 1, rows)),
      sell: size(cells.sell[i]),
      buy: size(cells.buy[i]),
    }),
    cells.unknown[i] > 0 ? t('unknown {unknown}', { unknown: size(cells.unknown[i]) }) : '',
    t({ one: '{count} trade', other: '{count} trades' }, { count: cells.count[i] }),
    profile?.poc === row ? t('most volume of the bar') : '',
  ])
}
