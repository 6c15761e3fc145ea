/** Bars, quotes, trades and symbols of a view. */
import * as v from 'valibot'
import { interval, of } from '../market/contract.ts'
import { call, instrument, limit, ms, text, view } from '../../rpc/contract.ts'
import type { GapSpan, QuoteRow, SymbolHit } from '../status/status.ts'
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
  recording: text(64),
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

export const MARKET_CALLS = {
  /** Finds up to 50 symbols, best first, among those seen, watched, or in the demo market. */
  'symbols.search': call<readonly SymbolHit[]>()(v.strictObject({ query: text(64), limit: v.optional(limit(50)) })),
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
  /** A page of trades before a cursor; null for the newest page. */
  'tape.history': call<PrintsPage>()(
    v.strictObject({ view, instrument, before: v.nullable(printsPlace), limit: limit(2_000) }),
  ),
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
  readonly prints: readonly Print[]
  /** Trades skipped since the last value because the window was slower than the market. */
  readonly skipped: number
  readonly decimals: number
}
export const MARKET_STREAMS = {
  /** Opening a stream for an instrument subscribes the terminal to its feeds (reference-counted). */
  quotes: call<QuotesValue>()(v.strictObject({ view, instruments: v.pipe(v.array(instrument), v.maxLength(2_000)) })),
  bars: call<BarsValue>()(v.strictObject({ view, instrument, of, interval, fromMs: v.nullable(ms) })),
  tape: call<TapeValue>()(v.strictObject({ view, instrument, limit: limit(2_000) })),
} as const
