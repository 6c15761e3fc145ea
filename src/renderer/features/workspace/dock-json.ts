/** Converts between workspaces and dockview's JSON. Pure, and the only file that knows that format. */
import type { SerializedDockview } from 'dockview'
import {
  panesIn,
  sound,
  type DockGroup,
  type DockNode,
  type Workspace,
  type WorkspaceFloat,
} from '../../../shared/features/workspace/document.ts'
import { fitTo, leastOf, type Area, type KindOf } from '../../../shared/features/workspace/fit.ts'
import { kindOfIn } from '../../../shared/features/workspace/edits.ts'

type Grid = SerializedDockview['grid']
type GridNode = Grid['root']

/** The part of a workspace that dockview lays out. */
export interface Layout {
  readonly dock: DockNode
  readonly floats: readonly WorkspaceFloat[]
}

const groupState = (group: DockGroup, id: string) => ({ views: [...group.panes], activeView: group.front, id })

/** The layout of a workspace within an area, for dockview's `fromJSON`. Expects a workspace that was validated. */
export function toDockview(workspace: Workspace, area: Area, titleOf: (pane: string) => string): SerializedDockview {
  const kindOf = kindOfIn(workspace)
  let groups = 0
  const node = (one: DockNode): GridNode =>
    one.is === 'group'
      ? { type: 'leaf', data: groupState(one, `group-${++groups}`), size: one.size }
      : { type: 'branch', data: one.parts.map(node), size: one.size }
  const dock = fitTo(workspace.dock, area, kindOf)
  const tree: DockNode =
    dock.is === 'split' ? dock : { is: 'split', axis: 'row', parts: [{ ...dock, size: area.width }], size: 0 }
  const across = tree.axis === 'row' ? area.height : area.width
  const floatingGroups = workspace.floats.map((one) => {
    // A floating window holds one group, so splits inside it become tabs.
    const panes = [...panesIn(one.dock)]
    const front = one.dock.is === 'group' ? one.dock.front : (panes[0] ?? '')
    const width = Math.min(one.width, area.width)
    const height = Math.min(one.height, area.height)
    const left = Math.max(0, Math.min(one.x, area.width - width))
    const top = Math.max(0, Math.min(one.y, area.height - height))
    return {
      data: { views: panes, activeView: front, id: `group-${++groups}` },
      position: { left, top, width, height },
    }
  })
  const shown = [tree, ...workspace.floats.map((one) => one.dock)].flatMap(panesIn)
  const least = leasts(tree, kindOf)
  return {
    grid: {
      root: { ...node({ ...tree, size: across }) },
      width: area.width,
      height: area.height,
      // Values of dockview's Orientation enum.
      orientation: (tree.axis === 'row' ? 'HORIZONTAL' : 'VERTICAL') as Grid['orientation'],
    },
    panels: Object.fromEntries(
      shown.map((id) => {
        const { width, height } = least.get(id) ?? { width: 160, height: 96 }
        return [
          id,
          {
            id,
            contentComponent: kindOf(id) ?? 'log',
            tabComponent: 'tab',
            title: titleOf(id),
            minimumWidth: width,
            minimumHeight: height,
          },
        ]
      }),
    ),
    floatingGroups,
  }
}
/** Minimum size by pane id, px. */
function leasts(tree: DockNode, kindOf: KindOf): ReadonlyMap<string, Area> {
  const out = new Map<string, Area>()
  const walk = (one: DockNode): void => {
    if (one.is === 'split') return one.parts.forEach(walk)
    const least = leastOf(one, kindOf)
    for (const id of one.panes) out.set(id, { width: least.width, height: least.height })
  }
  walk(tree)
  return out
}

const record = (x: unknown): Readonly<Record<string, unknown>> =>
  typeof x === 'object' && x !== null ? (x as Record<string, unknown>) : {}
const number = (x: unknown, otherwise: number) => (typeof x === 'number' && Number.isFinite(x) ? x : otherwise)

/** The layout dockview reports, as a workspace; null if it isn't valid. */
export function fromDockview(json: SerializedDockview, workspace: Workspace): Workspace | null {
  const read = (x: GridNode, axis: 'row' | 'column'): DockNode => {
    const size = number(x.size, 0)
    if (x.type === 'branch' && Array.isArray(x.data))
      return { is: 'split', axis, parts: x.data.map((one) => read(one, axis === 'row' ? 'column' : 'row')), size }
    return { ...readGroup(x.data), size }
  }
  const dock = read(json.grid.root, json.grid.orientation === ('HORIZONTAL' as Grid['orientation']) ? 'row' : 'column')
  const floats = (json.floatingGroups ?? []).map((one): WorkspaceFloat => {
    const place = record(one.position)
    const group = one.grid ? tabsOf(read(one.grid.root, 'row')) : readGroup(one.data)
    return {
      x: Math.round(number(place['left'], number(place['right'], 40))),
      y: Math.round(number(place['top'], number(place['bottom'], 40))),
      width: Math.round(number(place['width'], 400)),
      height: Math.round(number(place['height'], 300)),
      dock: group,
    }
  })
  const area = { width: Math.round(json.grid.width), height: Math.round(json.grid.height) }
  return sound({ ...workspace, area, dock: { ...dock, size: 0 }, floats })
}
function readGroup(x: unknown): DockGroup {
  const { views, activeView } = record(x)
  const panes = Array.isArray(views) ? views.filter((one): one is string => typeof one === 'string') : []
  return { is: 'group', panes, front: typeof activeView === 'string' ? activeView : (panes[0] ?? ''), size: 0 }
}
function tabsOf(tree: DockNode): DockGroup {
  const panes = panesIn(tree)
  return { is: 'group', panes, front: panes[0] ?? '', size: 0 }
}

/** A string that differs between layouts but ignores which tab is in front. */
export function shapeOf({ dock, floats }: Layout): string {
  const plain = (one: DockNode): unknown =>
    one.is === 'group' ? [one.panes, Math.round(one.size)] : [one.axis, one.parts.map(plain), Math.round(one.size)]
  return JSON.stringify([
    // The root has no size of its own.
    plain({ ...dock, size: 0 }),
    floats.map((one) => [panesIn(one.dock), one.x, one.y, one.width, one.height]),
  ])
}
