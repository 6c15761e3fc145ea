/** What a user may choose of an indicator, and the cases that published tables don't reach. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BarValues } from '../../../../../../src/shared/core/market/indicators/indicator.ts'
import { PRICE_NAMES, PRICES } from '../../../../../../src/shared/core/market/indicators/row.ts'
import {
  CHART_INDICATOR_IDS,
  computeAll,
  INDICATORS,
  parameterValues,
  type ChartIndicatorId,
} from '../../../../../../src/shared/core/market/indicators/table.ts'
import { volumeProfile } from '../../../../../../src/shared/core/market/indicators/volume-profile.ts'

const price = fc.double({ min: 1, max: 1_000, noNaN: true })
const bar: fc.Arbitrary<BarValues> = fc
  .tuple(price, price, price, price, fc.double({ min: 0.01, max: 1e4, noNaN: true }))
  .map(([a, b, c, d, volume]) => ({
    open: a,
    high: Math.max(a, b, c, d),
    low: Math.min(a, b, c, d),
    close: b,
    volume,
  }))
const series = fc.array(bar, { minLength: 60, maxLength: 90 })
const of = (open: number, high: number, low: number, close: number, volume: number | null = 1): BarValues => ({
  open,
  high,
  low,
  close,
  volume,
})
const run = (id: ChartIndicatorId, values: readonly number[], bars: readonly BarValues[]) =>
  computeAll(INDICATORS[id], values, PRICES[INDICATORS[id].usualPrice], bars)
const defaults = (id: ChartIndicatorId) => parameterValues(INDICATORS[id], {})

const mean = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length
const last = <T>(list: readonly T[], n: number): readonly T[] => list.slice(list.length - n)
const highest = (bars: readonly BarValues[]): number => Math.max(...bars.map(({ high }) => high))
const lowest = (bars: readonly BarValues[]): number => Math.min(...bars.map(({ low }) => low))
const fastK = (bars: readonly BarValues[], n: number): number => {
  const range = last(bars, n)
  return (100 * (range[n - 1].close - lowest(range))) / (highest(range) - lowest(range))
}
/** Seeded by the mean of the first n, then moved by a share of the difference. */
const smooth = (list: readonly number[], n: number, weight: number): number =>
  list.slice(n).reduce((average, value) => average + (value - average) * weight, mean(list.slice(0, n)))
const ema = (list: readonly number[], n: number): number => smooth(list, n, 2 / (n + 1))
const deviation = (list: readonly number[]): number => Math.sqrt(mean(list.map((one) => (one - mean(list)) ** 2)))
const ranges = (bars: readonly BarValues[]): number[] =>
  bars.map((one, i) =>
    i === 0 ? one.high - one.low : Math.max(one.high, bars[i - 1].close) - Math.min(one.low, bars[i - 1].close),
  )
const middle = (bars: readonly BarValues[], n: number): number => (highest(last(bars, n)) + lowest(last(bars, n))) / 2

/** The newest values, from the whole series; no two lengths are alike, so none can stand for another. */
const chosen: readonly (readonly [
  ChartIndicatorId,
  readonly number[],
  (bars: readonly BarValues[]) => readonly number[],
])[] = [
  ['stochastic', [7, 4, 3], (bars) => {
    const k = (upTo: number) => mean([0, 1, 2, 3].map((back) => fastK(bars.slice(0, upTo - back), 7)))
    return [k(bars.length), mean([0, 1, 2].map((back) => k(bars.length - back)))]
  }],
  ['williams-r', [7], (bars) => [fastK(bars, 7) - 100]],
  ['bollinger-bands', [6, 2.5], (bars) => {
    const closes = last(bars, 6).map(({ close }) => close)
    const apart = 2.5 * deviation(closes)
    return [mean(closes), mean(closes) + apart, mean(closes) - apart]
  }],
  ['vwap', [2.5], (bars) => {
    const all = bars.reduce((sum, { volume }) => sum + (volume ?? 0), 0)
    const share = (value: (one: BarValues) => number) =>
      bars.reduce((sum, one) => sum + (value(one) * (one.volume ?? 0)) / all, 0)
    const average = share(PRICES.hlc3)
    const apart = 2.5 * Math.sqrt(share((one) => (PRICES.hlc3(one) - average) ** 2))
    return [average, average + apart, average - apart]
  }],
  ['keltner', [5, 1.5, 8], (bars) => {
    const average = ema(bars.map(({ close }) => close), 5)
    const apart = 1.5 * smooth(ranges(bars), 8, 1 / 8)
    return [average, average + apart, average - apart]
  }],
  ['atr', [5], (bars) => [smooth(ranges(bars), 5, 1 / 5)]],
  ['macd', [3, 7, 4], (bars) => {
    const closes = bars.map(({ close }) => close)
    const lines = closes.slice(6).map((_, i) => ema(closes.slice(0, i + 7), 3) - ema(closes.slice(0, i + 7), 7))
    const line = lines[lines.length - 1]
    return [line, ema(lines, 4), line - ema(lines, 4)]
  }],
  ['ichimoku', [3, 5, 8, 4], (bars) => [
    middle(bars, 3), middle(bars, 5), (middle(bars, 3) + middle(bars, 5)) / 2, middle(bars, 8), bars[bars.length - 1].close,
  ]],
] // oxfmt-ignore

describe('chosen parameters', () => {
  it.each(chosen)('%s with %j is what the book computes', (id, values, book) => {
    fc.assert(
      fc.property(series, (bars) => {
        const rows = run(id, values, bars)
        for (const [at, wanted] of book(bars).entries())
          expect(Math.abs(rows[rows.length - 1][at] - wanted), `line ${at}`).toBeLessThan(1e-6)
      }),
      { numRuns: 25 },
    )
  })
  it('are taken at their bounds, and are as usual beyond them', () => {
    const shift = (value: number) => parameterValues(INDICATORS.ichimoku, { shift: value })[3]
    expect([0, 500, -1, 501, 3.5].map(shift)).toEqual([0, 500, 26, 26, 4])
    const period = (value: number) => parameterValues(INDICATORS.sma, { period: value })[0]
    expect([1, 5_000, 0, 5_001, 0.9, NaN].map(period)).toEqual([1, 5_000, 20, 20, 20, 20])
    const width = (value: number) => parameterValues(INDICATORS.vwap, { width: value })[0]
    expect([0.1, 20, 0.09, 20.1].map(width)).toEqual([0.1, 20, 1, 1])
  })
  it('shift the cloud later, the lagging line earlier, and nothing else', () => {
    expect(INDICATORS.ichimoku.drawn?.shifts?.([9, 26, 52, 30])).toEqual([0, 0, 30, 30, -30])
  })
})

describe('chosen prices', () => {
  it('are what their names say', () => {
    const one = of(1, 10, 2, 5)
    expect(PRICE_NAMES.map((name) => [name, PRICES[name](one)])).toEqual([
      ['close', 5],
      ['open', 1],
      ['high', 10],
      ['low', 2],
      ['hl2', 6],
      ['hlc3', 17 / 3],
      ['ohlc4', 4.5],
    ])
  })
  it.each(CHART_INDICATOR_IDS)('%s works on the price that was chosen, or has none to choose', (id) => {
    const { takesPrice, usualPrice } = INDICATORS[id]
    fc.assert(
      fc.property(series, (bars) => {
        const values = defaults(id)
        const other = computeAll(INDICATORS[id], values, PRICES.open, bars)
        if (!takesPrice) {
          expect(other).toEqual(computeAll(INDICATORS[id], values, PRICES[usualPrice], bars))
          return
        }
        // The same numbers, wherever in the bar they stand.
        const moved = bars.map((one) => ({ ...one, close: one.open, open: one.close }))
        const expected = computeAll(INDICATORS[id], values, PRICES.close, moved)
        // Keltner's ranges are of the close, whatever its average is of.
        if (id === 'keltner') expect(other.map(([average]) => average)).toEqual(expected.map(([average]) => average))
        else expect(other).toEqual(expected)
      }),
      { numRuns: 10 },
    )
  })
})

describe('values', () => {
  const bounded = CHART_INDICATOR_IDS.filter((id) => INDICATORS[id].drawn?.between !== undefined)
  it.each(bounded)('of %s stay in what its pane shows, with its levels', (id) => {
    const [least, most] = INDICATORS[id].drawn?.between ?? [NaN, NaN]
    for (const level of INDICATORS[id].drawn?.levels ?? []) expect(level > least && level < most).toBe(true)
    fc.assert(
      fc.property(series, (bars) => {
        for (const value of run(id, defaults(id), bars).flat())
          if (!Number.isNaN(value)) expect(value >= least - 1e-9 && value <= most + 1e-9).toBe(true)
      }),
      { numRuns: 20 },
    )
  })
  it('of RSI are 100 where prices only rise, 0 where they only fall, absent where they stand', () => {
    const walk = (step: number) => Array.from({ length: 5 }, (_, i) => of(9, 9, 9, 50 + i * step))
    const newest = (step: number) => run('rsi', [3], walk(step))[4][0]
    expect([newest(1), newest(-1), newest(0)]).toEqual([100, 0, NaN])
  })
  it('of ADX count the greater of two moves, and neither where they are equal', () => {
    // Both outside bars reach 2 beyond the bar before on each side; the third reaches farther up.
    const bars = [of(10, 11, 9, 10), of(10, 13, 7, 10), of(10, 15, 5, 10), of(10, 18, 4, 10)]
    const rows = run('adx', [2, 1], bars)
    expect(rows[2]).toEqual([0, 0, 0])
    const [, plus, minus] = rows[3]
    // Wilder: ranges 6 and 10, then 14: 8 + (14 - 8) / 2; moves 0, then 3: 0 + 3 / 2.
    expect([plus, minus]).toEqual([(100 * 1.5) / 11, 0])
    expect(rows[3][0]).toBe(100)
  })
  it('of ADX are 0 where every bar lies inside the one before, and absent where nothing moves at all', () => {
    const inside = Array.from({ length: 6 }, (_, i) => of(10, 20 - i, i, 10))
    expect(run('adx', [2, 2], inside)[5]).toEqual([0, 0, 0])
    const still = Array.from({ length: 6 }, () => of(10, 10, 10, 10))
    expect(run('adx', [2, 2], still)[5]).toEqual([NaN, NaN, NaN])
  })
  it('of the stochastic average what is there: bars without a range leave a place empty, not 0', () => {
    const bars = [of(0, 10, 0, 5), of(5, 5, 5, 5), of(0, 10, 0, 10), of(0, 10, 0, 0)]
    expect(run('stochastic', [1, 2, 1], bars).map(([k]) => k)).toEqual([NaN, NaN, 75, 50])
  })
  it('of OBV stay where the price does, pass over bars without volume, and go on', () => {
    const bars = [of(1, 1, 1, 1, 9), of(2, 2, 2, 2, 5), of(2, 2, 2, 2, 7), of(1, 1, 1, 1, null), of(0, 0, 0, 0, 3)]
    expect(run('obv', [], bars).map(([value]) => value)).toEqual([NaN, 5, 5, NaN, 2])
  })
})

describe('the area of a volume profile', () => {
  /** One bar a level from a price of 100 on, so that level i holds exactly `sums[i]`. */
  const profile = (sums: readonly number[]) =>
    volumeProfile(
      sums.map((volume, i) => of(100 + i, 101 + i, 100 + i, 101 + i, volume)),
      sums.length,
    )
  it.each([
    // Two levels at a time to the side where they hold more, upwards where both hold the same.
    [[1, 5, 10, 5, 1], 2, [2, 4]],
    [[2, 5, 10, 5, 1], 2, [0, 2]],
    [[4, 3, 10, 3, 4], 2, [2, 4]],
    // Exactly 70 % is enough.
    [[3, 7], 1, [1, 1]],
    [[7, 3], 0, [0, 0]],
    [[1, 1, 1, 7], 3, [3, 3]],
  ] as const)('of %j is around level %i: %j', (sums, most, area) => {
    const got = profile(sums)
    expect(got?.levels.map(({ up, down }) => up + down)).toEqual(sums.map((sum) => expect.closeTo(sum, 9) as number))
    expect([got?.most, got?.area]).toEqual([most, area])
    expect(got?.levels.at(-1)?.to).toBe(100 + sums.length)
  })
  it('takes the lowest of equal levels, and a bar that ends where it began for a rise', () => {
    expect(profile([4, 1, 4])?.most).toBe(0)
    expect(volumeProfile([of(2, 3, 1, 2, 8)], 1)?.levels).toEqual([{ from: 1, to: 3, up: 8, down: 0 }])
  })
})
