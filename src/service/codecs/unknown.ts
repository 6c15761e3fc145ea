/**
 * The tolerant codec: reads messages that have no known shape by common key names, and lists the keys it used in
 * `mapping`. It chooses between names, never between meanings: the feed determines the kind of record, and each part
 * comes from the first name that holds a suitable value. A message that doesn't yield a whole record stays unknown.
 */
import type { MarketRecord } from '../../shared/core/market/market.ts'
import { missingCase } from '../../shared/base/errors.ts'
import { serviceSymbol, unixMs, type Price, type Size, type UnixMs } from '../../shared/base/units.ts'
import type { Feed } from '../feeds.ts'
import { isSymbol } from '../intern.ts'
import { asPrice, asSize, BAD_PRICE, BAD_TIME, own, type JsonObject, type Reading } from './reading.ts'
import { readTime } from './times.ts'

const NAMES = {
  symbol: ['pair', 'sym', 'symbol', 'ticker', 'p', 's', 'S', 'T', 'instrument', 'product_id'],
  price: ['p', 'price', 'last', 'last_price', 'lastPrice', 'px', 'P'],
  size: ['s', 'size', 'qty', 'quantity', 'amount', 'volume', 'v', 'q'],
  bid: ['bp', 'bid', 'b', 'bid_price', 'bidPrice', 'best_bid', 'bestBid'],
  ask: ['ap', 'ask', 'a', 'ask_price', 'askPrice', 'best_ask', 'bestAsk'],
  bidSize: ['bs', 'bid_size', 'bidSize', 'bid_qty', 'bidQty', 'B'],
  askSize: ['as', 'ask_size', 'askSize', 'ask_qty', 'askQty', 'A'],
  open: ['o', 'open'],
  high: ['h', 'high'],
  low: ['l', 'low'],
  close: ['c', 'close'],
  volume: ['v', 'volume', 'vol'],
  time: ['t', 'ts', 'time', 'timestamp', 'T', 'E', 'event_time', 'eventTime', 'datetime'],
  start: ['s', 'start', 'start_time', 'startTime', 't', 'ts', 'time', 'timestamp'],
  end: ['e', 'end', 'end_time', 'endTime'],
} as const
type Part = keyof typeof NAMES

/** Reads any JSON object sent on a feed. Returns an unknown record at worst. */
export function readTolerantly(feed: Feed, value: JsonObject): Reading {
  const used: string[] = []
  const prices: string[] = []
  const note = (part: Part, key: string, unit = ''): void => {
    used.push(`${part} ${key}${unit}`)
  }
  let symbol: string | undefined
  for (const key of NAMES.symbol) {
    const text = own(value, key)
    // Text that is a number, a time or a side isn't a symbol and belongs to another part.
    if (typeof text !== 'string' || !isSymbol(text) || SIDE.test(text)) continue
    if (numeric(text) !== undefined || readTime(text) !== undefined) continue
    symbol = text
    note('symbol', key)
    break
  }

  let flaw = ''
  const priceOf = (part: Part): Price | undefined => {
    for (const key of NAMES[part]) {
      const n = numeric(own(value, key))
      if (n === undefined) continue
      const price = asPrice(n)
      if (price === undefined) flaw = BAD_PRICE
      else {
        note(part, key)
        prices.push(key)
      }
      return price
    }
    return undefined
  }
  const sizeOf = (part: Part): Size | undefined => {
    for (const key of NAMES[part]) {
      const raw = own(value, key)
      // As a JSON number, `q` is a sequence number; as text, it is a quantity.
      if (key === 'q' && typeof raw !== 'string') continue
      const n = numeric(raw)
      const found = asSize(n)
      if (found === undefined) continue
      note(part, key)
      return found
    }
    return undefined
  }
  const timeOf = (part: Part): UnixMs | undefined => {
    const reads = NAMES[part].map((key) => ({ key, raw: own(value, key), read: readTime(own(value, key)) }))
    // A trade number can look like a time in seconds but not in a finer unit, so finer units win.
    const best = reads.find((x) => x.read !== undefined && x.read.unit !== 's') ?? reads.find((x) => x.read)
    if (best?.read !== undefined) {
      note(part, best.key, ` (${best.read.unit})`)
      return unixMs(best.read.ms)
    }
    if (reads.some((x) => numeric(x.raw) !== undefined)) flaw = BAD_TIME
    return undefined
  }

  const unknown = (why: string): Reading => {
    const eventMs = timeOf('time')
    const record: MarketRecord = {
      kind: 'unknown',
      feed: feed.id,
      ...(symbol === undefined ? {} : { symbol: serviceSymbol(symbol) }),
      ...(eventMs === undefined ? {} : { eventMs }),
      why,
    }
    return { record, mapping: '', priceKeys: [], flaw: '' }
  }
  const read = (record: MarketRecord): Reading => ({
    record,
    mapping: `tolerant ${feed.kind}: ${used.join(', ')}`,
    priceKeys: prices,
    flaw,
  })

  const ev = own(value, 'ev')
  if (feed.shape === 'documented' && ev !== undefined && ev !== feed.code) {
    return unknown(`"ev" is not "${feed.code}", which every message of this feed carries`)
  }
  if (symbol === undefined) return unknown('no symbol under any known name')
  const base = { feed: feed.id, symbol: serviceSymbol(symbol) }
  switch (feed.kind) {
    case 'trade': {
      const price = priceOf('price')
      if (price === undefined) return unknown(flaw || 'no price under any known name')
      const quantity = sizeOf('size')
      const eventMs = timeOf('time')
      return read({
        kind: 'trade',
        ...base,
        price,
        ...(quantity === undefined ? {} : { size: quantity }),
        ...(eventMs === undefined ? {} : { eventMs }),
      })
    }
    case 'quote': {
      const bid = priceOf('bid')
      const ask = priceOf('ask')
      if (bid === undefined && ask === undefined) return unknown(flaw || 'no bid and no ask under any known name')
      const bidSize = sizeOf('bidSize')
      const askSize = sizeOf('askSize')
      const eventMs = timeOf('time')
      return read({
        kind: 'quote',
        ...base,
        ...(bid === undefined ? {} : { bid }),
        ...(ask === undefined ? {} : { ask }),
        ...(bidSize === undefined ? {} : { bidSize }),
        ...(askSize === undefined ? {} : { askSize }),
        ...(eventMs === undefined ? {} : { eventMs }),
      })
    }
    case 'bar': {
      const open = priceOf('open')
      const high = priceOf('high')
      const low = priceOf('low')
      const close = priceOf('close')
      if (open === undefined || high === undefined || low === undefined || close === undefined) {
        return unknown(flaw || 'not the four prices of a bar under any known name')
      }
      const startMs = timeOf('start')
      if (startMs === undefined) return unknown(flaw || 'no start time under any known name')
      const volume = sizeOf('volume')
      const endMs = timeOf('end')
      return read({
        kind: 'bar',
        ...base,
        open,
        high,
        low,
        close,
        ...(volume === undefined ? {} : { volume }),
        startMs,
        ...(endMs === undefined ? {} : { endMs }),
      })
    }
    default:
      return missingCase(feed.kind)
  }
}

const SIDE = /^(buy|sell|bid|ask)$/i
const NUMBER = /^[+-]?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,3})?$/

/** A number or numeric text as a number; undefined for anything else. */
function numeric(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : undefined
}
