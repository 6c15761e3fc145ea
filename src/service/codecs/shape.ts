/**
 * Strict codecs of the shapes in the feed table: every mapped key has the documented JSON type, `ev` is the feed's
 * constant, and there is no `type`. A missing or mistyped key means the message doesn't have this shape, and the
 * tolerant codec tries next. A value of the right type that is out of its domain, such as a price of 0 or 1e999, makes
 * the record unknown, with the reason.
 */
import type { Unknown } from '../../shared/core/market/market.ts'
import { serviceSymbol, unixMs, type ServiceSymbol, type UnixMs } from '../../shared/base/units.ts'
import type { Feed, FieldMap } from '../feeds.ts'
import { internSymbol, isSymbol } from '../intern.ts'
import { isObject, parseJson } from '../control.ts'
import { KIND, type KindCode, type Scratch } from '../codec.ts'
import { own, type JsonObject, type Reading, type ShapeCodec } from './reading.ts'
import { found, scan, scanTable, SLOT, SLOTS } from './scan.ts'
import { inRange } from './times.ts'

export interface Shape {
  readonly feed: Feed
  readonly kind: KindCode
  /** Parts that every message of this shape carries. */
  readonly required: readonly (keyof typeof SLOT)[]
  readonly read: ShapeCodec['read']
  readonly encode: ShapeCodec['encode']
}

/** Name of the mapping of a feed's own shape; '' if the shape is documented. */
export function mappingName(feed: Feed): string {
  if (feed.shape === 'documented') return ''
  const fields = Object.entries(feed.fields) as [string, string][] // FieldMap holds only strings
  return `likely ${feed.kind}: ${fields.map(([part, key]) => `${part} ${key}`).join(', ')}`
}

/** Builds the codec of a shape: the scanner first, then the strict reader. */
export function shapeCodec({ feed, kind, required, read, encode }: Shape): ShapeCodec {
  const table = scanTable(feed.code, feed.fields, required)
  const mapping = mappingName(feed)
  return {
    feed: feed.id,
    scan(bytes, from, to, out) {
      if (!scan(table, bytes, from, to)) return false
      take(out, kind, mapping)
      return true
    },
    shapeOf(text) {
      if (!scan(table, text, 0, text.length)) return undefined
      return { symbol: found.symbol, seen: found.seen & ((1 << SLOTS) - 1) }
    },
    fill(shape, numbers, at, decimals, out) {
      const { slots } = shape
      if (shape.place < 0) shape.place = internSymbol(shape.symbol)
      for (let i = 0; i < slots.length; i++) found.values[slots[i]] = numbers[at + i]
      found.seen = shape.seen
      found.symbol = shape.symbol
      found.symbolPlace = shape.place
      found.decimals = decimals
      take(out, kind, mapping)
    },
    parse(text) {
      const value = parseJson(text)
      return isObject(value) ? read(value)?.record : undefined
    },
    read,
    encode,
  }
}

function take(out: Scratch, kind: KindCode, mapping: string): void {
  const { seen, values } = found
  const trade = kind === KIND.trade
  const quote = kind === KIND.quote
  const bar = kind === KIND.bar
  out.kind = kind
  out.symbol = found.symbol
  out.symbolPlace = found.symbolPlace
  out.price = trade ? values[SLOT.price] : NaN
  out.size = trade && (seen & (1 << SLOT.size)) !== 0 ? values[SLOT.size] : NaN
  out.bid = quote ? values[SLOT.bid] : NaN
  out.ask = quote ? values[SLOT.ask] : NaN
  out.bidSize = quote && (seen & (1 << SLOT.bidSize)) !== 0 ? values[SLOT.bidSize] : NaN
  out.askSize = quote && (seen & (1 << SLOT.askSize)) !== 0 ? values[SLOT.askSize] : NaN
  out.open = bar ? values[SLOT.open] : NaN
  out.high = bar ? values[SLOT.high] : NaN
  out.low = bar ? values[SLOT.low] : NaN
  out.close = bar ? values[SLOT.close] : NaN
  out.volume = bar && (seen & (1 << SLOT.volume)) !== 0 ? values[SLOT.volume] : NaN
  out.eventMs = bar ? values[SLOT.start] : values[SLOT.time]
  out.startMs = bar ? values[SLOT.start] : NaN
  out.endMs = bar && (seen & (1 << SLOT.end)) !== 0 ? values[SLOT.end] : NaN
  out.decimals = found.decimals
  out.mapping = mapping
  out.why = ''
}

/** The symbol of a message, or undefined if `ev`, `type` or the symbol show that it isn't from this feed. */
export function symbolOf(value: JsonObject, feed: Feed): ServiceSymbol | undefined {
  if (Object.hasOwn(value, 'type') || own(value, 'ev') !== feed.code) return undefined
  const symbol = own(value, feed.fields.symbol)
  return typeof symbol === 'string' && isSymbol(symbol) ? serviceSymbol(symbol) : undefined
}

/** A mapped number: null if the key is missing or JSON null, undefined if the value isn't a number. */
export function numberOf(value: JsonObject, key: string | undefined): number | null | undefined {
  const n = own(value, key)
  if (n === undefined || n === null) return null
  return typeof n === 'number' ? n : undefined
}

/** A mapped time in UTC ms: undefined if it isn't an integer, NaN if it is out of range. */
export function timeOf(value: JsonObject, key: string | undefined): UnixMs | undefined {
  const n = own(value, key)
  if (typeof n !== 'number' || (Number.isFinite(n) && !Number.isInteger(n))) return undefined
  return unixMs(inRange(n) ? n : NaN)
}

/**
 * Whether a time rules out the feed's shape. Only documented feeds promise milliseconds; elsewhere the key may hold
 * seconds, µs or ns, which the tolerant codec reads.
 */
export function isOtherUnit(feed: Feed, time: UnixMs): boolean {
  return feed.shape === 'likely' && Number.isNaN(time)
}

/** A message that has the shape but a value out of its domain. */
export function refused(feed: Feed, symbol: ServiceSymbol, why: string, eventMs?: UnixMs): Reading {
  const record: Unknown = {
    kind: 'unknown',
    feed: feed.id,
    symbol,
    ...(eventMs === undefined || Number.isNaN(eventMs) ? {} : { eventMs }),
    why,
  }
  return { record, mapping: '', priceKeys: [], flaw: '' }
}

/** The keys of a field map whose values are prices. */
export function priceKeys(fields: FieldMap): readonly string[] {
  return [fields.price, fields.bid, fields.ask, fields.open, fields.high, fields.low, fields.close].filter(
    (key) => key !== undefined,
  )
}

/** `,"key":number`, or '' for an absent part. */
export function field(key: string | undefined, value: number | undefined): string {
  return key === undefined || value === undefined ? '' : `,"${key}":${value}`
}
