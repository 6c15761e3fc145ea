/** The codec of each feed, built from the feed table. */
import { missingCase } from '../../shared/base/errors.ts'
import { FEED_IDS, type FeedId } from '../../shared/base/units.ts'
import { FEEDS, type Feed } from '../feeds.ts'
import { barCodec } from './bar.ts'
import { quoteCodec } from './quote.ts'
import type { ShapeCodec } from './reading.ts'
import { tradeCodec } from './trade.ts'

function codecOf(feed: Feed): ShapeCodec {
  switch (feed.kind) {
    case 'trade':
      return tradeCodec(feed)
    case 'quote':
      return quoteCodec(feed)
    case 'bar':
      return barCodec(feed)
    default:
      return missingCase(feed.kind)
  }
}

export const CODECS = Object.fromEntries(FEED_IDS.map((id) => [id, codecOf(FEEDS[id])])) as Readonly<
  Record<FeedId, ShapeCodec>
> // built from every FeedId
