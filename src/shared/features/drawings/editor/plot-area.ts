/** The visible part of drawings: clips lines to the plot area, and finds drawings outside of it. */
import type { Box, Frame, Pixel } from './figure-parts.ts'
import type { Drawing } from '../types.ts'

/** Lines are clipped this far outside of the plot area, px, because canvases lose precision far away. */
const MARGIN = 2_000

/** The part of a segment within a box extended by a margin, or null. Either end can be endless. */
export function clipped(
  a: Pixel,
  b: Pixel,
  { left, top, width, height }: Box,
  endless: { readonly start?: boolean; readonly end?: boolean } = {},
  margin = MARGIN,
): [Pixel, Pixel] | null {
  const dx = b.x - a.x
  const dy = b.y - a.y
  let from = endless.start ? -Infinity : 0
  let to = endless.end ? Infinity : 1
  const edges: readonly [number, number][] = [
    [-dx, a.x - (left - margin)],
    [dx, left + width + margin - a.x],
    [-dy, a.y - (top - margin)],
    [dy, top + height + margin - a.y],
  ]
  for (const [p, q] of edges) {
    if (p === 0) {
      if (q < 0) return null
    } else if (p < 0) from = Math.max(from, q / p)
    else to = Math.min(to, q / p)
  }
  // A line through the same point twice has no direction, so it is that point.
  if (!Number.isFinite(from) || !Number.isFinite(to)) return dx === 0 && dy === 0 ? [a, b] : null
  if (from > to) return null
  return [
    { x: a.x + dx * from, y: a.y + dy * from },
    { x: a.x + dx * to, y: a.y + dy * to },
  ]
}

/** Whether no part of a drawing can be in the plot area, judged by two corners without its figure. */
export function isOutside(drawing: Drawing, frame: Frame): boolean {
  const { points, kind } = drawing
  let [fromMs, toMs] = [Infinity, -Infinity]
  let [low, high] = [Infinity, -Infinity]
  for (const { ms, price } of points) {
    fromMs = Math.min(fromMs, ms)
    toMs = Math.max(toMs, ms)
    low = Math.min(low, price)
    high = Math.max(high, price)
  }
  const a = frame.toPixel({ ms: fromMs, price: low })
  const b = frame.toPixel({ ms: toMs, price: high })
  if (a === null || b === null) return false
  const { left, top, width, height } = frame.plot
  // Labels and arrowheads extend beyond the box of the points.
  const room = 240
  const isOutside = b.x < left - room || a.x > left + width + room
  const above = Math.max(a.y, b.y) < top - room || Math.min(a.y, b.y) > top + height + room
  switch (kind) {
    case 'extended':
    case 'ray':
    case 'pitchfork':
      return false
    case 'horizontal':
      return above
    case 'vertical':
      return isOutside
    case 'fib':
      return a.x > left + width + room || above
    case 'fib-extension':
      return a.x > left + width + room
    case 'regression':
      // Its prices are those of the bars between its points.
      return isOutside
    case 'channel':
      // The parallel can lie outside of the box of its three points.
      return isOutside
    case 'trend':
    case 'arrow':
    case 'rectangle':
    case 'text':
    case 'note':
    case 'brush':
    case 'long':
    case 'short':
    case 'measure':
      return isOutside || above
  }
}
