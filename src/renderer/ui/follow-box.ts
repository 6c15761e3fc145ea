/** Watches where an element is in its window. */

/**
 * Calls `moved` whenever an element's box in the viewport may have changed: the element or a part of the page was
 * resized, scrolled or moved. Nothing runs while nothing moves. Returns a function that stops it.
 */
export function followBox(element: Element, moved: () => void): () => void {
  let watcher: IntersectionObserver | undefined
  /** Watches for moves without an event of their own: beyond its present box, the element is no longer fully visible. */
  const watch = (threshold = 1): void => {
    watcher?.disconnect()
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect()
    if (width === 0 || height === 0) return
    const { clientWidth, clientHeight } = document.documentElement
    const edges = [top, clientWidth - right, clientHeight - bottom, left].map((px) => `${-Math.floor(px)}px`)
    let isFirst = true
    watcher = new IntersectionObserver(
      ([entry]) => {
        const ratio = entry?.intersectionRatio ?? 0
        if (ratio !== threshold && isFirst) {
          // A part of the element is clipped: from now on, that part less.
          if (ratio > 0) watch(ratio)
        } else if (!isFirst) {
          moved()
          watch()
        }
        isFirst = false
      },
      { rootMargin: edges.join(' '), threshold },
    )
    watcher.observe(element)
  }
  const changed = (): void => {
    moved()
    watch()
  }
  const scrolled = ({ target }: Event): void => {
    if (target instanceof Node && target.contains(element)) changed()
  }
  const sizes = new ResizeObserver(changed)
  sizes.observe(element)
  addEventListener('resize', changed)
  addEventListener('scroll', scrolled, { capture: true, passive: true })
  watch()
  return () => {
    watcher?.disconnect()
    sizes.disconnect()
    removeEventListener('resize', changed)
    removeEventListener('scroll', scrolled, { capture: true })
  }
}
