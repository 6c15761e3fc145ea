/** Bars, quotes, trades and symbols of a view. */
import * as v from 'valibot'
import { instrument, text } from '../../base/schemas.ts'
import { eventBarRule, interval, of } from '../market/contract.ts'
import { call, limit, ms, view } from '../../rpc/contract.ts'
import type { GapSpan, QuoteRow, ResolvedSymbol, SymbolHit } from '../status/status.ts'
import type { FlowColumns, FlowCoverage } from '../market/flow/flow-bars.ts'
import type { QuoteColumns } from '../market/flow/quote-bars.ts'
import type { SideMeter, TradeSide } from '../market/flow/side.ts'
import type { Span } from '../../base/spans.ts'
import type { UnixMs } from '../../base/units.ts'
import type { Bar, Print } from '../market/market.ts'

/** A page of bars, oldest first. `more`: whether others exist beyond it. */
export interface BarsPage {
  readonly bars: readonly Bar[]
  readonly gaps: readonly GapSpan[]
  readonly decimals: number
  readonly more: boolean
}
/** A cursor between pages of trades: before a seq of a session. Pass it back as a page returned it. */
const printsPlace = v.strictObject({
  session: text(64),
  /** Null for the end of the session. */
  seq: v.nullable(ms),
  /** The approximate time, UTC ms, to find the page without reading a whole day. */
  ms: v.nullable(ms),
})
export type PrintsPlace = v.InferOutput<typeof printsPlace>
/** A page of trades of one session, oldest first. */
export interface PrintsPage {
  readonly prints: readonly Print[]
  /** The cursor of the previous page, in the same session or an earlier one of the same source; null if none. */
  readonly older: PrintsPlace | null
}

/** The 99.5th percentile of the sizes of a day. */
export interface LargeTrades {
  /** Null: nothing was traded, or recorded. */
  readonly size: number | null
  /** Number of trades with a size. */
  readonly trades: number
  /** Whether everything stored of the day could be read. */
  readonly isWhole: boolean
  /** The day, UTC ms. */
  readonly fromMs: UnixMs
  readonly toMs: UnixMs
  /** When the last of these trades was received, UTC ms. Before that, the size wasn't known. Null: no trades. */
  readonly knownMs: UnixMs | null
}

export const MARKET_CALLS = {
  /** Finds up to 50 symbols, best first, among those seen, watched, or in the demo market. */
  'symbols.search': call<readonly SymbolHit[]>()(v.strictObject({ query: text(64), limit: v.optional(limit(50)) })),
  /** What the symbols of a list mean, in their order. */
  'symbols.resolve': call<readonly ResolvedSymbol[]>()(
    v.strictObject({ symbols: v.pipe(v.array(text(64)), v.maxLength(2_000)) }),
  ),
  /**
   * The newest `limit` bars that start before `beforeMs`, or up to now if null. With `afterMs`, the oldest ones that
   * start after it. `more`: others exist beyond those in the same direction.
   */
  'bars.history': call<BarsPage>()(
    v.strictObject({
      view,
      instrument,
      of,
      interval,
      beforeMs: v.nullable(ms),
      afterMs: v.optional(ms),
      limit: limit(5_000),
    }),
  ),
  /** The newest `limit` event bars that start before `beforeMs`, or up to now if null; all of one trading day. */
  'bars.events': call<BarsPage>()(
    v.strictObject({ view, instrument, rule: eventBarRule, beforeMs: v.nullable(ms), limit: limit(5_000) }),
  ),
  /** A page of trades before a cursor; null for the newest page. */
  'tape.history': call<PrintsPage>()(
    v.strictObject({ view, instrument, before: v.nullable(printsPlace), limit: limit(2_000) }),
  ),
  /** The size from which trades count as large, based on the trading day before the view's clock. Reads its trades. */
  'tape.large': call<LargeTrades>()(v.strictObject({ view, instrument })),
} as const

/** The first value has all requested rows, later ones only changed rows. */
export interface QuotesValue {
  readonly rows: readonly QuoteRow[]
}
/**
 * `reset` replaces everything (on opening, after a late correction of older bars, after a seek). `updates` are bars by
 * start: a bar with the same start is replaced, a later one appended.
 */
export interface BarsValue {
  readonly reset: readonly Bar[] | null
  readonly updates: readonly Bar[]
  readonly gaps: readonly GapSpan[] | null
  readonly decimals: number
}
export interface TapeValue {
  readonly reset: readonly Print[] | null
  /** The view jumped to another time: what was sent before is no longer its tape, and `reset` follows once read. */
  readonly reading?: true
  readonly prints: readonly Print[]
  /** Trades skipped since the last value because the window was slower than the market. */
  readonly skipped: number
  readonly decimals: number
  /** The sides of prints sent before or now, if asked for: each follows its print once it is settled. */
  readonly sides?: readonly PrintSide[]
  readonly meter?: SideMeter
}
/** The side of a print. Without a session, its seq is 0: receipt and price say which print it is. */
export interface PrintSide extends TradeSide, Pick<Print, 'seq' | 'recvMs' | 'price'> {}
export interface FlowValue {
  /** The range that is read, UTC ms; `toMs` null: up to now. Replaces everything sent before. */
  readonly reset: { readonly fromMs: number; readonly toMs: number | null } | null
  /** Bars by start: the same start replaces. A bar in the range without a row has no trades. */
  readonly bars: FlowColumns
  readonly coverage: FlowCoverage
  readonly meter: SideMeter
}
export interface QuoteMapValue {
  /** The range that is read, UTC ms; `toMs` null: up to now. Replaces everything sent before. */
  readonly reset: { readonly fromMs: number; readonly toMs: number | null } | null
  /** New and changed bars, which replace those with the same start. Bars of the range never sent have no quotes. */
  readonly bars: QuoteColumns
  /** Receive times that couldn't be read, UTC ms. Bars that touch them can have had more quotes. */
  readonly unread: readonly Span[]
}
/** Price rows; see `PriceRows`. */
export const priceRows = v.strictObject({
  decimals: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(15)),
  group: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1e12)),
})

export const MARKET_STREAMS = {
  /** Opening a stream for an instrument subscribes the terminal to its feeds (reference-counted). */
  quotes: call<QuotesValue>()(v.strictObject({ view, instruments: v.pipe(v.array(instrument), v.maxLength(2_000)) })),
  bars: call<BarsValue>()(v.strictObject({ view, instrument, of, interval, fromMs: v.nullable(ms) })),
  /** Today's event bars. Like `bars`; older ones come in pages. */
  eventBars: call<BarsValue>()(v.strictObject({ view, instrument, rule: eventBarRule })),
  /**
   * Volume by side of the bars that start in [fromMs, toMs), both starts of bars; null: and of those to come. Without an
   * interval, the whole range is one bar. `rows`: by price, too.
   */
  flow: call<FlowValue>()(
    v.strictObject({
      view,
      instrument,
      interval: v.nullable(interval),
      fromMs: ms,
      toMs: v.nullable(ms),
      rows: v.optional(priceRows),
    }),
  ),
  /** How long bid and ask stayed at each price, by bar, received in [fromMs, toMs); `toMs` null: and from now on. */
  quoteMap: call<QuoteMapValue>()(
    v.strictObject({ view, instrument, interval, fromMs: ms, toMs: v.nullable(ms), rows: priceRows }),
  ),
  /** `sides`: with the aggressor of each print. */
  tape: call<TapeValue>()(v.strictObject({ view, instrument, limit: limit(2_000), sides: v.optional(v.boolean()) })),
} as const
