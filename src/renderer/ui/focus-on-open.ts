/** Focuses an element once its popover is visible: `autofocus` misses elements that are created as it opens. */
export function focusOnOpen(element: HTMLElement): () => void {
  const frame = requestAnimationFrame(() => element.focus())
  return () => cancelAnimationFrame(frame)
}
