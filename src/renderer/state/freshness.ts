/** The words and the looks of freshness: five that are never mistaken for each other. */
import { missingCase } from '../../shared/errors.ts'
import type { Freshness, QuoteRow } from '../../shared/state.ts'
import { ageText, agoText } from '../ui/format.ts'

/** What a window shows: without a link nothing is live, whatever the last value said. */
export function shownFreshness(row: QuoteRow | undefined, linkUp: boolean): Freshness {
  if (!linkUp) return 'disconnected'
  return row?.freshness ?? 'waiting'
}

export function freshnessLabel(freshness: Freshness, replayed = false): string {
  switch (freshness) {
    case 'live':
      // Nothing of a replay is called live.
      return replayed ? 'fresh' : 'live'
    case 'quiet':
      return 'quiet'
    case 'stale':
      return 'stale'
    case 'closed':
      return 'market closed'
    case 'disconnected':
      return 'disconnected'
    case 'waiting':
      return 'waiting for a first message'
    default:
      return missingCase(freshness)
  }
}

/** The sentence under a price. `ageMs`: since its last message, null: none yet; `replayed`: as of a replay's clock. */
export function freshnessSentence(freshness: Freshness, ageMs: number | null, replayed = false): string {
  const ago = ageMs === null ? 'no message yet' : agoText(ageMs)
  switch (freshness) {
    case 'live':
      return replayed
        ? 'Fresh then: messages arrived at their usual pace.'
        : 'Live: messages arrive at their usual pace.'
    case 'quiet':
      return `Quiet: connected, nothing traded (${ago}).`
    case 'stale':
      return `Stale: connected, but the whole feed is silent (${ago}). This price may be old.`
    case 'closed':
      return `Market closed. Last message ${ago}.`
    case 'disconnected':
      return replayed ? `Disconnected then: the price was old (${ago}).` : `Disconnected: this price is old (${ago}).`
    case 'waiting':
      return 'Waiting for a first message.'
    default:
      return missingCase(freshness)
  }
}

/** The text of the age column. */
export function ageCell(freshness: Freshness, ageMs: number | null): string {
  switch (freshness) {
    case 'closed':
      return 'closed'
    case 'waiting':
      return '\u2026'
    case 'live':
    case 'quiet':
    case 'stale':
    case 'disconnected':
      return ageText(ageMs)
    default:
      return missingCase(freshness)
  }
}
