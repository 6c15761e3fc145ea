/** The words and the looks of freshness: five that are never mistaken for each other. */
import { missingCase } from '../../../shared/base/errors.ts'
import type { Freshness, QuoteRow } from '../../../shared/core/status/status.ts'
import { t } from '../../../shared/base/text.ts'
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
      return replayed ? t('fresh') : t('live')
    case 'quiet':
      return t('quiet')
    case 'stale':
      return t('stale')
    case 'closed':
      return t('market closed')
    case 'disconnected':
      return t('disconnected')
    case 'waiting':
      return t('waiting for first message')
    default:
      return missingCase(freshness)
  }
}

/** The sentence under a price. `ageMs`: since its last message, null: none yet; `replayed`: as of a replay's clock. */
export function freshnessSentence(freshness: Freshness, ageMs: number | null, replayed = false): string {
  const ago = ageMs === null ? t('no message yet') : agoText(ageMs)
  switch (freshness) {
    case 'live':
      return replayed
        ? t('Fresh at that time: messages arrived at the usual rate.')
        : t('Live: messages arrive at the usual rate.')
    case 'quiet':
      return t('Quiet: connected, but no trades ({ago}).', { ago })
    case 'stale':
      return t('Stale: connected, but the whole feed is silent ({ago}). This price may be old.', { ago })
    case 'closed':
      return t('Market closed. Last message {ago}.', { ago })
    case 'disconnected':
      return replayed
        ? t('Disconnected at that time. Last message: {ago}.', { ago })
        : t('Disconnected. Last message: {ago}.', { ago })
    case 'waiting':
      return ageMs === null || replayed
        ? t('Waiting for the first message.')
        : t('Waiting for the first message. The price shown was recorded {ago}.', { ago })
    default:
      return missingCase(freshness)
  }
}

/** What a price is that stands in for the first one; `ageMs`: since it was recorded. */
export const recordedSentence = (ageMs: number | null): string =>
  t('The price shown was recorded {ago}.', { ago: agoText(ageMs ?? 0) })

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
