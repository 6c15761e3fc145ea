/**
 * Decodes one message of a feed from bytes to a record. Tries the byte scanner of the feed's shape first, then
 * JSON.parse followed by control messages, the strict shape and the tolerant codec.
 *
 * `control` is defined in control.ts. `market` is any other JSON object without `type`: a record, or `KIND.unknown`
 * with a reason if none could be read. Everything else is `undecodable`: invalid UTF-8, invalid JSON, not an object,
 * or an undocumented `type`. An array holding one market object counts as that object, and its mapping says so. An
 * array of several stays unknown, because a stored message is exactly one record.
 */
import { literalDecimals } from '../../shared/base/decimals.ts'
import type { MarketRecord } from '../../shared/core/market/market.ts'
import { serviceSymbol, price, size, unixMs, type FeedId } from '../../shared/base/units.ts'
import { KIND, scratch, type Decode, type MessageClass, type Scratch } from '../codec.ts'
import { controlOf, isObject, parseJson } from '../control.ts'
import { clear, fill, own, type JsonObject, type Reading } from './reading.ts'
import { CODECS } from './table.ts'
import { readTolerantly } from './unknown.ts'
import { FEEDS } from '../feeds.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes one message of a feed from bytes[from, to) into `out`, resetting every field. Never throws and never reads
 * outside the range. A record can be valid except for one part, such as an event time out of range or a quote side
 * that isn't a price: that part is NaN and `out.why` names it.
 */
export const decode: Decode = (feed, bytes, from, to, out) =>
  CODECS[feed].scan(bytes, from, to, out) ? 'market' : decodeSlowly(feed, bytes, from, to, out)

function decodeSlowly(feed: FeedId, bytes: Uint8Array, from: number, to: number, out: Scratch): MessageClass {
  let text: string
  try {
    text = utf8.decode(bytes.subarray(from, to))
  } catch {
    return undecodable(out, 'not UTF-8')
  }
  const value = parseJson(text)
  if (value === undefined) return undecodable(out, text.trim() === '' ? 'empty' : 'not JSON')
  if (controlOf(value) !== undefined) {
    clear(out)
    return 'control'
  }
  const single = Array.isArray(value) && value.length === 1
  const object: unknown = single ? value[0] : value
  if (!isObject(object)) {
    if (!Array.isArray(value) || value.length === 0 || !value.every(isMarketObject)) {
      return undecodable(out, 'not a JSON object')
    }
    fill(out, unknownReading(feed, `an array of ${value.length} messages`), 0)
    return 'market'
  }
  if (!isMarketObject(object)) {
    return undecodable(out, single ? 'an array around a control message' : 'carries a type that no document knows')
  }
  const reading = CODECS[feed].read(object) ?? readTolerantly(FEEDS[feed], object)
  fill(out, reading, reading.priceKeys.length === 0 ? 0 : decimalsOf(text, object, reading.priceKeys))
  if (single && out.kind !== KIND.unknown) out.mapping = `array of one, ${out.mapping || 'documented shape'}`
  return 'market'
}

function isMarketObject(value: unknown): value is JsonObject {
  return isObject(value) && !Object.hasOwn(value, 'type') && controlOf(value) === undefined
}

function undecodable(out: Scratch, why: string): MessageClass {
  clear(out)
  out.why = why
  return 'undecodable'
}

function unknownReading(feed: FeedId, why: string): Reading {
  return { record: { kind: 'unknown', feed, why }, mapping: '', priceKeys: [], flaw: '' }
}

/** JSON.parse passes the source literal to the reviver since V8 11.4; TypeScript's library doesn't declare it yet. */
type ParseWithSource = (
  text: string,
  reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string } | undefined) => unknown,
) => unknown

/** The most decimals among the literals of `keys` in the message object. */
function decimalsOf(text: string, object: JsonObject, keys: readonly string[]): number {
  // Grouped by the object that holds the key: nested objects can use the same keys and are visited first.
  const most = new Map<unknown, number>()
  let root: unknown
  try {
    ;(JSON.parse as ParseWithSource)(text, function (key, value, context) {
      if (key === '') root = value
      if (!keys.includes(key)) return value
      const literal = typeof value === 'string' ? value : (context?.source ?? String(value))
      most.set(this, Math.max(most.get(this) ?? 0, literalDecimals(literal)))
      return value
    })
  } catch {
    // The reviver recurses and can overflow on deep nesting. Fall back to the values that are already parsed.
    return Math.max(...keys.map((key) => literalDecimals(String(own(object, key)))))
  }
  return most.get(Array.isArray(root) ? root[0] : root) ?? 0
}

/** A decoded message: its class and, for a market message, its record. */
export interface Decoded {
  readonly class: MessageClass
  readonly record: MarketRecord | undefined
}

/** Decodes the text of one message. For cold paths such as exports and tools. Never throws. */
export function decodeText(feed: FeedId, text: string): Decoded {
  const bytes = new TextEncoder().encode(text)
  const out = scratch()
  const kind = decode(feed, bytes, 0, bytes.length, out)
  return { class: kind, record: kind === 'market' ? recordOf(feed, out) : undefined }
}

/** Copies a scratch into a record of its own. Returns undefined if the scratch holds none. */
export function recordOf(feed: FeedId, s: Scratch): MarketRecord | undefined {
  const symbol = serviceSymbol(s.symbol)
  const eventMs = Number.isNaN(s.eventMs) ? {} : { eventMs: unixMs(s.eventMs) }
  switch (s.kind) {
    case KIND.none:
      return undefined
    case KIND.trade:
      return {
        kind: 'trade',
        feed,
        symbol,
        price: price(s.price),
        ...(Number.isNaN(s.size) ? {} : { size: size(s.size) }),
        ...eventMs,
      }
    case KIND.quote:
      return {
        kind: 'quote',
        feed,
        symbol,
        ...(Number.isNaN(s.bid) ? {} : { bid: price(s.bid) }),
        ...(Number.isNaN(s.ask) ? {} : { ask: price(s.ask) }),
        ...(Number.isNaN(s.bidSize) ? {} : { bidSize: size(s.bidSize) }),
        ...(Number.isNaN(s.askSize) ? {} : { askSize: size(s.askSize) }),
        ...eventMs,
      }
    case KIND.bar:
      return {
        kind: 'bar',
        feed,
        symbol,
        open: price(s.open),
        high: price(s.high),
        low: price(s.low),
        close: price(s.close),
        ...(Number.isNaN(s.volume) ? {} : { volume: size(s.volume) }),
        startMs: unixMs(s.startMs),
        ...(Number.isNaN(s.endMs) ? {} : { endMs: unixMs(s.endMs) }),
      }
    case KIND.unknown:
      return { kind: 'unknown', feed, ...(s.symbol === '' ? {} : { symbol }), ...eventMs, why: s.why }
    default:
      throw new TypeError(`missing kind ${String(s.kind satisfies never)}`)
  }
}
