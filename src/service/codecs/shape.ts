/**
 * The shapes as the service's table names them, read strictly: every mapped key has the documented
 * JSON type, `ev` is the feed's constant, `type` is absent. A missing or mistyped key is "not of this
 * shape" (the tolerant codec may try); a value of the right type that the domain refuses (a price of 0,
 * 1e999) is kept as unknown with the reason.
 */
import type { Unknown } from '../../shared/market.ts'
import { serviceSymbol, unixMs, type ServiceSymbol, type UnixMs } from '../../shared/units.ts'
import type { Feed, FieldMap } from '../feeds.ts'
import { isSymbol } from '../intern.ts'
import { isObject, parseJson } from '../control.ts'
import { KIND, type KindCode, type Scratch } from '../codec.ts'
import { own, type JsonObject, type Reading, type ShapeCodec } from './reading.ts'
import { found, scan, scanTable, SLOT } from './scan.ts'
import { inRange } from './times.ts'

/** What a shape says of its fields. */
export interface Shape {
  readonly feed: Feed
  readonly kind: KindCode
  /** Parts that every message of the shape carries. */
  readonly required: readonly (keyof typeof SLOT)[]
  readonly read: ShapeCodec['read']
  readonly encode: ShapeCodec['encode']
}

/** Name of the mapping of a feed's own shape: '' where the document promises it. */
export function mappingName(feed: Feed): string {
  if (feed.shape === 'documented') return ''
  const fields = Object.entries(feed.fields) as [string, string][] // FieldMap holds texts only
  return `likely ${feed.kind}: ${fields.map(([part, key]) => `${part} ${key}`).join(', ')}`
}

/** A codec out of a shape: the scanner before the strict reader. */
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
    parse(text) {
      const value = parseJson(text)
      return isObject(value) ? read(value)?.record : undefined
    },
    read,
    encode,
  }
}

function take(out: Scratch, kind: KindCode, mapping: string): void {
  const v = found.values
  out.kind = kind
  out.symbol = found.symbol
  out.price = v[SLOT.price]
  out.size = v[SLOT.size]
  out.bid = v[SLOT.bid]
  out.ask = v[SLOT.ask]
  out.bidSize = v[SLOT.bidSize]
  out.askSize = v[SLOT.askSize]
  out.open = v[SLOT.open]
  out.high = v[SLOT.high]
  out.low = v[SLOT.low]
  out.close = v[SLOT.close]
  out.volume = v[SLOT.volume]
  out.eventMs = kind === KIND.bar ? v[SLOT.start] : v[SLOT.time]
  out.startMs = v[SLOT.start]
  out.endMs = v[SLOT.end]
  out.decimals = found.decimals
  out.mapping = mapping
  out.why = ''
}

/** The symbol of a message of this very feed; undefined when `ev`, `type` or the symbol say otherwise. */
export function symbolOf(value: JsonObject, feed: Feed): ServiceSymbol | undefined {
  if (Object.hasOwn(value, 'type') || own(value, 'ev') !== feed.code) return undefined
  const symbol = own(value, feed.fields.symbol)
  return typeof symbol === 'string' && isSymbol(symbol) ? serviceSymbol(symbol) : undefined
}

/** A mapped number: null when the message has no such key or a JSON null, undefined when it is no number. */
export function numberOf(value: JsonObject, key: string | undefined): number | null | undefined {
  const n = own(value, key)
  if (n === undefined || n === null) return null
  return typeof n === 'number' ? n : undefined
}

/** A mapped time in UTC ms: undefined when it is not an integer; NaN when it is out of range. */
export function timeOf(value: JsonObject, key: string | undefined): UnixMs | undefined {
  const n = own(value, key)
  if (typeof n !== 'number' || (Number.isFinite(n) && !Number.isInteger(n))) return undefined
  return unixMs(inRange(n) ? n : NaN)
}

/** A message of the shape that the domain refuses. */
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

/** The keys of a field map that hold prices. */
export function priceKeys(fields: FieldMap): readonly string[] {
  return [fields.price, fields.bid, fields.ask, fields.open, fields.high, fields.low, fields.close].filter(
    (key) => key !== undefined,
  )
}

/** `,"key":number`, or nothing for an absent part. */
export function field(key: string | undefined, value: number | undefined): string {
  return key === undefined || value === undefined ? '' : `,"${key}":${value}`
}
