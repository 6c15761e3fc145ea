/** Bars sent by the service: XA, XAS and CA are documented; the shape of CAS, A and AM is assumed. */
import type { ServiceBar } from '../../shared/core/market/market.ts'
import { KIND } from '../codec.ts'
import type { Feed } from '../feeds.ts'
import { asPrice, asSize, BAD_PRICE, BAD_TIME, type ShapeCodec } from './reading.ts'
import { field, isOtherUnit, mappingName, numberOf, priceKeys, refused, shapeCodec, symbolOf, timeOf } from './shape.ts'

/** The codec of a bar feed. Four prices and a start time are required; volume and end time are optional. */
export function barCodec(feed: Feed): ShapeCodec {
  const { fields } = feed
  const mapping = mappingName(feed)
  const keys = priceKeys(fields)
  return shapeCodec({
    feed,
    kind: KIND.bar,
    required: ['open', 'high', 'low', 'close', 'start'],
    read(value) {
      const symbol = symbolOf(value, feed)
      const o = numberOf(value, fields.open)
      const h = numberOf(value, fields.high)
      const l = numberOf(value, fields.low)
      const c = numberOf(value, fields.close)
      const v = numberOf(value, fields.volume)
      const startMs = timeOf(value, fields.start)
      const e = numberOf(value, fields.end)
      const endMs = e === null ? undefined : timeOf(value, fields.end)
      if (symbol === undefined || startMs === undefined || v === undefined) return undefined
      if (isOtherUnit(feed, startMs)) return undefined
      if (e === undefined || (e !== null && endMs === undefined)) return undefined
      if (typeof o !== 'number' || typeof h !== 'number' || typeof l !== 'number' || typeof c !== 'number') {
        return undefined
      }
      const open = asPrice(o)
      const high = asPrice(h)
      const low = asPrice(l)
      const close = asPrice(c)
      if (open === undefined || high === undefined || low === undefined || close === undefined) {
        return refused(feed, symbol, BAD_PRICE, startMs)
      }
      if (Number.isNaN(startMs)) return refused(feed, symbol, BAD_TIME)
      const volume = asSize(v)
      const undated = endMs !== undefined && Number.isNaN(endMs)
      const record: ServiceBar = {
        kind: 'bar',
        feed: feed.id,
        symbol,
        open,
        high,
        low,
        close,
        ...(volume === undefined ? {} : { volume }),
        startMs,
        ...(endMs === undefined || undated ? {} : { endMs }),
      }
      return { record, mapping, priceKeys: keys, flaw: undated ? BAD_TIME : '' }
    },
    encode(record) {
      if (record.kind !== 'bar') throw new TypeError(`${feed.id} carries bars`)
      return (
        `{"ev":"${feed.code}","${fields.symbol}":${JSON.stringify(record.symbol)}` +
        `${field(fields.open, record.open)}${field(fields.close, record.close)}${field(fields.high, record.high)}` +
        `${field(fields.low, record.low)}${field(fields.volume, record.volume)}` +
        `${field(fields.start, record.startMs)}${field(fields.end, record.endMs)}}`
      )
    },
  })
}
