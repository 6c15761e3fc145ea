/**
 * The indicators by their authors' formulas, with the customary seeding and smoothing. A flat or short series gives no
 * value, never a made-up one.
 */
import { ABSENT, comparing, lookingBack, stepping, type BarValues, type Indicator, type Smoother } from './indicator.ts'
import { Extreme, Lookback, Window, exponential, simple, weighted, wilder } from './windows.ts'

/** Reads the price of a bar that an indicator uses. */
export type PriceOf = (bar: BarValues) => number

/** An indicator of one smoother over one price. */
export function smoothed(make: (n: number) => Smoother) {
  return (n: number, price: PriceOf): Indicator => {
    const smoother = make(n)
    return stepping((bar, take) => [smoother[take](price(bar))])
  }
}

/** [average] */
export const sma = smoothed(simple)
/** [average] */
export const ema = smoothed(exponential)
/** [average] */
export const wma = smoothed(weighted)

/** Relative strength index (Wilder): [0 to 100]. Absent if nothing moved. */
export function rsi(n: number, price: PriceOf): Indicator {
  const gains = wilder(n)
  const losses = wilder(n)
  let before = ABSENT
  const index = (gain: number, loss: number): number => (gain + loss === 0 ? ABSENT : (100 * gain) / (gain + loss))
  return stepping((bar, take) => {
    const value = price(bar)
    const moved = value - before
    if (take === 'push') before = value
    if (Number.isNaN(moved)) return [ABSENT]
    return [index(gains[take](Math.max(0, moved)), losses[take](Math.max(0, -moved)))]
  })
}

/** Moving average convergence/divergence (Appel): [line, signal, histogram]. */
export function macd(fast: number, slow: number, signal: number, price: PriceOf): Indicator {
  const short = exponential(fast)
  const long = exponential(slow)
  const smooth = exponential(signal)
  return stepping((bar, take) => {
    const line = short[take](price(bar)) - long[take](price(bar))
    const average = smooth[take](line)
    return [line, average, line - average]
  })
}

/** Bollinger bands: [middle, upper, lower], `width` population deviations from the mean of n. */
export function bollinger(n: number, width: number, price: PriceOf): Indicator {
  const window = new Window(n)
  return lookingBack(
    (bar) => {
      const { mean, deviation } = window.peek(price(bar))
      return [mean, mean + width * deviation, mean - width * deviation]
    },
    (bar) => window.push(price(bar)),
  )
}

/** Slow stochastic oscillator (Lane): [%K, %D], 0 to 100. Absent if the range is zero. */
export function stochastic(n: number, slowing: number, signal: number): Indicator {
  const fast = ofRange(n, (top, bottom, bar) => [
    top === bottom ? ABSENT : (100 * (bar.close - bottom)) / (top - bottom),
  ])
  const k = simple(slowing)
  const d = simple(signal)
  return stepping((bar, take) => {
    const smooth = k[take](fast[take](bar)[0])
    return [smooth, d[take](smooth)]
  })
}

/** An indicator of the range of n bars, the newest included. `of`: its values from highest high, lowest low and bar. */
function ofRange(n: number, of: (top: number, bottom: number, bar: BarValues) => readonly number[]): Indicator {
  const high = new Extreme(n, 1)
  const low = new Extreme(n, -1)
  return lookingBack(
    (bar) => of(high.peek(bar.high), low.peek(bar.low), bar),
    (bar) => {
      high.push(bar.high)
      low.push(bar.low)
    },
  )
}

/** Williams %R: [-100 to 0]. Absent if the range is zero. */
export const williamsR = (n: number): Indicator =>
  ofRange(n, (top, bottom, bar) => [top === bottom ? ABSENT : (-100 * (top - bar.close)) / (top - bottom)])

/**
 * Average directional index (Wilder): [ADX, +DI, -DI]. `n` is the length of the directional indicators, `smoothing`
 * that of their average (Wilder uses one length for both). Absent if nothing moved.
 */
export function adx(n: number, smoothing: number): Indicator {
  const range = wilder(n)
  const up = wilder(n)
  const down = wilder(n)
  const smooth = wilder(smoothing)
  return comparing((bar, last, take) => {
    if (last === null) return [ABSENT, ABSENT, ABSENT]
    const rise = bar.high - last.high
    const fall = last.low - bar.low
    const all = range[take](trueRange(bar, last))
    const plus = (100 * up[take](rise > fall && rise > 0 ? rise : 0)) / all
    const minus = (100 * down[take](fall > rise && fall > 0 ? fall : 0)) / all
    if (!(all > 0)) return [ABSENT, ABSENT, ABSENT]
    const spread = plus + minus === 0 ? 0 : (100 * Math.abs(plus - minus)) / (plus + minus)
    return [smooth[take](spread), plus, minus]
  })
}

/** True range of a bar (Wilder): its range including the previous close. For the first bar its own range. */
export function trueRange(bar: BarValues, before: BarValues | null): number {
  if (before === null) return bar.high - bar.low
  return Math.max(bar.high - bar.low, Math.abs(bar.high - before.close), Math.abs(bar.low - before.close))
}

/** Average true range (Wilder): [range]. */
export function atr(n: number): Indicator {
  const range = wilder(n)
  return comparing((bar, before, take) => [range[take](trueRange(bar, before))])
}

/** Commodity channel index (Lambert): [index]. Absent if nothing moved. Takes n steps per bar. */
export function cci(n: number, price: PriceOf): Indicator {
  const window = new Lookback(n)
  return lookingBack(
    (bar) => {
      const value = price(bar)
      const { mean, deviation } = window.spread(value)
      return [deviation > 0 ? (value - mean) / (0.015 * deviation) : ABSENT]
    },
    (bar) => window.push(price(bar)),
  )
}

/** On-balance volume (Granville): [sum] from the second bar on. Absent for bars without volume. */
export function obv(): Indicator {
  let before = ABSENT
  let sum = 0
  return lookingBack(
    ({ close, volume }) => [
      volume === null || Number.isNaN(before) ? ABSENT : sum + Math.sign(close - before) * volume,
    ],
    ({ close }, [value]) => {
      if (!Number.isNaN(value)) sum = value
      before = close
    },
  )
}

/** The start of the day at a time, UTC ms, in the market of the bars. */
export type DayOf = (ms: number) => number

/**
 * Volume-weighted average price since the start of the day: [average, upper, lower], `width` volume-weighted deviations
 * apart. Absent for bars without volume and before the first trade.
 */
export function vwap(width: number, price: PriceOf, dayOf: DayOf): Indicator {
  let day = ABSENT
  /** Sums are relative to the day's first price, because squares of prices would lose digits. */
  let base = 0
  let volume = 0
  let sum = 0
  let squares = 0
  const next = (bar: BarValues) => {
    const began = bar.startMs === undefined ? 0 : dayOf(bar.startMs)
    const isNewDay = began !== day
    const value = price(bar)
    const from = isNewDay || volume === 0 ? value : base
    const size = bar.volume ?? 0
    const apart = value - from
    return {
      day: began,
      base: from,
      volume: (isNewDay ? 0 : volume) + size,
      sum: (isNewDay ? 0 : sum) + size * apart,
      squares: (isNewDay ? 0 : squares) + size * apart * apart,
    }
  }
  const values = (bar: BarValues, { base, volume, sum, squares }: ReturnType<typeof next>): readonly number[] => {
    if (bar.volume === null || !(volume > 0)) return [ABSENT, ABSENT, ABSENT]
    const mean = sum / volume
    const deviation = width * Math.sqrt(Math.max(0, squares / volume - mean * mean))
    return [base + mean, base + mean + deviation, base + mean - deviation]
  }
  return stepping((bar, take) => {
    const taken = next(bar)
    if (take === 'push') ({ day, base, volume, sum, squares } = taken)
    return values(bar, taken)
  })
}

/** The middle between the highest high and the lowest low of n bars. */
const midpoint = (n: number): Indicator => ofRange(n, (top, bottom) => [(top + bottom) / 2])

/** Donchian channel of n bars, including the newest: [middle, highest high, lowest low]. */
export const donchian = (n: number): Indicator => ofRange(n, (top, bottom) => [(top + bottom) / 2, top, bottom])

/** Keltner channel (Raschke's version): [average, upper, lower], `width` average true ranges apart. */
export function keltner(n: number, width: number, ranges: number, price: PriceOf): Indicator {
  const middle = exponential(n)
  const range = atr(ranges)
  return stepping((bar, take) => {
    const mean = middle[take](price(bar))
    const apart = width * range[take](bar)[0]
    return [mean, mean + apart, mean - apart]
  })
}

/**
 * Ichimoku Kinko Hyo: [conversion, base, leading A, leading B, lagging], as computed at the bar. Leading lines are
 * drawn later and the lagging line earlier; see `shifts` in the table.
 */
export function ichimoku(conversion: number, base: number, leading: number): Indicator {
  const short = midpoint(conversion)
  const long = midpoint(base)
  const longest = midpoint(leading)
  return stepping((bar, take) => {
    const [tenkan] = short[take](bar)
    const [kijun] = long[take](bar)
    const [senkou] = longest[take](bar)
    // The lagging line is the close itself, so it is absent until the others exist.
    return [tenkan, kijun, (tenkan + kijun) / 2, senkou, Number.isNaN(tenkan) ? ABSENT : bar.close]
  })
}
