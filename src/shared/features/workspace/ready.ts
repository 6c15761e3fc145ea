/** The built-in workspaces, which a first start shows and a reset restores. */
import type { InstrumentId } from '../../base/units.ts'
import {
  panesIn,
  WORKSPACE_VERSION,
  type DockNode,
  type ReadyName,
  type Workspace,
  type WorkspacePane,
} from './document.ts'
import type { LinkColour, PaneKind } from './kinds.ts'

/** The area of the sizes below: the design size without the window's bars. */
const AREA = { width: 1440, height: 836 }

interface Draft {
  readonly name: string
  readonly dock: DockNode
  /** Panes by id, unless they are linked blue and of the kind that their id begins with. */
  readonly panes?: Readonly<Record<string, Partial<WorkspacePane>>>
  readonly front: string
}
const group = (size: number, ...panes: readonly [string, ...string[]]): DockNode => ({
  is: 'group',
  panes,
  front: panes[0],
  size,
})
const row = (size: number, ...parts: DockNode[]): DockNode => ({ is: 'split', axis: 'row', parts, size })
const column = (size: number, ...parts: DockNode[]): DockNode => ({ is: 'split', axis: 'column', parts, size })

const chart = (symbol: string, settings: Readonly<Record<string, unknown>> = {}): Partial<WorkspacePane> => ({
  kind: 'chart',
  link: null,
  instrument: symbol as InstrumentId, // Valid as written below.
  settings,
})
/** Charts in rows of equal size, each with its own instrument. */
function charts(symbols: readonly string[], columns: number): Pick<Draft, 'dock' | 'panes' | 'front'> {
  const ids = symbols.map((_, i) => `chart-${i + 1}`)
  const rows = Array.from({ length: symbols.length / columns }, (_, i) => ids.slice(i * columns, (i + 1) * columns))
  return {
    dock: column(
      0,
      ...rows.map((one) => row(AREA.height / rows.length, ...one.map((id) => group(AREA.width / columns, id)))),
    ),
    panes: Object.fromEntries(symbols.map((symbol, i) => [`chart-${i + 1}`, chart(symbol)])),
    front: 'chart-1',
  }
}

const DRAFTS: Readonly<Record<ReadyName, Draft>> = {
  overview: {
    name: 'Overview',
    dock: row(
      0,
      group(328, 'watchlist-1'),
      group(860, 'chart-1'),
      column(252, group(318, 'quote-1'), group(518, 'tape-1')),
    ),
    front: 'chart-1',
  },
  'day-trading': {
    name: 'Day trading',
    dock: row(
      0,
      group(280, 'watchlist-1'),
      column(640, group(500, 'chart-1'), group(336, 'news-1', 'log-1')),
      column(268, group(418, 'chart-2'), group(418, 'chart-3')),
      column(252, group(318, 'quote-1'), group(518, 'tape-1')),
    ),
    panes: {
      'chart-1': { settings: { interval: '1m' } },
      'chart-2': { settings: { interval: '1s' } },
      'chart-3': { settings: { interval: '15m' } },
    },
    front: 'chart-1',
  },
  review: {
    name: 'Review',
    dock: row(
      0,
      column(
        1188,
        row(456, group(280, 'watchlist-1'), group(908, 'chart-1')),
        group(380, 'sessions-1', 'evidence-1', 'log-1'),
      ),
      column(252, group(318, 'quote-1'), group(518, 'tape-1')),
    ),
    front: 'sessions-1',
  },
  research: {
    name: 'Research',
    dock: row(
      0,
      group(280, 'watchlist-1'),
      column(720, group(330, 'chart-1'), group(506, 'company-1', 'earnings-1', 'technical-1')),
      column(440, group(500, 'news-1'), group(336, 'commodities-1')),
    ),
    panes: { 'chart-1': { settings: { interval: '1D' } } },
    front: 'company-1',
  },
  'charts-4': {
    name: 'Charts 2 × 2',
    ...charts(['crypto:BTCUSD', 'crypto:ETHUSD', 'forex:EURUSD', 'stocks:AAPL'], 2),
  },
  'charts-9': {
    name: 'Charts 3 × 3',
    ...charts(
      [
        'crypto:BTCUSD',
        'crypto:ETHUSD',
        'crypto:SOLUSD',
        'forex:EURUSD',
        'forex:USDJPY',
        'forex:GBPUSD',
        'stocks:AAPL',
        'stocks:SPY',
        'stocks:NVDA',
      ],
      3,
    ),
  },
}

const DEFAULT_LINK: LinkColour = 'blue'

export function readyWorkspace(ready: ReadyName, id: string = ready): Workspace {
  const { name, dock, panes = {}, front } = DRAFTS[ready]
  return {
    version: WORKSPACE_VERSION,
    id,
    name,
    ready,
    area: AREA,
    dock,
    floats: [],
    popouts: [],
    panes: panesIn(dock).map((one) => ({
      id: one,
      kind: one.replace(/-\d+$/, '') as PaneKind, // The ids above begin with their kind.
      link: DEFAULT_LINK,
      instrument: null,
      settings: {},
      ...panes[one],
    })),
    links: {
      [DEFAULT_LINK]: {
        instrument: (ready === 'research' ? 'stocks:AAPL' : 'crypto:BTCUSD') as InstrumentId, // Valid as written.
        interval: null,
        shares: ['crosshair'],
      },
    },
    front,
    maximised: null,
  }
}
