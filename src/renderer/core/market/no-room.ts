/** Symbols that the planner left out because a feed is full: nothing will come for them, and every pane must say so. Pure. */
import type { FeedStatus } from '../../../shared/core/status/status.ts'
import { feedAsset, instrumentId, parseInstrument, type InstrumentId } from '../../../shared/base/units.ts'
import { t } from '../../../shared/base/text.ts'

export interface NoRoom {
  readonly title: string
  /** The ways out. */
  readonly text: string
  /** For a row of a list. */
  readonly short: string
}

/** What to say of an instrument that a feed has no room for; null where every feed that carries it has. */
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
