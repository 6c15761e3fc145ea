/** Multi-selection of rows in a list. Pure. */
export interface Selection {
  /** Ids of the selected rows. */
  readonly chosen: readonly string[]
  /** The row with the keyboard cursor; null if none. */
  readonly active: string | null
  /** Where a range selection starts; null if none. */
  readonly anchor: string | null
}

export const NOTHING_CHOSEN: Selection = { chosen: [], active: null, anchor: null }

export const chooseOne = (id: string): Selection => ({ chosen: [id], active: id, anchor: id })

/** Adds or removes a row. The last selected row can't be removed. */
export function toggleOne({ chosen }: Selection, id: string): Selection {
  const without = chosen.filter((one) => one !== id)
  const selection = chosen.includes(id) && without.length > 0 ? without : [...without, id]
  return { chosen: selection, active: id, anchor: id }
}

/** Selects the range from the anchor to `id`. `ids`: all rows in list order. */
export function chooseTo(selection: Selection, ids: readonly string[], id: string): Selection {
  const anchor = selection.anchor !== null && ids.includes(selection.anchor) ? selection.anchor : id
  const [from, to] = [ids.indexOf(anchor), ids.indexOf(id)]
  const chosen = ids.slice(Math.min(from, to), Math.max(from, to) + 1)
  return { chosen, active: id, anchor }
}

export function chooseAll(selection: Selection, ids: readonly string[]): Selection {
  return { chosen: ids, active: selection.active ?? ids[0] ?? null, anchor: selection.anchor }
}
