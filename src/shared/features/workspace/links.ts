/** Changes to which instrument and interval a pane shows, and to the colors that link panes. Pure. */
import type { Interval } from '../../core/market/market.ts'
import type { InstrumentId } from '../../base/units.ts'
import { type Workspace, type WorkspaceLink, type WorkspacePane } from './document.ts'
import type { LinkColour, LinkShare } from './kinds.ts'
import { paneOf, changePane, setPaneSettings } from './edits.ts'

export const NEW_LINK: WorkspaceLink = {
  instrument: 'crypto:BTCUSD' as InstrumentId, // Valid as written.
  interval: null,
  shares: [],
}

export function instrumentOf(workspace: Workspace, pane: WorkspacePane): InstrumentId {
  const linked = pane.link === null ? undefined : workspace.links[pane.link]
  return linked?.instrument ?? pane.instrument ?? NEW_LINK.instrument
}
/** Links a pane to a color; null unlinks it. */
export function setLink(workspace: Workspace, id: string, link: LinkColour | null): Workspace {
  const pane = paneOf(workspace, id)
  if (!pane || pane.link === link) return workspace
  const instrument = instrumentOf(workspace, pane)
  if (link === null) return changePane(workspace, id, { link, instrument })
  const links = { [link]: { ...NEW_LINK, instrument }, ...workspace.links }
  return { ...changePane(workspace, id, { link, instrument: null }), links }
}
/** Shows an instrument in a pane and those linked with it. A chart that showed a ratio or difference shows it alone. */
export function setInstrument(workspace: Workspace, id: string, instrument: InstrumentId): Workspace {
  const pane = paneOf(workspace, id)
  if (!pane) return workspace
  const shown = spreadsWith(workspace, pane).reduce(
    (now, one) => setPaneSettings(now, one.id, { spread: undefined }),
    workspace,
  )
  if (instrumentOf(workspace, pane) === instrument) return shown
  if (pane.link === null) return changePane(shown, id, { instrument })
  return changeLink(shown, pane.link, { instrument })
}
/** The charts that show a ratio or difference, of those linked with a pane and itself. */
function spreadsWith(workspace: Workspace, pane: WorkspacePane): readonly WorkspacePane[] {
  const isLinked = (one: WorkspacePane) => (pane.link === null ? one.id === pane.id : one.link === pane.link)
  return workspace.panes.filter((one) => isLinked(one) && (one.settings['spread'] ?? null) !== null)
}
export function changeLink(workspace: Workspace, colour: LinkColour, change: Partial<WorkspaceLink>): Workspace {
  const before = workspace.links[colour] ?? NEW_LINK
  return { ...workspace, links: { ...workspace.links, [colour]: { ...before, ...change } } }
}

/** Sets the interval that a pane's link color shares. Changes nothing if it doesn't share one. */
export function setLinkInterval(workspace: Workspace, id: string, interval: Interval): Workspace {
  const colour = paneOf(workspace, id)?.link ?? null
  if (colour === null || !workspace.links[colour]?.shares.includes('interval')) return workspace
  return changeLink(workspace, colour, { interval })
}
export function toggleShare(workspace: Workspace, colour: LinkColour, share: LinkShare): Workspace {
  const { shares, interval } = workspace.links[colour] ?? NEW_LINK
  const next = shares.includes(share) ? shares.filter((one) => one !== share) : [...shares, share]
  return changeLink(workspace, colour, { shares: next, interval: next.includes('interval') ? interval : null })
}
