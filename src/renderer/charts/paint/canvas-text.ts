/** Texts that are painted on canvases: as large as those of the page beside them. Pure. */

/** The typeface of texts that are painted. */
export const FAMILY = '"Inter Variable", sans-serif'

/**
 * Px of a text, or of what holds one, that has `px` at the usual size of the text; `scale`: 1 there, 1.5 at
 * 150 %. Whole, because axes and boxes are made of it, and half a pixel would blur them.
 */
export const textPx = (px: number, scale: number): number => Math.round(px * scale)

/** A font for a canvas: `px` as for `textPx`. */
export const textFont = (px: number, scale: number, weight = 400): string =>
  `${weight} ${textPx(px, scale)}px ${FAMILY}`
