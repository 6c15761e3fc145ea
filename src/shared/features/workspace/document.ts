/**
 * A workspace as it is saved: its panes, their layout and their links. In Tapedeck's own format, which is independent
 * of any library. Sizes are px within `area`; see `fit.ts`.
 */
import { interval } from '../../core/market/contract.ts'
import * as v from 'valibot'
import { storedInstrument } from '../../base/schemas.ts'
import type { InstrumentId } from '../../base/units.ts'
import { LINK_COLOURS, LINK_SHARES, PANE_KINDS, type LinkColour } from './kinds.ts'

export const WORKSPACE_VERSION = 2
export const MAX_PANES = 60
/** The most windows besides the one with the dock. */
export const MAX_POPOUTS = 8
const MAX_DEPTH = 12
const MAX_SETTINGS_CHARS = 65_536

const id = v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9-]{0,39}$/))
/**
 * Control characters and marks that reverse or hide the surrounding text, because names appear within the window's own
 * texts.
 */
const UNSEEN = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu
const name = v.pipe(
  v.string(),
  v.transform((text) => text.replace(UNSEEN, '')),
  v.trim(),
  v.minLength(1),
  v.maxLength(60),
)
const px = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(100_000))
const place = v.pipe(v.number(), v.finite(), v.minValue(-100_000), v.maxValue(100_000))

/** Panes in one place as tabs, one of them in front. */
export interface DockGroup {
  readonly is: 'group'
  readonly panes: readonly string[]
  readonly front: string
  /** Along the axis of the parent split. Unused for the root. */
  readonly size: number
}
/** Parts side by side (`row`) or one below the other (`column`). A part never has its parent's axis. */
export interface DockSplit {
  readonly is: 'split'
  readonly axis: 'row' | 'column'
  readonly parts: readonly DockNode[]
  readonly size: number
}
export type DockNode = DockGroup | DockSplit

const group = v.object({
  is: v.literal('group'),
  panes: v.pipe(v.array(id), v.maxLength(MAX_PANES)),
  front: v.fallback(v.string(), ''),
  size: v.fallback(px, 0),
})
const node: v.GenericSchema<DockNode> = v.lazy((): v.GenericSchema<DockNode> => {
  const split = v.object({
    is: v.literal('split'),
    axis: v.picklist(['row', 'column']),
    parts: v.pipe(v.array(node), v.maxLength(MAX_PANES)),
    size: v.fallback(px, 0),
  })
  return v.union([group, split])
})

/** A pane's own settings: plain JSON, validated by the pane. */
const settings = v.fallback(
  v.custom<Readonly<Record<string, unknown>>>((x) => isPlain(x)),
  {},
)

const pane = v.object({
  id,
  kind: v.picklist(PANE_KINDS),
  link: v.fallback(v.nullable(v.picklist(LINK_COLOURS)), null),
  /** The instrument it shows while it isn't linked. */
  instrument: v.fallback(v.nullable(storedInstrument), null),
  settings,
})
export type WorkspacePane = v.InferOutput<typeof pane>

const link = v.object({
  instrument: v.fallback(storedInstrument, 'crypto:BTCUSD' as InstrumentId),
  interval: v.fallback(v.nullable(interval), null),
  shares: v.fallback(v.array(v.picklist(LINK_SHARES)), []),
})
export type WorkspaceLink = v.InferOutput<typeof link>

const area = v.fallback(v.object({ width: px, height: px }), { width: 1440, height: 836 })
/** Panes floating above the dock, as one group. */
const float = v.object({
  x: place,
  y: place,
  width: px,
  height: px,
  dock: v.pipe(
    node,
    v.transform((tree) => tabsOf(tree)),
  ),
})
/** Panes in their own window. */
const popout = v.object({ id, dock: node })

/** The built-in workspaces, which a reset restores. */
export const READY_NAMES = ['overview', 'day-trading', 'review', 'research', 'charts-4', 'charts-9'] as const
export type ReadyName = (typeof READY_NAMES)[number]

const workspaceSchema = v.object({
  version: v.literal(WORKSPACE_VERSION),
  id,
  name,
  ready: v.fallback(v.nullable(v.picklist(READY_NAMES)), null),
  area,
  dock: node,
  floats: v.fallback(v.pipe(v.array(float), v.maxLength(20)), []),
  popouts: v.fallback(v.pipe(v.array(popout), v.maxLength(MAX_POPOUTS)), []),
  panes: v.pipe(v.array(v.unknown()), v.maxLength(MAX_PANES)),
  links: v.fallback(v.record(v.picklist(LINK_COLOURS), link), {}),
  /** The focused pane. */
  front: v.fallback(v.string(), ''),
  /** The pane that fills the whole dock. */
  maximised: v.fallback(v.nullable(v.string()), null),
})
type Raw = v.InferOutput<typeof workspaceSchema>
export interface Workspace extends Omit<Raw, 'panes' | 'links'> {
  readonly panes: readonly WorkspacePane[]
  readonly links: Readonly<Partial<Record<LinkColour, WorkspaceLink>>>
}

/** Whether a value is JSON of limited size without keys that reach into prototypes. */
function isPlain(x: unknown): boolean {
  if (typeof x !== 'object' || x === null || Array.isArray(x)) return false
  try {
    if (JSON.stringify(x).length > MAX_SETTINGS_CHARS) return false
  } catch {
    return false
  }
  const sound = (value: unknown, depth: number): boolean => {
    if (depth > MAX_DEPTH) return false
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
    if (typeof value === 'number') return Number.isFinite(value)
    if (typeof value !== 'object') return false
    if (Array.isArray(value)) return value.every((one) => sound(one, depth + 1))
    return Object.entries(value).every(([key, one]) => key !== '__proto__' && sound(one, depth + 1))
  }
  return sound(x, 0)
}

/** Limits the nesting without recursion, so that a hostile file can't overflow the stack. */
function isShallow(x: unknown, most: number): boolean {
  let level: unknown[] = [x]
  for (let depth = 0; depth <= most; depth++) {
    const next = level.flatMap((one): unknown[] => (typeof one === 'object' && one !== null ? Object.values(one) : []))
    if (next.length === 0) return true
    if (next.length > 100_000) return false
    level = next
  }
  return false
}

/**
 * Removes everything from a tree except existing panes, each once: empty groups are removed, a split with one part
 * becomes that part, and a part with its parent's axis is merged into it. Null if nothing is left.
 */
export function tidy(tree: DockGroup, there: ReadonlySet<string>, seen?: Set<string>): DockGroup | null
export function tidy(tree: DockNode, there: ReadonlySet<string>, seen?: Set<string>): DockNode | null
export function tidy(tree: DockNode, there: ReadonlySet<string>, seen = new Set<string>()): DockNode | null {
  if (tree.is === 'group') {
    const panes = tree.panes.filter((one) => there.has(one) && !seen.has(one) && seen.add(one))
    const [first] = panes
    if (first === undefined) return null
    return { is: 'group', panes, front: panes.includes(tree.front) ? tree.front : first, size: tree.size }
  }
  const parts = tree.parts.flatMap((part): readonly DockNode[] => {
    const tidied = tidy(part, there, seen)
    if (!tidied) return []
    if (tidied.is !== 'split' || tidied.axis !== tree.axis) return [tidied]
    // Its parts share its size.
    const sum = tidied.parts.reduce((all, one) => all + one.size, 0)
    return tidied.parts.map((one) => ({
      ...one,
      size: sum > 0 ? (one.size / sum) * part.size : part.size / tidied.parts.length,
    }))
  })
  const [only] = parts
  if (only === undefined) return null
  if (parts.length === 1) return { ...only, size: tree.size }
  return { is: 'split', axis: tree.axis, parts, size: tree.size }
}

/** The pane ids of a tree, from left to right and top to bottom. */
export function panesIn(tree: DockNode): readonly string[] {
  return tree.is === 'group' ? tree.panes : tree.parts.flatMap(panesIn)
}
/** The groups of a tree in the same order. */
export function groupsIn(tree: DockNode): readonly DockGroup[] {
  return tree.is === 'group' ? [tree] : tree.parts.flatMap(groupsIn)
}

/** The groups of a window: those of its dock, then the floating ones. */
export const shownGroups = ({ dock, floats }: Pick<Workspace, 'dock' | 'floats'>): readonly DockGroup[] => [
  ...groupsIn(dock),
  ...floats.map((one) => one.dock),
]
/** The ids of the panes in these groups. */
export const shownPanes = (layout: Pick<Workspace, 'dock' | 'floats'>): readonly string[] =>
  shownGroups(layout).flatMap((one) => one.panes)

/** A tree as one group, with `front` in front if it is there. */
export function tabsOf(tree: DockNode, front = ''): DockGroup {
  if (tree.is === 'group') return tree
  const panes = panesIn(tree)
  const [first] = groupsIn(tree)
  return { is: 'group', panes, front: panes.includes(front) ? front : (first?.front ?? ''), size: tree.size }
}

/**
 * Makes a workspace consistent: each pane is in one place, each place names an existing pane, and so does the front.
 */
export function sound(raw: Workspace): Workspace | null {
  const panes = raw.panes.filter((one, i) => raw.panes.findIndex(({ id }) => id === one.id) === i)
  const there = new Set(panes.map((one) => one.id))
  const seen = new Set<string>()
  const dock = tidy(raw.dock, there, seen)
  if (!dock) return null
  const floats = raw.floats.flatMap((one) => {
    const tidied = tidy(one.dock, there, seen)
    return tidied ? [{ ...one, dock: tidied }] : []
  })
  const popouts = raw.popouts.flatMap((one, i) => {
    if (raw.popouts.findIndex(({ id }) => id === one.id) !== i) return []
    const tidied = tidy(one.dock, there, seen)
    return tidied ? [{ ...one, dock: tidied }] : []
  })
  const docked = new Set(shownPanes({ dock, floats }))
  const maximised = groupsIn(dock).find((one) => raw.maximised !== null && one.panes.includes(raw.maximised))
  const front = docked.has(raw.front) ? raw.front : (groupsIn(dock)[0]?.front ?? '')
  const isHidden = maximised !== undefined && panesIn(dock).includes(front) && !maximised.panes.includes(front)
  return {
    ...raw,
    dock,
    floats,
    popouts,
    panes: panes.filter((one) => seen.has(one.id)),
    front: isHidden ? maximised.front : front,
    maximised: maximised ? raw.maximised : null,
  }
}

/**
 * Reads a workspace of this version. Panes that are unknown or invalid are dropped. Null if it isn't a workspace or has
 * no valid pane.
 */
export function parseWorkspace(x: unknown): Workspace | null {
  if (!isShallow(x, 64)) return null
  const result = v.safeParse(workspaceSchema, x)
  if (!result.success) return null
  const panes = result.output.panes.flatMap((one) => {
    const read = v.safeParse(pane, one)
    return read.success ? [read.output] : []
  })
  return sound({ ...result.output, panes })
}
