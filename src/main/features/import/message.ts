/** Rebuilds messages in a feed's own shape, for tables that hold their parts but not their text. */
import { encode } from '../../../service/codecs/encode.ts'
import { FEEDS, type FieldMap } from '../../../service/feeds.ts'
import { missingCase } from '../../../shared/base/errors.ts'
import type { MarketRecord } from '../../../shared/core/market/market.ts'
import { FEED_IDS, price, serviceSymbol, size, unixMs, type FeedId } from '../../../shared/base/units.ts'

export type Part = keyof FieldMap

/** Texts of a message's parts: numbers as they stand in the table; '' or absent: it has none. */
export type Parts = Readonly<Partial<Record<Part, string>>>

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The keys of each feed's messages in their order, with the part that each plays; `ev` plays none. */
const ORDER = new Map(
  FEED_IDS.map((feed) => {
    const parts = new Map(Object.entries<string>({ ...FEEDS[feed].fields }).map(([part, key]) => [key, part as Part]))
    // our own encoding of our own record
    const keys = Object.keys(JSON.parse(encode(feed, sample(feed))) as object)
    return [feed, keys.map((key) => [key, parts.get(key)] as const)]
  }),
)

/** The text of a message of this feed. A number keeps its literal; what is no number becomes a JSON string. */
export function messageOf(feed: FeedId, parts: Parts): string {
  const fields = (ORDER.get(feed) ?? []).flatMap(([key, part]) => {
    const text = part === undefined ? FEEDS[feed].code : (parts[part] ?? '')
    if (text === '') return []
    const literal = part !== undefined && part !== 'symbol' && NUMBER.test(text)
    return [`${JSON.stringify(key)}:${literal ? text : JSON.stringify(text)}`]
  })
  return `{${fields.join(',')}}`
}

/** A record with every part that its feed can have. */
function sample(feed: FeedId): MarketRecord {
  const { kind } = FEEDS[feed]
  const symbol = serviceSymbol('S')
  const one = price(1)
  const at = unixMs(1_700_000_000_000)
  switch (kind) {
    case 'trade':
      return { kind, feed, symbol, price: one, size: size(1), eventMs: at }
    case 'quote':
      return { kind, feed, symbol, bid: one, ask: one, bidSize: size(1), askSize: size(1), eventMs: at }
    case 'bar':
      return { kind, feed, symbol, open: one, high: one, low: one, close: one, volume: size(1), startMs: at, endMs: at }
    default:
      return missingCase(kind)
  }
}
