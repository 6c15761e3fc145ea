/**
 * A strip that can overflow: its ends fade where it continues, the mouse wheel scrolls it sideways, and its selected
 * tab stays visible. Attach it to the strip; the styles of `[data-more]` draw the fade.
 */

/** The ends at which a strip continues out of view; null if all of it is visible. */
export function moreOf(from: number, room: number, whole: number): 'start' | 'end' | 'both' | null {
  // Tolerate one px, because fractional sizes are rounded differently.
  const before = from > 1
  const after = from + room < whole - 1
  if (before && after) return 'both'
  return before ? 'start' : after ? 'end' : null
}

/** Width of the fade, px. */
const FADE = 28

/** Manages a strip and reports whether it overflows, at first and at each change; returns the cleanup function. */
export function sideways(strip: HTMLElement, onOverflow: (more: boolean) => void = () => undefined): () => void {
  let shown: ReturnType<typeof moreOf> | undefined
  const look = (): void => {
    const more = moreOf(Math.abs(strip.scrollLeft), strip.clientWidth, strip.scrollWidth)
    if (more === shown) return
    shown = more
    if (more === null) delete strip.dataset['more']
    else strip.dataset['more'] = more
    onOverflow(more !== null)
  }
  const reveal = (): void => {
    const chosen = strip.querySelector('[aria-selected="true"]')?.getBoundingClientRect()
    const room = strip.getBoundingClientRect()
    // Not `scrollIntoView`, which would also scroll the strip's ancestors.
    if (chosen && chosen.left < room.left) strip.scrollLeft -= room.left - chosen.left + FADE
    else if (chosen && chosen.right > room.right) strip.scrollLeft += chosen.right - room.right + FADE
    look()
  }
  const wheel = (event: WheelEvent): void => {
    if (event.deltaX !== 0 || event.ctrlKey || strip.dataset['more'] === undefined) return
    strip.scrollLeft += event.deltaY
    event.preventDefault()
  }
  const sizes = new ResizeObserver(reveal)
  const tabs = new MutationObserver(reveal)
  sizes.observe(strip)
  tabs.observe(strip, { subtree: true, childList: true, characterData: true, attributeFilter: ['aria-selected'] })
  strip.addEventListener('scroll', look, { passive: true })
  strip.addEventListener('wheel', wheel, { passive: false })
  return () => {
    sizes.disconnect()
    tabs.disconnect()
    strip.removeEventListener('scroll', look)
    strip.removeEventListener('wheel', wheel)
  }
}
