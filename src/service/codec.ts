/**
 * How a message is read on the tick path: into one reused scratch record, without allocation for
 * the known shapes. `codecs/` implements this; `decode.ts` picks the codec of a feed.
 */
import type { MarketRecord } from '../shared/core/market/market.ts'
import type { FeedId } from '../shared/base/units.ts'

export const KIND = { none: 0, trade: 1, quote: 2, bar: 3, unknown: 4 } as const
export type KindCode = (typeof KIND)[keyof typeof KIND]

/** A decoded message in place. NaN: absent. Times in UTC ms. Valid until the next decode. */
export interface Scratch {
  kind: KindCode
  /** Service spelling, interned; '' when unknown. */
  symbol: string
  /**
   * Where the spelling is kept: see `internPlace`. Equal spellings mostly have one place, and a place may get another
   * spelling, so that who remembers something by place compares the symbol. -1: nowhere.
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
  /** Most decimals seen among the prices' literals. */
  decimals: number
  /** Name of the mapping that read an undocumented shape; '' for a documented one. */
  mapping: string
  /** For `unknown`: why. */
  why: string
}

/**
 * What a frame is: `market` (scratch holds the record), `acknowledged`/`released`/`error` (control),
 * `undecodable` (scratch.why says why; raw text is all there is).
 */
export type MessageClass = 'market' | 'control' | 'undecodable'

/** Reads one message of a feed from bytes[from, to) into `out`. Never throws. */
export type Decode = (feed: FeedId, bytes: Uint8Array, from: number, to: number, out: Scratch) => MessageClass

/** A codec of a known shape. `scan` must equal `parse` wherever it answers true (property-tested). */
export interface Codec {
  readonly feed: FeedId
  /** Byte scanner; false on any surprise, leaving `out` undefined. */
  scan(bytes: Uint8Array, from: number, to: number, out: Scratch): boolean
  /** Strict slow path over JSON.parse; undefined when the text is not of this shape. */
  parse(text: string): MarketRecord | undefined
  /** The document's own key order, compact JSON. */
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
