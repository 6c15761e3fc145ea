/** Subscriptions to feeds, and which symbols of which feeds a window's instruments need. */
import { TICK_FEEDS } from '../../../service/feeds.ts'
import type { FeedStatus } from '../../../shared/core/status/status.ts'
import { parseInstrument, type FeedId, type InstrumentId, type UnixMs } from '../../../shared/base/units.ts'

/** A counted subscription; `release` may be called more than once. */
export interface Subscription {
  release(): void
}

/** One connection per feed, or more if sharding is allowed. */
export interface Feeds {
  /** Subscribes until the result is released. A symbol that is already subscribed to is only counted. */
  subscribe(feed: FeedId, symbols: readonly string[]): Subscription
  status(nowMs: UnixMs): readonly FeedStatus[]
  /** Connects now, even if the service refused the feed. */
  retry(feed: FeedId): void
  /** The computer is about to sleep; `wake` ends it. */
  sleep(): void
  wake(): void
  networkChanged(): void
  /** Closes every connection with 1000 and opens gaps of cause `quit`. */
  close(): Promise<void>
}

/** Symbols to subscribe to, by feed. */
export type SymbolsByFeed = ReadonlyMap<FeedId, readonly string[]>

/** Subscribes to all symbols until the result is released. */
export function subscribeAll(feeds: Pick<Feeds, 'subscribe'>, symbols: SymbolsByFeed): Subscription {
  const subscriptions = [...symbols]
    .filter(([, ofFeed]) => ofFeed.length > 0)
    .map(([feed, ofFeed]) => feeds.subscribe(feed, ofFeed))
  return { release: () => subscriptions.forEach((subscription) => subscription.release()) }
}

/** The symbols of instruments on their tick feeds and on the feeds of `more`. */
export function tickSymbols(
  ids: readonly InstrumentId[],
  symbolOf: (id: InstrumentId) => string,
  more: readonly FeedId[] = [],
): SymbolsByFeed {
  const byFeed = new Map<FeedId, Set<string>>()
  for (const id of ids) {
    const asset = parseInstrument(id)?.asset
    if (asset === undefined) continue
    const symbol = symbolOf(id)
    for (const feed of [...TICK_FEEDS[asset], ...more]) {
      const symbols = byFeed.get(feed) ?? new Set()
      byFeed.set(feed, symbols.add(symbol))
    }
  }
  return new Map([...byFeed].map(([feed, symbols]) => [feed, [...symbols]]))
}
