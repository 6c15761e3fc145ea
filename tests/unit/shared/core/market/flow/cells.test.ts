import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  autoGroup,
  autoRows,
  FlowCells,
  nextGroup,
  priceOfRow,
  rowOfPrice,
  sumOfCells,
} from '../../../../../../src/shared/core/market/flow/cells.ts'
import type { Side } from '../../../../../../src/shared/core/market/flow/side.ts'
import footprint from '../../../../../fixtures/order-flow/footprint.json' with { type: 'json' }
import grouping from '../../../../../fixtures/order-flow/grouping.json' with { type: 'json' }

interface Print {
  readonly row: number
  readonly side: Side
  readonly size: number
}
const print: fc.Arbitrary<Print> = fc.record({
  row: fc.integer({ min: -20, max: 20 }),
  side: fc.constantFrom<Side>(-1, 0, 1),
  // Sizes as messages have them: decimals of many magnitudes.
  size: fc.oneof(
    fc.integer({ min: 0, max: 1e9 }).map((n) => n / 1e8),
    fc.integer({ min: 0, max: 1e12 }).map((n) => n / 1e3),
    fc.double({ min: 0, max: 1e15, noNaN: true }),
  ),
})
const cellsOf = (prints: readonly Print[]): FlowCells => {
  const cells = new FlowCells()
  for (const { row, side, size } of prints) cells.add(row, side, size)
  return cells
}
const everything = (cells: FlowCells) => [cells.columns(), cells.buy, cells.sell, cells.unknown, cells.count]

describe('the row of a price', () => {
  it.each(grouping.cases)(
    '$price by $group at $decimals decimals is $row',
    ({ price, decimals, group, row, edges }) => {
      const rows = { decimals, group }
      expect(rowOfPrice(Number(price), rows)).toBe(row)
      if (!edges) return
      expect(priceOfRow(row, rows)).toBe(Number(edges[0]))
      expect(priceOfRow(row + 1, rows)).toBe(Number(edges[1]))
    },
  )

  it('puts prices between two ticks into the lower one', () => {
    expect(rowOfPrice(100.199, { decimals: 2, group: 1 })).toBe(10_019)
    expect(rowOfPrice(123_456.7891, { decimals: 3, group: 1 })).toBe(123_456_789)
  })

  it('finds the row of every decimal price exactly', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e12 }),
        fc.integer({ min: 0, max: 8 }),
        fc.constantFrom(1, 2, 5, 25, 100),
        (mantissa, decimals, group) => {
          const text = `${mantissa}e-${decimals}`
          expect(rowOfPrice(Number(text), { decimals, group })).toBe(Math.floor(mantissa / group))
        },
      ),
    )
  })
})

describe('cells', () => {
  it('match the hand-made footprint', () => {
    const cells = cellsOf(footprint.trades.map(([row, size, side]) => ({ row, size, side: side as Side })))
    const { row, buy, sell, unknown, count } = cells.columns()
    expect(Object.fromEntries(row.map((one, i) => [one, [sell[i], buy[i], unknown[i], count[i]]]))).toEqual(
      footprint.expect.rows,
    )
    expect(cells.buy - cells.sell).toBe(footprint.expect.delta)
    expect(cells.unknown).toBe(footprint.expect.unknown)
    expect(cells.buy + cells.sell + cells.unknown).toBe(footprint.expect.volume)
  })

  it('are the same to the bit in any order and in any parts', () => {
    fc.assert(
      fc.property(fc.array(print, { maxLength: 60 }), fc.nat(), fc.nat(), (prints, turn, cut) => {
        const whole = cellsOf(prints)
        const at = prints.length === 0 ? 0 : turn % prints.length
        const turned = [...prints.slice(at), ...prints.slice(0, at)]
        const [first, second] = [turned.slice(0, cut % (prints.length + 1)), turned.slice(cut % (prints.length + 1))]
        const merged = cellsOf(first)
        merged.merge(cellsOf(second))
        expect(everything(merged)).toEqual(everything(whole))
      }),
    )
  })

  it('sum to the volume of the trades and count each once', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1e9 }), { maxLength: 60 }), (billionths) => {
        const cells = cellsOf(billionths.map((n, i) => ({ row: i % 7, side: ((i % 3) - 1) as Side, size: n / 1e8 })))
        const { buy, sell, unknown, count } = cells.columns()
        const all = BigInt(billionths.reduce((a, b) => a + b, 0))
        const sum = [...buy, ...sell, ...unknown].reduce((a, b) => a + BigInt(Math.round(b * 1e8)), 0n)
        expect(sum).toBe(all)
        expect(count.reduce((a, b) => a + b, 0)).toBe(billionths.length)
        expect(cells.count).toBe(billionths.length)
      }),
    )
  })

  it('are the same whether a side is known at once or settles later', () => {
    fc.assert(
      fc.property(fc.array(print, { maxLength: 40 }), (prints) => {
        const settled = cellsOf(prints.map((one) => ({ ...one, side: 0 })))
        for (const { row, side, size } of prints.toReversed()) settled.settle(row, side, size)
        expect(everything(settled)).toEqual(everything(cellsOf(prints)))
      }),
    )
  })

  it('of several bars sum as decimals do', () => {
    const bar = { row: [7], buy: [0.1], sell: [0.2], unknown: [0.3], count: [3] }
    const whole = { row: [7], buy: [1], sell: [2], unknown: [3], count: [30] }
    expect(sumOfCells(Array.from({ length: 10 }, () => bar))).toEqual(whole)
  })

  it('keep their sums when rows are grouped', () => {
    fc.assert(
      fc.property(fc.array(print, { maxLength: 40 }), fc.integer({ min: 1, max: 9 }), (prints, group) => {
        const grouped = new FlowCells()
        grouped.merge(cellsOf(prints), (row) => Math.floor(row / group))
        expect(everything(grouped)).toEqual(
          everything(cellsOf(prints.map((one) => ({ ...one, row: Math.floor(one.row / group) })))),
        )
      }),
    )
  })

  it('count a trade without a size, and no volume', () => {
    const cells = cellsOf([{ row: 1, side: 1, size: NaN }])
    cells.settle(1, 1, NaN)
    expect(everything(cells)).toEqual([{ row: [1], buy: [0], sell: [0], unknown: [0], count: [1] }, 0, 0, 0, 1])
  })
})

describe('groups', () => {
  it('are the least 1-2-5 step that gives the median bar at most 24 rows', () => {
    const bars = [10, 30, 50].map((span) => ({ low: 100, high: 100 + span / 100 }))
    expect(autoGroup(bars, 2)).toBe(2)
    expect(autoGroup(bars, 4)).toBe(200)
    expect(autoGroup([], 2)).toBe(1)
    const apart = [100, 104].map((low) => ({ low, high: low + 0.1 }))
    expect([autoGroup(apart, 2), autoGroup(apart, 2, 46)]).toEqual([1, 10])
  })

  it('chosen automatically grow with the first bars, and then stay', () => {
    const still = { low: 100, high: 100 }
    const wide = { low: 100, high: 116 }
    let rows = autoRows(null, [], 2, Infinity)
    expect(rows).toBeNull()
    // The first second of a market: its bar has a single price.
    rows = autoRows(rows, [still], 2, Infinity)
    expect(rows?.group).toBe(1)
    rows = autoRows(rows, [wide], 2, Infinity)
    expect(rows?.group).toBe(100)
    rows = autoRows(rows, [still, still, still, still], 2, Infinity)
    expect(rows?.group).toBe(100)
    expect(autoRows(rows, [{ low: 100, high: 1_000 }], 2, Infinity)).toBe(rows)
  })

  it('step up and down', () => {
    expect([1, 2, 5, 7, 10].map((group) => nextGroup(group, 1))).toEqual([2, 5, 10, 10, 20])
    expect([1, 2, 5, 7, 10].map((group) => nextGroup(group, -1))).toEqual([1, 1, 2, 5, 5])
  })
})
