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
/** Where a page of prints ends: before a seq of a recording. As a page gave it, to be given back. */
const printsPlace = v.strictObject({
  recording: text(64),
  /** Null: the whole recording is before it. */
  seq: v.nullable(ms),
  /** About when that was, UTC ms: so that a page is found without reading a day. */
  ms: v.nullable(ms),
})
export type PrintsPlace = v.InferOutput<typeof printsPlace>
/** A page of prints of one recording, oldest first. */
export interface PrintsPage {
  readonly prints: readonly Print[]
  /** The page before it, of the same recording or an earlier one of the same source; null: there is none. */
  readonly older: PrintsPlace | null
}

export const MARKET_CALLS = {
  /** At most 50 hits, best first; knows every symbol seen, watched, or of the demo market. */
  'symbols.search': call<readonly SymbolHit[]>()(v.strictObject({ query: text(64), limit: v.optional(limit(50)) })),
  /**
   * The newest `limit` bars that start before `beforeMs`; null: up to now. With `afterMs`, the oldest ones that start
   * after it. `more`: there are others beyond those, in the same direction.
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
  /** `before` null: the newest page. */
  'tape.history': call<PrintsPage>()(
    v.strictObject({ view, instrument, before: v.nullable(printsPlace), limit: limit(2_000) }),
  ),
} as const

/** First value after opening: everything asked for. Later: only rows that changed. */
export interface QuotesValue {
  readonly rows: readonly QuoteRow[]
}
/**
 * `reset` replaces all (on opening, after a late correction of older bars, after a seek). `updates`
 * are bars by start: the same start replaces, a later one appends.
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
  /** Prints left out since the last value because the window was slower than the market. */
  readonly skipped: number
  readonly decimals: number
}
export const MARKET_STREAMS = {
  /** Opening a stream for an instrument is what makes the terminal want its feeds (reference counts). */
  quotes: call<QuotesValue>()(v.strictObject({ view, instruments: v.pipe(v.array(instrument), v.maxLength(2_000)) })),
  bars: call<BarsValue>()(v.strictObject({ view, instrument, of, interval, fromMs: v.nullable(ms) })),
  tape: call<TapeValue>()(v.strictObject({ view, instrument, limit: limit(2_000) })),
} as const
