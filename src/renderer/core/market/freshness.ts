/** Labels and marks of freshness, each distinguishable from the others. */
import type { Freshness, QuoteRow } from '../../../shared/core/status/status.ts'
import { t } from '../../../shared/base/text.ts'
import { ageText, agoText } from '../../text/format.ts'

/** `ended`: a replay is at its end, where recording stopped. */
export type ShownFreshness = Freshness | 'ended'

/**
 * The freshness to show. Without a link nothing is live, whatever the last value said. `isOver`: a replay is at its end,
 * where every feed is disconnected because the session is over, and no first message follows.
 */
export function shownFreshness(row: QuoteRow | undefined, linkUp: boolean, isOver: boolean): ShownFreshness {
  if (!linkUp) return 'disconnected'
  const freshness = row?.freshness ?? 'waiting'
  return isOver && (freshness === 'disconnected' || freshness === 'waiting') ? 'ended' : freshness
}

export function freshnessLabel(freshness: ShownFreshness, replayed = false): string {
  switch (freshness) {
    case 'live':
      // Never call a replay live.
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
    case 'ended':
      return t('session over')
  }
}

/** The sentence under a price. `ageMs` counts from its last message, null if none; `replayed`: by a replay's clock. */
export function freshnessSentence(freshness: ShownFreshness, ageMs: number | null, replayed = false): string {
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
    case 'ended':
      return ageMs === null
        ? t('The recorded session ends here, without a message of this symbol.')
        : t('The recorded session ends here. Last message: {ago}.', { ago })
  }
}

/** The sentence for a stored price shown before the first message. `ageMs` counts from when it was recorded. */
export const recordedSentence = (ageMs: number | null): string =>
  t('The price shown was recorded {ago}.', { ago: agoText(ageMs ?? 0) })

/** The text of the age column. */
export function ageCell(freshness: ShownFreshness, ageMs: number | null): string {
  switch (freshness) {
    case 'closed':
      return 'closed'
    case 'waiting':
      return ageMs === null ? '\u2026' : ageText(ageMs)
    case 'live':
    case 'quiet':
    case 'stale':
    case 'disconnected':
    case 'ended':
      return ageText(ageMs)
  }
}
