/** Trades: XT is documented; the shape of T is assumed. */
import type { Trade } from '../../shared/core/market/market.ts'
import { KIND } from '../codec.ts'
import type { Feed } from '../feeds.ts'
import { asPrice, asSize, BAD_PRICE, BAD_TIME, type ShapeCodec } from './reading.ts'
import { field, isOtherUnit, mappingName, numberOf, priceKeys, refused, shapeCodec, symbolOf, timeOf } from './shape.ts'

/** The codec of a trade feed. Price and time are required; the size is optional. */
export function tradeCodec(feed: Feed): ShapeCodec {
  const { fields } = feed
  const mapping = mappingName(feed)
  const keys = priceKeys(fields)
  // The documented key order for XT, the assumed one for T.
  const sizeFirst = feed.shape === 'likely'
  return shapeCodec({
    feed,
    kind: KIND.trade,
    required: ['price', 'time'],
    read(value) {
      const symbol = symbolOf(value, feed)
      const p = numberOf(value, fields.price)
      const s = numberOf(value, fields.size)
      const eventMs = timeOf(value, fields.time)
      if (symbol === undefined || typeof p !== 'number' || s === undefined || eventMs === undefined) return undefined
      if (isOtherUnit(feed, eventMs)) return undefined
      const price = asPrice(p)
      if (price === undefined) return refused(feed, symbol, BAD_PRICE, eventMs)
      const size = asSize(s)
      const undated = Number.isNaN(eventMs)
      const record: Trade = {
        kind: 'trade',
        feed: feed.id,
        symbol,
        price,
        ...(size === undefined ? {} : { size }),
        ...(undated ? {} : { eventMs }),
      }
      return { record, mapping, priceKeys: keys, flaw: undated ? BAD_TIME : '' }
    },
    encode(record) {
      if (record.kind !== 'trade') throw new TypeError(`${feed.id} carries trades`)
      const time = field(fields.time, record.eventMs)
      const size = field(fields.size, record.size)
      return (
        `{"ev":"${feed.code}","${fields.symbol}":${JSON.stringify(record.symbol)}` +
        `${field(fields.price, record.price)}${sizeFirst ? size + time : time + size}}`
      )
    },
  })
}
