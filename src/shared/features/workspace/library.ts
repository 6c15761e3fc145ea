/** The user's workspaces with their snapshots: one value that the terminal saves whole. Pure. */
import * as v from 'valibot'
import { parseWorkspace, type Workspace } from './document.ts'
import { READY_NAMES } from './document.ts'
import { readyWorkspace } from './ready.ts'

export const MAX_WORKSPACES = 60
const SNAPSHOTS_KEPT = 5

export interface Snapshot {
  /** UTC ms. */
  readonly atMs: number
  readonly workspace: Workspace
}
export interface WorkspaceLibrary {
  readonly workspaces: readonly Workspace[]
  /** By workspace id, newest first. */
  readonly snapshots: Readonly<Record<string, readonly Snapshot[]>>
  /** The one shown last, which a new window opens with. */
  readonly latest: string
}

const librarySchema = v.object({
  workspaces: v.array(v.unknown()),
  snapshots: v.fallback(v.record(v.string(), v.array(v.unknown())), {}),
  latest: v.fallback(v.string(), ''),
})
const snapshotSchema = v.object({ atMs: v.pipe(v.number(), v.finite()), workspace: v.unknown() })

/** The built-in workspaces. */
export const firstLibrary = (): WorkspaceLibrary => ({
  workspaces: READY_NAMES.map((name) => readyWorkspace(name)),
  snapshots: {},
  latest: 'overview',
})

/**
 * Reads a library of any version. An invalid workspace is replaced by its newest valid snapshot, or dropped. If none is
 * left, the built-in ones are used.
 */
export function parseLibrary(x: unknown): WorkspaceLibrary {
  const read = v.safeParse(librarySchema, x)
  if (!read.success) return firstLibrary()
  const snapshots: Record<string, readonly Snapshot[]> = {}
  for (const [id, list] of Object.entries(read.output.snapshots)) {
    if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(id)) continue
    const sound = list.slice(0, SNAPSHOTS_KEPT).flatMap((one): readonly Snapshot[] => {
      const found = v.safeParse(snapshotSchema, one)
      const workspace = found.success ? parseWorkspace(found.output.workspace) : null
      return found.success && workspace?.id === id ? [{ atMs: found.output.atMs, workspace }] : []
    })
    if (sound.length > 0) snapshots[id] = sound
  }
  const seen = new Set<string>()
  const workspaces = read.output.workspaces.slice(0, MAX_WORKSPACES).flatMap((one): readonly Workspace[] => {
    const workspace = parseWorkspace(one) ?? rescued(one, snapshots)
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

/** Replaces the workspace with the same id, or appends one. */
export function putWorkspace(library: WorkspaceLibrary, workspace: Workspace): WorkspaceLibrary {
  const at = library.workspaces.findIndex((one) => one.id === workspace.id)
  if (at < 0 && library.workspaces.length >= MAX_WORKSPACES) return library
  const workspaces = at < 0 ? [...library.workspaces, workspace] : library.workspaces.with(at, workspace)
  return { ...library, workspaces }
}
/** The last one can't be removed. */
export function removeWorkspace(library: WorkspaceLibrary, id: string): WorkspaceLibrary {
  const workspaces = library.workspaces.filter((one) => one.id !== id)
  const [first] = workspaces
  if (!first || workspaces.length === library.workspaces.length) return library
  return { ...library, workspaces, latest: library.latest === id ? first.id : library.latest }
}

const SNAPSHOT_EVERY_MS = 120_000
/**
 * Saves the state before a layout change: at most every two minutes, so that five snapshots reach back further than the
 * last five clicks. `force`: always, before the whole workspace is replaced.
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

/** Whether two states of a workspace have the same layout, regardless of the instruments shown. */
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
/** An unused name, such as "Review 2" next to "Review". */
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
/** A copy with its own name. The windows of the original stay with it. */
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
/** Resets a workspace but keeps its name and what its links show. One that isn't built in becomes the overview. */
export function resetWorkspace(workspace: Workspace): Workspace {
  const fresh = readyWorkspace(workspace.ready ?? 'overview', workspace.id)
  return { ...fresh, name: workspace.name, ready: workspace.ready, links: { ...fresh.links, ...workspace.links } }
}
