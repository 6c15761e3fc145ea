/** The kinds of panes that a workspace is made of, and the colours by which panes follow each other. */

export const PANE_KINDS = [
  'watchlist',
  'chart',
  'quote',
  'tape',
  'company',
  'earnings',
  'news',
  'commodities',
  'technical',
  'alerts',
  'evidence',
  'sessions',
  'log',
] as const
export type PaneKind = (typeof PANE_KINDS)[number]

/** Panes of one colour look at one instrument; a pane without a colour keeps its own. */
export const LINK_COLOURS = ['blue', 'amber', 'violet', 'teal', 'rose', 'grey'] as const
export type LinkColour = (typeof LINK_COLOURS)[number]

/** What panes of a colour may share. The instrument is shared always. */
export const LINK_SHARES = ['interval', 'crosshair'] as const
export type LinkShare = (typeof LINK_SHARES)[number]
