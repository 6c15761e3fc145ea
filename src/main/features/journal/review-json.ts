/** A review in JSON: times in ISO 8601, keys and units as everywhere on the command line. */
import type { Review } from '../../../shared/features/journal/review.ts'
import { withSchema } from '../../base/json-schema.ts'
import { isoOrNull } from '../../../shared/base/iso-time.ts'

/** `tapedeck/journal/2` (documented in the guide). */
export function reviewJson(review: Review): object {
  const { source, sessions, messages, instruments } = review
  return withSchema('journal', {
    source,
    from: isoOrNull(review.fromMs),
    to: isoOrNull(review.toMs),
    sessions,
    messages,
    messages_estimated: review.messagesEstimated,
    instruments,
    bar_seconds: review.barMs / 1_000,
    moves: review.moves.map(({ highMs, lowMs, burstMs, ...move }) => ({
      ...move,
      high_at: isoOrNull(highMs),
      low_at: isoOrNull(lowMs),
      burst_at: isoOrNull(burstMs),
    })),
    corrupt: review.corrupt.map(({ fromMs, toMs, ...span }) => ({
      ...span,
      from: isoOrNull(fromMs),
      to: isoOrNull(toMs),
    })),
    gaps: review.gaps.map(({ feed, cause, symbols, fromMs, toMs }) => ({
      feed,
      cause,
      symbols,
      from: isoOrNull(fromMs),
      to: isoOrNull(toMs),
    })),
    gap_count: review.gapCount,
    gap_seconds: review.gapMs / 1_000,
    unrecorded_seconds: review.outsideMs / 1_000,
    alerts: review.alerts.map(({ atMs, ...alert }) => ({ at: isoOrNull(atMs), ...alert })),
    alert_count: review.alertCount,
    alerts_problem: review.alertsProblem,
    notes: review.notes.map(({ id, source, instrument, fromMs, toMs, text, tags, pictures, createdMs, changedMs }) => ({
      id,
      source,
      instrument,
      from: isoOrNull(fromMs),
      to: isoOrNull(toMs),
      text,
      tags,
      pictures,
      created: isoOrNull(createdMs),
      changed: isoOrNull(changedMs),
    })),
  })
}
