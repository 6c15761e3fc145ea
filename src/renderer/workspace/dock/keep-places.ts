/** Moving an element in the document loses its scroll position and its focus: this brings them back. */

/** Runs what moves parts of `root`, then puts scroll positions and the focus back where they were. */
export function keepPlaces(root: HTMLElement, move: () => void): void {
  const focused = document.activeElement
  const scrolled: [Element, number, number][] = []
  for (const one of root.querySelectorAll('*'))
    if (one.scrollTop !== 0 || one.scrollLeft !== 0) scrolled.push([one, one.scrollTop, one.scrollLeft])
  move()
  for (const [one, top, left] of scrolled) {
    if (!one.isConnected) continue
    one.scrollTop = top
    one.scrollLeft = left
  }
  if (focused instanceof HTMLElement && focused.isConnected && document.activeElement !== focused)
    focused.focus({ preventScroll: true })
}
