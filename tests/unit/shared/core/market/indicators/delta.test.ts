/** Delta and cumulative delta against hand-made values. */
import { describe, expect, it } from 'vitest'
import { cumulativeDelta, delta, type Reset } from '../../../../../../src/shared/core/market/indicators/delta.ts'
import type { BarValues } from '../../../../../../src/shared/core/market/indicators/indicator.ts'
import cvd from '../../../../../fixtures/order-flow/cvd.json' with { type: 'json' }
import footprint from '../../../../../fixtures/order-flow/footprint.json' with { type: 'json' }

const bar = (startMs: number, volume: number | null, flow?: BarValues['flow']): BarValues => ({
  open: 1,
  high: 1,
  low: 1,
  close: 1,
  volume,
  startMs,
  flow,
})
const utcDay = (ms: number) => Math.floor(ms / 86_400_000)

/** A bar with this delta and this much volume of unknown side. */
const barOf = (startMs: number, by: number, unknown: number): BarValues =>
  bar(startMs, Math.abs(by) + 2 + unknown, { buy: 1 + Math.max(0, by), sell: 1 + Math.max(0, -by) })

describe('delta', () => {
  it('is buying less selling volume, between what the unknown volume allows', () => {
    const sum = (side: number) =>
      footprint.trades.filter((trade) => trade[2] === side).reduce((all, trade) => all + trade[1], 0)
    const { volume, delta: expected, deltaLow, deltaHigh } = footprint.expect
    const values = delta().push(bar(0, volume, { buy: sum(1), sell: sum(-1) }))
    expect(values).toEqual([expected, deltaLow, deltaHigh])
  })

  it('is absent where no sides are read, and exact where sizes are decimals', () => {
    expect(delta().push(bar(0, 5))).toEqual([NaN, NaN, NaN])
    expect(delta().push(bar(0, 0.1 + 0.2, { buy: 0.1, sell: 0.2 }))).toEqual([-0.1, -0.1, -0.1])
    expect(delta().push(bar(0, null, { buy: 0, sell: 0 }))).toEqual([0, 0, 0])
  })
})

describe('cumulative delta', () => {
  it('is that of the day, and goes on after a gap', () => {
    const fold = cumulativeDelta(utcDay)
    const { close, band } = cvd.expect.day
    for (const [i, [start, by, unknown]] of cvd.bars.entries()) {
      // a gap is no bar
      if (typeof start !== 'string' || typeof by !== 'number' || typeof unknown !== 'number') continue
      const one = barOf(Date.parse(`${start}Z`), by, unknown)
      const expected = [close[i], (close[i] ?? NaN) - (band[i] ?? NaN), (close[i] ?? NaN) + (band[i] ?? NaN)]
      expect(fold.peek(one)).toEqual(expected)
      expect(fold.push(one)).toEqual(expected)
    }
  })

  it('is absent after a bar without sides until the next day', () => {
    const fold = cumulativeDelta(utcDay)
    const values = [bar(0, 5), barOf(60_000, 3, 0), barOf(86_400_000, 2, 1)].map((one) => fold.push(one)[0])
    expect(values).toEqual([NaN, NaN, 2])
  })

  it.each(['never', 'gap'] as const)('matches the vectors when it begins again: %s', (reset) => {
    const fold = cumulativeDelta(utcDay, reset)
    const { close, band } = cvd.expect[reset === 'never' ? 'none' : 'gap']
    for (const [i, [start, by, unknown]] of cvd.bars.entries()) {
      if (typeof start !== 'string' || typeof by !== 'number' || typeof unknown !== 'number') {
        fold.gap?.()
        continue
      }
      const values = fold.push(barOf(Date.parse(`${start}Z`), by, unknown))
      expect(values).toEqual([close[i], (close[i] ?? NaN) - (band[i] ?? NaN), (close[i] ?? NaN) + (band[i] ?? NaN)])
    }
  })

  it('begins again on Monday, or at the anchor', () => {
    const day = (n: number) => Date.UTC(2026, 0, n)
    const bars = [4, 5, 6, 11, 12].map((n) => barOf(day(n), 1, 0)) // the 5th and the 12th are Mondays
    const dayOf = (ms: number) => Math.floor(ms / 86_400_000) * 86_400_000
    const run = (...how: [Reset, number?]) => {
      const fold = cumulativeDelta(dayOf, ...how)
      return bars.map((one) => fold.push(one)[0])
    }
    expect(run('week')).toEqual([1, 1, 2, 3, 1])
    expect(run('anchor', day(6))).toEqual([NaN, NaN, 1, 2, 3])
  })

  it('begins with the first bar that is read where it never begins again', () => {
    const fold = cumulativeDelta(utcDay, 'never')
    const values = [bar(0, 5), barOf(60_000, 3, 0), barOf(86_400_000, 2, 1)].map((one) => fold.push(one)[0])
    expect(values).toEqual([NaN, 3, 5])
  })
})
