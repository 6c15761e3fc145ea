/**
 * The oracles of every indicator: which published values it is compared to, and its definition, computed here over whole
 * columns instead of bar by bar. Ours must equal the definition to 1e-9 of the value, at every bar.
 */
import { describe, expect, it } from 'vitest'
import { addToVwap, NO_VWAP } from '../../../../../../src/shared/core/market/flow/vwap.ts'
import type { BarValues } from '../../../../../../src/shared/core/market/indicators/indicator.ts'
import { PRICES } from '../../../../../../src/shared/core/market/indicators/row.ts'
import {
  CHART_INDICATOR_IDS,
  computeAll,
  INDICATORS,
  type ChartIndicatorId,
} from '../../../../../../src/shared/core/market/indicators/table.ts'
import { readFixture } from './fixture.ts'

type Column = readonly number[]
const HOUR = 3_600_000
/** Start of the first bar, UTC ms: a Thursday. Each daily bar of SPY is read as an hour, so that 502 bars span days, weeks and sessions. */
const START = Date.UTC(2026, 0, 1)

/** Price, size and side of the trades of a bar: 1 is a buy, -1 a sell, 0 a trade whose side is unknown. */
const tradesOf = ({ open, high, low, close, volume }: BarValues) =>
  [
    [open, 0.05, 0],
    [high, 0.55, 1],
    [low, 0.3, -1],
    [close, 0.1, close > open ? 1 : -1],
  ].map(([price, share, side]) => ({ price, size: share * (volume ?? 0), side }))
const BARS = readFixture('skender-quotes').map((row, i): BarValues => {
  const [open, high, low, close, volume] = ['open', 'high', 'low', 'close', 'volume'].map((key) => Number(row[key]))
  const trades = tradesOf({ open, high, low, close, volume })
  const taken = (side: number) => total(trades.filter((one) => one.side === side).map(({ size }) => size))
  const vwap = trades.reduce((part, { price, size }) => addToVwap(part, price, size), NO_VWAP)
  return { open, high, low, close, volume, startMs: START + i * HOUR, flow: { buy: taken(1), sell: taken(-1), vwap } }
})

function total(column: Column): number {
  return column.reduce((a, b) => a + b, 0)
}
const mean = (column: Column): number => total(column) / column.length
const column = (of: (i: number) => number): Column => BARS.map((_, i) => of(i))
const [open, high, low, close, volume] = (['open', 'high', 'low', 'close', 'volume'] as const).map((key) =>
  column((i) => BARS[i][key] ?? NaN),
)
const typical = column((i) => (high[i] + low[i] + close[i]) / 3)
/** From the second bar on. */
const moved = (of: (i: number) => number): Column => column((i) => (i === 0 ? NaN : of(i)))
const move = moved((i) => close[i] - close[i - 1])
const trueHigh = moved((i) => Math.max(high[i], close[i - 1]))
const trueLow = moved((i) => Math.min(low[i], close[i - 1]))
const trueRange = moved((i) => trueHigh[i] - trueLow[i])
/** With the first bar, whose range is its own. */
const range = column((i) => (i === 0 ? high[0] - low[0] : trueRange[i]))

/** Applies `of` at each bar to all values up to it, leaving out absent ones. `n`: how many values it needs. */
const soFar = (values: Column, n: number, of: (past: Column) => number): Column =>
  values.map((value, i) => {
    const past = values.slice(0, i + 1).filter((one) => !Number.isNaN(one))
    return Number.isNaN(value) || past.length < n ? NaN : of(past)
  })
const lastOf = (values: Column, n: number, of: (window: Column) => number): Column =>
  soFar(values, n, (past) => of(past.slice(-n)))
const sma = (values: Column, n: number): Column => lastOf(values, n, mean)
const sums = (values: Column, n: number): Column => lastOf(values, n, total)
const most = (values: Column, n: number): Column => lastOf(values, n, (window) => Math.max(...window))
const least = (values: Column, n: number): Column => lastOf(values, n, (window) => Math.min(...window))
const wma = (values: Column, n: number): Column =>
  lastOf(values, n, (window) => total(window.map((one, i) => one * (i + 1))) / ((n * (n + 1)) / 2))
/** The weights that the recursion from the mean of the first n amounts to, written out. */
const decaying = (values: Column, n: number, share: number): Column =>
  soFar(values, n, (past) => {
    const rest = past.slice(n)
    const seed = mean(past.slice(0, n)) * (1 - share) ** rest.length
    return seed + total(rest.map((one, i) => one * share * (1 - share) ** (rest.length - 1 - i)))
  })
const ema = (values: Column, n: number): Column => decaying(values, n, 2 / (n + 1))
const rma = (values: Column, n: number): Column => decaying(values, n, 1 / n)
const sigma = (values: Column, n: number): Column =>
  lastOf(values, n, (window) => Math.sqrt(mean(window.map((one) => (one - mean(window)) ** 2))))
const middle = (n: number): Column => {
  const [top, bottom] = [most(high, n), least(low, n)]
  return column((i) => (top[i] + bottom[i]) / 2)
}
const ago = (values: Column, n: number): Column => column((i) => (i < n ? NaN : values[i - n]))
const less = (a: Column, b: Column): Column => a.map((one, i) => one - b[i])
const over = (a: Column, b: Column, times = 1): Column => a.map((one, i) => (times * one) / b[i])
/** A middle and lines at multiples of a distance. */
const around = (center: Column, apart: Column, ...times: readonly number[]): readonly Column[] =>
  times.map((by) => center.map((one, i) => (by === 0 ? one : one + by * apart[i])))
const share = (values: Column, bottom: Column, top: Column): Column =>
  values.map((one, i) => (top[i] === bottom[i] ? NaN : (100 * (one - bottom[i])) / (top[i] - bottom[i])))
const withSignal = (line: Column, n: number): readonly Column[] => [line, ema(line, n), less(line, ema(line, n))]
const percentOscillator = (values: Column, [fast, slow, signal]: Column): readonly Column[] =>
  withSignal(over(less(ema(values, fast), ema(values, slow)), ema(values, slow), 100), signal)
const rsi = (n: number): Column => {
  const [up, down] = [1, -1].map((side) =>
    rma(
      move.map((one) => (Number.isNaN(one) ? NaN : Math.max(0, side * one))),
      n,
    ),
  )
  return column((i) => 100 - 100 / (1 + up[i] / down[i]))
}
const moneyFlow = column((i) => ((2 * close[i] - low[i] - high[i]) / (high[i] - low[i])) * volume[i])
const accumulation = column((i) => total(moneyFlow.slice(0, i + 1)))

/** The trades since the period of a bar began. */
const tradesSince = (i: number, periodOf: (i: number) => number) =>
  BARS.slice(0, i + 1)
    .filter((_, k) => periodOf(k) === periodOf(i))
    .flatMap(tradesOf)
const ofDay = (i: number): number => Math.floor(i / 24)
/** The first week has four days, Thursday to Sunday. */
const ofWeek = (i: number): number => Math.floor((i + 72) / 168)
const ANCHOR_AT = 100
const sinceAnchor = (i: number): number => (i < ANCHOR_AT ? NaN : 0)
const weighted = (prices: Column, sizes: Column): readonly [number, number] => {
  const center = total(prices.map((one, i) => one * sizes[i])) / total(sizes)
  return [center, Math.sqrt(total(prices.map((one, i) => sizes[i] * (one - center) ** 2)) / total(sizes))]
}
const tradeVwap = (periodOf: (i: number) => number): readonly Column[] => {
  const found = BARS.map((_, i) => {
    const trades = tradesSince(i, periodOf)
    return weighted(trades.map(({ price }) => price), trades.map(({ size }) => size)) // oxfmt-ignore
  })
  return around(found.map(([center]) => center), found.map(([, apart]) => apart), 0, 1, -1, 2, -2, 3, -3) // oxfmt-ignore
}
const deltas = (periodOf: ((i: number) => number) | null): readonly Column[] => {
  const of = (side: (one: number) => number) =>
    column((i) => {
      const trades = periodOf === null ? tradesOf(BARS[i]) : tradesSince(i, periodOf)
      return trades.length === 0 ? NaN : total(trades.map((one) => side(one.side) * one.size))
    })
  return [of((one) => one), of((one) => one || -1), of((one) => one || 1)]
}
/** Of the bars of a day: from the day at `back` days before a bar, to its end or the bar. */
const ofSession = (back: number, of: (first: number, end: number) => number): Column =>
  column((i) => {
    const first = (ofDay(i) - back) * 24
    return first < 0 ? NaN : of(first, Math.min(first + 24, i + 1))
  })
const highOf = (back: number, bars = 24): Column =>
  ofSession(back, (first, end) => Math.max(...high.slice(first, Math.min(end, first + bars))))
const lowOf = (back: number, bars = 24): Column =>
  ofSession(back, (first, end) => Math.min(...low.slice(first, Math.min(end, first + bars))))
const closeOf = (back: number): Column => ofSession(back, (_, end) => close[end - 1])

const kama = ([n, fast, slow]: Column): Column => {
  const [steps, out] = [move.map(Math.abs), close.map(() => NaN)]
  out[n - 1] = close[n - 1]
  for (let i = n; i < close.length; i++) {
    const straight = Math.abs(close[i] - close[i - n]) / total(steps.slice(i - n + 1, i + 1))
    const constant = (straight * (2 / (fast + 1) - 2 / (slow + 1)) + 2 / (slow + 1)) ** 2
    out[i] = constant * close[i] + (1 - constant) * out[i - 1]
  }
  return out
}
/** The end of the line whose slope is covariance by variance. */
const lineEnd = (window: Column): number => {
  const [x, y] = [(window.length - 1) / 2, mean(window)]
  const slope = total(window.map((one, i) => (i - x) * (one - y))) / total(window.map((_, i) => (i - x) ** 2))
  return y + slope * (window.length - 1 - x)
}
const supertrend = ([n, width]: Column): readonly Column[] => {
  const apart = rma(range, n)
  const center = column((i) => (high[i] + low[i]) / 2)
  const [lower, upper] = around(center, apart, -width, width).map((one) => [...one])
  const shown = close.map(() => NaN)
  for (let i = n - 1; i < close.length; i++) {
    if (i > n - 1) {
      if (!(upper[i] < upper[i - 1] || close[i - 1] > upper[i - 1])) upper[i] = upper[i - 1]
      if (!(lower[i] > lower[i - 1] || close[i - 1] < lower[i - 1])) lower[i] = lower[i - 1]
    }
    const wasDown = i === n - 1 ? close[i] <= center[i] : shown[i - 1] === upper[i - 1]
    shown[i] = wasDown ? (close[i] <= upper[i] ? upper[i] : lower[i]) : close[i] > lower[i] ? lower[i] : upper[i]
  }
  return [lower, upper].map((band) => shown.map((one, i) => (one === band[i] ? one : NaN)))
}
/** One trade after the other: its stops from its entry to the bar that reverses it. */
const parabolicSar = ([step, limit]: Column): Column => {
  const out = close.map(() => NaN)
  let [entry, side, stop] = [0, 1, low[0]]
  for (let i = 1; i < close.length; i++) {
    const [ahead, behind] = side > 0 ? [high, low] : [low, high]
    const best = (upTo: number): number => side * Math.max(...ahead.slice(entry, upTo).map((one) => side * one))
    const records = Array.from({ length: i - entry - 1 }, (_, k) => entry + 1 + k).filter(
      (k) => best(k + 1) !== best(k),
    )
    const factor = Math.min(limit, step * (1 + records.length))
    stop += factor * (best(i) - stop)
    for (const one of behind.slice(Math.max(0, i - 2), i)) stop = side > 0 ? Math.min(stop, one) : Math.max(stop, one)
    if (side * (behind[i] - stop) <= 0) [stop, entry, side] = [best(i), i, -side]
    out[i] = entry > 0 ? stop : NaN
  }
  return out
}
const zigzag = ([percent]: Column): readonly Column[] => {
  const out = [0, 1, 2, 3].map(() => close.map(() => NaN))
  /** The last bar of an extreme between two bars, both included. */
  const extreme = (side: number, from: number, to: number): number => {
    const values = (side > 0 ? high : low).slice(from, to + 1).map((one) => side * one)
    return from + values.lastIndexOf(Math.max(...values))
  }
  let [from, side, swing] = [0, 0, NaN]
  for (let i = 1; i < close.length; i++) {
    for (const leg of side === 0 ? [1, -1] : [side]) {
      const at = extreme(leg, from, i)
      const back = leg > 0 ? low[i] <= high[at] * (1 - percent / 100) : high[i] >= low[at] * (1 + percent / 100)
      if (at === i || !back) continue
      ;[swing, side, from] = [leg * at, -leg, i]
      break
    }
    if (side === 0) continue
    const [began, end] = [Math.abs(swing), extreme(side, from, i)]
    const values = [(side > 0 ? low : high)[began], i - began, (side > 0 ? high : low)[end], i - end]
    for (const [k, value] of values.entries()) out[k][i] = value
  }
  return out
}

interface Oracle {
  /** Published values, in the tests beside this one; `tests/fixtures/indicators/README.md` has the addresses. */
  readonly published: readonly string[]
  /** Why there are fewer than two. */
  readonly lacks?: string
  /** The parameters to compare with. */
  readonly tried: readonly Column[]
  readonly define: (values: Column) => readonly Column[]
}
const [S, C, T, A] = ['Stock.Indicators', 'ChartSchool', 'Tulip Indicators', 'ta4j']
const ONE_TABLE = 'no second table with values of this indicator is kept here'
const BY_HAND =
  'depends on the sides or prices of single trades, which no published table has: by hand (tests/fixtures/order-flow)'

const ORACLES: Readonly<Record<ChartIndicatorId, Oracle>> = {
  sma: { published: [S, T], tried: [[20], [7]], define: ([n]) => [sma(close, n)] },
  ema: { published: [S, T, C], tried: [[20], [7]], define: ([n]) => [ema(close, n)] },
  rsi: { published: [S], lacks: ONE_TABLE, tried: [[14], [5]], define: ([n]) => [rsi(n)] },
  macd: { published: [C], lacks: ONE_TABLE, tried: [[12, 26, 9], [3, 7, 4]], define: ([a, b, n]) => withSignal(less(ema(close, a), ema(close, b)), n) },
  'bollinger-bands': { published: [C], lacks: ONE_TABLE, tried: [[20, 2], [6, 2.5]], define: ([n, width]) => around(sma(close, n), sigma(close, n), 0, width, -width) },
  stochastic: { published: [C], lacks: ONE_TABLE, tried: [[14, 3, 3], [7, 4, 2]], define: ([n, slowing, signal]) => {
    const k = sma(share(close, least(low, n), most(high, n)), slowing)
    return [k, sma(k, signal)]
  } },
  adx: { published: [C], lacks: ONE_TABLE, tried: [[14, 14], [7, 5]], define: ([n, smoothing]) => {
    const [rise, fall] = [moved((i) => high[i] - high[i - 1]), moved((i) => low[i - 1] - low[i])]
    const [plus, minus] = [[rise, fall], [fall, rise]].map(([one, other]) =>
      over(rma(moved((i) => (one[i] > other[i] && one[i] > 0 ? one[i] : 0)), n), rma(trueRange, n), 100))
    return [rma(column((i) => (100 * Math.abs(plus[i] - minus[i])) / (plus[i] + minus[i])), smoothing), plus, minus]
  } },
  'williams-r': { published: [C], lacks: ONE_TABLE, tried: [[14], [5]], define: ([n]) => [share(close, least(low, n), most(high, n)).map((one) => one - 100)] },
  wma: { published: [C], lacks: ONE_TABLE, tried: [[20], [9]], define: ([n]) => [wma(close, n)] },
  vwap: { published: [C], lacks: ONE_TABLE, tried: [[1], [2.5]], define: ([width]) => {
    const found = typical.map((_, i) => weighted(typical.slice(ofDay(i) * 24, i + 1), volume.slice(ofDay(i) * 24, i + 1)))
    return around(found.map(([center]) => center), found.map(([, apart]) => apart), 0, width, -width)
  } },
  atr: { published: [C], lacks: ONE_TABLE, tried: [[14], [5]], define: ([n]) => [rma(range, n)] },
  obv: { published: [C], lacks: ONE_TABLE, tried: [[]], define: () => [moved((i) => total(move.slice(1, i + 1).map((one, k) => Math.sign(one) * volume[k + 1])))] },
  cci: { published: [C], lacks: ONE_TABLE, tried: [[20], [7]], define: ([n]) => [lastOf(typical, n, (window) =>
    (window[n - 1] - mean(window)) / (0.015 * mean(window.map((one) => Math.abs(one - mean(window))))))] },
  donchian: { published: [C], lacks: ONE_TABLE, tried: [[20], [7]], define: ([n]) => [middle(n), most(high, n), least(low, n)] },
  keltner: { published: [C], lacks: ONE_TABLE, tried: [[20, 2, 10], [5, 1.5, 8]], define: ([n, width, ranges]) => around(ema(close, n), rma(range, ranges), 0, width, -width) },
  ichimoku: { published: [], lacks: 'no table is kept here; its lines are middles of ranges, as those of donchian are', tried: [[9, 26, 52, 26], [3, 5, 8, 4]], define: ([a, b, c]) => [
    middle(a), middle(b), column((i) => (middle(a)[i] + middle(b)[i]) / 2), middle(c), column((i) => (i < a - 1 ? NaN : close[i])),
  ] },
  delta: { published: [], lacks: BY_HAND, tried: [[]], define: () => deltas(null) },
  cvd: { published: [], lacks: BY_HAND, tried: [0, 1, 2, 3, 4].map((reset) => [reset, START + ANCHOR_AT * HOUR]), define: ([reset]) =>
    deltas([ofDay, ofWeek, () => 0, () => 0, sinceAnchor][reset]) },
  'session-vwap': { published: [], lacks: BY_HAND, tried: [[0], [1]], define: ([reset]) => tradeVwap([ofDay, ofWeek][reset]) },
  'anchored-vwap': { published: [], lacks: BY_HAND, tried: [[START + ANCHOR_AT * HOUR]], define: () => tradeVwap(sinceAnchor) },
  rma: { published: [S, T], tried: [[14], [5]], define: ([n]) => [rma(close, n)] },
  vwma: { published: [C, T], tried: [[20], [5]], define: ([n]) => [over(sums(column((i) => close[i] * volume[i]), n), sums(volume, n))] },
  hull: { published: [S, T], tried: [[20], [9]], define: ([n]) => [wma(less(wma(close, Math.floor(n / 2)).map((one) => 2 * one), wma(close, n)), Math.floor(Math.sqrt(n)))] },
  dema: { published: [S, A], tried: [[20], [5]], define: ([n]) => [less(ema(close, n).map((one) => 2 * one), ema(ema(close, n), n))] },
  tema: { published: [S, A], tried: [[20], [5]], define: ([n]) => {
    const [one, two] = [ema(close, n), ema(ema(close, n), n)]
    return [ema(two, n).map((three, i) => 3 * (one[i] - two[i]) + three)]
  } },
  kama: { published: [S, C, T], tried: [[10, 2, 30], [5, 3, 20]], define: (values) => [kama(values)] },
  'linear-regression': { published: [S, T], tried: [[20], [5]], define: ([n]) => [lastOf(close, n, lineEnd)] },
  envelope: { published: [S, T], tried: [[20, 2.5], [5, 1]], define: ([n, percent]) => around(sma(close, n), sma(close, n), 0, percent / 100, -percent / 100) },
  deviation: { published: [S, T], tried: [[20], [5]], define: ([n]) => [sigma(close, n)] },
  chandelier: { published: [S, A], tried: [[22, 3], [5, 2]], define: ([n, width]) => [
    ...around(most(high, n), rma(range, n), -width), ...around(least(low, n), rma(range, n), width),
  ] },
  supertrend: { published: [S, 'Lean'], tried: [[10, 3], [14, 2]], define: supertrend },
  'parabolic-sar': { published: [S, C], tried: [[0.02, 0.2], [0.05, 0.1]], define: (values) => [parabolicSar(values)] },
  zigzag: { published: [S, 'trading-signals'], tried: [[1], [3]], define: zigzag },
  pivots: { published: [S, A], tried: [[]], define: () => {
    const [h, l, c] = [highOf(1), lowOf(1), closeOf(1)]
    const p = column((i) => (h[i] + l[i] + c[i]) / 3)
    return [
      p, column((i) => 2 * p[i] - l[i]), column((i) => 2 * p[i] - h[i]), column((i) => p[i] + h[i] - l[i]),
      column((i) => p[i] - h[i] + l[i]), column((i) => 2 * p[i] + h[i] - 2 * l[i]), column((i) => 2 * p[i] + l[i] - 2 * h[i]),
    ]
  } },
  'session-range': { published: [S, A, 'a market profile at mypivots.com'], tried: [[]], define: () => [highOf(0), lowOf(0)] },
  'prior-session': { published: [S, A], tried: [[]], define: () => [highOf(1), lowOf(1), closeOf(1)] },
  'opening-range': { published: ['a market profile at mypivots.com', 'indikator'], tried: [[180], [60]], define: ([minutes]) => [highOf(0, minutes / 60), lowOf(0, minutes / 60)] },
  'stochastic-rsi': { published: [S, T], tried: [[14, 14, 3, 3], [7, 5, 2, 4]], define: ([n, length, slowing, signal]) => {
    const k = sma(share(rsi(n), least(rsi(n), length), most(rsi(n), length)), slowing)
    return [k, sma(k, signal)]
  } },
  roc: { published: [S, C, T], tried: [[9], [20]], define: ([n]) => [over(less(close, ago(close, n)), ago(close, n), 100)] },
  momentum: { published: [S, T], tried: [[10], [3]], define: ([n]) => [less(close, ago(close, n))] },
  aroon: { published: [S, T], tried: [[25], [5]], define: ([n]) => [1, -1].map((side) =>
    lastOf(side > 0 ? high : low.map((one) => -one), n + 1, (window) => (100 * window.lastIndexOf(Math.max(...window))) / n)) },
  ppo: { published: [C, T], tried: [[12, 26, 9], [3, 7, 4]], define: (values) => percentOscillator(close, values) },
  tsi: { published: [S, C], tried: [[25, 13, 7], [9, 5, 3]], define: ([long, short, signal]) => {
    const twice = (values: Column): Column => ema(ema(values, long), short)
    return withSignal(over(twice(move), twice(move.map(Math.abs)), 100), signal).slice(0, 2)
  } },
  ultimate: { published: [S, C, T], tried: [[7, 14, 28], [2, 3, 5]], define: (lengths) => {
    const shares = lengths.map((n) => over(sums(less(close, trueLow), n), sums(trueRange, n)))
    return [column((i) => 100 * total(shares.map((one, k) => one[i] * [4 / 7, 2 / 7, 1 / 7][k])))]
  } },
  awesome: { published: [S, A], tried: [[5, 34], [3, 10]], define: ([fast, slow]) => {
    const center = column((i) => (high[i] + low[i]) / 2)
    return [less(sma(center, fast), sma(center, slow))]
  } },
  trix: { published: [S, 'talipp'], tried: [[18, 9], [5, 4]], define: ([n, signal]) => {
    const three = ema(ema(ema(close, n), n), n)
    const change = over(less(three, ago(three, 1)), ago(three, 1), 100)
    return [change, sma(change, signal)]
  } },
  'chande-momentum': { published: [T, 'The New Technical Trader'], tried: [[9], [5]], define: ([n]) => [over(sums(move, n), sums(move.map(Math.abs), n), 100)] },
  'balance-of-power': { published: [S, T], tried: [[14], [3]], define: ([n]) => [sma(over(less(close, open), less(high, low)), n)] },
  'elder-ray': { published: [S, T], tried: [[13], [5]], define: ([n]) => [less(high, ema(close, n)), less(low, ema(close, n))] },
  choppiness: { published: [S, 'Lean'], tried: [[14], [5]], define: ([n]) => [
    over(sums(trueRange, n), less(most(trueHigh, n), least(trueLow, n))).map((one) => (100 * Math.log(one)) / Math.log(n)),
  ] },
  vortex: { published: [S, C], tried: [[14], [5]], define: ([n]) =>
    [moved((i) => Math.abs(high[i] - low[i - 1])), moved((i) => Math.abs(low[i] - high[i - 1]))].map((one) => over(sums(one, n), sums(trueRange, n))) },
  mfi: { published: [S, C, T], tried: [[14], [5]], define: ([n]) => {
    const [up, down] = [1, -1].map((side) => sums(moved((i) => (side * (typical[i] - typical[i - 1]) > 0 ? typical[i] * volume[i] : 0)), n))
    return [column((i) => 100 - 100 / (1 + up[i] / down[i]))]
  } },
  cmf: { published: [S, A], tried: [[20], [5]], define: ([n]) => [over(sums(moneyFlow, n), sums(volume, n))] },
  accumulation: { published: [S, C, T], tried: [[]], define: () => [accumulation] },
  'chaikin-oscillator': { published: [S, T], tried: [[3, 10], [2, 5]], define: ([fast, slow]) => [less(ema(accumulation, fast), ema(accumulation, slow))] },
  'force-index': { published: [S, C], tried: [[13], [5]], define: ([n]) => [ema(column((i) => move[i] * volume[i]), n)] },
  'price-volume-trend': { published: [C, 'indicatorts'], tried: [[]], define: () => [moved((i) => total(move.slice(1, i + 1).map((one, k) => (one / close[k]) * volume[k + 1])))] },
  pvo: { published: [S, C], tried: [[12, 26, 9], [3, 7, 4]], define: (values) => percentOscillator(volume, values) },
} // oxfmt-ignore

const EXACT = 1e-9

describe('oracles of indicators', () => {
  it('are named for each indicator: two published ones, or why there are fewer', () => {
    expect(Object.keys(ORACLES).toSorted()).toEqual([...CHART_INDICATOR_IDS].toSorted())
    for (const id of CHART_INDICATOR_IDS) {
      const { published, lacks } = ORACLES[id]
      expect(new Set(published).size, id).toBe(published.length)
      expect(lacks === undefined, id).toBe(published.length >= 2)
    }
    const twice = CHART_INDICATOR_IDS.filter((id) => ORACLES[id].published.length >= 2)
    expect(twice.length).toBeGreaterThanOrEqual(38)
  })

  it.each(CHART_INDICATOR_IDS.flatMap((id) => ORACLES[id].tried.map((values) => [id, values] as const)))(
    '%s %j is its definition to 1e-9, at every bar',
    (id, values) => {
      const row = INDICATORS[id]
      const got = computeAll(row, values, PRICES[row.usualPrice], BARS)
      const wanted = ORACLES[id].define(values)
      expect(wanted).toHaveLength(row.outputs.length)
      for (const [at, column] of wanted.entries()) {
        expect(column.filter((one) => !Number.isNaN(one)).length, `values of output ${at}`).toBeGreaterThan(100)
        for (const [i, value] of column.entries()) {
          if (Number.isNaN(value)) expect(got[i][at], `output ${at} of bar ${i}`).toBeNaN()
          else
            expect(Math.abs(got[i][at] - value), `output ${at} of bar ${i}: ${value}`).toBeLessThanOrEqual(
              EXACT * Math.abs(value) + 1e-12,
            )
        }
      }
    },
  )
})
