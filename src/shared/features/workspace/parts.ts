/** A window of its own as if it were a workspace, and back: what is done in it is done to its part alone. Pure. */
import { panesIn, sound, type Workspace } from './document.ts'

/** What the window with this id shows; null: it is no more. */
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

/** The workspace with its part as it was left. */
export function withPart(workspace: Workspace, window: string, part: Workspace): Workspace {
  const before = partOf(workspace, window)
  if (!before) return workspace
  const were = new Set(before.panes.map((one) => one.id))
  const next = {
    ...workspace,
    popouts: workspace.popouts.map((one) => (one.id === window ? { ...one, dock: part.dock } : one)),
    panes: [...workspace.panes.filter((one) => !were.has(one.id)), ...part.panes],
    links: part.links,
  }
  return sound(next) ?? workspace
}
