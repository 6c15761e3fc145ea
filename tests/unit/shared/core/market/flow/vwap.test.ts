import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addToVwap,
  mergeVwap,
  NO_VWAP,
  vwapDeviation,
  type VwapPart,
} from '../../../../../../src/shared/core/market/flow/vwap.ts'
import vectors from '../../../../../fixtures/order-flow/vwap.json' with { type: 'json' }

const partOf = (trades: readonly (readonly number[])[]): VwapPart =>
  trades.reduce<VwapPart>((part, [price, size]) => addToVwap(part, price, size), NO_VWAP)

describe('VWAP of trades', () => {
  it('matches the hand-made steps', () => {
    for (const [i, [mean, sigma]] of vectors.expect.steps.entries()) {
      const part = partOf(vectors.trades.slice(0, i + 1))
      expect(Math.abs(part.mean - mean)).toBeLessThanOrEqual(1e-9)
      expect(Math.abs(vwapDeviation(part) - sigma)).toBeLessThanOrEqual(1e-9)
    }
    const all = partOf(vectors.trades)
    expect(all.mean).toBeCloseTo(vectors.expect.vwap, 12)
    expect(vwapDeviation(all) ** 2).toBeCloseTo(vectors.expect.variance, 12)
    expect(all.mean + 2 * vwapDeviation(all)).toBeCloseTo(vectors.expect.upper2, 9)
  })

  it('matches the hand-made anchor', () => {
    const part = partOf(vectors.trades.slice(2))
    expect(part.mean).toBeCloseTo(vectors.anchoredAtThird.vwap, 12)
    expect(vwapDeviation(part) ** 2).toBeCloseTo(vectors.anchoredAtThird.variance, 12)
  })

  it('merges to the same within 1e-9, at any price level', () => {
    const trade = fc.tuple(fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 1, max: 1e6 }))
    fc.assert(
      fc.property(
        fc.array(trade, { minLength: 2, maxLength: 40 }),
        fc.nat(),
        fc.constantFrom(1, 60_000, 1e7),
        (list, cut, level) => {
          const trades = list.map(([price, size]) => [level + price / 100, size / 1_000])
          const at = cut % trades.length
          const merged = mergeVwap(partOf(trades.slice(0, at)), partOf(trades.slice(at)))
          const whole = partOf(trades)
          const exact = list.reduce(
            ([v, pv], [price, size]) => [v + BigInt(size), pv + BigInt(size) * BigInt(price)],
            [0n, 0n],
          )
          const mean = level + Number((exact[1] * 10n ** 12n) / exact[0]) / 1e14
          expect(Math.abs(merged.mean - mean) / mean).toBeLessThanOrEqual(1e-12)
          expect(Math.abs(merged.mean - whole.mean) / mean).toBeLessThanOrEqual(1e-12)
          expect(Math.abs(vwapDeviation(merged) - vwapDeviation(whole))).toBeLessThanOrEqual(1e-6)
        },
      ),
    )
  })

  it('has no value before the first size', () => {
    expect(partOf([[100, NaN]])).toBe(NO_VWAP)
    expect(vwapDeviation(NO_VWAP)).toBeNaN()
  })
})
