/** Best bid and ask: XQ and C (which calls its pair `p`) are documented; the shape of Q is assumed. */
import type { Quote } from '../../shared/core/market/market.ts'
import { KIND } from '../codec.ts'
import type { Feed } from '../feeds.ts'
import { asPrice, asSize, BAD_PRICE, BAD_TIME, type ShapeCodec } from './reading.ts'
import { field, isOtherUnit, mappingName, numberOf, priceKeys, refused, shapeCodec, symbolOf, timeOf } from './shape.ts'

/**
 * The codec of a quote feed. The message must carry both sides. A side that is null or not above zero is absent from
 * the record; without either side the record is unknown.
 */
export function quoteCodec(feed: Feed): ShapeCodec {
  const { fields } = feed
  const mapping = mappingName(feed)
  const keys = priceKeys(fields)
  // The service documents the ask before the bid for forex and after it for crypto (docs/service.md#feeds).
  const askFirst = feed.asset === 'forex'
  return shapeCodec({
    feed,
    kind: KIND.quote,
    required: ['bid', 'ask', 'time'],
    read(value) {
      const symbol = symbolOf(value, feed)
      const b = numberOf(value, fields.bid)
      const a = numberOf(value, fields.ask)
      const bs = numberOf(value, fields.bidSize)
      const as = numberOf(value, fields.askSize)
      const eventMs = timeOf(value, fields.time)
      if (symbol === undefined || eventMs === undefined || bs === undefined || as === undefined) return undefined
      if (isOtherUnit(feed, eventMs)) return undefined
      if (a === undefined || b === undefined || (a === null && b === null)) return undefined
      const bid = b === null ? undefined : asPrice(b)
      const ask = a === null ? undefined : asPrice(a)
      if (bid === undefined && ask === undefined) return refused(feed, symbol, BAD_PRICE, eventMs)
      const bidSize = asSize(bs)
      const askSize = asSize(as)
      const undated = Number.isNaN(eventMs)
      const badSide = (b !== null && bid === undefined) || (a !== null && ask === undefined)
      const record: Quote = {
        kind: 'quote',
        feed: feed.id,
        symbol,
        ...(bid === undefined ? {} : { bid }),
        ...(ask === undefined ? {} : { ask }),
        ...(bidSize === undefined ? {} : { bidSize }),
        ...(askSize === undefined ? {} : { askSize }),
        ...(undated ? {} : { eventMs }),
      }
      return { record, mapping, priceKeys: keys, flaw: undated ? BAD_TIME : badSide ? BAD_PRICE : '' }
    },
    encode(record) {
      if (record.kind !== 'quote') throw new TypeError(`${feed.id} carries quotes`)
      const bid = field(fields.bid, record.bid)
      const ask = field(fields.ask, record.ask)
      return (
        `{"ev":"${feed.code}","${fields.symbol}":${JSON.stringify(record.symbol)}${askFirst ? ask + bid : bid + ask}` +
        `${field(fields.bidSize, record.bidSize)}${field(fields.askSize, record.askSize)}` +
        `${field(fields.time, record.eventMs)}}`
      )
    },
  })
}
