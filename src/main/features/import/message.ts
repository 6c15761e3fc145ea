/** Builds messages in a feed's format for tables that have their values but not their text. */
import { encode } from '../../../service/codecs/encode.ts'
import { FEEDS, type FieldMap } from '../../../service/feeds.ts'
import type { MarketRecord } from '../../../shared/core/market/market.ts'
import { FEED_IDS, price, serviceSymbol, size, unixMs, type FeedId } from '../../../shared/base/units.ts'

/** A message to import into a session. */
export interface Incoming {
  readonly feed: FeedId
  /** Its seq in the original session. Null: none. */
  readonly seq: number | null
  readonly recvMs: number
  readonly flags: number
  readonly bytes: Uint8Array
}

export type Part = keyof FieldMap

/** The text of each part of a message, with numbers written as in the table. '' or absent: no such part. */
export type Parts = Readonly<Partial<Record<Part, string>>>

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Each feed's message keys in order, with the part each one holds. `ev` holds no part. */
const ORDER = new Map(
  FEED_IDS.map((feed) => {
    const parts = new Map(Object.entries<string>({ ...FEEDS[feed].fields }).map(([part, key]) => [key, part as Part]))
    // The JSON comes from our own encoder, so it is an object.
    const keys = Object.keys(JSON.parse(encode(feed, sample(feed))) as object)
    return [feed, keys.map((key) => [key, parts.get(key)] as const)]
  }),
)

/** Builds a message of this feed as text. Numbers keep their literal; anything else becomes a JSON string. */
export function messageOf(feed: FeedId, parts: Parts): string {
  const fields = (ORDER.get(feed) ?? []).flatMap(([key, part]) => {
    const text = part === undefined ? FEEDS[feed].code : (parts[part] ?? '')
    if (text === '') return []
    const literal = part !== undefined && part !== 'symbol' && NUMBER.test(text)
    return [`${JSON.stringify(key)}:${literal ? text : JSON.stringify(text)}`]
  })
  return `{${fields.join(',')}}`
}

/** A record with every part the feed supports. */
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
  }
}
