import { describe, expect, it } from 'vitest'
import { priceAt } from '../../../../../src/shared/features/drawings/price-at.ts'
import type { DrawingKind, DrawingPoint } from '../../../../../src/shared/features/drawings/types.ts'
import { at, drawing } from './samples.ts'

const up: DrawingPoint[] = [at(1_000, 10), at(3_000, 30)]

describe('the prices of a drawing at an instant', () => {
  const cases: [DrawingKind, DrawingPoint[], Record<number, number[]>][] = [
    ['trend', up, { 0: [], 1_000: [10], 2_000: [20], 3_000: [30], 4_000: [] }],
    ['arrow', up, { 2_000: [20], 4_000: [] }],
    ['trend', [at(3_000, 30), at(1_000, 10)], { 0: [], 2_000: [20], 4_000: [] }],
    ['ray', up, { 0: [], 2_000: [20], 5_000: [50] }],
    ['ray', [at(3_000, 30), at(1_000, 10)], { 0: [0], 2_000: [20], 4_000: [] }],
    ['extended', up, { 0: [0], 5_000: [50] }],
    ['trend', [at(1_000, 10), at(1_000, 30)], { 1_000: [] }],
    ['horizontal', [at(2_000, 7)], { 0: [7], 9_000: [7] }],
    ['vertical', [at(2_000, 7)], { 2_000: [] }],
    ['channel', [...up, at(2_000, 25)], { 0: [], 1_000: [10, 15], 3_000: [30, 35] }],
    // The median line passes between (2,000, 30) and (4,000, 10): at 3,000 it is 20, so it rises by 5 a second.
    [
      'pitchfork',
      [at(1_000, 10), at(2_000, 30), at(4_000, 10)],
      { 0: [], 1_500: [12.5], 3_000: [35, 20], 5_000: [45, 30, 15] },
    ],
    ['regression', up, { 2_000: [] }],
    ['note', up, { 2_000: [] }],
    ['rectangle', up, { 0: [], 2_000: [10, 30], 4_000: [] }],
    ['fib', up, { 0: [], 9_000: [30, 25.28, 22.36, 20, 17.64, 14.28, 10] }],
    ['fib-extension', [...up, at(4_000, 20)], { 0: [], 4_000: [20, 27.64, 32.36, 40, 45.44, 52.36, 60, 72.36] }],
    ['long', [at(1_000, 10), at(3_000, 20), at(3_000, 5)], { 0: [], 2_000: [10, 20, 5], 4_000: [] }],
    ['brush', [at(0, 0), at(2_000, 20), at(1_000, 40)], { 500: [5], 1_500: [15, 30], 3_000: [] }],
    ['text', [at(2_000, 7)], { 2_000: [] }],
    ['measure', up, { 2_000: [] }],
  ]
  it.each(cases)('%s', (kind, points, expected) => {
    for (const [ms, prices] of Object.entries(expected)) {
      const found = priceAt(drawing(kind, points), Number(ms))
      expect(found).toHaveLength(prices.length)
      prices.forEach((price, i) => expect(found[i]).toBeCloseTo(price, 9))
    }
  })
  it('follow an axis that leaves out a night', () => {
    const open = (ms: number) => (ms < 1_500 ? ms : Math.max(1_500, ms - 1_000))
    // 1,000 to 3,000 is then 1,000 of trading: a quarter of it lies before the night and 1,500 is the end of it.
    expect(priceAt(drawing('trend', up), 1_250, open)).toEqual([15])
    expect(priceAt(drawing('trend', up), 2_000, open)).toEqual([20])
    expect(priceAt(drawing('trend', up), 2_500, open)).toEqual([20])
  })
})
