import { describe, expect, it } from 'vitest'
import { FlowCells, type CellColumns } from '../../../../../../src/shared/core/market/flow/cells.ts'
import {
  barProfile,
  imbalances,
  stacked,
  unfinished,
  usualSideVolume,
} from '../../../../../../src/shared/core/market/flow/footprint.ts'
import type { Side } from '../../../../../../src/shared/core/market/flow/side.ts'
import vectors from '../../../../../fixtures/order-flow/footprint.json' with { type: 'json' }

/** Rows of [row, sell, buy, unknown]. */
const columns = (...rows: readonly (readonly [number, number, number, number?])[]): CellColumns => ({
  row: rows.map(([row]) => row),
  sell: rows.map(([, sell]) => sell),
  buy: rows.map(([, , buy]) => buy),
  unknown: rows.map(([, , , unknown]) => unknown ?? 0),
  count: rows.map(() => 1),
})
const RULE = { ratio: 3, least: 4, againstZero: false }
const rowsOf = (list: readonly { readonly row: number; readonly side: Side }[], side: Side) =>
  list.filter((one) => one.side === side).map(({ row }) => row)

describe('the hand-made footprint', () => {
  const cells = new FlowCells()
  for (const [row, size, side] of vectors.trades) cells.add(row, side as Side, size)
  const { imbalance, poc } = vectors.expect
  const rule = { ratio: imbalance.ratio, least: imbalance.minVolume, againstZero: false }
  const found = imbalances(cells.columns(), rule)

  it('has its imbalances and stacks', () => {
    expect(rowsOf(found, 1)).toEqual(imbalance.buy)
    expect(rowsOf(found, -1)).toEqual(imbalance.sell)
    expect(stacked(found, 2).map(({ from, to }) => [from, to])).toEqual(imbalance.stackedAt2)
    expect(stacked(found, 3)).toEqual(imbalance.stackedAt3)
  })

  it('has its point of control', () => expect(barProfile(cells.columns())?.poc).toBe(poc))
})

describe('imbalances', () => {
  it('compare selling with the buying one row above', () => {
    const found = imbalances(columns([10, 30, 0], [11, 0, 10]), RULE)
    expect(found).toEqual([{ row: 10, side: -1, firm: true }])
    expect(imbalances(columns([10, 29, 0], [11, 0, 10]), RULE)).toEqual([])
  })

  it('are those of exactly the ratio in decimals, whose doubles are less', () => {
    const found = imbalances(columns([10, 0.3, 0], [11, 0, 0.1]), { ...RULE, least: 0 })
    expect(found).toEqual([{ row: 10, side: -1, firm: true }])
    expect(imbalances(columns([10, 0.299_999_999, 0], [11, 0, 0.1]), { ...RULE, least: 0 })).toEqual([])
  })

  it('aren’t firm if the unknown volume of the weaker cell could undo them', () => {
    const found = imbalances(columns([10, 2, 0, 1], [11, 0, 8]), RULE)
    expect(found).toEqual([{ row: 11, side: 1, firm: false }])
  })

  it('need the least volume, and volume on the other side unless set', () => {
    expect(imbalances(columns([10, 1, 0], [11, 0, 3]), RULE)).toEqual([])
    const alone = columns([10, 0, 0], [11, 0, 9])
    expect(imbalances(alone, RULE)).toEqual([])
    expect(rowsOf(imbalances(alone, { ...RULE, againstZero: true }), 1)).toEqual([11])
  })

  it('are stacked only in adjacent rows of one side', () => {
    const at = (side: 1 | -1, ...rows: number[]) => rows.map((row) => ({ row, side, firm: true }))
    expect(stacked([...at(1, 5, 6, 7, 9, 10, 11, 12), ...at(-1, 1, 2, 4)])).toEqual([
      { from: 5, to: 7, side: 1 },
      { from: 9, to: 12, side: 1 },
    ])
  })

  it('are at least the median volume of a side', () => {
    expect(usualSideVolume([columns([1, 1, 5]), columns([1, 0, 9])])).toBe(5)
    expect(usualSideVolume([])).toBe(0)
  })
})

describe('auctions', () => {
  it('are unfinished where both sides traded at the extreme', () => {
    expect(unfinished(columns([1, 3, 0], [2, 1, 1], [3, 1, 4]))).toEqual({ high: true, low: false })
    expect(unfinished(columns())).toEqual({ high: false, low: false })
  })
})

describe('the profile of a bar', () => {
  it('counts rows without trades, and is none without volume', () => {
    expect(barProfile(columns([1, 10, 0], [4, 0, 50], [6, 20, 20]))).toEqual({ poc: 4, area: [4, 6] })
    expect(barProfile(columns([1, 0, 0]))).toBeNull()
  })
})
