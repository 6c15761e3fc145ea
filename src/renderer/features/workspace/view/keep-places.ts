/** Restores scroll positions, open popovers and the focus, which browsers drop when an element moves in the document. */
import { focusPlace, returnFocus } from '../../../ui/focus-place.ts'

/**
 * Runs `move`, which rearranges parts of `root`, then restores scroll positions, popovers and the focus. If the focused
 * element was recreated or hidden, the tab of its pane gets the focus.
 */
export function keepPlaces(root: HTMLElement, move: () => void): void {
  const place = focusPlace()
  const isInside = place.element !== null && root.contains(place.element)
  const scrolled: [Element, number, number][] = []
  for (const one of root.querySelectorAll('*'))
    if (one.scrollTop !== 0 || one.scrollLeft !== 0) scrolled.push([one, one.scrollTop, one.scrollLeft])
  // Browsers hide a popover that moves, without an event. Its content is still there.
  const popovers = root.querySelectorAll<HTMLElement>('[popover][data-open]')
  move()
  for (const one of popovers) {
    const isShown = one.isConnected && one.parentElement?.checkVisibility?.() !== false
    if (isShown && !one.matches(':popover-open')) one.showPopover()
  }
  for (const [one, top, left] of scrolled) {
    if (!one.isConnected) continue
    one.scrollTop = top
    one.scrollLeft = left
  }
  if (isInside && document.activeElement !== place.element) returnFocus(place)
}
