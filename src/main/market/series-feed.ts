/** Which feed a series of bars is of. */
import { missingCase } from '../../shared/errors.ts'
import { INTERVALS, type BarSource, type Interval } from '../../shared/market.ts'
import { FEED_IDS, feedAsset, type AssetClass, type FeedId } from '../../shared/units.ts'
import { FEEDS, SERVICE_BAR_FEED, TICK_FEEDS } from '../../service/feeds.ts'

/** The feed whose records build a series of an instrument. */
export function seriesFeed(asset: AssetClass, of: BarSource, interval: Interval): FeedId {
  switch (of) {
    case 'trade':
      return TICK_FEEDS[asset].find((feed) => FEEDS[feed].kind === 'trade') ?? TICK_FEEDS[asset][0]
    case 'bid':
    case 'ask':
    case 'mid':
      return TICK_FEEDS[asset].find((feed) => FEEDS[feed].kind === 'quote') ?? TICK_FEEDS[asset][0]
    case 'service': {
      const minute = SERVICE_BAR_FEED[asset]
      if (INTERVALS[interval] >= 60_000) return minute
      return FEED_IDS.find((feed) => feedAsset(feed) === asset && FEEDS[feed].barMs === 1_000) ?? minute
    }
    default:
      return missingCase(of)
  }
}
