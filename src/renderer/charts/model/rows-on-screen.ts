/**
 * Which rows a chart shows. The drawing library's own range is for painting: it also counts rows left of the plot, by as
 * many as fit into the room right of the last bar. Scale, percent base, legends and tables must not see those. Pure.
 */

/** Rows [from, to) of a list. */
export interface RowRange {
  readonly from: number
  readonly to: number
}

interface Plot {
  /** Middle of row 0, px from the plot's left edge. */
  readonly firstX: number
  /** Distance of two neighbors, px, above zero. */
  readonly rowPx: number
  readonly width: number
  readonly count: number
}

/** Rows whose middle lies within the plot, so that their wick is on screen; empty where there is none. */
export function rowsOnScreen({ firstX, rowPx, width, count }: Plot): RowRange {
  if (count === 0 || !(rowPx > 0) || !(width > 0) || Number.isNaN(firstX)) return { from: 0, to: 0 }
  const from = Math.min(count, Math.max(0, Math.ceil(-firstX / rowPx)))
  const to = Math.min(count, Math.max(from, Math.floor((width - firstX) / rowPx) + 1))
  return { from, to }
}

/** Px a row takes so that `count` rows fill a plot of `width` px but for `rightPx` at its right end; never below 1 px. */
export const rowPxToFit = (count: number, width: number, rightPx: number, mostPx: number): number =>
  Math.min(mostPx, Math.max(1, (width - rightPx) / Math.max(1, count)))
