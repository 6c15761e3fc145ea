/** Treats a window's part of a workspace as a workspace of its own, so that edits in it only affect that part. Pure. */
import { panesIn, sound, type Workspace } from './document.ts'

/** The part shown by the window with this id, or null if the window is gone. */
export function partOf(workspace: Workspace, window: string): Workspace | null {
  const found = workspace.popouts.find((one) => one.id === window)
  if (!found) return null
  const here = new Set(panesIn(found.dock))
  const [first = ''] = here
  return {
    ...workspace,
    dock: found.dock,
    floats: [],
    popouts: [],
    panes: workspace.panes.filter((one) => here.has(one.id)),
    front: here.has(workspace.front) ? workspace.front : first,
    maximised: null,
  }
}

/** The workspace with a changed part. Unchanged if panes float in the part: only the window with the dock has floats. */
export function withPart(workspace: Workspace, window: string, part: Workspace): Workspace {
  const before = partOf(workspace, window)
  if (!before || part.floats.length > 0) return workspace
  const were = new Set(before.panes.map((one) => one.id))
  const next = {
    ...workspace,
    popouts: workspace.popouts.map((one) => (one.id === window ? { ...one, dock: part.dock } : one)),
    panes: [...workspace.panes.filter((one) => !were.has(one.id)), ...part.panes],
    links: part.links,
  }
  return sound(next) ?? workspace
}
