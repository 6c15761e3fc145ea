/** Which feed a series of bars is of. */
import { missingCase } from '../../../shared/base/errors.ts'
import {
  INTERVALS,
  type BarSource,
  type Interval,
  SERVICE_BAR_FEEDS,
  serviceBarFeed,
} from '../../../shared/core/market/market.ts'
import type { AssetClass, FeedId } from '../../../shared/base/units.ts'
import { FEEDS, TICK_FEEDS } from '../../../service/feeds.ts'

/** The feed whose records build a series of an instrument. */
export function seriesFeed(asset: AssetClass, of: BarSource, interval: Interval): FeedId {
  switch (of) {
    case 'trade':
      return TICK_FEEDS[asset].find((feed) => FEEDS[feed].kind === 'trade') ?? TICK_FEEDS[asset][0]
    case 'bid':
    case 'ask':
    case 'mid':
      return TICK_FEEDS[asset].find((feed) => FEEDS[feed].kind === 'quote') ?? TICK_FEEDS[asset][0]
    case 'service':
      // Of what is shorter than the service's bars there are none, see `hasBars`: gaps are told all the same.
      return serviceBarFeed(asset, INTERVALS[interval]) ?? SERVICE_BAR_FEEDS[asset].minute
    default:
      return missingCase(of)
  }
}
