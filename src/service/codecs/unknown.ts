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

/** Finds the parts of one message, and remembers which keys they came from. */
class Parts {
  readonly prices: string[] = []
  readonly symbol: string | undefined
  flaw = ''
  readonly #value: JsonObject
  readonly #used: string[] = []

  constructor(value: JsonObject) {
    this.#value = value
    const key = NAMES.symbol.find((name) => isSymbolText(own(value, name)))
    if (key === undefined) return
    this.symbol = own(value, key) as string // isSymbolText
    this.#note('symbol', key)
  }

  /** The parts found so far, with their keys. */
  get used(): string {
    return this.#used.join(', ')
  }

  #note(part: Part, key: string, unit = ''): void {
    this.#used.push(`${part} ${key}${unit}`)
  }

  price(part: Part): Price | undefined {
    for (const key of NAMES[part]) {
      const n = numeric(own(this.#value, key))
      if (n === undefined) continue
      const price = asPrice(n)
      if (price === undefined) this.flaw = BAD_PRICE
      else {
        this.#note(part, key)
        this.prices.push(key)
      }
      return price
    }
    return undefined
  }

  size(part: Part): Size | undefined {
    for (const key of NAMES[part]) {
      const raw = own(this.#value, key)
      // As a JSON number, `q` is a sequence number; as text, it is a quantity.
      if (key === 'q' && typeof raw !== 'string') continue
      const found = asSize(numeric(raw))
      if (found === undefined) continue
      this.#note(part, key)
      return found
    }
    return undefined
  }

  time(part: Part): UnixMs | undefined {
    const values = NAMES[part].map((key) => ({
      key,
      raw: own(this.#value, key),
      read: readTime(own(this.#value, key)),
    }))
    // A trade number can look like a time in seconds but not in a finer unit, so finer units win.
    const best = values.find((x) => x.read !== undefined && x.read.unit !== 's') ?? values.find((x) => x.read)
    if (best?.read !== undefined) {
      this.#note(part, best.key, ` (${best.read.unit})`)
      return unixMs(best.read.ms)
    }
    if (values.some((x) => numeric(x.raw) !== undefined)) this.flaw = BAD_TIME
    return undefined
  }
}

/** Reads any JSON object sent on a feed. Returns an unknown record at worst. */
export function readTolerantly(feed: Feed, value: JsonObject): Reading {
  const parts = new Parts(value)
  const record = recordOf(feed, value, parts)
  if (typeof record !== 'string')
    return { record, mapping: `tolerant ${feed.kind}: ${parts.used}`, priceKeys: parts.prices, flaw: parts.flaw }
  const symbol = parts.symbol === undefined ? undefined : serviceSymbol(parts.symbol)
  const unknown = present({ kind: 'unknown' as const, feed: feed.id, symbol, eventMs: parts.time('time'), why: record })
  return { record: unknown, mapping: '', priceKeys: [], flaw: '' }
}

/** The record of a message, or why there is none. */
function recordOf(feed: Feed, value: JsonObject, parts: Parts): MarketRecord | string {
  const ev = own(value, 'ev')
  if (feed.shape === 'documented' && ev !== undefined && ev !== feed.code)
    return `"ev" is not "${feed.code}", which every message of this feed carries`
  if (parts.symbol === undefined) return 'no symbol under any known name'
  const base = { feed: feed.id, symbol: serviceSymbol(parts.symbol) }
  switch (feed.kind) {
    case 'trade': {
      const price = parts.price('price')
      if (price === undefined) return parts.flaw || 'no price under any known name'
      return present({ kind: 'trade', ...base, price, size: parts.size('size'), eventMs: parts.time('time') } as const)
    }
    case 'quote': {
      const [bid, ask] = [parts.price('bid'), parts.price('ask')]
      if (bid === undefined && ask === undefined) return parts.flaw || 'no bid and no ask under any known name'
      const [bidSize, askSize] = [parts.size('bidSize'), parts.size('askSize')]
      return present({ kind: 'quote', ...base, bid, ask, bidSize, askSize, eventMs: parts.time('time') } as const)
    }
    case 'bar': {
      const [open, high, low, close] = [
        parts.price('open'),
        parts.price('high'),
        parts.price('low'),
        parts.price('close'),
      ]
      if (open === undefined || high === undefined || low === undefined || close === undefined)
        return parts.flaw || 'not the four prices of a bar under any known name'
      const startMs = parts.time('start')
      if (startMs === undefined) return parts.flaw || 'no start time under any known name'
      const volume = parts.size('volume')
      return present({
        kind: 'bar',
        ...base,
        open,
        high,
        low,
        close,
        volume,
        startMs,
        endMs: parts.time('end'),
      } as const)
    }
    default:
      return missingCase(feed.kind)
  }
}

/** Text that is a number, a time or a side isn't a symbol and belongs to another part. */
const isSymbolText = (text: unknown): boolean =>
  typeof text === 'string' &&
  isSymbol(text) &&
  !SIDE.test(text) &&
  numeric(text) === undefined &&
  readTime(text) === undefined

const SIDE = /^(buy|sell|bid|ask)$/i
const NUMBER = /^[+-]?\d{1,30}(\.\d{1,30})?([eE][+-]?\d{1,3})?$/

/** A number or numeric text as a number; undefined for anything else. */
function numeric(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : undefined
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** The same object without the keys whose values are undefined. */
function present<T extends object>(parts: T): Present<T> {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as Present<T> // its keys
}
