/** Subscribes to the symbols of all watchlists, in addition to those that windows show, so that they are recorded. */
import type { Settings } from '../../../shared/core/settings/settings.ts'
import { instrumentId, type InstrumentId } from '../../../shared/base/units.ts'
import type { Feeds, Subscription } from '../../core/feeds/subscriptions.ts'
import { tickSymbols, subscribeAll } from '../../core/feeds/subscriptions.ts'

export interface WatchlistSubscriptionParts {
  readonly feeds: Pick<Feeds, 'subscribe'>
  readonly settings: () => Settings
  /** Subscribe (true) or not (false) regardless of the settings. */
  readonly always: boolean | undefined
  readonly recording: () => boolean
  readonly symbolOf: (id: InstrumentId) => string
}

/** Returns a function that recomputes subscriptions. Call it when lists, settings or recording change. */
export function subscribeWatchlists({
  feeds,
  settings,
  always,
  recording,
  symbolOf: symbolOf,
}: WatchlistSubscriptionParts): () => void {
  let want: Subscription | null = null
  return () => {
    const { watchlists, recording: rules } = settings()
    const all = (always ?? rules.allWatchlists) && recording()
    const ids = all
      ? watchlists.flatMap((list) => list.symbols.map(({ asset, symbol }) => instrumentId(asset, symbol)))
      : []
    const before = want
    want = subscribeAll(feeds, tickSymbols(ids, symbolOf))
    before?.release() // Release the old subscriptions last, so that symbols in both stay subscribed.
  }
}
