/** Simple computation of indicators over bars. There are no values before the warm-up. */
import type { EndpointId } from '../../service/endpoints.ts'
import type { ResponseBar } from './daily.ts'
import type { Query } from './fundamentals.ts'

type Series = (number | undefined)[]

const mean = (list: readonly number[]) => list.reduce((a, b) => a + b, 0) / list.length

function windowed(values: readonly number[], n: number, of: (window: readonly number[]) => number): Series {
  return values.map((_, i) => (i + 1 < n ? undefined : of(values.slice(i + 1 - n, i + 1))))
}

/** Smoothing that starts with the mean of the first n values; `weight` is that of each later value. */
function smoothed(values: Series, n: number, weight: number): Series {
  const first = values.findIndex((x) => x !== undefined)
  let last: number | undefined
  return values.map((x, i) => {
    if (first < 0 || x === undefined || i < first + n - 1) return undefined
    last = last === undefined ? mean(values.slice(first, i + 1).map((y) => y ?? 0)) : last + weight * (x - last)
    return last
  })
}

const ema = (values: Series, n: number) => smoothed(values, n, 2 / (n + 1))
const wilder = (values: Series, n: number) => smoothed(values, n, 1 / n)
const both = (a: Series, b: Series, of: (x: number, y: number) => number): Series =>
  a.map((x, i) => {
    const y = b[i]
    return x === undefined || y === undefined ? undefined : of(x, y)
  })

const PERIODS: Readonly<Partial<Record<EndpointId, number>>> = { sma: 20, ema: 20, 'bollinger-bands': 20 }

/** The parameters that the demo service reads. An implausible number counts as missing. */
export function parametersOf(id: EndpointId, query: Query): Readonly<Record<string, number>> {
  const number = (name: string, usual: number) => {
    const n = Number(query.get(name) ?? NaN)
    return name === 'width' ? (n > 0 && n <= 20 ? n : usual) : Number.isInteger(n) && n > 1 && n <= 200 ? n : usual
  }
  switch (id) {
    case 'macd':
      return { fast: number('fast', 12), slow: number('slow', 26), signal: number('signal', 9) }
    case 'stochastic':
      return { period: number('period', 14), slowing: number('slowing', 3), signal: number('signal', 3) }
    case 'bollinger-bands':
      return { period: number('period', 20), width: number('width', 2) }
    case 'adx': {
      const period = number('period', 14)
      return { period, smoothing: number('smoothing', period) }
    }
    default:
      return { period: number('period', PERIODS[id] ?? 14) }
  }
}

/** The series of an indicator by the name of its value, or undefined if the endpoint isn't an indicator. */
export function indicator(
  id: EndpointId,
  bars: readonly ResponseBar[],
  parameters: Readonly<Record<string, number>>,
): Record<string, Series> | undefined {
  const close = bars.map((d) => d.close)
  const { period = 14 } = parameters
  switch (id) {
    case 'sma':
      return { sma: windowed(close, period, mean) }
    case 'ema':
      return { ema: ema(close, period) }
    case 'rsi': {
      const change = (sign: number): Series =>
        close.map((c, i) => (i === 0 ? undefined : Math.max(0, sign * (c - (close[i - 1] ?? c)))))
      const up = wilder(change(1), period)
      const down = wilder(change(-1), period)
      return { rsi: both(up, down, (u, d) => (u + d === 0 ? 50 : (100 * u) / (u + d))) }
    }
    case 'macd': {
      const macd = both(ema(close, parameters.fast), ema(close, parameters.slow), (fast, slow) => fast - slow)
      const signal = ema(macd, parameters.signal)
      return { macd, signal, histogram: both(macd, signal, (m, s) => m - s) }
    }
    case 'bollinger-bands': {
      const middle = windowed(close, period, mean)
      const deviation = windowed(close, period, (w) => {
        const m = mean(w)
        return Math.sqrt(mean(w.map((x) => (x - m) ** 2)))
      })
      return {
        upper: both(middle, deviation, (m, d) => m + parameters.width * d),
        middle,
        lower: both(middle, deviation, (m, d) => m - parameters.width * d),
      }
    }
    case 'stochastic':
    case 'williams-r': {
      const raw = bars.map((d, i) => {
        if (i + 1 < period) return undefined
        const part = bars.slice(i + 1 - period, i + 1)
        const high = Math.max(...part.map((x) => x.high))
        const low = Math.min(...part.map((x) => x.low))
        return high === low ? 50 : (100 * (d.close - low)) / (high - low)
      })
      if (id === 'williams-r') return { williams_r: raw.map((k) => (k === undefined ? undefined : k - 100)) }
      const k = slow(raw, parameters.slowing)
      return { k, d: slow(k, parameters.signal) }
    }
    case 'adx':
      return adx(bars, period, parameters.smoothing)
    default:
      return undefined
  }
}

function slow(values: Series, n: number): Series {
  return values.map((_, i) => {
    const part = values.slice(Math.max(0, i + 1 - n), i + 1).filter((x) => x !== undefined)
    return part.length < n ? undefined : mean(part)
  })
}

function adx(bars: readonly ResponseBar[], n: number, smoothing: number): Record<string, Series> {
  const range: Series = [undefined]
  const plus: Series = [undefined]
  const minus: Series = [undefined]
  bars.forEach((bar, i) => {
    const before = bars[i - 1]
    if (before === undefined) return
    const up = bar.high - before.high
    const down = before.low - bar.low
    plus.push(up > down && up > 0 ? up : 0)
    minus.push(down > up && down > 0 ? down : 0)
    range.push(Math.max(bar.high - bar.low, Math.abs(bar.high - before.close), Math.abs(bar.low - before.close)))
  })
  const share = (part: Series) => both(wilder(part, n), wilder(range, n), (p, r) => (r === 0 ? 0 : (100 * p) / r))
  const [plusDi, minusDi] = [share(plus), share(minus)]
  const dx = both(plusDi, minusDi, (p, m) => (p + m === 0 ? 0 : (100 * Math.abs(p - m)) / (p + m)))
  return { adx: wilder(dx, smoothing), plus_di: plusDi, minus_di: minusDi }
}
