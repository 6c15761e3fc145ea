/** Made-up instruments: ticks as a pure function of seed, name and time, with busy and quiet hours. */
import type { AssetClass } from '../../shared/base/units.ts'
import { fraction, hashAt, hashText, noise, wander } from './random.ts'
import { profileOf, type Profile } from './symbols.ts'
import { quoteTick, tickScale, tradeTick, type Tick, type TickSource } from './tick.ts'

const PERIODS = [
  4 * 86_400_000,
  86_400_000,
  21_600_000,
  7_200_000,
  1_800_000,
  600_000,
  180_000,
  60_000,
  20_000,
  7_000,
  2_000,
]

/**
 * How busy an hour is; 1 is usual. Forex and stocks are quieter outside of New York and London hours and on weekends,
 * but never silent, so that a demo on a Sunday shows trades.
 */
function activity(asset: AssetClass, ms: number): number {
  if (asset === 'crypto') return 1
  const date = new Date(ms)
  const weekend = date.getUTCDay() === 0 || date.getUTCDay() === 6
  const hour = date.getUTCHours()
  const busy = asset === 'stocks' ? hour >= 13 && hour < 21 : hour >= 7 && hour < 21
  return weekend ? 0.6 : busy ? 1.1 : 0.7
}

/** The unrounded mid of a made-up instrument at a time. */
export function midAt(profile: Profile, seed: number, ms: number): number {
  return profile.base * Math.exp(wander(seed, ms, profile.volatility, PERIODS))
}

/** The source of an instrument without a tape. */
export function createGenerator(asset: AssetClass, key: string, marketSeed: number): TickSource {
  const profile = profileOf(asset, key)
  const seed = hashText(`${asset}:${key}`, marketSeed)
  const scale = tickScale(profile.decimals)
  const lots = tickScale(profile.sizeDecimals)
  let cachedSecond = NaN
  let cached: Tick[] = []

  const count = (rate: number, second: number, salt: number) => {
    const swing = 1 + 0.6 * noise(seed + salt, second / 23)
    const expected = rate * swing * activity(asset, second * 1000)
    return Math.floor(expected + fraction(hashAt(seed, second, salt, 1)))
  }
  const sizeAt = (h: number, typical: number) => {
    // Between a tenth and ten times the typical size, small ones more often.
    const size = typical * 10 ** (2 * fraction(h) ** 2 - 1)
    return Math.max(1, Math.round(size * lots)) / lots
  }
  const bookAt = (ms: number): [bid: number, ask: number] => {
    const mid = midAt(profile, seed, ms) * scale
    const spread = Math.max(
      1,
      Math.round(profile.spread * (0.7 + 0.6 * fraction(hashAt(seed, Math.floor(ms / 700), 5)))),
    )
    const bid = Math.max(1, Math.round(mid - spread / 2))
    return [bid, bid + spread]
  }
  const secondOf = (second: number): Tick[] => {
    if (second === cachedSecond) return cached
    const ticks: Tick[] = []
    const trades = count(profile.tradesPerSecond, second, 101)
    const quotes = count(profile.quotesPerSecond, second, 202)
    for (let i = 0; i < trades; i++) {
      const h = hashAt(seed, second, 3, i)
      const ms = second * 1000 + (h % 1000)
      const [bid, ask] = bookAt(ms)
      ticks.push(tradeTick(ms, ((h >>> 12) & 1 ? ask : bid) / scale, sizeAt(hashAt(seed, second, 4, i), profile.size)))
    }
    for (let i = 0; i < quotes; i++) {
      const h = hashAt(seed, second, 6, i)
      const ms = second * 1000 + (h % 1000)
      const [bid, ask] = bookAt(ms)
      const round = 100 * (1 + ((h >>> 10) & 7))
      ticks.push(
        asset === 'stocks'
          ? quoteTick(ms, bid / scale, ask / scale, round, 100 * (1 + ((h >>> 14) & 7)))
          : quoteTick(ms, bid / scale, ask / scale),
      )
    }
    ticks.sort((a, b) => a.ms - b.ms)
    cachedSecond = second
    cached = ticks
    return ticks
  }

  return {
    decimals: profile.decimals,
    sizeDecimals: profile.sizeDecimals,
    ticks(from, to) {
      const out: Tick[] = []
      for (let second = Math.floor(from / 1000); second * 1000 < to; second++)
        for (const tick of secondOf(second)) if (tick.ms >= from && tick.ms < to) out.push(tick)
      return out
    },
  }
}
