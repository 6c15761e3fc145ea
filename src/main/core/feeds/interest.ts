/** Who wants what: reference counts of (feed, instrument), with a short linger after the last release. */
import { feedAsset, instrumentKey, type FeedId, type UnixMs } from '../../../shared/base/units.ts'

/** A ticker that nobody wants any more stays subscribed so long: a window that scrolls does not flap. */
export const LINGER_MS = 5_000

interface Ticker {
  /** The spelling of the first who wanted it. */
  readonly symbol: string
  readonly sinceMs: UnixMs
  count: number
  /** Monotonic ms at which it may go; null while someone wants it. */
  goesMs: number | null
}

export interface WantedTickers {
  /** Oldest want first. */
  readonly symbols: readonly string[]
  /** When the newest of them was first wanted. */
  readonly sinceMs: UnixMs
}

export class Interest {
  readonly #feeds = new Map<FeedId, Map<string, Ticker>>()

  /** Counts one want of each symbol (empty texts and repetitions apart); returns its own undo, which may be called often. */
  want(feed: FeedId, symbols: readonly string[], nowMs: UnixMs, monoMs: () => number): () => void {
    const asset = feedAsset(feed)
    const tickers = this.#feeds.get(feed) ?? new Map<string, Ticker>()
    this.#feeds.set(feed, tickers)
    const keys = new Set<string>()
    for (const text of symbols) {
      const symbol = text.trim()
      const key = instrumentKey(asset, symbol)
      if (key === '' || keys.has(key)) continue
      keys.add(key)
      const known = tickers.get(key)
      if (known === undefined) tickers.set(key, { symbol, sinceMs: nowMs, count: 1, goesMs: null })
      else {
        known.count++
        known.goesMs = null
      }
    }
    let released = false
    return () => {
      if (released) return
      released = true
      for (const key of keys) {
        const ticker = tickers.get(key)
        if (ticker !== undefined && --ticker.count === 0) ticker.goesMs = monoMs() + LINGER_MS
      }
    }
  }

  /** What is wanted of a feed at this instant; forgets what has lingered out. */
  wanted(feed: FeedId, monoMs: number): WantedTickers {
    const tickers = this.#feeds.get(feed)
    const symbols: string[] = []
    let sinceMs = -Infinity
    for (const [key, ticker] of tickers ?? []) {
      if (ticker.goesMs !== null && ticker.goesMs <= monoMs) {
        tickers?.delete(key)
        continue
      }
      symbols.push(ticker.symbol)
      sinceMs = Math.max(sinceMs, ticker.sinceMs)
    }
    return { symbols, sinceMs: sinceMs as UnixMs } // the greatest of UnixMs values
  }

  /** Whether something of this feed is only lingering. */
  lingers(feed: FeedId): boolean {
    for (const ticker of this.#feeds.get(feed)?.values() ?? []) if (ticker.goesMs !== null) return true
    return false
  }
}
