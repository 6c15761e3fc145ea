/** The review of a time range of a market: moves, gaps, alerts that fired, and notes. */
import { literalDecimals } from '../../base/decimals.ts'
import { durationLabel } from '../../base/duration-label.ts'
import { t } from '../../base/text.ts'
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

/** Stored messages of an instrument that couldn't be read, and so are missing from its move. */
export interface CorruptSpan {
  /** As the service writes it. */
  readonly symbol: string
  readonly feed: FeedId
  readonly fromMs: number
  readonly toMs: number
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
  /** By instrument and time. An instrument of which nothing could be read has no move. */
  readonly corrupt: readonly CorruptSpan[]
  /** Longest first, at most `MAX_GAPS`. Ordinary edges of sessions don't count. */
  readonly gaps: readonly ReviewGap[]
  readonly gapCount: number
  /** The time in which some feed was not received, ms. Overlapping gaps count once. */
  readonly gapMs: number
  /** The time of the range that is in none of the sessions and in none of the gaps, ms. Another session may have it. */
  readonly outsideMs: number
  /** Oldest first, the last `MAX_FIRED` of `alertCount`. */
  readonly alerts: readonly FiredAlert[]
  readonly alertCount: number
  /** Why alerts may be missing, as a sentence; null: none are. */
  readonly alertsProblem: string | null
  /** Oldest first. */
  readonly notes: readonly Note[]
}

/** Says which stored messages couldn't be read; null if all could. `time` writes an instant, UTC ms. */
export function corruptText({ corrupt }: Pick<Review, 'corrupt'>, time: (ms: number) => string): string | null {
  if (corrupt.length === 0) return null
  const spans = corrupt.map(({ symbol, feed, fromMs, toMs }) =>
    t('{symbol} ({feed}) {from} to {to}', { symbol, feed, from: time(fromMs), to: time(toMs) }),
  )
  return t('Corrupt stored messages are left out: {spans}. Run Verify in the Evidence pane.', {
    spans: spans.slice(0, MAX_GAPS).join(', ') + (spans.length > MAX_GAPS ? ', …' : ''),
  })
}

/** Says how much of a review's range is in none of its sessions; null if none of it. */
export const outsideText = ({ outsideMs }: Pick<Review, 'outsideMs'>): string | null =>
  outsideMs === 0
    ? null
    : t('{length} of this time is in no session of this review.', {
        length: lengthText(outsideMs),
      })

/** Says that the sessions of a review have no gaps. */
export const noGapsText = ({ sessions, outsideMs }: Pick<Review, 'sessions' | 'outsideMs'>): string =>
  sessions.length === 0
    ? t('No session of this review covers this time.')
    : outsideMs > 0
      ? t('None within the sessions, apart from connecting and closing.')
      : t('None, apart from connecting and closing.')

/** A length of time in words: "820 ms", "12.5 s", "4 min 30 s", "2 h 5 min". */
export function lengthText(ms: number): string {
  const seconds = Number((ms / 1_000).toFixed(1))
  return ms < 1_000 || seconds >= 60 ? durationLabel(ms) : t('{n} s', { n: String(seconds) })
}

/** The decimals that a move's prices are written with: as many as the longest of them has, at least two. */
export function moveDecimals({ first, last, high, low }: Pick<Move, 'first' | 'last' | 'high' | 'low'>): number {
  // Mids are computed, so their last digits may be noise.
  return Math.max(2, ...[first, last, high, low].map((one) => literalDecimals(String(Number(one.toPrecision(12))))))
}
