/** Explains why a symbol gets no data if it wasn't subscribed: its feed is full, or no recorder of the team records it. Pure. */
import type { StatusState } from '../../../shared/core/status/status.ts'
import { feedAsset, instrumentId, parseInstrument, type InstrumentId } from '../../../shared/base/units.ts'
import { listed, t } from '../../../shared/base/text.ts'

export interface NoRoom {
  readonly title: string
  /** What the user can do. */
  readonly text: string
  /** Short text for a list row. */
  readonly short: string
}

/** Explains why an instrument isn't subscribed; null if it is, or if that isn't known. */
export function noRoomFor(
  { feeds, source, origin }: Pick<StatusState, 'feeds' | 'source' | 'origin'>,
  instrument: InstrumentId,
): NoRoom | null {
  const asset = parseInstrument(instrument)?.asset
  if (asset !== undefined && source === 'team') {
    const ofAsset = feeds.filter(({ feed }) => feedAsset(feed) === asset)
    const has = (symbols: readonly string[]): boolean =>
      symbols.some((symbol) => instrumentId(asset, symbol) === instrument)
    if (ofAsset.some(({ acknowledged }) => has(acknowledged))) return null
    const lacking = ofAsset.filter(({ missing }) => has(missing)).map(({ feed }) => feed)
    if (lacking.length === 0 || !feeds.some(({ acknowledged }) => acknowledged.length > 0)) return null
    return {
      title: t('No recorder of team {team} records it', { team: origin }),
      text: t('It isn’t recorded on {feeds}. Ask the team’s operator to add it, or remove it from your watchlists.', {
        feeds: listed(lacking),
      }),
      short: t('Not recorded by team {team}', { team: origin }),
    }
  }
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
