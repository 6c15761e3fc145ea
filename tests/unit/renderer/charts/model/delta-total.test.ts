import { expect, it } from 'vitest'
import { deltaTotals } from '../../../../../src/renderer/charts/model/footprint.ts'

const fitting = (most: number) => (words: string) => words.length <= most

it.each([
  [15, 'Δ −0.875 ±0.02'],
  [13, '−0.875 ±0.02'],
  [9, '−0.875 ±…'],
  [8, 'Δ −0.875'],
  [7, '−0.875'],
])('writes of a delta with bounds what fits into %i characters, the bounds before its sign', (most, text) => {
  expect(deltaTotals([{ delta: -0.875, unknown: 0.02 }], fitting(most))).toEqual([text])
})

it('writes no bounds where no volume is unknown', () => {
  expect(deltaTotals([{ delta: 3, unknown: 0 }], () => true)).toEqual(['Δ +3'])
  expect(deltaTotals([{ delta: 3, unknown: 0 }], () => false)).toEqual(['+3'])
})

it('writes the sign of delta at each bar or at none', () => {
  const bars = [
    { delta: -36.5, unknown: 0 },
    { delta: 65, unknown: 3.5 },
  ]
  expect(deltaTotals(bars, fitting(10))).toEqual(['Δ −36.5', 'Δ +65 ±3.5'])
  expect(deltaTotals(bars, fitting(8))).toEqual(['−36.5', '+65 ±3.5'])
})
