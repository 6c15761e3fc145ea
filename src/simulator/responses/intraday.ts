/** Bars of short intervals for indicators, built by the terminal's own rules from the demo market's ticks. */
import { fixedGrid, midPrice, type BarState } from '../../shared/core/market/bars.ts'
import { createBarBuilder } from '../../shared/core/market/bar-builder.ts'
import { instrumentId, type InstrumentId } from '../../shared/base/units.ts'
import type { Market } from '../market/market.ts'
import { assetOf } from './asset.ts'
import type { ResponseBar } from './daily.ts'

/** The intervals that the demo service supports besides days, ms. */
const INTERVALS: Readonly<Record<string, number>> = {
  '1s': 1_000,
  '5s': 5_000,
  '15s': 15_000,
  '30s': 30_000,
  '1m': 60_000,
}
const MAX_BARS = 300
/** Ticks are recomputed for each response in the thread that sends the market, so the history is limited to this. */
const LONGEST_MS = 40 * 60_000

export interface Intraday {
  /** The bars that ended by `nowMs`, oldest first, or undefined for an unsupported interval. */
  bars(symbol: string, interval: string, nowMs: number): readonly ResponseBar[] | undefined
  /** The last price at a time; NaN if there was none in the quarter of an hour before. */
  priceAt(symbol: string, ms: number): number
}

interface Known {
  /** Bars before this time are built. */
  readonly untilMs: number
  readonly bars: readonly BarState[]
}

/** Keeps the bars that it built, so the next response only builds new ones. */
export function createIntraday(source: Market['source']): Intraday {
  const cache = new Map<string, Known>()

  const build = (id: InstrumentId, intervalMs: number, from: number, to: number): readonly BarState[] => {
    const builder = createBarBuilder({ grid: fixedGrid(intervalMs) })
    const quoted = id.startsWith('forex:')
    let seq = 0
    for (const tick of source(id).ticks(from, to)) {
      if (quoted) builder.apply(tick.ms, ++seq, midPrice(tick.bid, tick.ask), 1)
      else if (tick.kind === 'trade') builder.apply(tick.ms, ++seq, tick.price, tick.size)
    }
    return builder.states()
  }
  const idOf = (symbol: string) => instrumentId(assetOf(symbol), symbol)

  return {
    bars(symbol, interval, nowMs) {
      const intervalMs = Object.hasOwn(INTERVALS, interval) ? INTERVALS[interval] : undefined
      if (intervalMs === undefined) return undefined
      const id = idOf(symbol)
      const key = `${id} ${interval}`
      const to = Math.floor(nowMs / intervalMs) * intervalMs
      const from = to - Math.min(MAX_BARS * intervalMs, LONGEST_MS)
      const known = cache.get(key)
      const start = known === undefined || known.untilMs < from || known.untilMs > to ? from : known.untilMs
      const bars = [
        ...(known?.bars.filter((bar) => bar.startMs >= from && bar.startMs < start) ?? []),
        ...build(id, intervalMs, start, to),
      ]
      cache.set(key, { untilMs: to, bars })
      return bars.map(({ startMs, open, high, low, close, volume }) => ({
        time: new Date(startMs).toISOString(),
        open,
        high,
        low,
        close,
        volume,
      }))
    },
    priceAt(symbol, ms) {
      const id = idOf(symbol)
      const last = (spanMs: number) => build(id, spanMs, ms - spanMs, ms).at(-1)?.close
      return last(60_000) ?? last(15 * 60_000) ?? NaN
    },
  }
}
