/** Gives an element of a popover the focus once that can be seen: what is filled as it opens comes too late for `autofocus`. */
export function focusOnOpen(element: HTMLElement): () => void {
  const frame = requestAnimationFrame(() => element.focus())
  return () => cancelAnimationFrame(frame)
}
