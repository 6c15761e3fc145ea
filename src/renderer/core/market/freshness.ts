/** The words and the looks of freshness: five that are never mistaken for each other. */
import { missingCase } from '../../../shared/base/errors.ts'
import type { Freshness, QuoteRow } from '../../../shared/core/status/status.ts'
import { say } from '../../text/catalogue.ts'
import { ageText, agoText } from '../../text/format.ts'

/** What a window shows: without a link nothing is live, whatever the last value said. */
export function shownFreshness(row: QuoteRow | undefined, linkUp: boolean): Freshness {
  if (!linkUp) return 'disconnected'
  return row?.freshness ?? 'waiting'
}

export function freshnessLabel(freshness: Freshness, replayed = false): string {
  switch (freshness) {
    case 'live':
      // Nothing of a replay is called live.
      return replayed ? say('freshness.fresh') : say('freshness.live')
    case 'quiet':
      return say('freshness.quiet')
    case 'stale':
      return say('freshness.stale')
    case 'closed':
      return say('freshness.market-closed')
    case 'disconnected':
      return say('freshness.disconnected')
    case 'waiting':
      return say('freshness.waiting-first-message')
    default:
      return missingCase(freshness)
  }
}

/** The sentence under a price. `ageMs`: since its last message, null: none yet; `replayed`: as of a replay's clock. */
export function freshnessSentence(freshness: Freshness, ageMs: number | null, replayed = false): string {
  const ago = ageMs === null ? say('freshness.no-message-yet') : agoText(ageMs)
  switch (freshness) {
    case 'live':
      return replayed ? say('freshness.fresh-then-messages-arrived') : say('freshness.live-messages-arrive-at')
    case 'quiet':
      return say('freshness.quiet-connected-nothing-traded', { ago })
    case 'stale':
      return say('freshness.stale-connected-but-whole', { ago })
    case 'closed':
      return say('freshness.market-closed-last-message', { ago })
    case 'disconnected':
      return replayed
        ? say('freshness.disconnected-then-price-was', { ago })
        : say('freshness.disconnected-price-old', { ago })
    case 'waiting':
      return ageMs === null || replayed
        ? say('freshness.waiting-first-message-2')
        : say('freshness.waiting-recorded', { ago })
    default:
      return missingCase(freshness)
  }
}

/** What a price is that stands in for the first one; `ageMs`: since it was recorded. */
export const recordedSentence = (ageMs: number | null): string =>
  say('freshness.price-recorded', { ago: agoText(ageMs ?? 0) })

/** The text of the age column. */
export function ageCell(freshness: Freshness, ageMs: number | null): string {
  switch (freshness) {
    case 'closed':
      return 'closed'
    case 'waiting':
      return ageMs === null ? '\u2026' : ageText(ageMs)
    case 'live':
    case 'quiet':
    case 'stale':
    case 'disconnected':
      return ageText(ageMs)
    default:
      return missingCase(freshness)
  }
}
