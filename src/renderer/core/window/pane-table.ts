/** What there is to say of each kind of pane before it is opened. */
import { PANE_KINDS, type PaneKind } from '../../../shared/features/workspace/kinds.ts'
import { say } from '../../text/catalogue.ts'

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
  watchlist: {
    title: say('paneTable.watchlist'),
    about: say('paneTable.prices-list-as-they'),
    command: null,
    fills: true,
  },
  chart: { title: say('paneTable.chart'), about: say('paneTable.bars-ticks-instrument'), command: null },
  quote: { title: say('paneTable.quote'), about: say('paneTable.price-bid-ask-range'), command: null },
  tape: { title: say('paneTable.time-sales'), about: say('paneTable.every-trade-as-happens'), command: null },
  company: { title: say('paneTable.company'), about: say('paneTable.profile-statements-ratios'), command: 'company' },
  earnings: { title: say('paneTable.earnings'), about: say('paneTable.calendar-history-calls'), command: 'earnings' },
  news: { title: say('paneTable.news'), about: say('paneTable.news-press-releases-sentiment'), command: 'news' },
  commodities: {
    title: say('paneTable.commodities'),
    about: say('paneTable.metals-energy-agriculture'),
    command: 'commodities',
  },
  technical: {
    title: say('paneTable.technical'),
    about: say('paneTable.indicators-service-beside-ours'),
    command: 'technical',
  },
  alerts: { title: say('paneTable.alerts'), about: say('paneTable.alerts-their-state-history'), command: 'alerts' },
  evidence: {
    title: say('paneTable.evidence'),
    about: say('paneTable.coverage-agreement-verification'),
    command: 'evidence',
  },
  sessions: { title: say('paneTable.sessions'), about: say('paneTable.what-was-recorded'), command: 'sessions' },
  log: { title: say('paneTable.log'), about: say('paneTable.what-happened-order'), command: 'log' },
}

export const paneRow = (kind: PaneKind): PaneRow => ({ kind, ...TABLE[kind] })

/** Kinds that a menu offers, in its order. */
export const OFFERED: readonly PaneRow[] = PANE_KINDS.map(paneRow)
