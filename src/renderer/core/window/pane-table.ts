/** Descriptions of the pane kinds. */
import { PANE_KINDS, type PaneKind } from '../../../shared/features/workspace/kinds.ts'
import { t } from '../../../shared/base/text.ts'

export interface PaneRow {
  readonly kind: PaneKind
  /** The title of its tab and menu entry. */
  readonly title: string
  /** Its purpose in a few words. */
  readonly about: string
  /** Id of the command that opens it, to show its shortcut. */
  readonly command: string | null
  /** Its tools fill the tab line, so it needs no title there if it is alone in its group. */
  readonly fills?: true
}

const TABLE: Readonly<Record<PaneKind, Omit<PaneRow, 'kind'>>> = {
  watchlist: {
    title: t('Watchlist'),
    about: t('Live prices for a list of symbols'),
    command: null,
    fills: true,
  },
  chart: { title: t('Chart'), about: t('Bars and ticks of a symbol'), command: null },
  quote: { title: t('Quote'), about: t('Price, bid and ask, day range'), command: null },
  tape: { title: t('Time & sales'), about: t('Every trade as it happens'), command: null },
  company: { title: t('Company'), about: t('Profile, statements, ratios'), command: 'company' },
  earnings: { title: t('Earnings'), about: t('Calendar, history, calls'), command: 'earnings' },
  news: { title: t('News'), about: t('News, press releases, sentiment'), command: 'news' },
  commodities: {
    title: t('Commodities'),
    about: t('Metals, energy, agriculture'),
    command: 'commodities',
  },
  technical: {
    title: t('Technical'),
    about: t('Service indicators compared with Tapedeck’s'),
    command: 'technical',
  },
  alerts: { title: t('Alerts'), about: t('Alerts with state and history'), command: 'alerts' },
  evidence: {
    title: t('Evidence'),
    about: t('Coverage, agreement, verification'),
    command: 'evidence',
  },
  sessions: { title: t('Sessions'), about: t('Recorded sessions'), command: 'sessions' },
  journal: { title: t('Journal'), about: t('Notes on the tape, and reviews'), command: 'journal' },
  log: { title: t('Log'), about: t('Events in order'), command: 'log' },
  team: { title: t('Team'), about: t('Recorders, leases and history of the team'), command: 'team' },
  health: { title: t('Health'), about: t('Feeds, delays, disk, store, coverage, team'), command: 'health' },
  screener: { title: t('Screener'), about: t('Every recorded symbol by its figures'), command: 'screener' },
}

export const paneRow = (kind: PaneKind): PaneRow => ({ kind, ...TABLE[kind] })

/** The kinds in menus, in their order. */
export const OFFERED: readonly PaneRow[] = PANE_KINDS.map(paneRow)
