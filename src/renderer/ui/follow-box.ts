/** Watches where an element is in its window. */

/** How often the box of an element that is out of sight is read, ms: no observer reports where it moves. */
const HIDDEN_MS = 1_000

/**
 * Calls `moved` whenever an element's box in the viewport may have changed: the element or a part of the page was
 * resized, scrolled or moved. While any of it is visible and nothing moves, nothing runs. Returns a function that
 * stops it.
 */
export function followBox(element: Element, moved: () => void): () => void {
  let watcher: IntersectionObserver | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Watches for moves without an event of their own: beyond its present box, the element is no longer fully visible. */
  const watch = (threshold = 1): void => {
    watcher?.disconnect()
    clearTimeout(timer)
    const box = element.getBoundingClientRect()
    const { left, top, right, bottom, width, height } = box
    if (width === 0 || height === 0) return
    const { clientWidth, clientHeight } = document.documentElement
    const edges = [top, clientWidth - right, clientHeight - bottom, left].map((px) => `${-Math.floor(px)}px`)
    let isFirst = true
    watcher = new IntersectionObserver(
      ([entry]) => {
        // The element may have moved after its box was read, as when a later observer lays out the page again.
        if (!isFirst || !isSameBox(box, element.getBoundingClientRect())) {
          changed()
          return
        }
        isFirst = false
        const ratio = entry?.intersectionRatio ?? 0
        // A part of the element is clipped: from now on, that part less.
        if (ratio === 0) timer = setTimeout(changed, HIDDEN_MS)
        else if (ratio !== threshold) watch(ratio)
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
    clearTimeout(timer)
    sizes.disconnect()
    removeEventListener('resize', changed)
    removeEventListener('scroll', scrolled, { capture: true })
  }
}

const isSameBox = (a: DOMRect, b: DOMRect): boolean =>
  a.left === b.left && a.top === b.top && a.width === b.width && a.height === b.height
