/** A review in JSON: times in ISO 8601, keys and units as everywhere on the command line. */
import type { Review } from '../../../shared/features/journal/review.ts'
import { withSchema } from '../../base/json-schema.ts'

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

/** `tapedeck/journal/2` (documented in the guide). */
export function reviewJson(review: Review): object {
  const { source, sessions, messages, instruments } = review
  return withSchema('journal', {
    source,
    from: iso(review.fromMs),
    to: iso(review.toMs),
    sessions,
    messages,
    messages_estimated: review.messagesEstimated,
    instruments,
    bar_seconds: review.barMs / 1_000,
    moves: review.moves.map(({ highMs, lowMs, burstMs, ...move }) => ({
      ...move,
      high_at: iso(highMs),
      low_at: iso(lowMs),
      burst_at: iso(burstMs),
    })),
    gaps: review.gaps.map(({ feed, cause, symbols, fromMs, toMs }) => ({
      feed,
      cause,
      symbols,
      from: iso(fromMs),
      to: iso(toMs),
    })),
    gap_count: review.gapCount,
    gap_seconds: review.gapMs / 1_000,
    alerts: review.alerts.map(({ atMs, ...alert }) => ({ at: iso(atMs), ...alert })),
    alert_count: review.alertCount,
    alerts_problem: review.alertsProblem,
    notes: review.notes.map(({ id, source, instrument, fromMs, toMs, text, tags, pictures, createdMs, changedMs }) => ({
      id,
      source,
      instrument,
      from: iso(fromMs),
      to: iso(toMs),
      text,
      tags,
      pictures,
      created: iso(createdMs),
      changed: iso(changedMs),
    })),
  })
}
