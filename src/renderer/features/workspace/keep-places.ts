/** Restores scroll positions and focus, which browsers drop when an element moves within the document. */

/** Id of the pane whose tab, head or content contains the element; '' if none. */
function paneOf(within: Element): string {
  const tab =
    within.closest<HTMLElement>('[data-tab-panel-id]') ??
    within.closest('.dv-groupview')?.querySelector<HTMLElement>('[data-tab-panel-id][aria-selected="true"]')
  return tab?.dataset.tabPanelId ?? ''
}

/**
 * Runs `move`, which rearranges parts of `root`, then restores scroll positions and the focus. If the focused element
 * was recreated or hidden, the tab of its pane gets the focus.
 */
export function keepPlaces(root: HTMLElement, move: () => void): void {
  const focused = document.activeElement
  const pane = focused !== null && root.contains(focused) ? paneOf(focused) : ''
  const scrolled: [Element, number, number][] = []
  for (const one of root.querySelectorAll('*'))
    if (one.scrollTop !== 0 || one.scrollLeft !== 0) scrolled.push([one, one.scrollTop, one.scrollLeft])
  move()
  for (const [one, top, left] of scrolled) {
    if (!one.isConnected) continue
    one.scrollTop = top
    one.scrollLeft = left
  }
  if (!(focused instanceof HTMLElement) || document.activeElement === focused) return
  if (focused.isConnected) focused.focus({ preventScroll: true })
  if (document.activeElement !== focused && pane !== '')
    root.querySelector<HTMLElement>(`[data-tab-panel-id="${CSS.escape(pane)}"]`)?.focus({ preventScroll: true })
}
