/** Undo and redo of drawings as edits and their inverses, which keep what another window drew meanwhile. Pure. */
import { applyEdit, editOf, isNoEdit, type DrawingsEdit } from './edits.ts'
import type { Drawing } from './types.ts'

/** The most steps to undo. */
export const MAX_STEPS = 200

interface Step {
  readonly undo: DrawingsEdit
  readonly redo: DrawingsEdit
  /** What was done, as a noun phrase: "Trend line moved". */
  readonly what: string
  /** Consecutive steps with the same value are merged, such as ten presses of an arrow key. */
  readonly merge: string | null
}

export interface DrawingsHistory {
  readonly past: readonly Step[]
  readonly future: readonly Step[]
}

export const NO_HISTORY: DrawingsHistory = { past: [], future: [] }

/** Records that `before` became `after`. */
export function did(
  history: DrawingsHistory,
  before: readonly Drawing[],
  after: readonly Drawing[],
  what: string,
  merge: string | null = null,
): DrawingsHistory {
  const redo = editOf(before, after)
  if (isNoEdit(redo)) return history
  const last = history.past.at(-1)
  if (last !== undefined && merge !== null && last.merge === merge) {
    const start = applyEdit(before, last.undo)
    const step = { undo: editOf(after, start), redo: editOf(start, after), what, merge }
    // The merged steps cancel out, so there is nothing to undo.
    if (isNoEdit(step.redo)) return { past: history.past.slice(0, -1), future: [] }
    return { past: [...history.past.slice(0, -1), step], future: [] }
  }
  const step = { undo: editOf(after, before), redo, what, merge }
  return { past: [...history.past.slice(-(MAX_STEPS - 1)), step], future: [] }
}

/** The result of undo or redo; null if there is no further step. */
export interface Walked {
  readonly history: DrawingsHistory
  readonly drawings: readonly Drawing[]
  readonly what: string
}

/** Undoes the last step. */
export function undo(history: DrawingsHistory, drawings: readonly Drawing[]): Walked | null {
  const step = history.past.at(-1)
  if (step === undefined) return null
  return {
    // Nothing is merged into a step that was undone.
    history: { past: history.past.slice(0, -1), future: [...history.future, { ...step, merge: null }] },
    drawings: applyEdit(drawings, step.undo),
    what: step.what,
  }
}

/** Redoes the step that was undone last. */
export function redo(history: DrawingsHistory, drawings: readonly Drawing[]): Walked | null {
  const step = history.future.at(-1)
  if (step === undefined) return null
  return {
    history: { past: [...history.past, step], future: history.future.slice(0, -1) },
    drawings: applyEdit(drawings, step.redo),
    what: step.what,
  }
}
