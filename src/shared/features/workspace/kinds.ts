/** The kinds of panes, and the colors that link panes. */

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
  'journal',
  'log',
  'team',
  'health',
  'screener',
] as const
export type PaneKind = (typeof PANE_KINDS)[number]

/** Panes of one color show the same instrument. An unlinked pane has its own. */
export const LINK_COLOURS = ['blue', 'amber', 'violet', 'teal', 'rose', 'grey'] as const
export type LinkColour = (typeof LINK_COLOURS)[number]

/** What linked panes can share besides the instrument. */
export const LINK_SHARES = ['interval', 'crosshair'] as const
export type LinkShare = (typeof LINK_SHARES)[number]
