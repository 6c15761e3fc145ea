/** The VWAP of trades and its bands against hand-made values. */
import { describe, expect, it } from 'vitest'
import type { BarValues } from '../../../../../../src/shared/core/market/indicators/indicator.ts'
import { tradeVwap } from '../../../../../../src/shared/core/market/indicators/trade-vwap.ts'
import { addToVwap, NO_VWAP } from '../../../../../../src/shared/core/market/flow/vwap.ts'
import vectors from '../../../../../fixtures/order-flow/vwap.json' with { type: 'json' }

const DAY = 86_400_000
const dayOf = (ms: number) => Math.floor(ms / DAY) * DAY
const bar = (startMs: number, trades: readonly (readonly number[])[] | null): BarValues => ({
  open: 1,
  high: 1,
  low: 1,
  close: 1,
  volume: 1,
  startMs,
  flow:
    trades === null
      ? undefined
      : {
          buy: 0,
          sell: 0,
          vwap: trades.reduce((part, [price, size]) => addToVwap(part, price, size), NO_VWAP),
        },
})

describe('the VWAP of trades', () => {
  it('matches the hand-made steps and their bands', () => {
    const fold = tradeVwap(dayOf, 'day')
    for (const [i, trade] of vectors.trades.entries()) {
      const [mean, sigma] = vectors.expect.steps[i]
      const values = fold.push(bar(i * 60_000, [trade]))
      const expected = [mean, ...[1, -1, 2, -2, 3, -3].map((times) => mean + times * sigma)]
      for (const [at, value] of values.entries()) expect(Math.abs(value - expected[at])).toBeLessThanOrEqual(1e-9)
    }
  })

  it('begins with the day, the week, or the anchor', () => {
    const bars = [4, 5, 6].map((n) => bar(Date.UTC(2026, 0, n), [[n, 1]])) // the 5th is a Monday
    const run = (reset: 'day' | 'week' | 'anchor', anchorMs?: number) => {
      const fold = tradeVwap(dayOf, reset, anchorMs)
      return bars.map((one) => fold.push(one)[0])
    }
    expect(run('day')).toEqual([4, 5, 6])
    expect(run('week')).toEqual([4, 5, 5.5])
    expect(run('anchor', Date.UTC(2026, 0, 5))).toEqual([NaN, 5, 5.5])
  })

  it('is absent from a bar that isn’t read to the end of its period, and peeks without change', () => {
    const fold = tradeVwap(dayOf, 'day')
    expect(fold.push(bar(0, null))[0]).toBeNaN()
    expect(fold.push(bar(60_000, [[5, 1]]))[0]).toBeNaN()
    expect(fold.peek(bar(DAY, [[9, 1]]))[0]).toBe(9)
    expect(fold.push(bar(DAY, [[7, 1]]))[0]).toBe(7)
    expect(fold.push(bar(DAY + 60_000, []))[0]).toBe(7)
  })
})
