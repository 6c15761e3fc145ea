/**
 * Daily bars for indicators: real ones moved to the present and to the demo market's price, others made up from the
 * demo market's prices.
 */
import { DAY_MS } from '../../shared/base/durations.ts'
import { instrumentKey, type AssetClass } from '../../shared/base/units.ts'
import { midAt } from '../market/generator.ts'
import { fraction, hashAt, hashText } from '../market/random.ts'
import { profileOf } from '../market/symbols.ts'
import { assetOf } from './asset.ts'
import type { Reference } from './reference.ts'

/** A bar of a day or a shorter interval. `time` is a date, or the ISO time of its start. */
export interface ResponseBar {
  readonly time: string
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  readonly volume: number
}

/**
 * Stock splits within the real records, which have prices as traded: the first day after it, and the new shares per old
 * one.
 */
const SPLITS: Readonly<Record<string, { readonly from: string; readonly shares: number }>> = {
  AAPL: { from: '20200831', shares: 4 },
}

/**
 * The last `count` trading days before `nowMs`, Monday to Friday, oldest first. `priceAt` returns the demo market's
 * price at a time: real days are adjusted for splits and scaled so that the newest closes there.
 */
export function daysOf(
  reference: Reference,
  symbol: string,
  nowMs: number,
  count: number,
  seed: number,
  priceAt: (ms: number) => number,
): ResponseBar[] {
  const dates: number[] = []
  for (let day = Math.floor(nowMs / DAY_MS) - 1; dates.length < count; day--) {
    const weekday = new Date(day * DAY_MS).getUTCDay()
    if (weekday !== 0 && weekday !== 6) dates.unshift(day)
  }
  const real = Object.hasOwn(reference.daily, symbol) ? reference.daily[symbol] : undefined
  if (real !== undefined) {
    const from = real.close.length - dates.length
    const newest = real.close.at(-1) ?? NaN
    const price = priceAt(((dates.at(-1) ?? 0) + 1) * DAY_MS)
    const scale = price > 0 ? price / newest : 1
    const split = SPLITS[symbol]
    return dates.flatMap((day, i) => {
      const at = from + i
      const [open, high, low, close] = [real.open[at], real.high[at], real.low[at], real.close[at]]
      if (open === undefined || high === undefined || low === undefined || close === undefined) return []
      const shares = split !== undefined && (real.date[at] ?? '') < split.from ? split.shares : 1
      const cents = (n: number) => Math.round((n * scale * 100) / shares) / 100
      return [
        {
          time: iso(day),
          open: cents(open),
          high: cents(high),
          low: cents(low),
          close: cents(close),
          volume: (real.volume[at] ?? 0) * shares,
        },
      ]
    })
  }
  const asset = assetOf(symbol)
  const key = instrumentKey(asset, symbol)
  return dates.map((day) => generatedDay(asset, key, day, seed))
}

/** One made-up day of an instrument. */
function generatedDay(asset: AssetClass, key: string, day: number, seed: number): ResponseBar {
  const profile = profileOf(asset, key)
  const own = hashText(`${asset}:${key}`, seed)
  const round = (n: number) => Number(n.toFixed(profile.decimals))
  const prices = Array.from({ length: 24 }, (_, hour) => midAt(profile, own, day * DAY_MS + hour * 3_600_000))
  return {
    time: iso(day),
    open: round(prices[0] ?? NaN),
    high: round(Math.max(...prices)),
    low: round(Math.min(...prices)),
    close: round(prices.at(-1) ?? NaN),
    volume: Math.round(1e6 * (0.5 + fraction(hashAt(own, day, 77)))),
  }
}

const iso = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10)
