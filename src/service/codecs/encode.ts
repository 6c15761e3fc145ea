/** Encodes market records as message text, with the keys in documented order. */
import type { MarketRecord } from '../../shared/core/market/market.ts'
import type { FeedId } from '../../shared/base/units.ts'
import { CODECS } from './table.ts'

/**
 * The compact JSON of a record of this feed, without absent parts.
 * @throws TypeError if the record is unknown or of a kind the feed doesn't carry
 */
export function encode(feed: FeedId, record: MarketRecord): string {
  return CODECS[feed].encode(record)
}
