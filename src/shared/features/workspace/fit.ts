/**
 * Sizes of a layout in an area of another size: what is read in columns keeps its width, what draws takes the
 * rest, and nothing gets smaller than it can be read. Px. Pure.
 */
import { panesIn, type DockGroup, type DockNode } from './document.ts'
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
  /** Least width and height that is still of use. */
  readonly least: Area
  /** Keeps its size where the area grows or shrinks. */
  readonly keeps: { readonly width: boolean; readonly height: boolean }
}
const free = { width: false, height: false }
const LEAST_GROUP: Area = { width: 160, height: 96 }
const NATURES: Readonly<Record<PaneKind, Nature>> = {
  watchlist: { least: { width: 200, height: 120 }, keeps: { width: true, height: false } },
  chart: { least: { width: 240, height: 140 }, keeps: free },
  quote: { least: { width: 224, height: 120 }, keeps: { width: true, height: true } },
  tape: { least: { width: 224, height: 120 }, keeps: { width: true, height: false } },
  company: { least: { width: 300, height: 120 }, keeps: free },
  earnings: { least: { width: 300, height: 120 }, keeps: free },
  news: { least: { width: 240, height: 120 }, keeps: free },
  commodities: { least: { width: 300, height: 120 }, keeps: free },
  technical: { least: { width: 300, height: 120 }, keeps: free },
  alerts: { least: { width: 224, height: 96 }, keeps: free },
  evidence: { least: { width: 300, height: 120 }, keeps: free },
  sessions: { least: { width: 300, height: 96 }, keeps: free },
  log: { least: { width: 224, height: 96 }, keeps: free },
}

type Side = 'width' | 'height'
const alongOf = (axis: 'row' | 'column'): Side => (axis === 'row' ? 'width' : 'height')

/** Least size of a part. */
export function leastOf(node: DockNode, kindOf: KindOf): Area {
  if (node.is === 'group') {
    const all = node.panes.flatMap((one) => kindOf(one) ?? []).map((kind) => NATURES[kind].least)
    return {
      width: Math.max(LEAST_GROUP.width, ...all.map((one) => one.width)),
      height: Math.max(LEAST_GROUP.height, ...all.map((one) => one.height)),
    }
  }
  const all = node.parts.map((part) => leastOf(part, kindOf))
  const sum = (side: Side) => all.reduce((total, one) => total + one[side], 0)
  const most = (side: Side) => Math.max(...all.map((one) => one[side]))
  return node.axis === 'row'
    ? { width: sum('width'), height: most('height') }
    : { width: most('width'), height: sum('height') }
}

/** Whether a part keeps its size along a side where it can. */
function keeps(node: DockNode, side: Side, kindOf: KindOf): boolean {
  if (node.is === 'group') return node.panes.every((one) => NATURES[kindOf(one) ?? 'chart'].keeps[side])
  const along = alongOf(node.axis) === side
  return along
    ? node.parts.every((part) => keeps(part, side, kindOf))
    : node.parts.some((part) => keeps(part, side, kindOf)) && !node.parts.some((part) => draws(part, kindOf))
}
const draws = (node: DockNode, kindOf: KindOf): boolean => panesIn(node).some((one) => kindOf(one) === 'chart')

/**
 * Shares `room` among parts that had `sizes`: those that keep theirs keep it, the others share the rest as they
 * did before, and no part gets less than `least` while there is room for all.
 */
export function share(
  sizes: readonly number[],
  least: readonly number[],
  kept: readonly boolean[],
  room: number,
): readonly number[] {
  const n = sizes.length
  const leastSum = least.reduce((sum, one) => sum + one, 0)
  // Not even the least of all: each gives way in proportion.
  if (leastSum >= room)
    return round(
      least.map((one) => (leastSum > 0 ? (one / leastSum) * room : room / n)),
      room,
    )
  const allKeep = kept.every(Boolean)
  const wanted = sizes.map((size) => (size > 0 ? size : room / n))
  const fixed = wanted.map((_, i) => kept[i] === true && !allKeep)
  const out = wanted.map((size, i) => Math.max(least[i] ?? 0, fixed[i] === true ? size : 0))
  // The free ones share what is left, none less than its least: those that hit it leave the sharing.
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
  // Where what keeps its size leaves too little, it gives way down to its least.
  let over = out.reduce((sum, one) => sum + one, 0) - room
  for (let i = n - 1; i >= 0 && over > 0.5; i--) {
    const give = Math.min(over, Math.max(0, (out[i] ?? 0) - (least[i] ?? 0)))
    out[i] = (out[i] ?? 0) - give
    over -= give
  }
  return round(out, room)
}

/** Whole px of the same sum: the largest takes what rounding leaves. */
function round(sizes: readonly number[], room: number): readonly number[] {
  const out = sizes.map((one) => Math.round(one))
  const left = Math.round(room) - out.reduce((sum, one) => sum + one, 0)
  const at = out.indexOf(Math.max(...out))
  return out.map((one, i) => (i === at ? one + left : one))
}

/** The layout with sizes for an area. A second time changes nothing. */
export function fitTo(node: DockNode, area: Area, kindOf: KindOf): DockNode {
  if (node.is === 'group') return node
  const side = alongOf(node.axis)
  const least = node.parts.map((part) => leastOf(part, kindOf)[side])
  const sizes = node.parts.map((part) => part.size)
  const kept = node.parts.map((part) => keeps(part, side, kindOf))
  const shared = share(sizes, least, kept, area[side])
  return {
    ...node,
    parts: node.parts.map((part, i) => {
      const size = shared[i] ?? 0
      return { ...fitTo(part, { ...area, [side]: size }, kindOf), size }
    }),
  }
}

/** Where each group of a fitted layout lies. */
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
