/** Shared by the slow paths: reads values from a parsed object and writes a record into the scratch. */
import type { MarketRecord } from '../../shared/core/market/market.ts'
import { missingCase } from '../../shared/base/errors.ts'
import { price, size, type Price, type Size } from '../../shared/base/units.ts'
import { KIND, type Codec, type Scratch } from '../codec.ts'

/** A record read on a slow path, with details that aren't part of the record itself. */
export interface Reading {
  readonly record: MarketRecord
  /** '' for a documented shape. */
  readonly mapping: string
  /** Keys whose values are prices. */
  readonly priceKeys: readonly string[]
  /** What was wrong with a record that could still be read, such as "event time out of range"; '' if nothing. */
  readonly flaw: string
}

/** How a record follows from the numbers of a message, if the rest of its text is known. Threads can exchange it. */
export interface RecordShape {
  /** The symbol as the service writes it. */
  readonly symbol: string
  /** `Scratch.symbolPlace`; -1 until a record was filled in this thread. */
  place: number
  /** One bit per SLOT: the parts that the messages have. */
  readonly seen: number
  /** SLOT of each number. */
  readonly slots: readonly number[]
}

/** A codec that can also read an object that is already parsed, or numbers without their text. */
export interface ShapeCodec extends Codec {
  /** The symbol and parts of a message that `scan` reads; undefined for any other. */
  shapeOf(text: Uint8Array): Pick<RecordShape, 'symbol' | 'seen'> | undefined
  /**
   * Fills `out` as `scan` does for a message with the numbers from `at` on and `decimals`, the most among its price
   * literals.
   */
  fill(shape: RecordShape, numbers: Float64Array, at: number, decimals: number, out: Scratch): void
  /** Returns undefined if the object doesn't have this shape. */
  read(value: JsonObject): Reading | undefined
}

export type JsonObject = Readonly<Record<string, unknown>>

/** An own property. Inherited ones count as absent. */
export function own(value: JsonObject, key: string | undefined): unknown {
  return key !== undefined && Object.hasOwn(value, key) ? value[key] : undefined
}

/** A valid price: finite and above zero. */
export function asPrice(n: number): Price | undefined {
  return Number.isFinite(n) && n > 0 ? price(n) : undefined
}

/** A valid quantity: finite and not negative. */
export function asSize(n: unknown): Size | undefined {
  // Adding zero turns -0 into 0.
  return typeof n === 'number' && Number.isFinite(n) && n >= 0 ? size(n + 0) : undefined
}

export const BAD_PRICE = 'a price is not above zero or not finite'
export const BAD_TIME = 'event time out of range'

/** Writes a record into the scratch, resetting all of it. */
export function fill(out: Scratch, { record, mapping, flaw }: Reading, decimals: number): void {
  clear(out)
  out.symbol = record.symbol ?? ''
  out.mapping = mapping
  out.decimals = decimals
  out.why = flaw
  switch (record.kind) {
    case 'trade':
      out.kind = KIND.trade
      out.price = record.price
      out.size = record.size ?? NaN
      out.eventMs = record.eventMs ?? NaN
      return
    case 'quote':
      out.kind = KIND.quote
      out.bid = record.bid ?? NaN
      out.ask = record.ask ?? NaN
      out.bidSize = record.bidSize ?? NaN
      out.askSize = record.askSize ?? NaN
      out.eventMs = record.eventMs ?? NaN
      return
    case 'bar':
      out.kind = KIND.bar
      out.open = record.open
      out.high = record.high
      out.low = record.low
      out.close = record.close
      out.volume = record.volume ?? NaN
      out.startMs = record.startMs
      out.endMs = record.endMs ?? NaN
      out.eventMs = record.startMs
      return
    case 'unknown':
      out.kind = KIND.unknown
      out.eventMs = record.eventMs ?? NaN
      out.why = record.why
      return
    default:
      missingCase(record)
  }
}

/** Resets a scratch to its initial state. */
export function clear(out: Scratch): void {
  out.kind = KIND.none
  out.symbol = ''
  out.symbolPlace = -1
  out.price = NaN
  out.size = NaN
  out.bid = NaN
  out.ask = NaN
  out.bidSize = NaN
  out.askSize = NaN
  out.open = NaN
  out.high = NaN
  out.low = NaN
  out.close = NaN
  out.volume = NaN
  out.eventMs = NaN
  out.startMs = NaN
  out.endMs = NaN
  out.decimals = 0
  out.mapping = ''
  out.why = ''
}
