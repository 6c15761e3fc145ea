/**
 * Indicators against values that others published: single values of Stock.Indicators' tests over its 502 days of SPY,
 * Tulip Indicators' fifteen bars, the bars of the tests of ta4j, Lean, talipp and indicatorts, and the worked tables of the
 * ChartSchool. tests/fixtures/indicators/README.md says which indicator has which.
 */
import { describe, expect, it } from 'vitest'
import type { BarValues, Indicator } from '../../../../../../src/shared/core/market/indicators/indicator.ts'
import { PRICES, type PriceName } from '../../../../../../src/shared/core/market/indicators/row.ts'
import {
  openingRange,
  pivots,
  priorSession,
  sessionRange,
} from '../../../../../../src/shared/core/market/indicators/session-levels.ts'
import {
  computeAll,
  INDICATORS,
  type ChartIndicatorId,
} from '../../../../../../src/shared/core/market/indicators/table.ts'
import { readFixture } from './fixture.ts'

const numberOf = (row: Record<string, string>, name: string, usual: string): number =>
  Number(row[name.toLowerCase()] ?? row[name] ?? row[usual] ?? 0)
const barOf = (row: Record<string, string>): BarValues => ({
  open: numberOf(row, 'Open', 'Close'),
  high: numberOf(row, 'High', 'Close'),
  low: numberOf(row, 'Low', 'Close'),
  close: numberOf(row, 'Close', 'Low'),
  volume: numberOf(row, 'Volume', 'none'),
})
const run = (
  id: ChartIndicatorId,
  bars: readonly BarValues[],
  values: readonly number[],
  price: PriceName = INDICATORS[id].usualPrice,
) => computeAll(INDICATORS[id], values, PRICES[price], bars)
const spy = readFixture('skender-quotes')

/** [indicator, parameters, output, [row, value] …]: as many decimals as are written. */
const SKENDER: readonly (readonly [
  ChartIndicatorId,
  readonly number[],
  number,
  readonly (readonly [number, number | null])[],
])[] = [
  ['rma', [20], 0, [[18, null], [19, 214.525], [20, 214.55125], [21, 214.58319], [100, 225.78071], [501, 255.67462]]],
  ['hull', [20], 0, [[149, 236.0835], [501, 235.6972]]],
  ['dema', [20], 0, [[51, 226.0011], [249, 258.4452], [501, 241.1677]]],
  ['tema', [20], 0, [[67, 222.9105], [249, 258.6208], [501, 238.769]]],
  ['kama', [10, 2, 30], 0, [[8, null], [9, 213.75], [10, 213.7713], [24, 214.7423], [149, 235.551], [249, 256.0898], [501, 240.1138]]],
  ['linear-regression', [20], 0, [[18, null], [19, 215.6189], [149, 236.706], [249, 258.5179], [501, 235.8131]]],
  ['envelope', [20, 2.5], 1, [[24, 220.4068], [249, 261.9388], [501, 258.1565]]],
  ['envelope', [20, 2.5], 2, [[24, 209.6552], [249, 249.16125], [501, 245.5635]]],
  ['deviation', [10], 0, [[8, null], [9, 0.502], [249, 0.9827], [501, 5.4738]]],
  ['chandelier', [22, 3], 0, [[492, 259.048], [501, 256.586]]],
  ['chandelier', [22, 3], 1, [[501, 246.424]]],
  ['supertrend', [14, 3], 0, [[12, null], [13, 209.5436], [151, 232.8519], [152, null], [249, 253.8008], [501, null]]],
  ['supertrend', [14, 3], 1, [[13, null], [151, null], [152, 237.6436], [249, null], [501, 250.7954]]],
  ['parabolic-sar', [0.02, 0.2], 0, [[14, 212.83], [16, 212.9924], [501, 229.7662]]],
  ['stochastic-rsi', [14, 14, 1, 3], 0, [[31, 93.3333], [152, 0], [249, 36.5517], [501, 97.5244]]],
  ['stochastic-rsi', [14, 14, 1, 3], 1, [[31, 97.7778], [152, 0], [249, 27.3094], [501, 89.8385]]],
  ['stochastic-rsi', [14, 14, 3, 3], 0, [[31, 97.7778], [152, 0], [249, 27.3094], [501, 89.8385]]],
  ['stochastic-rsi', [14, 14, 3, 3], 1, [[31, 99.2593], [152, 20.0263], [249, 33.2716], [501, 73.4176]]],
  ['momentum', [20], 0, [[49, 4.96], [249, 6.25], [501, -22.05]]],
  ['roc', [20], 0, [[249, 2.4827], [501, -8.2482]]],
  ['aroon', [25], 0, [[24, null], [210, 100], [293, 0], [298, 0], [458, 0], [501, 28]]],
  ['aroon', [25], 1, [[210, 0], [293, 40], [298, 20], [458, 100], [501, 88]]],
  ['tsi', [25, 13, 7], 0, [[36, null], [37, 53.1204], [43, 46.096], [44, 42.5121], [149, 29.0936], [249, 41.9232], [501, -28.3513]]],
  ['tsi', [25, 13, 7], 1, [[37, null], [43, 51.6916], [44, 49.3967], [149, 28.0134], [249, 42.4063], [501, -29.3597]]],
  ['ultimate', [7, 14, 28], 0, [[27, null], [74, 51.777], [249, 45.3121], [501, 49.5257]]],
  ['awesome', [5, 34], 0, [[32, null], [33, 5.4756], [249, 5.0618], [501, -17.7692]]],
  ['trix', [20, 5], 0, [[67, 0.055596], [249, 0.121781], [501, -0.230742]]],
  ['trix', [20, 5], 1, [[67, 0.063512], [249, 0.119769], [501, -0.204536]]],
  ['balance-of-power', [14], 0, [[12, null], [13, 0.081822], [149, -0.016203], [249, -0.058682], [501, -0.292788]]],
  ['elder-ray', [13], 0, [[11, null], [12, 0.75], [24, 1.4274], [149, 0.943], [249, 1.5194], [501, -0.4729]]],
  ['elder-ray', [13], 1, [[12, -0.51], [24, 0.5474], [149, 0.473], [249, 1.0694], [501, -3.1429]]],
  ['choppiness', [14], 0, [[13, null], [14, 69.9967], [249, 41.8499], [501, 38.6526]]],
  ['vortex', [14], 0, [[13, null], [14, 1.046], [29, 1.13], [249, 1.1558], [501, 0.8712]]],
  ['vortex', [14], 1, [[14, 0.8119], [29, 0.7393], [249, 0.6634], [501, 1.1163]]],
  ['mfi', [14], 0, [[13, null], [439, 69.0622], [501, 39.9494]]],
  ['mfi', [4], 0, [[31, 100], [43, 0]]],
  ['cmf', [20], 0, [[18, null], [49, 0.350596], [249, -0.040226], [501, -0.123754]]],
  ['accumulation', [], 0, [[249, 3266400865.74], [501, 3439986548.42]]],
  ['chaikin-oscillator', [3, 10], 0, [[8, null], [501, -19135200.72]]],
  ['force-index', [13], 0, [[12, null], [13, 10668240.778], [24, 15883211.364], [149, 7598218.196], [249, 23612118.994], [501, -16824018.428]]],
  ['pvo', [12, 26, 9], 0, [[24, null], [33, 1.5795], [149, -7.191], [249, -6.3667], [501, 10.4395]]],
  ['pvo', [12, 26, 9], 1, [[24, null], [33, -3.553], [149, -5.1159], [249, 1.7333], [501, 12.2681]]],
] // oxfmt-ignore

/** ta4j's averages begin with the first value, ours with the mean of the first ones: equal after the first bar was held. */
const held = (bars: readonly BarValues[]): readonly BarValues[] => [
  ...Array.from({ length: 300 }, () => bars[0]),
  ...bars.slice(1),
]
const closesOnly = (closes: readonly number[]): readonly BarValues[] =>
  closes.map((close) => ({ open: close, high: close, low: close, close, volume: null }))
const hlcv = (rows: readonly (readonly number[])[]): readonly BarValues[] =>
  rows.map(([high, low, close, volume = 0]) => ({ open: close, high, low, close, volume }))

const TA4J_CLOSES = closesOnly([
  0.73, 0.72, 0.86, 0.72, 0.62, 0.76, 0.84, 0.69, 0.65, 0.71, 0.53, 0.73, 0.77, 0.67, 0.68,
])
const TA4J_RANGES = hlcv([
  [45.17, 44.96, 45.05], [45.15, 44.99, 45.1], [45.32, 45.11, 45.19], [45.25, 45.04, 45.14], [45.2, 45.1, 45.15],
  [45.2, 45.1, 45.14], [45.16, 45.07, 45.1], [45.22, 45.1, 45.15], [45.27, 45.14, 45.22], [45.45, 45.2, 45.43],
  [45.5, 45.39, 45.44], [45.6, 45.35, 45.55], [45.61, 45.39, 45.55], [45.55, 44.8, 45.01], [45.04, 44.17, 44.23],
]) // oxfmt-ignore
const TA4J_VOLUMES = hlcv([
  [62.34, 61.37, 62.15, 7849.025], [62.05, 60.69, 60.81, 11692.075], [62.27, 60.1, 60.45, 10575.307],
  [60.79, 58.61, 59.18, 13059.128], [59.93, 58.71, 59.24, 20733.508], [61.75, 59.86, 60.2, 29630.096],
  [60, 57.97, 58.48, 17705.294], [59, 58.02, 58.24, 7259.203], [59.07, 57.48, 58.69, 10474.629],
  [59.22, 58.3, 58.65, 5203.714], [58.75, 57.83, 58.47, 3422.865], [58.65, 57.86, 58.02, 3962.15],
  [58.47, 57.91, 58.17, 4095.905], [58.25, 57.83, 58.07, 3766.006], [58.35, 57.53, 58.13, 4239.335],
  [59.86, 58.58, 58.94, 8039.979], [59.53, 58.3, 59.1, 6956.717], [62.1, 58.53, 61.92, 18171.552],
  [62.16, 59.8, 61.37, 22225.894], [62.67, 60.93, 61.68, 14613.509], [62.38, 60.15, 62.09, 12319.763],
  [63.73, 62.26, 62.89, 15007.69], [63.85, 63, 63.53, 8879.667], [66.15, 63.58, 64.01, 22693.812],
  [65.34, 64.07, 64.77, 10191.814], [66.48, 65.2, 65.22, 10074.152], [65.23, 63.21, 63.28, 9411.62],
  [63.4, 61.88, 62.4, 10391.69], [63.18, 61.11, 61.55, 8926.512], [62.7, 61.25, 62.69, 7459.575],
]) // oxfmt-ignore
/** [indicator, parameters, output, bars, last values, within]. ta4j compares to 0.0001. */
const TA4J: readonly (readonly [
  ChartIndicatorId,
  readonly number[],
  number,
  readonly BarValues[],
  readonly (number | null)[],
  number,
])[] = [
  ['awesome', [2, 3], 0, hlcv([[16, 8, 0], [12, 6, 0], [18, 14, 0], [10, 6, 0], [8, 4, 0]]), [1 / 6, 1, -3], 1e-9],
  ['awesome', [1, 2], 0, hlcv([[16, 8, 0], [12, 6, 0], [18, 14, 0], [10, 6, 0], [8, 4, 0]]), [-1.5, 3.5, -4, -1], 1e-9],
  ['dema', [5], 0, held(TA4J_CLOSES), [0.7858, 0.7374, 0.6884, null, null, null, 0.7184, 0.6939, 0.6859], 1e-4],
  ['tema', [5], 0, held(TA4J_CLOSES), [0.8027, 0.7328, 0.6725, null, null, null, 0.7386, 0.6994, 0.6876], 1e-4],
  ['chandelier', [5, 2], 0, held(TA4J_RANGES), [44.985344, 45.0162752, 44.95902016, 44.985216128, 45.1221729024, 45.19373832192, 45.254990657536, 45.2459925260288, 45.01879402082304, 44.789035216658432], 1e-9],
  ['chandelier', [5, 2], 1, held(TA4J_RANGES), [45.3246, 45.3437, 45.3309, 45.3547, 45.3978, 45.3762, 45.445, 45.504, 45.3912, 44.9909], 1e-4],
  ['cmf', [20], 0, TA4J_VOLUMES, [-0.1211, -0.0997, -0.0659, -0.0257, -0.0617, -0.0481, -0.0086, -0.0087, -0.005, -0.0574, -0.0148], 1e-4],
] // oxfmt-ignore

const H = [82.15, 81.89, 83.03, 83.3, 83.85, 83.9, 83.33, 84.3, 84.84, 85, 85.9, 86.58, 86.98, 88, 87.87]
const L = [81.29, 80.64, 81.31, 82.65, 83.07, 83.11, 82.49, 82.3, 84.15, 84.11, 84.03, 85.39, 85.76, 87.17, 87.01]
const C = [81.59, 81.06, 82.87, 83, 83.61, 83.15, 82.84, 83.99, 84.55, 84.36, 85.53, 86.54, 86.89, 87.77, 87.29]
const O = [81.85, 81.2, 81.55, 82.91, 83.1, 83.41, 82.71, 82.7, 84.2, 84.25, 84.03, 85.45, 86.18, 88, 87.6]
const V = [
  5653100, 6447400, 7690900, 3831400, 4455100, 3798000, 3936200, 4732000, 4841300, 3915300, 6830800, 6694100, 5293600,
  7985800, 4807900,
]
const fifteen: readonly BarValues[] = C.map((close, i) => ({ open: O[i], high: H[i], low: L[i], close, volume: V[i] }))
/** Averages there begin with the first value, ours with the mean of the first ones: equal after a constant start. */
const seeded = (bars: readonly BarValues[]): readonly BarValues[] => [
  ...Array.from({ length: 300 }, () => ({ ...bars[0], high: bars[0].close, low: bars[0].close })),
  ...bars,
]

/** [indicator, parameters, output, last values]: three decimals. */
const TULIP: readonly (readonly [ChartIndicatorId, readonly number[], number, readonly number[]])[] = [
  ['rma', [5], 0, [82.426, 82.571, 82.625, 82.898, 83.228, 83.455, 83.87, 84.404, 84.901, 85.475, 85.838]],
  ['vwma', [5], 0, [82.332, 82.61, 83.07, 83.354, 83.682, 83.822, 84.409, 85.165, 85.698, 86.418, 86.805]],
  ['hull', [5], 0, [83.69, 83.038, 83.472, 84.55, 84.835, 85.36, 86.552, 87.346, 87.965, 87.916]],
  ['kama', [5, 2, 30], 0, [83.61, 83.56, 83.452, 83.506, 83.647, 83.686, 84.126, 85.026, 85.69, 86.447, 86.673]],
  ['linear-regression', [5], 0, [83.622, 83.722, 83.112, 83.56, 84.172, 84.604, 85.404, 86.21, 86.946, 87.854, 87.754]],
  ['deviation', [5], 0, [0.948, 0.875, 0.28, 0.423, 0.605, 0.671, 0.871, 0.926, 1.019, 1.174, 0.758]],
  ['roc', [5], 0, [1.9, 2.2, 1.4, 1.9, 0.9, 2.9, 4.5, 3.5, 3.8, 3.5]],
  ['momentum', [5], 0, [1.56, 1.78, 1.12, 1.55, 0.75, 2.38, 3.7, 2.9, 3.22, 2.93]],
  ['aroon', [5], 0, [100, 80, 100, 100, 100, 100, 100, 100, 100, 80]],
  ['aroon', [5], 1, [20, 0, 0, 80, 60, 40, 20, 0, 40, 20]],
  ['ppo', [2, 5, 9], 0, [-0.217, 0.521, 0.619, 0.747, 0.424, 0.134, 0.5, 0.691, 0.503, 0.81, 1.088, 1.04, 1.133, 0.716]],
  ['ultimate', [2, 3, 5], 0, [43.499, 34.044, 65.883, 73.955, 53.388, 64.149, 81.282, 90.186, 86.114, 65.45]],
  ['chande-momentum', [5], 0, [44.068, 53.614, 42.105, 50.162, 28.09, 70.414, 90.686, 88.415, 89.444, 75.321]],
  ['balance-of-power', [1], 0, [-0.302, -0.112, 0.767, 0.138, 0.654, -0.329, 0.155, 0.645, 0.507, 0.124, 0.802, 0.916, 0.582, -0.277, -0.36]],
  ['mfi', [5], 0, [61.172, 67.308, 62.796, 64.661, 45.238, 67.841, 85.578, 85.963, 87.504, 84.647]],
  ['accumulation', [], 0, [-1709076.744, -3823823.944, 2436210.94, 2730934.016, 4444434.016, 1031041.611, 375008.278, 3640088.278, 4411889.727, 2696196.469, 6823899.143, 13067975.613, 17580552.662, 21140487.602, 19463313.184]],
  ['stochastic-rsi', [5, 5, 1, 1], 0, [65.8, 100, 100, 100, 100, 0]],
] // oxfmt-ignore
/** Its averages of five closes, by the mean and by exponential weights. */
const TULIP_SMA = [82.426, 82.738, 83.094, 83.318, 83.628, 83.778, 84.254, 84.994, 85.574, 86.218, 86.804]
const TULIP_EMA = [82.859, 82.853, 83.232, 83.671, 83.901, 84.444, 85.143, 85.725, 86.407, 86.701]
/** Begins with the second bar's value, because the first one is the seed. */
const TULIP_ADOSC = [
  1900759.847, 399262.04, -241806.815, 757828.287, 1068830.285, 328526.246, 1466909.296, 3475262.287, 4653474.793,
  5067839.265, 3474675.616,
]

const decimals = (value: number): number => String(value).split('.')[1]?.length ?? 0

describe('Stock.Indicators, 502 days of SPY', () => {
  const bars = spy.map(barOf)
  it.each(SKENDER)('%s %j, output %i', (id, values, output, wanted) => {
    const got = run(id, bars, values)
    for (const [row, value] of wanted) {
      if (value === null) expect(got[row][output], `row ${row}`).toBeNaN()
      else {
        const digits = Math.max(2, decimals(value), Math.abs(value) < 1_000 ? 4 : 0)
        expect(Math.abs(got[row][output] - value), `row ${row}`).toBeLessThanOrEqual(0.500_001 * 10 ** -digits)
      }
    }
  })

  it('pivots of months, and none in the first one', () => {
    const monthOf = (ms: number): number => new Date(ms).setUTCDate(1)
    const indicator = pivots(monthOf)
    const got = spy.map((row) => indicator.push({ ...barOf(row), startMs: Date.parse(String(row['date'])) }))
    // The first day of the file is the 3rd: its month wasn't seen from its start.
    expect(got.findIndex((values) => !Number.isNaN(values[0]))).toBeGreaterThan(20)
    for (const [at, values] of [
      [501, [266.6767, 276.6733, 258.9633, 284.3867, 248.9667]],
      [251, [255.1967, 260.5233, 251.6933, 264.0267, 246.3667]],
      [250, [251.2767, 257.6033, 247.6133, 261.2667, 241.2867]],
      [149, [233.64, 238.12, 230.81, 240.95, 226.33]],
    ] as const) {
      for (const [i, value] of values.entries())
        expect(Math.abs(got[at][i] - value), `row ${at}`).toBeLessThan(0.000_051)
    }
  })

  it('zigzag: the swings it names, confirmed once the price has come back', () => {
    const got = run('zigzag', bars, [3])
    const swings = new Map<number, number>()
    for (const [i, [price, ago]] of got.entries()) if (!Number.isNaN(price)) swings.set(i - ago, price)
    expect(swings.get(316)).toBe(249.48)
    expect(got[501].slice(2), 'the end of the leg that forms').toEqual([246.73, 1])
  })
})

describe('trading-signals', () => {
  // The ZigZag test of github.com/bennycode/trading-signals (MIT), with the data of ta-math.
  it('zigzag of 15 %: its five swings, and the leg that the last bar ends', () => {
    const highs = [
      -8, -4, -1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 11, 22, 33, 44, 55, 66, 77, 88, 88, 71, 61, 51, 41, 51, 61, 71, 81, 91, 11,
    ]
    const lows = [
      -9, -5, -2, 8, 7, 6, 5, 4, 3, 2, 1, 0, 10, 20, 30, 40, 50, 60, 70, 80, 85, 70, 60, 50, 40, 50, 60, 70, 80, 90, 10,
    ]
    const bars = highs.map((high, i) => ({ open: high, high, low: lows[i], close: high, volume: 0 }))
    const swings = run('zigzag', bars, [15]).map(([price]) => price)
    expect(swings.filter((price, i) => !Number.isNaN(price) && price !== swings[i - 1])).toEqual([-9, 9, 0, 88, 40, 91])
  })
})

describe('levels of sessions', () => {
  const startOf = (ms: number, hour: number): number =>
    Math.floor((ms - hour * 3_600_000) / 86_400_000) * 86_400_000 + hour * 3_600_000
  /** [UTC start, high, low, close]. */
  const pushAll = (indicator: Indicator, bars: readonly (readonly [string, number, number, number])[]) =>
    bars.map(([at, high, low, close]) =>
      indicator.push({ open: close, high, low, close, volume: 0, startMs: Date.parse(`${at}Z`) }),
    )
  const isNear = (got: readonly number[], wanted: readonly number[], within = 1e-9): void => {
    for (const [i, value] of wanted.entries())
      expect(Math.abs(got[i] - value), `value ${i}`).toBeLessThanOrEqual(within)
  }
  /** High, low and close of the session that these levels are of. */
  const sessionOf = ([pivot, r1, s1]: readonly number[]): readonly [number, number, number] => {
    const [high, low] = [2 * pivot - s1, 2 * pivot - r1]
    return [high, low, 3 * pivot - high - low]
  }
  // ta4j's PivotPointIndicatorTest: the bars of five minutes with the extremes and the close of its days, which begin at
  // 17:00 there, and the levels that it publishes of these days: R1, R2, R3.
  const DAYS = [
    ['2017-10-04T16:55:00', 170.28, 170.14, 170.2767],
    ['2017-10-04T17:00:00', 170.45, 170.27, 170.359],
    ['2017-10-04T17:40:00', 170.67, 170.4, 170.47],
    ['2017-10-04T22:00:00', 168.48, 168.29, 168.42],
    ['2017-10-05T16:55:00', 168.87, 168.62, 168.66],
    ['2017-10-05T17:00:00', 168.831, 168.6, 168.66],
    ['2017-10-05T22:00:00', 171.31, 171.13, 171.24],
    ['2017-10-06T16:55:00', 170.54, 170.29, 170.32],
    ['2017-10-06T17:00:00', 170.35, 170.11, 170.2599],
  ] as const
  const LEVELS = [
    [5, 170.123_333_333_333_33, 171.586_666_666_666_67, 172.503_333_333_333_33],
    [8, 171.553_333_333_333_33, 172.786_666_666_666_67, 174.263_333_333_333_33],
  ] as const
  const openOf = (ms: number): number => startOf(ms, 17)

  it('pivots of ta4j’s days', () => {
    const got = pushAll(pivots(openOf), DAYS)
    for (const [at, r1, r2, r3] of LEVELS) isNear([got[at][1], got[at][3], got[at][5]], [r1, r2, r3])
    const bar = (day: number, high: number, low: number, close: number) =>
      [`2024-01-0${day}T00:00:00`, high, low, close] as const
    const days = pushAll(
      pivots((ms) => startOf(ms, 0)),
      [bar(1, 105, 95, 102), bar(2, 108, 100, 106), bar(3, 110, 104, 108), bar(4, 112, 106, 110)],
    )
    isNear([days[1][0], days[3][0]], [100.666_666_666_666_67, 107.333_333_333_333_33])
  })

  it('pivots of ta4j’s months: three of the seven levels give the month, and so the other four', () => {
    // P, R1, S1, R2, S2, R3, S3 of its last day. Five decimals.
    const levels = [164.18, 180.56, 152.87, 191.87, 136.49, 208.25, 125.18]
    const [high, low, close] = sessionOf(levels)
    const got = pushAll(
      pivots((ms) => startOf(ms, 0)),
      [
        ['2017-11-01T00:00:00', high, low, close],
        ['2017-11-02T00:00:00', close, close, close],
      ],
    )
    isNear(got[1], levels)
  })

  it('the session before and the range of a session, as the levels that ta4j publishes of them require', () => {
    const [before, range] = [pushAll(priorSession(openOf), DAYS), pushAll(sessionRange(openOf), DAYS)]
    for (const [at, r1, r2, r3] of LEVELS) {
      const height = r3 - r1
      const pivot = r2 - height
      const low = 2 * pivot - r1
      isNear(before[at], [low + height, low, 3 * pivot - (low + height) - low])
      isNear(range[at - 1], [low + height, low])
    }
  })

  it('the session before and the range of a month of Stock.Indicators, from its pivots', () => {
    const monthOf = (ms: number): number => new Date(ms).setUTCDate(1)
    const rows = spy.map((row) => ({ ...barOf(row), startMs: Date.parse(String(row['date'])) }))
    const [before, range] = [priorSession(monthOf), sessionRange(monthOf)].map((one) =>
      rows.map((bar) => one.push(bar)),
    )
    // P, R1, S1. Four decimals, of which the session has up to four times the error.
    const session = sessionOf([266.6767, 276.6733, 258.9633])
    const first = rows.findIndex(({ startMs }) => monthOf(startMs) === monthOf(rows[501].startMs))
    isNear(before[501], session, 0.000_3)
    isNear(range[first - 1], session.slice(0, 2), 0.000_3)
  })

  // The market profile of 7 April 2006 (E-mini S&P 500, 30 minutes a letter) in a post at mypivots.com/board/topic/919: the
  // highest and lowest price of each letter from 08:30 on. "Brackets B and C are IB", the initial balance of an hour; "Range
  // Extension starts" at 1316.25, so it ends at 1316.50. Letter E went on below the part that can be read.
  it('the initial balance and the range so far of a published market profile', () => {
    const letters = [
      ['2006-04-07T12:30:00', 1324, 1316.5, 1316.5],
      ['2006-04-07T13:00:00', 1322.75, 1317.5, 1317.5],
      ['2006-04-07T13:30:00', 1322.25, 1316.5, 1316.5],
      ['2006-04-07T14:00:00', 1317.5, 1313.5, 1313.5],
    ] as const
    const sessionAt = (): number => Date.parse('2006-04-07T12:30:00Z')
    expect(pushAll(openingRange(60, sessionAt), letters).slice(1)).toEqual(Array(3).fill([1324, 1316.5]))
    expect(pushAll(sessionRange(sessionAt), letters)).toEqual([...Array(3).fill([1324, 1316.5]), [1324, 1313.5]])
  })

  // tests/test_opening_range.py of github.com/sencer/indikator (MIT): the range of the whole session is 106 to 100.
  it('the opening range of indikator’s tests', () => {
    const at = (day: number, i: number) => new Date(Date.UTC(2024, 0, day, 9, 30 + i * 5)).toISOString().slice(0, 19)
    const openAt = (ms: number): number => startOf(ms, 9.5)
    const steps = [102, 103, 104, 103, ...Array.from({ length: 16 }, (_, i) => 105 + i)]
    const one = pushAll(
      openingRange(30, openAt),
      steps.map((high, i) => [at(2, i), high, high - 2, high - 1]),
    )
    expect(one.slice(5)).toEqual(Array(15).fill([106, 100]))
    const two = pushAll(
      openingRange(30, openAt),
      [0, 1].flatMap((n) =>
        Array.from({ length: 10 }, (_, i) => [at(2 + n, i), 110 + n * 10, 100 + n * 10, 105] as const),
      ),
    )
    expect([two[9], two[10]]).toEqual([
      [110, 100],
      [120, 110],
    ])
    const rising = pushAll(
      openingRange(15, openAt),
      Array.from({ length: 20 }, (_, i) => [at(2, i), 100 + i, 90 + i, 95 + i] as const),
    )
    expect(rising[19]).toEqual([102, 90])
  })
})

describe('ta4j, the bars of its tests', () => {
  it.each(TA4J)('%s %j, output %i', (id, values, output, bars, wanted, within) => {
    const got = run(id, bars, values).slice(-wanted.length)
    for (const [i, value] of wanted.entries())
      if (value !== null) expect(Math.abs(got[i][output] - value), `value ${i}`).toBeLessThanOrEqual(within)
  })
})

describe('Tulip Indicators, fifteen bars', () => {
  it.each(TULIP)('%s %j, output %i', (id, values, output, wanted) => {
    const got = run(id, id === 'ppo' ? seeded(fifteen) : fifteen, values).slice(-wanted.length)
    const within = id === 'roc' || id === 'stochastic-rsi' ? 0.051 : 0.000_51
    for (const [i, value] of wanted.entries())
      expect(Math.abs(got[i][output] - value), `value ${i}`).toBeLessThan(within)
  })
  it('chaikin oscillator, whose averages begin with the accumulation of the first bar', () => {
    // The oscillator doesn't depend on where the accumulation starts, so a first bar without any is the same.
    const [first, ...rest] = seeded(fifteen).slice(0, 300)
    const got = run('chaikin-oscillator', [first, ...rest, ...fifteen.slice(1)], [2, 5]).slice(-TULIP_ADOSC.length)
    for (const [i, value] of TULIP_ADOSC.entries())
      expect(Math.abs(got[i][0] - value), `value ${i}`).toBeLessThan(0.001)
  })
  it('envelope and elder ray, by their definitions over its averages', () => {
    const envelope = run('envelope', fifteen, [5, 2]).slice(-TULIP_SMA.length)
    for (const [i, mean] of TULIP_SMA.entries())
      for (const [output, factor] of [1, 1.02, 0.98].entries())
        expect(Math.abs(envelope[i][output] - mean * factor), `envelope ${i}`).toBeLessThan(0.000_52)
    const rays = run('elder-ray', seeded(fifteen), [5]).slice(-TULIP_EMA.length)
    const bars = fifteen.slice(-TULIP_EMA.length)
    for (const [i, mean] of TULIP_EMA.entries()) {
      expect(Math.abs(rays[i][0] - (bars[i].high - mean)), `bull power ${i}`).toBeLessThan(0.000_51)
      expect(Math.abs(rays[i][1] - (bars[i].low - mean)), `bear power ${i}`).toBeLessThan(0.000_51)
    }
  })
  it('chande momentum of the book’s table, page 96', () => {
    const closes = [
      101.0313, 101.0313, 101.125, 101.9687, 102.7813, 103, 102.9687, 103.0625, 102.9375, 102.7188, 102.75, 102.9063,
      102.9687,
    ]
    const bars = closes.map((close) => ({ open: close, high: close, low: close, close, volume: null }))
    const got = run('chande-momentum', bars, [10]).slice(-3)
    for (const [i, value] of [69.62, 71.4286, 71.0839].entries()) expect(Math.abs(got[i][0] - value)).toBeLessThan(0.01)
  })
})

describe('Lean, the tables of its tests', () => {
  it('supertrend of 71 hours with two turns', () => {
    const rows = readFixture('lean-supertrend')
    const bars = rows.map(barOf)
    const got = run('supertrend', bars, [10, 3])
    let compared = 0
    for (const [i, row] of rows.entries()) {
      if (Number(row['Super']) === 0) continue
      const level = got[i].find((value) => !Number.isNaN(value))
      expect(Math.abs((level ?? NaN) - Number(row['Super'])), `row ${i}`).toBeLessThan(5.1e-8)
      compared++
    }
    expect(compared).toBe(62)
  })
  it('choppiness of 30 days of SPY', () => {
    const bars = readFixture('lean-chop').map(barOf)
    const wanted = readFixture('lean-chop').map((row) => Number(row['CHOP14']))
    const got = run('choppiness', bars, [14])
    let compared = 0
    for (let i = 14; i < bars.length; i++) {
      // The range there is that of the bars alone; ours starts at the close before them. They are equal if it is inside.
      const range = bars.slice(i - 13, i + 1)
      const before = bars[i - 14].close
      if (before < Math.min(...range.map(({ low }) => low)) || before > Math.max(...range.map(({ high }) => high)))
        continue
      expect(Math.abs(got[i][0] - wanted[i]), `row ${i}`).toBeLessThan(1e-9)
      compared++
    }
    expect(compared).toBe(15)
  })
})

describe('talipp, the closes of its tests', () => {
  it('TRIX, which it multiplies by 10,000 instead of 100 and compares to five decimals', () => {
    const closes = [
      10.5, 9.78, 10.46, 10.51, 10.55, 10.72, 10.16, 10.25, 9.4, 9.5, 9.23, 8.5, 8.8, 8.33, 7.53, 7.61, 6.78, 8.6, 9.21,
      8.95, 9.22, 9.1, 8.31, 8.37, 8.3, 7.78, 8.05, 8.1, 8.08, 7.49, 7.58, 8.17, 8.83, 8.91, 9.2, 9.76, 9.42, 9.3, 9.32,
      9.04, 9, 9.33, 9.34, 8.49, 9.21, 10.15, 10.3, 10.59, 10.23, 10,
    ]
    const got = run('trix', closesOnly(closes), [10, 9]).slice(-3)
    for (const [i, value] of [66.062922, 75.271366, 80.317194].entries())
      expect(Math.abs(100 * got[i][0] - value), `value ${i}`).toBeLessThan(0.000_005)
  })
})

describe('indicatorts, the five bars of its test', () => {
  it('price volume trend', () => {
    const volumes = [100, 110, 80, 120, 90]
    const bars = closesOnly([9, 11, 7, 10, 8]).map((bar, i) => ({ ...bar, volume: volumes[i] }))
    const got = run('price-volume-trend', bars, [])
    for (const [i, value] of [24.44, -4.65, 46.78, 28.78].entries())
      expect(Math.abs(got[i + 1][0] - value), `value ${i}`).toBeLessThan(0.005_1)
  })
})

describe('ChartSchool, worked tables', () => {
  it.each<[ChartIndicatorId, string, readonly number[], readonly string[], number, number, PriceName?]>([
    ['kama', 'kama', [10, 2, 30], ['KAMA'], 1e-5, 40],
    ['mfi', 'mfi', [14], ['MFI'], 1e-5, 16],
    ['roc', 'roc', [12], ['ROC'], 1e-7, 8],
    ['accumulation', 'accum', [], ['ADLine'], 1e-4, 30],
    ['price-volume-trend', 'vpt', [], ['unsmoothed vpt'], 1e-9, 29],
    ['ultimate', 'ultosc', [7, 14, 28], ['Ult_Osc'], 1e-5, 2],
    ['vortex', 'vortex', [14], ['+VI14', '-VI14'], 1e-6, 32],
    // Its weights are rounded to four digits.
    ['tsi', 'tsi', [25, 13, 7], ['TSI'], 0.02, 400],
    ['vwma', 'vwap', [14], ['vwap'], 1e-9, 17, 'hlc3'],
  ])('%s', (id, name, values, columns, within, least, price) => {
    const rows = readFixture(`chartschool-${name}`)
    const got = run(id, rows.map(barOf), values, price)
    let compared = 0
    for (const [i, row] of rows.entries()) {
      for (const [at, column] of columns.entries()) {
        if (row[column] === '' || Number.isNaN(got[i][at])) continue
        expect(Math.abs(got[i][at] - Number(row[column])), `${column} of row ${i}`).toBeLessThan(within)
        compared++
      }
    }
    expect(compared).toBeGreaterThanOrEqual(least)
  })

  it.each([
    ['ppo', ['PPO', 'PPO_Signal_Line', 'PPO_Histogram']],
    ['pvo', ['PVO', 'PVO_Signal_Line', 'PVO_Histogram']],
  ] as const)('%s, after a constant start', (id, columns) => {
    const rows = readFixture(`chartschool-${id}`)
    const bars = rows.map(barOf)
    const got = run(id, seeded(bars), [12, 26, 9]).slice(-rows.length)
    for (const [i, row] of rows.entries())
      for (const [at, column] of columns.entries())
        expect(Math.abs(got[i][at] - Number(row[column])), `${column} of row ${i}`).toBeLessThan(1e-6)
  })

  it('parabolic SAR, from the first turn that both take', () => {
    const rows = readFixture('chartschool-psar')
    const got = run('parabolic-sar', rows.map(barOf), [0.02, 0.2])
    for (const [i, row] of rows.entries()) {
      if (i < 8) continue
      const wanted = Number(row['psar_up'] || row['psar_down'])
      expect(Math.abs(got[i][0] - wanted), `row ${i}`).toBeLessThan(1e-8)
    }
  })

  it('force index: what its first value leaves shrinks by the average’s share a bar', () => {
    const rows = readFixture('chartschool-fi')
    const got = run('force-index', rows.map(barOf), [13])
    const apart = rows.map((row, i) => got[i][0] - Number(row['FI']))
    let compared = 0
    for (let i = 14; i < rows.length; i++) {
      expect(Math.abs(apart[i] - apart[i - 1] * (12 / 14)), `row ${i}`).toBeLessThan(2e-3)
      compared++
    }
    expect(compared).toBeGreaterThan(10)
  })
})
