/** Undo and redo of layout changes. Pure. */
import type { Workspace } from './document.ts'
import { sameLayout } from './library.ts'

const KEPT = 50

export interface LayoutHistory {
  /** Oldest first. */
  readonly past: readonly Workspace[]
  /** Next first. */
  readonly future: readonly Workspace[]
}
export const NO_HISTORY: LayoutHistory = { past: [], future: [] }

/** Records the workspace before a change. A change that looks the same isn't a step. */
export function noted(history: LayoutHistory, before: Workspace, after: Workspace): LayoutHistory {
  if (sameLayout(before, after)) return history
  return { past: [...history.past, before].slice(-KEPT), future: [] }
}

/** One step back, or null. */
export function undone(history: LayoutHistory, now: Workspace): readonly [LayoutHistory, Workspace] | null {
  const before = history.past.at(-1)
  if (!before) return null
  return [{ past: history.past.slice(0, -1), future: [now, ...history.future] }, withMarket(before, now)]
}
export function redone(history: LayoutHistory, now: Workspace): readonly [LayoutHistory, Workspace] | null {
  const [next, ...future] = history.future
  if (!next) return null
  return [{ past: [...history.past, now], future }, withMarket(next, now)]
}

/** Undoing a layout doesn't change the shown symbol. */
function withMarket(layout: Workspace, now: Workspace): Workspace {
  const panes = layout.panes.map((one) => {
    const present = now.panes.find(({ id }) => id === one.id)
    return present && present.link === null && one.link === null ? { ...one, instrument: present.instrument } : one
  })
  return { ...layout, panes, links: { ...layout.links, ...now.links } }
}
