/** How lists of feeds name and order them. */
import type { AssetClass, FeedId } from '../../../shared/base/units.ts'
import { say } from '../../text/catalogue.ts'

/** What each feed sends, for lists of feeds. */
export const FEED_LABELS: Readonly<Record<FeedId, string>> = {
  'crypto/XT': say('export.crypto-trades'),
  'crypto/XQ': say('export.crypto-quotes'),
  'crypto/XA': say('export.crypto-bars-minute-as'),
  'crypto/XAS': say('export.crypto-bars-second-as'),
  'forex/C': say('export.forex-quotes'),
  'forex/CA': say('export.forex-bars-minute-as'),
  'forex/CAS': say('export.forex-bars-second-as'),
  'stocks/T': say('export.stock-trades'),
  'stocks/Q': say('export.stock-quotes'),
  'stocks/AM': say('export.stock-bars-minute-as'),
  'stocks/A': say('export.stock-bars-second-as'),
}
/** The order of such a list: the feeds most traders want come first. */
export const FEED_ORDER = Object.keys(FEED_LABELS) as readonly FeedId[] // a key for each feed

/** The feed that stands for a market where bars are exported. */
export const MARKET_FEED: Readonly<Record<AssetClass, FeedId>> = {
  crypto: 'crypto/XT',
  forex: 'forex/C',
  stocks: 'stocks/T',
}
