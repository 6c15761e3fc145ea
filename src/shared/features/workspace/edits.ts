/** Every change that the user can make to a workspace, as a function from one to the next. Pure. */
import {
  groupsIn,
  MAX_PANES,
  panesIn,
  shownGroups,
  shownPanes,
  sound,
  tabsOf,
  type DockGroup,
  type DockNode,
  type Workspace,
  type WorkspacePane,
} from './document.ts'
import { boxesOf, fitTo, leastOf, type Box, type KindOf, type Layout } from './fit.ts'
import type { PaneKind } from './kinds.ts'

export type Direction = 'left' | 'right' | 'up' | 'down'
/** Where to put a pane: into another pane's group, or next to that group. */
export interface Spot {
  readonly of: string
  readonly side: Direction | 'within'
}

export function paneOf(workspace: Workspace, id: string): WorkspacePane | undefined {
  return workspace.panes.find((one) => one.id === id)
}
export const kindOfIn =
  (workspace: Workspace): KindOf =>
  (id) =>
    paneOf(workspace, id)?.kind

export function freshId(workspace: Workspace, kind: PaneKind): string {
  const taken = new Set(workspace.panes.map((one) => one.id))
  let n = 1
  while (taken.has(`${kind}-${n}`)) n++
  return `${kind}-${n}`
}

const settled = (workspace: Workspace): Workspace => sound(workspace) ?? workspace
const everyTree = (workspace: Workspace, change: (tree: DockNode) => DockNode, front = workspace.front): Workspace => ({
  ...workspace,
  dock: change(workspace.dock),
  floats: workspace.floats.map((one) => ({ ...one, dock: tabsOf(change(one.dock), front) })),
  popouts: workspace.popouts.map((one) => ({ ...one, dock: change(one.dock) })),
})

const without = (tree: DockNode, id: string): DockNode =>
  tree.is === 'group'
    ? {
        ...tree,
        panes: tree.panes.filter((one) => one !== id),
        front: tree.front === id ? nextFront(tree, id) : tree.front,
      }
    : { ...tree, parts: tree.parts.map((part) => without(part, id)) }
function nextFront({ panes }: { readonly panes: readonly string[] }, id: string): string {
  const at = panes.indexOf(id)
  return panes[at + 1] ?? panes[at - 1] ?? ''
}

/** Inserts a new pane into the tree. `size`: its px next to the other; null: half. */
function placed(tree: DockNode, id: string, spot: Spot, size: number | null): DockNode {
  if (tree.is === 'split') return { ...tree, parts: tree.parts.map((part) => placed(part, id, spot, size)) }
  if (!tree.panes.includes(spot.of)) return tree
  if (spot.side === 'within') {
    const at = tree.panes.indexOf(spot.of) + 1
    return { ...tree, panes: tree.panes.toSpliced(at, 0, id), front: id }
  }
  const first = spot.side === 'left' || spot.side === 'up'
  const whole = Math.max(2, tree.size)
  const own = size === null ? whole / 2 : size
  const added: DockNode = { is: 'group', panes: [id], front: id, size: own }
  const rest: DockNode = { ...tree, size: Math.max(1, whole - own) }
  return {
    is: 'split',
    axis: spot.side === 'left' || spot.side === 'right' ? 'row' : 'column',
    parts: first ? [added, rest] : [rest, added],
    size: tree.size,
  }
}

/** The size of a group across its parent's axis is that of the surrounding tree. */
function withRoom(workspace: Workspace, spot: Spot): Workspace {
  if (spot.side === 'within') return workspace
  const side = spot.side === 'left' || spot.side === 'right' ? 'width' : 'height'
  const box = boxOfPane(workspace, spot.of)
  if (!box) return workspace
  const sized = (tree: DockNode): DockNode =>
    tree.is === 'group'
      ? tree.panes.includes(spot.of)
        ? { ...tree, size: box[side] }
        : tree
      : { ...tree, parts: tree.parts.map(sized) }
  return { ...workspace, dock: sized(workspace.dock) }
}
/** The box of a docked pane's group within the area, or undefined. */
export function boxOfPane(workspace: Workspace, id: string): Box | undefined {
  const kindOf = kindOfIn(workspace)
  return boxesOf(fitTo(workspace.dock, workspace.area, kindOf), { x: 0, y: 0, ...workspace.area }).find(({ group }) =>
    group.panes.includes(id),
  )?.box
}

function put(workspace: Workspace, id: string, spot: Spot, size: number | null): Workspace {
  // The size of the neighbor counts along the new axis; its position along its parent's axis stays.
  const along = withRoom(workspace, spot)
  const tree = everyTree(along, (one) => placed(one, id, spot, size), id)
  const restore = (after: DockNode, before: DockNode): DockNode => {
    if (before.is === 'group' && after.is === 'split') return { ...after, size: before.size }
    if (before.is === 'split' && after.is === 'split')
      return { ...after, parts: after.parts.map((part, i) => restore(part, before.parts[i] ?? part)) }
    return after
  }
  return settled({ ...tree, dock: restore(tree.dock, workspace.dock), front: id, maximised: null })
}

/** Adds a pane. Changes nothing if the workspace is full. */
export function addPane(workspace: Workspace, pane: WorkspacePane, spot: Spot, size: number | null = null): Workspace {
  if (workspace.panes.length >= MAX_PANES || paneOf(workspace, pane.id)) return workspace
  return put({ ...workspace, panes: [...workspace.panes, pane] }, pane.id, spot, size)
}

/** Arranges the panes as in a layout of the same panes. Changes nothing if a pane is missing from it. */
export function arrange(workspace: Workspace, layout: Layout): Workspace {
  const next = sound({ ...workspace, ...layout })
  return next?.panes.length === workspace.panes.length ? next : workspace
}

/** Closes a pane, but not the last one: an empty window would be a dead end. */
export function closePane(workspace: Workspace, id: string): Workspace {
  if (!paneOf(workspace, id) || (panesIn(workspace.dock).length === 1 && panesIn(workspace.dock)[0] === id))
    return workspace
  return settled({
    ...everyTree(workspace, (tree) => without(tree, id)),
    panes: workspace.panes.filter((one) => one.id !== id),
    front: workspace.front === id ? frontAfter(workspace, id) : workspace.front,
  })
}
function frontAfter(workspace: Workspace, id: string): string {
  return nextFront({ panes: tabsWith(workspace, id) }, id)
}

export function movePane(workspace: Workspace, id: string, spot: Spot, size: number | null = null): Workspace {
  if (spot.of === id || !paneOf(workspace, id) || !paneOf(workspace, spot.of)) return workspace
  const docked = panesIn(workspace.dock)
  // The dock can't be empty.
  if (docked.length === 1 && docked[0] === id) return workspace
  const taken = sound(everyTree(workspace, (tree) => without(tree, id)))
  if (!taken) return workspace
  return put({ ...taken, panes: workspace.panes }, id, spot, size)
}

/** Brings a pane to the front of its group and focuses it. */
export function setFront(workspace: Workspace, id: string): Workspace {
  const shown = (tree: DockNode): DockNode =>
    tree.is === 'group'
      ? tree.panes.includes(id) && tree.front !== id
        ? { ...tree, front: id }
        : tree
      : { ...tree, parts: tree.parts.map(shown) }
  const next = everyTree(workspace, shown)
  // A maximized pane would hide it.
  const maximised = workspace.maximised !== null && groupOf(next, workspace.maximised)?.includes(id) ? id : null
  return shownPanes(next).includes(id) ? { ...next, front: id, maximised } : next
}
function groupOf(workspace: Workspace, id: string): readonly string[] | undefined {
  return groupsIn(workspace.dock).find((one) => one.panes.includes(id))?.panes
}
export function toggleMaximised(workspace: Workspace, id: string): Workspace {
  if (workspace.maximised !== null) return { ...workspace, maximised: null }
  return panesIn(workspace.dock).includes(id) ? { ...setFront(workspace, id), maximised: id } : workspace
}

/** The front pane of the next group in a direction, or null. */
export function neighbour(workspace: Workspace, id: string, direction: Direction): string | null {
  const kindOf = kindOfIn(workspace)
  const all = boxesOf(fitTo(workspace.dock, workspace.area, kindOf), { x: 0, y: 0, ...workspace.area })
  const from = all.find(({ group }) => group.panes.includes(id))
  if (!from) return null
  const flat = direction === 'left' || direction === 'right'
  const ahead = ({ box }: { readonly box: Box }) =>
    direction === 'left'
      ? from.box.x - (box.x + box.width)
      : direction === 'right'
        ? box.x - (from.box.x + from.box.width)
        : direction === 'up'
          ? from.box.y - (box.y + box.height)
          : box.y - (from.box.y + from.box.height)
  const adjoins = ({ box }: { readonly box: Box }) =>
    flat
      ? Math.min(box.y + box.height, from.box.y + from.box.height) - Math.max(box.y, from.box.y)
      : Math.min(box.x + box.width, from.box.x + from.box.width) - Math.max(box.x, from.box.x)
  const [best] = all
    .filter((one) => one !== from && ahead(one) >= -1 && adjoins(one) > 0)
    .toSorted((a, b) => ahead(a) - ahead(b) || adjoins(b) - adjoins(a))
  return best?.group.front ?? null
}

/** Moves a pane out of its group if it shares it, otherwise into the neighboring group. */
export function moveTowards(workspace: Workspace, id: string, direction: Direction): Workspace {
  const mates = groupOf(workspace, id)?.filter((one) => one !== id)
  if (!mates) return workspace
  const [mate] = mates
  if (mate !== undefined) return movePane(workspace, id, { of: mate, side: direction })
  const next = neighbour(workspace, id, direction)
  return next === null ? workspace : movePane(workspace, id, { of: next, side: 'within' })
}

const rank = (i: number, at: number): number => (i > at ? i - at : 1_000 + at - i)

/** Makes the group of a pane wider (or higher) by `px`, at the expense of its neighbors. */
export function resizePane(workspace: Workspace, id: string, axis: 'row' | 'column', px: number): Workspace {
  const kindOf = kindOfIn(workspace)
  const side = axis === 'row' ? 'width' : 'height'
  const grow = (tree: DockNode): DockNode => {
    if (tree.is === 'group') return tree
    const at = tree.parts.findIndex((part) => panesIn(part).includes(id))
    const part = tree.parts[at]
    if (!part) return tree
    const inner = grow(part)
    if (inner !== part) return { ...tree, parts: tree.parts.with(at, inner) }
    if (tree.axis !== axis || tree.parts.length < 2) return tree
    // Parts after it shrink first, the nearest one first, then the parts before it.
    const others = [...tree.parts.keys()].filter((i) => i !== at).toSorted((a, b) => rank(a, at) - rank(b, at))
    const spare = (i: number) => {
      const one = tree.parts[i]
      return one ? Math.max(0, one.size - leastOf(one, kindOf)[side]) : 0
    }
    const sizes = tree.parts.map((one) => one.size)
    let left = Math.max(px, Math.min(0, leastOf(part, kindOf)[side] - part.size))
    for (const i of others) {
      const by = left > 0 ? Math.min(left, spare(i)) : left
      sizes[i] = (sizes[i] ?? 0) - by
      sizes[at] = (sizes[at] ?? 0) + by
      left -= by
      if (left === 0) break
    }
    return sizes[at] === part.size
      ? tree
      : { ...tree, parts: tree.parts.map((one, i) => ({ ...one, size: sizes[i] ?? one.size })) }
  }
  const fitted = fitTo(workspace.dock, workspace.area, kindOf)
  const dock = grow(fitted)
  return dock === fitted ? workspace : { ...workspace, dock }
}

/** Moves a pane out of the dock, floating above it. */
export function floatPane(workspace: Workspace, id: string, box: Box): Workspace {
  const docked = panesIn(workspace.dock)
  if (!docked.includes(id) || docked.length === 1) return workspace
  const taken = sound(everyTree(workspace, (tree) => without(tree, id)))
  if (!taken) return workspace
  const dock: DockGroup = { is: 'group', panes: [id], front: id, size: 0 }
  return settled({
    ...taken,
    panes: workspace.panes,
    floats: [...taken.floats, { ...box, dock }],
    front: id,
    maximised: null,
  })
}
/** The dock before and after a pane floated. */
export interface Floated {
  readonly before: DockNode
  readonly after: DockNode
}
const shapeOf = (tree: DockNode): string =>
  tree.is === 'group' ? tree.panes.join(' ') : `${tree.axis} (${tree.parts.map(shapeOf).join(', ')})`
const nodesIn = (tree: DockNode): readonly DockNode[] =>
  tree.is === 'group' ? [tree] : [tree, ...tree.parts.flatMap(nodesIn)]
const sumOf = (parts: readonly DockNode[]): number => parts.reduce((sum, one) => sum + one.size, 0)
/**
 * The dock from before a pane floated, with that pane in front. Sizes and front tabs are those of the dock as it is now,
 * since both can change without moving a pane; neighbors make room.
 */
function redocked(before: DockNode, now: DockNode, id: string, kindOf: KindOf): DockNode {
  const others = panesIn(before).filter((one) => one !== id)
  const found = nodesIn(now).find((one) => panesIn(one).join(' ') === others.join(' '))
  if (before.is === 'group') {
    const front = before.panes.includes(id) ? id : found?.is === 'group' ? found.front : before.front
    return { ...before, front, size: found?.size ?? before.size }
  }
  const parts = before.parts.map((part) => redocked(part, now, id, kindOf))
  const isOwn = (part: DockNode) => part.is === 'group' && part.panes.length === 1 && part.panes[0] === id
  const size = found?.size ?? before.size
  if (!parts.some(isOwn)) return { ...before, parts, size }
  const rest = parts.filter((part) => !isOwn(part))
  const room = sumOf(before.parts.filter((part) => !isOwn(part)))
  const fitted = fitTo({ ...before, parts: rest }, { width: room, height: room }, kindOf)
  const sizes = fitted.is === 'split' ? fitted.parts.map((one) => one.size) : []
  const [only] = rest
  return {
    ...before,
    parts: parts.map((part) => (isOwn(part) ? part : { ...part, size: sizes[rest.indexOf(part)] ?? part.size })),
    // Without the pane, the parts of its only neighbor were merged into the surrounding split.
    size: !found && only?.is === 'split' ? sumOf(only.parts) : size,
  }
}
/** Docks a pane where it was before it floated if no other pane has moved since, otherwise with the last pane. */
export function dockPane(workspace: Workspace, id: string, floated: Floated | null = null): Workspace {
  if (panesIn(workspace.dock).includes(id)) return workspace
  if (floated !== null && shapeOf(floated.after) === shapeOf(workspace.dock)) {
    const taken = everyTree(workspace, (tree) => without(tree, id))
    const dock = redocked(floated.before, workspace.dock, id, kindOfIn(workspace))
    return settled({ ...taken, dock, front: id, maximised: null })
  }
  const last = panesIn(workspace.dock).at(-1)
  return last === undefined ? workspace : movePane(workspace, id, { of: last, side: 'within' })
}
/** Moves panes into their own window, as one group. */
export function popOut(workspace: Workspace, window: string, ids: readonly string[]): Workspace {
  const [first] = ids
  const left = panesIn(workspace.dock).filter((one) => !ids.includes(one))
  if (first === undefined || left.length === 0 || workspace.popouts.some((one) => one.id === window)) return workspace
  const taken = ids.reduce((now, id) => everyTree(now, (tree) => without(tree, id)), workspace)
  const dock: DockNode = { is: 'group', panes: ids, front: first, size: 0 }
  return settled({ ...taken, popouts: [...taken.popouts, { id: window, dock }], maximised: null })
}
/** Moves the panes of a window back into the dock. */
export function popIn(workspace: Workspace, window: string): Workspace {
  const found = workspace.popouts.find((one) => one.id === window)
  if (!found) return workspace
  return panesIn(found.dock).reduce((now, id) => dockPane(now, id), workspace)
}
export const changePane = (workspace: Workspace, id: string, change: Partial<WorkspacePane>): Workspace => ({
  ...workspace,
  panes: workspace.panes.map((one) => (one.id === id ? { ...one, ...change } : one)),
})
/** Merges settings into a pane's. `undefined` removes a key. */
export function setPaneSettings(workspace: Workspace, id: string, patch: Readonly<Record<string, unknown>>): Workspace {
  const pane = paneOf(workspace, id)
  if (!pane) return workspace
  const merged = Object.entries({ ...pane.settings, ...patch }).filter(([, value]) => value !== undefined)
  return changePane(workspace, id, { settings: Object.fromEntries(merged) })
}
/** The panes in the same group as one, in tab order, including itself; empty if it isn't in the layout. */
export function tabsWith(workspace: Workspace, id: string): readonly string[] {
  return shownGroups(workspace).find((one) => one.panes.includes(id))?.panes ?? []
}
