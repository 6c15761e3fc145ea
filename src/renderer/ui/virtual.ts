/** Computes which rows of a long list are on screen. Lengths in px. Pure. */

export interface RowRange {
  /** First row to draw. */
  readonly first: number
  /** One past the last row to draw. */
  readonly end: number
}

/** The fixed-height rows that intersect the viewport, with `overscan` more on each side. */
export function visibleRows(
  count: number,
  rowHeight: number,
  scrollTop: number,
  viewHeight: number,
  overscan = 4,
): RowRange {
  if (count <= 0 || rowHeight <= 0) return { first: 0, end: 0 }
  const top = Math.min(Math.max(0, scrollTop), Math.max(0, count * rowHeight - viewHeight))
  const first = Math.max(0, Math.floor(top / rowHeight) - overscan)
  const end = Math.min(count, Math.ceil((top + Math.max(0, viewHeight)) / rowHeight) + overscan)
  return { first, end }
}

/** The scroll position that brings a row fully into view with the least movement. */
export function scrollToRow(row: number, rowHeight: number, scrollTop: number, viewHeight: number): number {
  const top = row * rowHeight
  if (top < scrollTop) return top
  const bottom = top + rowHeight
  return bottom > scrollTop + viewHeight ? bottom - viewHeight : scrollTop
}
