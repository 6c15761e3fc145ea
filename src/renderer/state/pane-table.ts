/** What there is to say of each kind of pane before it is opened. */
import { PANE_KINDS, type PaneKind } from '../../shared/workspace/kinds.ts'

export interface PaneRow {
  readonly kind: PaneKind
  /** Of its tab and of the menu. */
  readonly title: string
  /** What it is for, in a few words. */
  readonly about: string
  /** Id of the command that opens it, for its keys. */
  readonly command: string | null
  /** Its tools fill the line of its tab: alone in its group it needs no title there. */
  readonly fills?: true
}

const TABLE: Readonly<Record<PaneKind, Omit<PaneRow, 'kind'>>> = {
  watchlist: { title: 'Watchlist', about: 'Prices of a list, as they change', command: null, fills: true },
  chart: { title: 'Chart', about: 'Bars and ticks of an instrument', command: null },
  quote: { title: 'Quote', about: 'Price, bid and ask, range of the day', command: null },
  tape: { title: 'Time & sales', about: 'Every trade as it happens', command: null },
  company: { title: 'Company', about: 'Profile, statements, ratios', command: 'company' },
  earnings: { title: 'Earnings', about: 'Calendar, history, calls', command: 'earnings' },
  news: { title: 'News', about: 'News, press releases, sentiment', command: 'news' },
  commodities: { title: 'Commodities', about: 'Metals, energy, agriculture', command: 'commodities' },
  technical: { title: 'Technical', about: 'Indicators of the service beside ours', command: 'technical' },
  alerts: { title: 'Alerts', about: 'Alerts, their state and history', command: 'alerts' },
  evidence: { title: 'Evidence', about: 'Coverage, agreement, verification', command: 'evidence' },
  sessions: { title: 'Sessions', about: 'What was recorded', command: 'sessions' },
  log: { title: 'Log', about: 'What happened, in order', command: 'log' },
}

export const paneRow = (kind: PaneKind): PaneRow => ({ kind, ...TABLE[kind] })

/** Kinds that a menu offers, in its order. */
export const OFFERED: readonly PaneRow[] = PANE_KINDS.map(paneRow)
