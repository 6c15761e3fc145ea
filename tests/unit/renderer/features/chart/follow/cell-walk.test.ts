/** Moving over the cells of a footprint. */
import { describe, expect, it } from 'vitest'
import {
  CellWalk,
  cellSentence,
  type PlacedCell,
} from '../../../../../../src/renderer/features/chart/follow/cell-walk.ts'
import type { CellColumns, PriceRows } from '../../../../../../src/shared/core/market/flow/cells.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import { makeBar } from '../../../../../kit/market.ts'

const ROWS = { decimals: 1, group: 5 }
const cells = (...rows: readonly (readonly [number, number, number, number?])[]): CellColumns => ({
  row: rows.map(([row]) => row),
  sell: rows.map(([, sell]) => sell),
  buy: rows.map(([, , buy]) => buy),
  unknown: rows.map(([, , , unknown]) => unknown ?? 0),
  count: rows.map(() => 2),
})

function start() {
  const bars = new Map([
    [0, cells([200, 1, 0], [202, 5, 5], [207, 0, 1, 2])],
    [1, cells([205, 1, 1], [230, 9, 9])],
    [2, cells()],
  ])
  let rows: PriceRows = ROWS
  let marked: unknown = 'nothing'
  const moves: (PlacedCell | null)[] = []
  const walk = new CellWalk(
    {
      footprintAt: (startMs) => {
        const found = bars.get(startMs)
        return found ? { rows, cells: found } : null
      },
      selectCell: (cell) => (marked = cell),
      barAt: (x) => (x < 10 ? makeBar({ startMs: 0 }) : null),
      pointAt: (x, y) => ({ ms: unixMs(x), price: y }),
    },
    (cell) => moves.push(cell),
  )
  /** Reads the first bar in other price rows; null: it isn't read. */
  const regroup = (group: number, found: CellColumns | null) => {
    rows = { ...ROWS, group }
    if (found === null) bars.delete(0)
    else bars.set(0, found)
    walk.follow(null)
  }
  return { walk, moves, regroup, marked: () => marked, row: () => walk.cell?.row }
}

describe('walking over cells', () => {
  it('starts at the row with the most volume, moves to rows with trades, and stops at both ends', () => {
    const { walk, row } = start()
    expect(walk.step(0, 1)).toBe(true)
    expect(row()).toBe(202)
    const rows = [1, 1, -1, -1, -1].map((direction) => {
      walk.step(0, direction === 1 ? 1 : -1)
      return row()
    })
    expect(rows).toEqual([207, 207, 202, 200, 200])
  })

  it('does nothing in a bar without cells, or whose cells aren’t read', () => {
    const { walk, moves } = start()
    expect([walk.step(2, 1), walk.step(3, 1)]).toEqual([false, false])
    expect(moves).toEqual([])
  })

  it('moves to the nearest row of another bar, and selects nothing in a bar without cells', () => {
    const { walk, row, marked } = start()
    walk.follow(1)
    expect(row(), 'nothing was selected').toBeUndefined()
    walk.step(0, 1)
    walk.follow(1)
    expect(walk.cell).toEqual({ startMs: 1, row: 205, rows: ROWS })
    walk.follow(2)
    expect([walk.cell, marked()]).toEqual([null, null])
  })

  it('keeps its price in other price rows, and stays while they are read', () => {
    const { walk, regroup, row } = start()
    walk.step(0, 1)
    walk.step(0, 1)
    expect(row(), '103.5 to 104.0').toBe(207)
    regroup(20, null)
    expect(row()).toBe(207)
    regroup(20, cells([50, 6, 5], [51, 0, 1, 2]))
    expect(walk.cell).toEqual({ startMs: 0, row: 51, rows: { decimals: 1, group: 20 } })
    regroup(20, cells([50, 6, 9], [51, 0, 1, 2]))
    regroup(5, cells([200, 1, 0], [207, 0, 1, 2]))
    expect(walk.cell).toEqual({ startMs: 0, row: 207, rows: ROWS })
  })

  it('picks the cell under the mouse', () => {
    const { walk, row } = start()
    expect(walk.pick(5, 101.2)).toBe(true)
    expect(row()).toBe(202)
    expect([walk.pick(5, 102.1), walk.pick(50, 101.2)]).toEqual([false, false])
    walk.clear()
    expect(walk.cell).toBeNull()
  })

  it('describes a cell', () => {
    const text = (row: number, of: CellColumns) =>
      cellSentence({ startMs: 0, row, rows: ROWS }, of, (price) => price.toFixed(1), String)
    const of = cells([202, 5, 6], [207, 0, 1, 2])
    expect(text(202, of)).toBe('101.0 to 101.5: sold 5, bought 6, 2 trades, most volume of the bar')
    expect(text(207, of)).toBe('103.5 to 104.0: sold 0, bought 1, unknown 2, 2 trades')
    expect(text(203, of)).toBe('')
  })
})
