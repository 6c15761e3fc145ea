import { describe, expect, it } from 'vitest'
import { headroomOf } from '../../../../src/renderer/charts/kline-axis.ts'

/** The library's own room above and below, of the range: see `kline-axis.ts`. */
const [TOP, BOTTOM] = [0.16, 0.08]
/** Px from the top of the pane at which the highest price is drawn, once the range has grown. */
function highestAt(grown: number, height: number): number {
  const range = 1 + grown
  return ((grown + TOP * range) / (range * (1 + TOP + BOTTOM))) * height
}

describe('the room for a legend over a chart', () => {
  it('grows just so far that the highest price and its label lie below', () => {
    for (const height of [150, 240, 400]) {
      for (const head of [20, 30, 40]) {
        const grown = headroomOf(head, height, TOP)
        expect(highestAt(grown, height)).toBeGreaterThanOrEqual(head + 14 - 1e-9)
        if (grown > 0) expect(highestAt(grown, height)).toBeCloseTo(head + 14, 9)
      }
    }
  })
  it('is the usual one where that is enough, or nothing lies there', () => {
    expect(headroomOf(20, 600, TOP)).toBe(0)
    expect(headroomOf(0, 100, TOP)).toBe(0)
    expect(headroomOf(20, 0, TOP)).toBe(0)
  })
  it('never takes more than a good third of the pane', () => {
    expect(highestAt(headroomOf(500, 200, TOP), 200)).toBeCloseTo(0.36 * 200, 9)
  })
})
