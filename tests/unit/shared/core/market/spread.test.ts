import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixedGrid } from '../../../../../src/shared/core/market/bars.ts'
import { INTERVAL_LABELS, msOf, type Bar } from '../../../../../src/shared/core/market/market.ts'
import { sampleInterval, spreadBars, type SpreadLeg } from '../../../../../src/shared/core/market/spread.ts'
import { makeBar } from '../../../../kit/market.ts'
import { fixedExamples } from '../../../../kit/properties.ts'

const SECOND = 1_000
const bar = (second: number, close: number, complete = true): Bar => ({
  ...makeBar({ startMs: second * SECOND, lengthMs: SECOND, close }),
  complete,
})
const leg = (bars: readonly Bar[], gaps: SpreadLeg['gaps'] = []): SpreadLeg => ({ bars, gaps })
const grid = fixedGrid(10 * SECOND)
const plain = (bars: readonly Bar[]) =>
  bars.map(({ startMs, open, high, low, close, complete }) => [startMs / SECOND, open, high, low, close, complete])

describe('a ratio', () => {
  it('takes the last price of either side at each sample, and none before both have one', () => {
    const a = leg([bar(0, 100), bar(3, 110), bar(12, 90)])
    const b = leg([bar(2, 10), bar(4, 20), bar(11, 30)])
    expect(plain(spreadBars('/', [a, b], grid))).toEqual([
      [0, 10, 11, 5.5, 5.5, true],
      [10, 110 / 30, 110 / 30, 3, 3, true],
    ])
    expect(plain(spreadBars('-', [a, b], grid))[0]).toEqual([0, 90, 100, 90, 90, true])
  })
  it('has no price of a side after its gap, until the side has a bar again', () => {
    const a = leg([bar(0, 100), bar(1, 100), bar(25, 100), bar(26, 100)])
    const b = leg([bar(0, 10), bar(26, 20)], [{ fromMs: 5 * SECOND, toMs: 24 * SECOND }])
    expect(plain(spreadBars('/', [a, b], grid))).toEqual([
      [0, 10, 10, 10, 10, false],
      [20, 5, 5, 5, 5, false],
    ])
  })
  it('keeps the price of a side whose gap had ended before, and none since a gap that is still open', () => {
    const gaps = [{ fromMs: 5 * SECOND, toMs: 10 * SECOND }]
    const a = leg([bar(21, 100), bar(32, 100)])
    expect(plain(spreadBars('/', [a, leg([bar(20, 10)], gaps)], grid)).map(([start]) => start)).toEqual([20, 30])
    const open = [{ fromMs: 25 * SECOND, toMs: null }]
    expect(plain(spreadBars('/', [a, leg([bar(20, 10)], open)], grid)).map(([start]) => start)).toEqual([20])
  })
  it('is incomplete where a bar of either side is', () => {
    expect(plain(spreadBars('/', [leg([bar(0, 4)]), leg([bar(0, 2, false)])], grid))).toEqual([[0, 2, 2, 2, 2, false]])
  })
  it('is absent where it can’t be drawn', () => {
    expect(spreadBars('/', [leg([bar(0, 4)]), leg([{ ...bar(0, 1), close: 0 }])], grid)).toEqual([])
  })

  const series = fc
    .uniqueArray(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 40 })
    .map((seconds) => seconds.toSorted((a, b) => a - b).map((second, i) => bar(second, 50 + ((i * 7) % 20))))
  it('never changes with what comes later, and follows from its tail alone', () => {
    let compared = 0
    fc.assert(
      fc.property(series, series, fc.integer({ min: 0, max: 200 }), (a, b, second) => {
        const all = spreadBars('/', [leg(a), leg(b)], grid)
        const until = (bars: readonly Bar[]) => leg(bars.filter(({ startMs }) => startMs < second * SECOND))
        const cut = spreadBars('/', [until(a), until(b)], grid)
        const whole = all.filter(({ endMs }) => endMs <= second * SECOND)
        expect(cut.slice(0, whole.length)).toEqual(whole)
        const start = grid.startOf(second * SECOND)
        expect(spreadBars('/', [leg(a), leg(b)], grid, start)).toEqual(all.filter(({ startMs }) => startMs >= start))
        compared += whole.length
      }),
      { numRuns: 120, examples: fixedExamples(20, series, series, fc.integer({ min: 0, max: 200 })) },
    )
    expect(compared).toBeGreaterThan(50)
  })
})

it('samples bars with shorter ones that fit, a second at the least', () => {
  const of = (['1s', '7s', '1m', '5m', '45m', '1h', '1D', '100ms'] as const).map(sampleInterval)
  expect(of).toEqual(['1s', '1s', '1s', '5s', '30s', '1m', '30m', '100ms'])
  for (const label of INTERVAL_LABELS) expect(msOf(label) % msOf(sampleInterval(label))).toBe(0)
})
