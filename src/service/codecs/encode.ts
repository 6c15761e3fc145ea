/** Market records back into message text, in the document's own key order. */
import type { MarketRecord } from '../../shared/core/market/market.ts'
import type { FeedId } from '../../shared/base/units.ts'
import { CODECS } from './table.ts'

/**
 * The compact JSON of a record of this feed; absent parts are left out.
 * @throws TypeError when the record is of another kind than the feed's, or unknown.
 */
export function encode(feed: FeedId, record: MarketRecord): string {
  return CODECS[feed].encode(record)
}
