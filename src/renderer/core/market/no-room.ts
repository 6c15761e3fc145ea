/** Explains why a symbol gets no data if its feed is full and it wasn't subscribed. Pure. */
import type { FeedStatus } from '../../../shared/core/status/status.ts'
import { feedAsset, instrumentId, parseInstrument, type InstrumentId } from '../../../shared/base/units.ts'
import { t } from '../../../shared/base/text.ts'

export interface NoRoom {
  readonly title: string
  /** What the user can do. */
  readonly text: string
  /** Short text for a list row. */
  readonly short: string
}

/** Explains that a feed has no room for an instrument; null if every feed that carries it has room. */
export function noRoomFor(feeds: readonly FeedStatus[], instrument: InstrumentId): NoRoom | null {
  const asset = parseInstrument(instrument)?.asset
  const full = feeds.find(
    ({ feed, overBudget }) =>
      overBudget.length > 0 &&
      feedAsset(feed) === asset &&
      overBudget.some((symbol) => instrumentId(asset, symbol) === instrument),
  )
  if (full === undefined) return null
  const counts = { used: full.acknowledged.length + full.missing.length, budget: full.budget }
  return {
    title: t('Not subscribed: {used} of {budget} on this feed are in use', counts),
    text: t('Remove symbols from your watchlists, or allow more connections in Settings.'),
    short: t('Not subscribed, {used} of {budget} in use', counts),
  }
}
