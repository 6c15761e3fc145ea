/** How lists of feeds name and order them. */
import type { AssetClass, FeedId } from '../../../shared/base/units.ts'
import { t } from '../../../shared/base/text.ts'

/** What each feed sends, for lists of feeds. */
export const FEED_LABELS: Readonly<Record<FeedId, string>> = {
  'crypto/XT': t('Crypto trades'),
  'crypto/XQ': t('Crypto quotes'),
  'crypto/XA': t('Crypto minute bars, as sent'),
  'crypto/XAS': t('Crypto second bars, as sent'),
  'forex/C': t('Forex quotes'),
  'forex/CA': t('Forex minute bars, as sent'),
  'forex/CAS': t('Forex second bars, as sent'),
  'stocks/T': t('Stock trades'),
  'stocks/Q': t('Stock quotes'),
  'stocks/AM': t('Stock minute bars, as sent'),
  'stocks/A': t('Stock second bars, as sent'),
}
/** The order of such a list: the feeds most traders want come first. */
export const FEED_ORDER = Object.keys(FEED_LABELS) as readonly FeedId[] // a key for each feed

/** The feed that stands for a market where bars are exported. */
export const MARKET_FEED: Readonly<Record<AssetClass, FeedId>> = {
  crypto: 'crypto/XT',
  forex: 'forex/C',
  stocks: 'stocks/T',
}
