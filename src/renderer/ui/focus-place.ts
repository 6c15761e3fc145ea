/** Remembers where the focus is, to return it once a dialog or menu has closed or parts of the window have moved. */

/** The focused element of a document, and the pane that it is in. */
export interface FocusPlace {
  /** Null: the page itself. */
  readonly element: HTMLElement | null
  /** Id of the pane; '' outside of panes. */
  readonly pane: string
}

/** Id of the pane whose tab, head or content contains the element; '' if none. */
function paneOf(within: Element): string {
  const tab =
    within.closest<HTMLElement>('[data-tab-panel-id]') ??
    within.closest('.dv-groupview')?.querySelector<HTMLElement>('[data-tab-panel-id][aria-selected="true"]')
  return tab?.dataset.tabPanelId ?? ''
}

export function focusPlace(owner = document): FocusPlace {
  // Not `instanceof`: a popped-out window has its own classes. In a page, the active element is never SVG or MathML.
  return placeOf(owner.activeElement as HTMLElement | null)
}

/** The place of an element that has or had the focus. */
export function placeOf(element: HTMLElement | null): FocusPlace {
  return element === null || element === element.ownerDocument.body
    ? { element: null, pane: '' }
    : { element, pane: paneOf(element) }
}

/**
 * Returns the focus without scrolling. If the element is gone or hidden, the tab of its pane gets the focus. Returns
 * false if that is gone, too.
 */
export function returnFocus({ element, pane }: FocusPlace): boolean {
  if (element === null) return false
  if (element.isConnected) element.focus({ preventScroll: true })
  const owner = element.ownerDocument
  if (owner.activeElement === element) return true
  const tab = pane === '' ? null : owner.querySelector<HTMLElement>(`[data-tab-panel-id="${CSS.escape(pane)}"]`)
  tab?.focus({ preventScroll: true })
  return tab !== null
}
