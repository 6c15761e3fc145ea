/** Converts workspaces of earlier versions, starting with the settings from before docking. */
import * as v from 'valibot'
import { parseInstrument, type InstrumentId } from '../../base/units.ts'
import { WORKSPACE_VERSION, type DockNode, type Workspace, type WorkspacePane } from './document.ts'
import { addPane, setPaneSettings } from './edits.ts'
import { changeLink } from './links.ts'
import type { PaneKind } from './kinds.ts'
import { readyWorkspace } from './ready.ts'
import { workspaceSettings, type WorkspaceSettings } from './settings.ts'

type Loose = Readonly<Record<string, unknown>>
const isObject = (x: unknown): x is Loose => typeof x === 'object' && x !== null && !Array.isArray(x)

/**
 * Steps by the version they start from. Version 1 is the settings section that described the window before docking; it
 * had no number.
 */
const STEPS: Readonly<Record<number, (old: Loose) => Loose>> = {
  1: (old) => {
    const read = v.safeParse(workspaceSettings.schema, old)
    return { ...(read.success ? overviewOf(read.output) : readyWorkspace('overview')) }
  },
}
const versionOf = (x: Loose): unknown =>
  'version' in x ? x['version'] : 'bottomPane' in x && 'layout' in x ? 1 : undefined

/** Converts a workspace of any earlier version. Anything else is returned unchanged. */
export function migrateWorkspace(x: unknown): unknown {
  let now = x
  while (isObject(now)) {
    const version = versionOf(now)
    if (typeof version !== 'number' || version >= WORKSPACE_VERSION || !Object.hasOwn(STEPS, version)) return now
    now = STEPS[version]?.(now)
  }
  return now
}

const TALL: ReadonlySet<PaneKind> = new Set([
  'company',
  'earnings',
  'news',
  'commodities',
  'technical',
  'team',
  'health',
  'screener',
])
/** Height of the pane below the chart if none was chosen, px. */
const USUAL_BELOW = { tall: 372, low: 190 } as const
export const usualBelow = (kind: PaneKind): number => (TALL.has(kind) ? USUAL_BELOW.tall : USUAL_BELOW.low)

/**
 * The overview as described by the settings from before docking: sizes, instrument, chart, lists and the pane below.
 */
export function overviewOf(before: WorkspaceSettings): Workspace {
  const ready = readyWorkspace('overview')
  const { layout } = before
  const width = (px: number, usual: number) =>
    Number.isFinite(px) && px >= 120 && px <= 4_000 ? Math.round(px) : usual
  const left = width(layout.left, 328)
  const right = width(layout.right, 252)
  const sized = (node: DockNode, size: number): DockNode => ({ ...node, size })
  const parts = ready.dock.is === 'split' ? ready.dock.parts : []
  const split = layout.split > 0 && layout.split < 1 && layout.split !== 0.28 ? layout.split : null
  const dock: DockNode = {
    is: 'split',
    axis: 'row',
    size: 0,
    parts: parts.map((part, i) => {
      if (i === 0) return sized(part, left)
      if (i === 1) return sized(part, ready.area.width - left - right)
      const quote = split === null ? 318 : Math.round(split * ready.area.height)
      return part.is === 'split'
        ? {
            ...part,
            size: right,
            parts: part.parts.map((one, j) => sized(one, j === 0 ? quote : ready.area.height - quote)),
          }
        : sized(part, right)
    }),
  }
  // parseInstrument accepts exactly the texts that are instruments.
  const instrument = (parseInstrument(before.instrument) ? before.instrument : 'crypto:BTCUSD') as InstrumentId
  let now = changeLink({ ...ready, dock }, 'blue', { instrument })
  const { activeWatchlist, columns, grouped, interval, of, style, ticks, events, tapeMinSize } = before
  now = setPaneSettings(now, 'watchlist-1', { list: activeWatchlist, columns, grouped })
  now = setPaneSettings(now, 'chart-1', { ...before.chart, interval, of, style, ticks, events })
  now = setPaneSettings(now, 'tape-1', { minSize: tapeMinSize })
  const { bottomPane } = before
  if (bottomPane === 'none') return now
  const pane: WorkspacePane = { id: `${bottomPane}-1`, kind: bottomPane, link: 'blue', instrument: null, settings: {} }
  const size = layout.bottom >= 96 ? layout.bottom : usualBelow(bottomPane)
  return { ...addPane(now, pane, { of: 'chart-1', side: 'down' }, size), front: 'chart-1' }
}
