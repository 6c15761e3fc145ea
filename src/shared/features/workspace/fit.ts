/**
 * Fits a layout to another area: panes with columns keep their width, panes that draw take the rest, and none gets
 * smaller than its minimum. Px. Pure.
 */
import { panesIn, type DockGroup, type DockNode, type Workspace } from './document.ts'
import type { PaneKind } from './kinds.ts'

export interface Area {
  readonly width: number
  readonly height: number
}
export interface Box extends Area {
  readonly x: number
  readonly y: number
}
export type KindOf = (pane: string) => PaneKind | undefined

interface Nature {
  /** The smallest useful width and height. */
  readonly least: Area
  /** Keeps its size when the area changes. */
  readonly keeps: { readonly width: boolean; readonly height: boolean }
}
const free = { width: false, height: false }
const MIN_GROUP: Area = { width: 160, height: 96 }
const NATURES: Readonly<Record<PaneKind, Nature>> = {
  watchlist: { least: { width: 200, height: 120 }, keeps: { width: true, height: false } },
  chart: { least: { width: 240, height: 140 }, keeps: free },
  quote: { least: { width: 224, height: 120 }, keeps: { width: true, height: true } },
  tape: { least: { width: 224, height: 168 }, keeps: { width: true, height: false } },
  company: { least: { width: 300, height: 120 }, keeps: free },
  earnings: { least: { width: 300, height: 120 }, keeps: free },
  news: { least: { width: 240, height: 120 }, keeps: free },
  commodities: { least: { width: 300, height: 120 }, keeps: free },
  technical: { least: { width: 300, height: 120 }, keeps: free },
  alerts: { least: { width: 224, height: 96 }, keeps: free },
  evidence: { least: { width: 300, height: 120 }, keeps: free },
  sessions: { least: { width: 300, height: 96 }, keeps: free },
  journal: { least: { width: 260, height: 120 }, keeps: free },
  log: { least: { width: 224, height: 96 }, keeps: free },
  team: { least: { width: 300, height: 120 }, keeps: free },
  health: { least: { width: 300, height: 120 }, keeps: free },
  screener: { least: { width: 300, height: 140 }, keeps: free },
}

type Side = 'width' | 'height'
const alongOf = (axis: 'row' | 'column'): Side => (axis === 'row' ? 'width' : 'height')

/** The minimum size of a part. */
export function leastOf(node: DockNode, kindOf: KindOf): Area {
  if (node.is === 'group') {
    const all = node.panes.flatMap((one) => kindOf(one) ?? []).map((kind) => NATURES[kind].least)
    return {
      width: Math.max(MIN_GROUP.width, ...all.map((one) => one.width)),
      height: Math.max(MIN_GROUP.height, ...all.map((one) => one.height)),
    }
  }
  const all = node.parts.map((part) => leastOf(part, kindOf))
  const sum = (side: Side) => all.reduce((total, one) => total + one[side], 0)
  const most = (side: Side) => Math.max(...all.map((one) => one[side]))
  return node.axis === 'row'
    ? { width: sum('width'), height: most('height') }
    : { width: most('width'), height: sum('height') }
}

/** Whether a part keeps its size along a side if possible. */
function keeps(node: DockNode, side: Side, kindOf: KindOf): boolean {
  if (node.is === 'group') return node.panes.every((one) => NATURES[kindOf(one) ?? 'chart'].keeps[side])
  const along = alongOf(node.axis) === side
  return along
    ? node.parts.every((part) => keeps(part, side, kindOf))
    : node.parts.some((part) => keeps(part, side, kindOf)) && !node.parts.some((part) => draws(part, kindOf))
}
const draws = (node: DockNode, kindOf: KindOf): boolean => panesIn(node).some((one) => kindOf(one) === 'chart')

/**
 * Divides `room` among parts of `sizes`. Fixed parts keep theirs, the others share the rest in proportion, and none
 * gets less than `least` while there is room for all.
 */
function share(
  sizes: readonly number[],
  least: readonly number[],
  stays: readonly boolean[],
  room: number,
): readonly number[] {
  const n = sizes.length
  const leastSum = least.reduce((sum, one) => sum + one, 0)
  // There isn't even room for the minimums, so each shrinks in proportion.
  if (leastSum >= room)
    return round(
      least.map((one) => (leastSum > 0 ? (one / leastSum) * room : room / n)),
      room,
    )
  // What already fits stays. Rounding may have taken a pixel from a part with its minimum, and would take it elsewhere now.
  const isFitted = sizes.every((size, i) => Number.isInteger(size) && size >= (least[i] ?? 0) - 1)
  if (isFitted && sizes.reduce((sum, size) => sum + size, 0) === room) return sizes
  const allKeep = stays.every(Boolean)
  const wanted = sizes.map((size) => (size > 0 ? size : room / n))
  const fixed = wanted.map((_, i) => stays[i] === true && !allKeep)
  const out = wanted.map((size, i) => Math.max(least[i] ?? 0, fixed[i] === true ? size : 0))
  // The flexible parts share the rest. A part that reaches its minimum is fixed there.
  const pinned = new Set<number>()
  for (let round = 0; round <= n; round++) {
    const taken = out.reduce((sum, size, i) => sum + (fixed[i] === true || pinned.has(i) ? size : 0), 0)
    const open = out.map((_, i) => i).filter((i) => fixed[i] !== true && !pinned.has(i))
    const weight = open.reduce((sum, i) => sum + (wanted[i] ?? 0), 0)
    let hit = false
    for (const i of open) {
      const size = ((wanted[i] ?? 0) / weight) * (room - taken)
      const floor = least[i] ?? 0
      if (size < floor) {
        out[i] = floor
        pinned.add(i)
        hit = true
      } else out[i] = size
    }
    if (!hit) break
  }
  // If the fixed parts leave too little, they shrink down to their minimums.
  let over = out.reduce((sum, one) => sum + one, 0) - room
  for (let i = n - 1; i >= 0 && over > 0.5; i--) {
    const give = Math.min(over, Math.max(0, (out[i] ?? 0) - (least[i] ?? 0)))
    out[i] = (out[i] ?? 0) - give
    over -= give
  }
  return round(out, room)
}

/** Rounds to whole px with the same sum. The largest part takes the rounding error. */
function round(sizes: readonly number[], room: number): readonly number[] {
  const out = sizes.map((one) => Math.round(one))
  const left = Math.round(room) - out.reduce((sum, one) => sum + one, 0)
  const at = out.indexOf(Math.max(...out))
  return out.map((one, i) => (i === at ? one + left : one))
}

/** The layout fitted to an area. Idempotent. */
export function fitTo(node: DockNode, area: Area, kindOf: KindOf): DockNode {
  if (node.is === 'group') return node
  const side = alongOf(node.axis)
  const least = node.parts.map((part) => leastOf(part, kindOf)[side])
  const sizes = node.parts.map((part) => part.size)
  const stays = node.parts.map((part) => keeps(part, side, kindOf))
  const shared = share(sizes, least, stays, area[side])
  return {
    ...node,
    parts: node.parts.map((part, i) => {
      const size = shared[i] ?? 0
      return { ...fitTo(part, { ...area, [side]: size }, kindOf), size }
    }),
  }
}

/** The box of each group of a fitted layout. */
export function boxesOf(node: DockNode, box: Box): readonly { readonly group: DockGroup; readonly box: Box }[] {
  if (node.is === 'group') return [{ group: node, box }]
  let offset = 0
  return node.parts.flatMap((part) => {
    const inside =
      node.axis === 'row'
        ? { ...box, x: box.x + offset, width: part.size }
        : { ...box, y: box.y + offset, height: part.size }
    offset += part.size
    return boxesOf(part, inside)
  })
}

/** What a window shows of a workspace: its dock fills the area, and its floating groups are within it. */
export type Layout = Pick<Workspace, 'area' | 'dock' | 'floats' | 'maximised'>

/** The layout of a workspace in a window with this area. */
export function layoutOf(workspace: Workspace, area: Area): Layout {
  const kindOf: KindOf = (id) => workspace.panes.find((one) => one.id === id)?.kind
  const floats = workspace.floats.map((one) => {
    const width = Math.round(Math.min(one.width, area.width))
    const height = Math.round(Math.min(one.height, area.height))
    return {
      x: Math.round(Math.max(0, Math.min(one.x, area.width - width))),
      y: Math.round(Math.max(0, Math.min(one.y, area.height - height))),
      width,
      height,
      dock: one.dock,
    }
  })
  return { area, dock: { ...fitTo(workspace.dock, area, kindOf), size: 0 }, floats, maximised: workspace.maximised }
}
/** Whether two layouts differ at most in which tabs are in front. */
export function sameShape(a: Layout, b: Layout): boolean {
  const tree = (one: DockNode): unknown =>
    one.is === 'group' ? [one.panes, one.size] : [one.axis, one.parts.map(tree), one.size]
  const shape = ({ area, dock, floats }: Layout) =>
    JSON.stringify([
      area.width,
      area.height,
      tree(dock),
      floats.map((one) => [one.x, one.y, one.width, one.height, one.dock.panes]),
    ])
  return a === b || shape(a) === shape(b)
}
