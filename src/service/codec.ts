/**
 * The interface of a message codec. On the tick path, known shapes are decoded into one reused scratch record
 * without allocating. `codecs/` implements it; `codecs/decode.ts` picks the codec of a feed.
 */
import type { MarketRecord } from '../shared/core/market/market.ts'
import type { FeedId } from '../shared/base/units.ts'

export const KIND = { none: 0, trade: 1, quote: 2, bar: 3, unknown: 4 } as const
export type KindCode = (typeof KIND)[keyof typeof KIND]

/** A message decoded in place. NaN means absent. Times are UTC ms. Valid until the next decode. */
export interface Scratch {
  kind: KindCode
  /** The symbol as the service writes it, interned; '' when unknown. */
  symbol: string
  /**
   * The symbol's slot in the intern table (see `internPlace`), or -1 if it isn't interned. A slot can be reused for
   * another symbol, so anything cached by slot must compare the symbol as well.
   */
  symbolPlace: number
  price: number
  size: number
  bid: number
  ask: number
  bidSize: number
  askSize: number
  open: number
  high: number
  low: number
  close: number
  volume: number
  eventMs: number
  startMs: number
  endMs: number
  /** The most decimals among the price literals. */
  decimals: number
  /** Name of the mapping that read an undocumented shape; '' for a documented shape. */
  mapping: string
  /** Why the record is `unknown`. */
  why: string
}

/**
 * `market`: the scratch holds the record. `control`: an acknowledgement, a release or an error frame. `undecodable`:
 * only the raw text is available, and `scratch.why` has the reason.
 */
export type MessageClass = 'market' | 'control' | 'undecodable'

/** Decodes one message of a feed from bytes[from, to) into `out`. Never throws. */
export type Decode = (feed: FeedId, bytes: Uint8Array, from: number, to: number, out: Scratch) => MessageClass

/** The codec of a known shape. Wherever `scan` returns true, its result equals that of `parse` (property-tested). */
export interface Codec {
  readonly feed: FeedId
  /** The fast byte scanner. Returns false on anything unexpected; `out` is then undefined. */
  scan(bytes: Uint8Array, from: number, to: number, out: Scratch): boolean
  /** The strict slow path over JSON.parse. Returns undefined if the text doesn't have this shape. */
  parse(text: string): MarketRecord | undefined
  /** Compact JSON with the keys in documented order. */
  encode(record: MarketRecord): string
}

/** A fresh scratch record. */
export function scratch(): Scratch {
  return {
    kind: KIND.none,
    symbol: '',
    symbolPlace: -1,
    price: NaN,
    size: NaN,
    bid: NaN,
    ask: NaN,
    bidSize: NaN,
    askSize: NaN,
    open: NaN,
    high: NaN,
    low: NaN,
    close: NaN,
    volume: NaN,
    eventMs: NaN,
    startMs: NaN,
    endMs: NaN,
    decimals: 0,
    mapping: '',
    why: '',
  }
}
