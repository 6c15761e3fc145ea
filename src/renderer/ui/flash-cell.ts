/** One fade of a cell's background, in the colour of a direction. */
const FADE_MS = 250

/** Fades once; nothing where motion is to be reduced, or where there is no animation (tests). */
export function flashCell(element: HTMLElement, direction: 1 | -1): void {
  if (typeof element.animate !== 'function') return
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
  const colour = `color-mix(in srgb, var(${direction === 1 ? '--up' : '--down'}) 38%, transparent)`
  element.animate([{ backgroundColor: colour }, { backgroundColor: 'transparent' }], FADE_MS)
}
