/** The workspaces of a user, with what can be taken back: one value, kept whole by the terminal. Pure. */
import * as v from 'valibot'
import { parseWorkspace, type Workspace } from './document.ts'
import { migrateWorkspace } from './migrate.ts'
import { READY_NAMES } from './document.ts'
import { readyWorkspace } from './ready.ts'

export const MOST_WORKSPACES = 60
export const SNAPSHOTS_KEPT = 5

export interface Snapshot {
  /** UTC ms. */
  readonly atMs: number
  readonly workspace: Workspace
}
export interface WorkspaceLibrary {
  readonly workspaces: readonly Workspace[]
  /** Of each workspace by id, newest first, as it was. */
  readonly snapshots: Readonly<Record<string, readonly Snapshot[]>>
  /** Shown last: what a further window opens with. */
  readonly latest: string
}

const librarySchema = v.object({
  workspaces: v.array(v.unknown()),
  snapshots: v.fallback(v.record(v.string(), v.array(v.unknown())), {}),
  latest: v.fallback(v.string(), ''),
})
const snapshotSchema = v.object({ atMs: v.pipe(v.number(), v.finite()), workspace: v.unknown() })

/** The ready-made workspaces, one of them changed where settings of before say how it looked. */
export function firstLibrary(overview: Workspace = readyWorkspace('overview')): WorkspaceLibrary {
  const workspaces = READY_NAMES.map((one) => (one === overview.ready ? overview : readyWorkspace(one)))
  return { workspaces, snapshots: {}, latest: overview.id }
}

/**
 * Reads a library of any version. A workspace that is not sound goes alone; where it has a sound snapshot, that
 * takes its place. Never without a workspace: where none is left, the ready-made ones come.
 */
export function parseLibrary(x: unknown): WorkspaceLibrary {
  const read = v.safeParse(librarySchema, x)
  if (!read.success) return firstLibrary()
  const snapshots: Record<string, readonly Snapshot[]> = {}
  for (const [id, list] of Object.entries(read.output.snapshots)) {
    if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(id)) continue
    const kept = list.slice(0, SNAPSHOTS_KEPT).flatMap((one): readonly Snapshot[] => {
      const found = v.safeParse(snapshotSchema, one)
      const workspace = found.success ? parseWorkspace(migrateWorkspace(found.output.workspace)) : null
      return found.success && workspace?.id === id ? [{ atMs: found.output.atMs, workspace }] : []
    })
    if (kept.length > 0) snapshots[id] = kept
  }
  const seen = new Set<string>()
  const workspaces = read.output.workspaces.slice(0, MOST_WORKSPACES).flatMap((one): readonly Workspace[] => {
    const workspace = parseWorkspace(migrateWorkspace(one)) ?? rescued(one, snapshots)
    if (!workspace || seen.has(workspace.id)) return []
    seen.add(workspace.id)
    return [workspace]
  })
  const [first] = workspaces
  if (!first) return { ...firstLibrary(), snapshots }
  const { latest } = read.output
  return { workspaces, snapshots, latest: seen.has(latest) ? latest : first.id }
}
function rescued(x: unknown, snapshots: Readonly<Record<string, readonly Snapshot[]>>): Workspace | null {
  if (typeof x !== 'object' || x === null || !('id' in x) || typeof x.id !== 'string') return null
  return Object.hasOwn(snapshots, x.id) ? (snapshots[x.id]?.[0]?.workspace ?? null) : null
}

export const findWorkspace = (library: WorkspaceLibrary, id: string): Workspace | undefined =>
  library.workspaces.find((one) => one.id === id)

/** Puts a workspace in the place of the one with its id, or at the end. */
export function putWorkspace(library: WorkspaceLibrary, workspace: Workspace): WorkspaceLibrary {
  const at = library.workspaces.findIndex((one) => one.id === workspace.id)
  if (at < 0 && library.workspaces.length >= MOST_WORKSPACES) return library
  const workspaces = at < 0 ? [...library.workspaces, workspace] : library.workspaces.with(at, workspace)
  return { ...library, workspaces }
}
/** The last one stays. */
export function removeWorkspace(library: WorkspaceLibrary, id: string): WorkspaceLibrary {
  const workspaces = library.workspaces.filter((one) => one.id !== id)
  const [first] = workspaces
  if (!first || workspaces.length === library.workspaces.length) return library
  return { ...library, workspaces, latest: library.latest === id ? first.id : library.latest }
}

const SNAPSHOT_EVERY_MS = 120_000
/**
 * Keeps what a workspace was before a change of its layout: at most one in two minutes, so that five of them
 * reach back to something else than the last five clicks. `force`: before what replaces the whole.
 */
export function withSnapshot(
  library: WorkspaceLibrary,
  before: Workspace,
  atMs: number,
  force = false,
): WorkspaceLibrary {
  const list = library.snapshots[before.id] ?? []
  const [newest] = list
  if (newest && !force && atMs - newest.atMs < SNAPSHOT_EVERY_MS) return library
  if (newest && sameLayout(newest.workspace, before)) return library
  const next = [{ atMs, workspace: before }, ...list].slice(0, SNAPSHOTS_KEPT)
  return { ...library, snapshots: { ...library.snapshots, [before.id]: next } }
}

/** Whether two states of a workspace look the same: what they show of the market does not count. */
export function sameLayout(a: Workspace, b: Workspace): boolean {
  const layout = (one: Workspace) =>
    JSON.stringify([
      one.name,
      one.dock,
      one.floats,
      one.popouts,
      one.panes.map(({ id, kind, link, settings }) => [id, kind, link, settings]),
      one.maximised,
    ])
  return a === b || layout(a) === layout(b)
}

const nameTaken = (library: WorkspaceLibrary, name: string) =>
  library.workspaces.some((one) => one.name.toLowerCase() === name.toLowerCase())
/** A name that no other workspace has: "Review 2" beside "Review". */
export function freeName(library: WorkspaceLibrary, wanted: string): string {
  const base = wanted.trim().slice(0, 50) || 'Workspace'
  if (!nameTaken(library, base)) return base
  const stem = base.replace(/ \d+$/, '')
  let n = 2
  while (nameTaken(library, `${stem} ${n}`)) n++
  return `${stem} ${n}`
}
export function freeId(library: WorkspaceLibrary): string {
  const taken = new Set([...library.workspaces.map((one) => one.id), ...Object.keys(library.snapshots)])
  let n = 1
  while (taken.has(`workspace-${n}`)) n++
  return `workspace-${n}`
}

export function renamed(workspace: Workspace, name: string): Workspace {
  const wanted = name.trim().slice(0, 60)
  return wanted === '' ? workspace : { ...workspace, name: wanted }
}
/** A copy under a name of its own; windows of the original stay with it. */
export function duplicated(library: WorkspaceLibrary, workspace: Workspace): Workspace {
  const inside = new Set(workspace.popouts.flatMap((one) => one.dock).flatMap(panesOfNode))
  return {
    ...workspace,
    id: freeId(library),
    name: freeName(library, workspace.name),
    popouts: [],
    panes: workspace.panes.filter((one) => !inside.has(one.id)),
  }
}
function panesOfNode(node: Workspace['dock']): readonly string[] {
  return node.is === 'group' ? node.panes : node.parts.flatMap(panesOfNode)
}
/** As it was made, under the name it has; of one that was not ready-made, the overview. Colours keep what they show. */
export function resetWorkspace(workspace: Workspace): Workspace {
  const fresh = readyWorkspace(workspace.ready ?? 'overview', workspace.id)
  return { ...fresh, name: workspace.name, ready: workspace.ready, links: { ...fresh.links, ...workspace.links } }
}
