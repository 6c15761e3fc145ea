/** Marks the element of a popover that takes the focus as it opens. */
export const TAKES_FOCUS = 'data-takes-focus'

/** Focuses an element once its popover is visible: `autofocus` misses elements that are created as it opens. */
export function focusOnOpen(element: HTMLElement): () => void {
  element.setAttribute(TAKES_FOCUS, '')
  const frame = requestAnimationFrame(() => element.focus())
  return () => cancelAnimationFrame(frame)
}
