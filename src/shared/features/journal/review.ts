/** The review of a time range of a market: moves, gaps, alerts that fired, and notes. */
import { literalDecimals } from '../../base/decimals.ts'
import type { FeedId, InstrumentId } from '../../base/units.ts'
import type { GapCause } from '../../core/recording/session.ts'
import type { Note } from './note.ts'

/** The most moves and gaps that a review lists; the rest is counted. */
export const MAX_MOVES = 20
export const MAX_GAPS = 50
export const MAX_FIRED = 500
/** Bars that a burst spans: five minutes of one-minute bars. */
export const BURST_BARS = 5

export interface Move {
  readonly instrument: InstrumentId
  /** As the service writes it. */
  readonly symbol: string
  /** What the prices are. Where no trade was recorded, they are mids of quotes. */
  readonly of: 'trade' | 'mid'
  /** First and last price of the range. */
  readonly first: number
  readonly last: number
  /** Last over first, minus 1. */
  readonly change: number
  readonly high: number
  readonly low: number
  /** The bars, UTC ms, that hold the high and the low. */
  readonly highMs: number
  readonly lowMs: number
  /** The largest change within `BURST_BARS` bars, as a fraction, and when that began, UTC ms. */
  readonly burst: number
  readonly burstMs: number
  /** Some bars touch a gap or corrupt data, so the figures may be missing a price. */
  readonly incomplete: boolean
}

export interface ReviewGap {
  readonly feed: FeedId
  readonly cause: GapCause
  readonly symbols: readonly string[]
  readonly fromMs: number
  /** May be after the range. Null while it is open. */
  readonly toMs: number | null
}

export interface FiredAlert {
  readonly atMs: number
  readonly instrument: InstrumentId
  /** The condition in words. */
  readonly text: string
  readonly note: string
  /** What was measured, in words. */
  readonly value: string
}

export interface Review {
  readonly source: string
  /** [fromMs, toMs), UTC ms. A replay's ends at its clock. */
  readonly fromMs: number
  readonly toMs: number
  readonly sessions: readonly string[]
  /** Stored messages. Where recorders of a team overlap, each one's count. */
  readonly messages: number
  /** `messages` is estimated, because the range cuts a session. */
  readonly messagesEstimated: boolean
  readonly instruments: number
  /** The length of the bars that moves are computed from, ms. */
  readonly barMs: number
  /** Largest change first, at most `MAX_MOVES`. */
  readonly moves: readonly Move[]
  /** Longest first, at most `MAX_GAPS`. Ordinary edges of sessions don't count. */
  readonly gaps: readonly ReviewGap[]
  readonly gapCount: number
  /** The time in which some feed was not received, ms. Overlapping gaps count once. */
  readonly gapMs: number
  /** Oldest first, the last `MAX_FIRED` of `alertCount`. */
  readonly alerts: readonly FiredAlert[]
  readonly alertCount: number
  /** Why alerts may be missing, as a sentence; null: none are. */
  readonly alertsProblem: string | null
  /** Oldest first. */
  readonly notes: readonly Note[]
}

/** The decimals that a move's prices are written with: as many as the longest of them has, at least two. */
export function moveDecimals({ first, last, high, low }: Pick<Move, 'first' | 'last' | 'high' | 'low'>): number {
  // Mids are computed, so their last digits may be noise.
  return Math.max(2, ...[first, last, high, low].map((one) => literalDecimals(String(Number(one.toPrecision(12))))))
}
