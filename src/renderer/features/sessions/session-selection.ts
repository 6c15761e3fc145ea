/** Which rows of a list are chosen: one, a run of them, or any. Pure. */
export interface Selection {
  /** In the order in which they were chosen. */
  readonly chosen: readonly string[]
  /** The one that keys act from; null: none. */
  readonly active: string | null
  /** Where a run begins. */
  readonly anchor: string | null
}

export const NOTHING_CHOSEN: Selection = { chosen: [], active: null, anchor: null }

export const chooseOne = (id: string): Selection => ({ chosen: [id], active: id, anchor: id })

/** Adds a row or takes it away; the last one stays chosen. */
export function toggleOne({ chosen }: Selection, id: string): Selection {
  const without = chosen.filter((one) => one !== id)
  const selection = chosen.includes(id) && without.length > 0 ? without : [...without, id]
  return { chosen: selection, active: id, anchor: id }
}

/** The rows from where the run began to this one. `ids`: all of the list, in its order. */
export function chooseTo(selection: Selection, ids: readonly string[], id: string): Selection {
  const anchor = selection.anchor !== null && ids.includes(selection.anchor) ? selection.anchor : id
  const [from, to] = [ids.indexOf(anchor), ids.indexOf(id)]
  const chosen = ids.slice(Math.min(from, to), Math.max(from, to) + 1)
  return { chosen, active: id, anchor }
}

export function chooseAll(selection: Selection, ids: readonly string[]): Selection {
  return { chosen: ids, active: selection.active ?? ids[0] ?? null, anchor: selection.anchor }
}
