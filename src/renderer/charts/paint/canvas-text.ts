/** Text on canvases, in the same size as that of the page. Pure. */

/** The typeface of canvas text. */
export const FAMILY = '"Inter Variable", sans-serif'

/**
 * Scales a length of text or its container from px at the default text size; `scale` is 1.5 at 150 %. Rounded, because
 * half a pixel would blur axes and boxes.
 */
export const textPx = (px: number, scale: number): number => Math.round(px * scale)

/** A font for a canvas; `px` is as in `textPx`. */
export const textFont = (px: number, scale: number, weight = 400): string =>
  `${weight} ${textPx(px, scale)}px ${FAMILY}`
