/** Counts the subscriptions of each (feed, instrument). A ticker lingers briefly after its last release. */
import { feedAsset, instrumentKey, type FeedId, type UnixMs } from '../../../shared/base/units.ts'

/** How long a released ticker stays subscribed, so that scrolling a window does not resubscribe. */
export const LINGER_MS = 5_000

interface Ticker {
  /** As the first subscriber wrote it. */
  readonly symbol: string
  readonly sinceMs: UnixMs
  count: number
  /** When the linger ends, monotonic ms; null while it is subscribed to. */
  expiresMs: number | null
}

export interface WantedTickers {
  /** Oldest subscription first. */
  readonly symbols: readonly string[]
  /** When the newest of them was first subscribed to, UTC ms. */
  readonly sinceMs: UnixMs
}

export class Interest {
  readonly #feeds = new Map<FeedId, Map<string, Ticker>>()

  /** Counts a subscription to each symbol, ignoring blanks and duplicates. Returns its release, which is idempotent. */
  add(feed: FeedId, symbols: readonly string[], nowMs: UnixMs, monoMs: () => number): () => void {
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
      if (known === undefined) tickers.set(key, { symbol, sinceMs: nowMs, count: 1, expiresMs: null })
      else {
        known.count++
        known.expiresMs = null
      }
    }
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      for (const key of keys) {
        const ticker = tickers.get(key)
        if (ticker !== undefined && --ticker.count === 0) ticker.expiresMs = monoMs() + LINGER_MS
      }
    }
  }

  /** The current tickers of a feed. Forgets those whose linger has ended. */
  tickers(feed: FeedId, monoMs: number): WantedTickers {
    const tickers = this.#feeds.get(feed)
    const symbols: string[] = []
    let sinceMs = -Infinity
    for (const [key, ticker] of tickers ?? []) {
      if (ticker.expiresMs !== null && ticker.expiresMs <= monoMs) {
        tickers?.delete(key)
        continue
      }
      symbols.push(ticker.symbol)
      sinceMs = Math.max(sinceMs, ticker.sinceMs)
    }
    return { symbols, sinceMs: sinceMs as UnixMs } // the maximum of UnixMs values
  }

  /** Whether a ticker of this feed lingers after its release. */
  hasLingering(feed: FeedId): boolean {
    for (const ticker of this.#feeds.get(feed)?.values() ?? []) if (ticker.expiresMs !== null) return true
    return false
  }
}
