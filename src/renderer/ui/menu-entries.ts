/** The entries of a context menu. */

export interface MenuItem {
  readonly text: string
  /** The shortcut as displayed. */
  readonly keys?: string
  readonly run: () => void
  readonly disabled?: boolean
  /** Set for entries that are on or off. */
  readonly checked?: boolean
}
/** `rule`: a line between groups. */
export type MenuEntry = MenuItem | 'rule'

/** A position in the document's viewport, px. */
export interface MenuPlace {
  readonly x: number
  readonly y: number
}

/** Removes nulls, rules at the ends, and repeated rules. Pure. */
export function tidyEntries(entries: readonly (MenuEntry | null)[]): readonly MenuEntry[] {
  const there = entries.filter((one) => one !== null)
  return there.filter(
    (one, i) =>
      one !== 'rule' || (i > 0 && there[i - 1] !== 'rule' && there.slice(i + 1).some((next) => next !== 'rule')),
  )
}
