/** Indicators over daily bars, computed simply. Values before the warm-up are absent. */
import type { EndpointId } from '../../service/endpoints.ts'
import type { Day } from './daily.ts'

type Series = (number | undefined)[]

const mean = (list: readonly number[]) => list.reduce((a, b) => a + b, 0) / list.length

function windowed(values: readonly number[], n: number, of: (window: readonly number[]) => number): Series {
  return values.map((_, i) => (i + 1 < n ? undefined : of(values.slice(i + 1 - n, i + 1))))
}

/** Smoothing seeded by the mean of the first n; `weight` of each later value. */
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

/** Name of each value of an indicator with its series; undefined for an endpoint that is none. */
export function indicator(id: EndpointId, days: readonly Day[], period: number): Record<string, Series> | undefined {
  const close = days.map((d) => d.close)
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
      const macd = both(ema(close, 12), ema(close, 26), (fast, slow) => fast - slow)
      const signal = ema(macd, 9)
      return { macd, signal, histogram: both(macd, signal, (m, s) => m - s) }
    }
    case 'bollinger-bands': {
      const middle = windowed(close, period, mean)
      const deviation = windowed(close, period, (w) => {
        const m = mean(w)
        return Math.sqrt(mean(w.map((x) => (x - m) ** 2)))
      })
      return {
        upper: both(middle, deviation, (m, d) => m + 2 * d),
        middle,
        lower: both(middle, deviation, (m, d) => m - 2 * d),
      }
    }
    case 'stochastic':
    case 'williams-r': {
      const n = 14
      const raw = days.map((d, i) => {
        if (i + 1 < n) return undefined
        const part = days.slice(i + 1 - n, i + 1)
        const high = Math.max(...part.map((x) => x.high))
        const low = Math.min(...part.map((x) => x.low))
        return high === low ? 50 : (100 * (d.close - low)) / (high - low)
      })
      if (id === 'williams-r') return { williams_r: raw.map((k) => (k === undefined ? undefined : k - 100)) }
      const k = slow(raw, 3)
      return { k, d: slow(k, 3) }
    }
    case 'adx':
      return adx(days, 14)
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

function adx(days: readonly Day[], n: number): Record<string, Series> {
  const range: Series = [undefined]
  const plus: Series = [undefined]
  const minus: Series = [undefined]
  days.forEach((day, i) => {
    const before = days[i - 1]
    if (before === undefined) return
    const up = day.high - before.high
    const down = before.low - day.low
    plus.push(up > down && up > 0 ? up : 0)
    minus.push(down > up && down > 0 ? down : 0)
    range.push(Math.max(day.high - day.low, Math.abs(day.high - before.close), Math.abs(day.low - before.close)))
  })
  const share = (part: Series) => both(wilder(part, n), wilder(range, n), (p, r) => (r === 0 ? 0 : (100 * p) / r))
  const [plusDi, minusDi] = [share(plus), share(minus)]
  const dx = both(plusDi, minusDi, (p, m) => (p + m === 0 ? 0 : (100 * Math.abs(p - m)) / (p + m)))
  return { adx: wilder(dx, n), plus_di: plusDi, minus_di: minusDi }
}
