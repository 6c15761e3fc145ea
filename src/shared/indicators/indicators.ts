/**
 * The indicators, by the formulas of their authors: seeded and smoothed as the rules of the domain say.
 * A flat or short series gives absence, never a made-up number.
 */
import { ABSENT, type BarValues, type Indicator } from './indicator.ts'
import { Extreme, Window, exponential, simple, wilder } from './windows.ts'

/** Reads the price of a bar that an indicator works on. */
export type PriceOf = (bar: BarValues) => number

/** Of one smoother over one price. */
function smoothed(make: (n: number) => { peek(v: number): number; push(v: number): number }) {
  return (n: number, price: PriceOf): Indicator => {
    const smoother = make(n)
    return { peek: (bar) => [smoother.peek(price(bar))], push: (bar) => [smoother.push(price(bar))] }
  }
}

/** [average] */
export const sma = smoothed(simple)
/** [average] */
export const ema = smoothed(exponential)

/** Relative strength index after Wilder: [0 to 100]. Absent where nothing has moved. */
export function rsi(n: number, price: PriceOf): Indicator {
  const gains = wilder(n)
  const losses = wilder(n)
  let before = ABSENT
  const index = (gain: number, loss: number): number => (gain + loss === 0 ? ABSENT : (100 * gain) / (gain + loss))
  const run = (bar: BarValues, take: 'peek' | 'push'): readonly number[] => {
    const value = price(bar)
    const moved = value - before
    if (take === 'push') before = value
    if (Number.isNaN(moved)) return [ABSENT]
    return [index(gains[take](Math.max(0, moved)), losses[take](Math.max(0, -moved)))]
  }
  return { peek: (bar) => run(bar, 'peek'), push: (bar) => run(bar, 'push') }
}

/** Moving average convergence/divergence (Appel): [line, signal, histogram]. */
export function macd(fast: number, slow: number, signal: number, price: PriceOf): Indicator {
  const short = exponential(fast)
  const long = exponential(slow)
  const smooth = exponential(signal)
  const run = (bar: BarValues, take: 'peek' | 'push'): readonly number[] => {
    const line = short[take](price(bar)) - long[take](price(bar))
    const average = smooth[take](line)
    return [line, average, line - average]
  }
  return { peek: (bar) => run(bar, 'peek'), push: (bar) => run(bar, 'push') }
}

/** Bollinger bands: [middle, upper, lower], `width` population deviations apart from the mean of n. */
export function bollinger(n: number, width: number, price: PriceOf): Indicator {
  const window = new Window(n)
  const peek = (bar: BarValues): readonly number[] => {
    const { mean, deviation } = window.peek(price(bar))
    return [mean, mean + width * deviation, mean - width * deviation]
  }
  return {
    peek,
    push(bar) {
      const values = peek(bar)
      window.push(price(bar))
      return values
    },
  }
}

/** Slow stochastic oscillator (Lane): [%K, %D], 0 to 100. Absent where the range is nothing. */
export function stochastic(n: number, slowing: number, signal: number): Indicator {
  const high = new Extreme(n, 1)
  const low = new Extreme(n, -1)
  const k = simple(slowing)
  const d = simple(signal)
  const fast = (bar: BarValues): number => {
    const top = high.peek(bar.high)
    const bottom = low.peek(bar.low)
    return top === bottom ? ABSENT : (100 * (bar.close - bottom)) / (top - bottom)
  }
  const run = (bar: BarValues, take: 'peek' | 'push'): readonly number[] => {
    const smooth = k[take](fast(bar))
    return [smooth, d[take](smooth)]
  }
  return {
    peek: (bar) => run(bar, 'peek'),
    push(bar) {
      const values = run(bar, 'push')
      high.push(bar.high)
      low.push(bar.low)
      return values
    },
  }
}

/** Williams %R: [-100 to 0]. Absent where the range is nothing. */
export function williamsR(n: number): Indicator {
  const high = new Extreme(n, 1)
  const low = new Extreme(n, -1)
  const peek = (bar: BarValues): readonly number[] => {
    const top = high.peek(bar.high)
    const bottom = low.peek(bar.low)
    return [top === bottom ? ABSENT : (-100 * (top - bar.close)) / (top - bottom)]
  }
  return {
    peek,
    push(bar) {
      const values = peek(bar)
      high.push(bar.high)
      low.push(bar.low)
      return values
    },
  }
}

/** Average directional index after Wilder: [ADX, +DI, -DI]. Absent where nothing has moved. */
export function adx(n: number): Indicator {
  const range = wilder(n)
  const up = wilder(n)
  const down = wilder(n)
  const smooth = wilder(n)
  let before: BarValues | null = null
  const run = (bar: BarValues, take: 'peek' | 'push'): readonly number[] => {
    const last = before
    if (take === 'push') before = bar
    if (last === null) return [ABSENT, ABSENT, ABSENT]
    const rise = bar.high - last.high
    const fall = last.low - bar.low
    const width = Math.max(bar.high - bar.low, Math.abs(bar.high - last.close), Math.abs(bar.low - last.close))
    const all = range[take](width)
    const plus = (100 * up[take](rise > fall && rise > 0 ? rise : 0)) / all
    const minus = (100 * down[take](fall > rise && fall > 0 ? fall : 0)) / all
    if (!(all > 0)) return [ABSENT, ABSENT, ABSENT]
    const spread = plus + minus === 0 ? 0 : (100 * Math.abs(plus - minus)) / (plus + minus)
    return [smooth[take](spread), plus, minus]
  }
  return { peek: (bar) => run(bar, 'peek'), push: (bar) => run(bar, 'push') }
}
