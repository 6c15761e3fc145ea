/** Daily bars for indicators: real ones moved to the present, others made up from the demo market's own prices. */
import { instrumentKey, type AssetClass } from '../../shared/units.ts'
import { midAt } from '../generator.ts'
import { fraction, hashAt, hashText } from '../random.ts'
import { profileOf } from '../symbols.ts'
import type { Reference } from './reference.ts'

export interface Day {
  readonly date: string
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
}

const DAY = 86_400_000

/** The last `count` trading days before `nowMs`, oldest first, Monday to Friday. */
export function daysOf(reference: Reference, symbol: string, nowMs: number, count: number, seed: number): Day[] {
  const dates: number[] = []
  for (let day = Math.floor(nowMs / DAY) - 1; dates.length < count; day--) {
    const weekday = new Date(day * DAY).getUTCDay()
    if (weekday !== 0 && weekday !== 6) dates.unshift(day)
  }
  const real = Object.hasOwn(reference.daily, symbol) ? reference.daily[symbol] : undefined
  if (real !== undefined) {
    const from = real.close.length - dates.length
    return dates.flatMap((day, i) => {
      const at = from + i
      const [open, high, low, close] = [real.open[at], real.high[at], real.low[at], real.close[at]]
      if (open === undefined || high === undefined || low === undefined || close === undefined) return []
      const price = (n: number) => n / 10_000
      return [
        {
          date: iso(day),
          open: price(open),
          high: price(high),
          low: price(low),
          close: price(close),
          volume: real.volume[at] ?? 0,
        },
      ]
    })
  }
  const asset: AssetClass = /[-/]/.test(symbol) ? 'crypto' : /^[A-Z]{6}$/.test(symbol) ? 'forex' : 'stocks'
  const key = instrumentKey(asset, symbol)
  return dates.map((day) => generatedDay(asset, key, day, seed))
}

/** One made-up day of an instrument. */
function generatedDay(asset: AssetClass, key: string, day: number, seed: number): Day {
  const profile = profileOf(asset, key)
  const own = hashText(`${asset}:${key}`, seed)
  const round = (n: number) => Number(n.toFixed(profile.decimals))
  const prices = Array.from({ length: 24 }, (_, hour) => midAt(profile, own, day * DAY + hour * 3_600_000))
  return {
    date: iso(day),
    open: round(prices[0] ?? NaN),
    high: round(Math.max(...prices)),
    low: round(Math.min(...prices)),
    close: round(prices.at(-1) ?? NaN),
    volume: Math.round(1e6 * (0.5 + fraction(hashAt(own, day, 77)))),
  }
}

const iso = (day: number) => new Date(day * DAY).toISOString().slice(0, 10)
