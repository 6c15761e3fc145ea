/** Queries for bars and their results. */
import type { FeedId, InstrumentId, SessionId } from '../../../../shared/base/units.ts'
import type { GapInterval } from '../../../../shared/core/market/bars.ts'
import type { Bar, BarSource, Interval } from '../../../../shared/core/market/market.ts'
import type { GapSpan } from '../../../../shared/core/status/status.ts'
import type { Overlap } from '../../../../shared/features/sessions/overlaps.ts'

/** The last seq to read of each session that may have more. */
export type SeqLimits = ReadonlyMap<SessionId, number>

export interface BarQuery {
  readonly instrument: InstrumentId
  readonly of: BarSource
  readonly interval: Interval
  /** For service bars: the feed whose bars are aggregated; default the feed the interval is built from. */
  readonly feed?: FeedId | undefined
  readonly source: string
  /** Only these sessions, as if no others existed: reception ends where one ends. */
  readonly sessions?: readonly SessionId[] | undefined
  /** The newest `limit` bars that start before this instant, UTC ms; null starts at the newest bar. */
  readonly beforeMs: number | null
  /** Instead: the oldest `limit` bars that start after this instant, UTC ms. `more` then counts newer ones. */
  readonly afterMs?: number | undefined
  /** No bars that start before this instant, UTC ms. `more` still counts them. */
  readonly fromMs?: number | undefined
  readonly limit: number
  /**
   * Only messages received up to here, so that a replay can't look ahead, and live bars can be continued. Of a source
   * with sessions in it, those after the last of them in reading order aren't read. Absent or empty: no limit.
   */
  readonly upTo?: SeqLimits | undefined
  /**
   * For charts: skips corrupt data, marks the bars that touch it as incomplete and lists it among the page's gaps.
   * Without it, a query that meets corrupt data rejects with `store-damaged`.
   */
  readonly skipCorrupt?: boolean | undefined
}

export interface BarPage {
  readonly bars: readonly Bar[]
  readonly more: boolean
  /** Absent if there are none. */
  readonly overlaps?: readonly Overlap[]
  /** With `skipCorrupt`: gaps of cause `unreadable`, ascending. Other gaps are read with `gaps`. */
  readonly gaps: readonly GapSpan[]
  /**
   * With `skipCorrupt`: hours whose stored bars are corrupt and were rebuilt from the messages, so nothing is missing.
   */
  readonly rebuilt?: readonly GapInterval[]
}
