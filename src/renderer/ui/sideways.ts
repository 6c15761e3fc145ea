/**
 * A strip that may be longer than its room: its ends fade where more of it is, a wheel moves it sideways, and
 * its chosen tab is always visible. Attach it to the strip; `[data-more]` of the styles fades it.
 */

/** Where there is more of a strip than is seen; null: all of it is. */
export function moreOf(from: number, room: number, whole: number): 'start' | 'end' | 'both' | null {
  // Sizes of parts of a pixel are rounded, each in its own way.
  const before = from > 1
  const after = from + room < whole - 1
  if (before && after) return 'both'
  return before ? 'start' : after ? 'end' : null
}

/** Px that a fade may hide. */
const FADE = 28

/** Looks after a strip, and tells whether there is more of it than is seen; answers its undo. */
export function sideways(strip: HTMLElement, onOverflow: (more: boolean) => void = () => undefined): () => void {
  const look = (): void => {
    const more = moreOf(Math.abs(strip.scrollLeft), strip.clientWidth, strip.scrollWidth)
    if (more === (strip.dataset['more'] ?? null)) return
    if (more === null) delete strip.dataset['more']
    else strip.dataset['more'] = more
    onOverflow(more !== null)
  }
  const reveal = (): void => {
    const chosen = strip.querySelector('[aria-selected="true"]')?.getBoundingClientRect()
    const room = strip.getBoundingClientRect()
    // By hand: what else could scroll around the strip is to stay where it is.
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
