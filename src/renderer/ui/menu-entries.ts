/** What a menu of the right button is made of. */

export interface MenuItem {
  readonly text: string
  /** Keys that do the same, as shown. */
  readonly keys?: string
  readonly run: () => void
  readonly disabled?: boolean
  /** A choice that is on or off. */
  readonly checked?: boolean
}
/** `rule`: a line between groups. */
export type MenuEntry = MenuItem | 'rule'

/** Px in the viewport of the document. */
export interface MenuPlace {
  readonly x: number
  readonly y: number
}

/** Rules only between items: none at the ends, never two. Pure. */
export function tidyEntries(entries: readonly (MenuEntry | null)[]): readonly MenuEntry[] {
  const there = entries.filter((one) => one !== null)
  return there.filter(
    (one, i) =>
      one !== 'rule' || (i > 0 && there[i - 1] !== 'rule' && there.slice(i + 1).some((next) => next !== 'rule')),
  )
}
