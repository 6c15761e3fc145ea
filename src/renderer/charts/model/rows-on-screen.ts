/**
 * Computes which rows a chart shows. The drawing library's own range also includes rows left of the plot: as many as
 * fit into the space right of the last bar. Scale, percent base, legends and tables must exclude those. Pure.
 */

/** Rows [from, to) of a list. */
export interface RowRange {
  readonly from: number
  readonly to: number
}

interface Plot {
  /** Middle of row 0, px from the plot's left edge. */
  readonly firstX: number
  /** Distance between neighboring rows, px, above zero. */
  readonly rowPx: number
  readonly width: number
  readonly count: number
  /** How far what is painted of a row reaches from its middle, px. */
  readonly reachPx?: number
}

/** The rows whose middle, and so whose wick, is within the plot; with `reachPx`, those of which a part is. */
export function rowsOnScreen({ firstX, rowPx, width, count, reachPx = 0 }: Plot): RowRange {
  if (count === 0 || !(rowPx > 0) || !(width > 0) || Number.isNaN(firstX)) return { from: 0, to: 0 }
  const from = Math.min(count, Math.max(0, Math.ceil((-firstX - reachPx) / rowPx)))
  const to = Math.min(count, Math.max(from, Math.floor((width + reachPx - firstX) / rowPx) + 1))
  return { from, to }
}

/** Px per row so that `count` rows fill a plot of `width` px except `rightPx` at its right end; at least 1 px. */
export const rowPxToFit = (count: number, width: number, rightPx: number, mostPx: number): number =>
  Math.min(mostPx, Math.max(1, (width - rightPx) / Math.max(1, count)))
