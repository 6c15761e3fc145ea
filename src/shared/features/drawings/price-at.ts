/** The prices of a drawing's lines at a time, which define when a price crosses it. Pure. */
import type { Drawing, DrawingKind, DrawingPoint } from './types.ts'

/** Levels of a retracement: fractions of the move, back from its end. */
export const FIB_LEVELS = [0, 0.236, 0.382, 0.5, 0.618, 0.786, 1] as const
/** Levels of an extension: fractions of the move, from the third point. */
export const FIB_EXTENSIONS = [0, 0.382, 0.618, 1, 1.272, 1.618, 2, 2.618] as const

/** The position of a time on the axis; by default the clock itself, see `priceAt`. */
export type TimeAxis = (ms: number) => number

/** The price of each level of a retracement from `start` to `end`; 0 is the end of the move. */
export function fibPrices([start, end]: readonly DrawingPoint[]): number[] {
  return FIB_LEVELS.map((level) => end.price + (start.price - end.price) * level)
}

/** The price of each level of an extension: the move from the first to the second point, applied to the third. */
export function fibExtensionPrices([first, second, third]: readonly DrawingPoint[]): number[] {
  return FIB_EXTENSIONS.map((level) => third.price + (second.price - first.price) * level)
}

/** Whether a kind has lines that a price can cross. Those of a regression channel move with the bars it covers. */
export const hasPrice = (kind: DrawingKind): boolean =>
  !['vertical', 'text', 'note', 'measure', 'regression'].includes(kind)

/** The price scale on which a line is straight. Percent counts as linear. */
export type LineScale = 'linear' | 'log'

const onScale = (scale: LineScale, price: number): number => (scale === 'log' ? Math.log(price) : price)
const offScale = (scale: LineScale, place: number): number => (scale === 'log' ? Math.exp(place) : place)

const between = (a: DrawingPoint, b: DrawingPoint, ms: number): boolean =>
  ms >= Math.min(a.ms, b.ms) && ms <= Math.max(a.ms, b.ms)

/**
 * The prices of a drawing's lines at a time (UTC ms), empty if it has none then. A segment counts from its first to its
 * last point, a ray and Fibonacci levels from their first point on. Text, measures and vertical lines have no price.
 * With an `axis` that omits closed hours, as charts do, a line over a night or weekend is where it is seen; the same
 * goes for `scale`. On a logarithmic scale a point at or below 0 makes no line.
 */
export function priceAt(
  drawing: Drawing,
  ms: number,
  axis: TimeAxis = (at) => at,
  scale: LineScale = 'linear',
): number[] {
  const { points } = drawing
  const [a, b, c] = points
  /** The scale position of the line through two points. */
  const placeOn = (a: DrawingPoint, b: DrawingPoint, ms: number): number => {
    const [from, to] = [onScale(scale, a.price), onScale(scale, b.price)]
    const start = axis(a.ms)
    return from + ((to - from) * (axis(ms) - start)) / (axis(b.ms) - start)
  }
  const onLine = (a: DrawingPoint, b: DrawingPoint, ms: number): number => offScale(scale, placeOn(a, b, ms))
  const prices = (): number[] => {
    switch (drawing.kind) {
      case 'trend':
      case 'arrow':
        return between(a, b, ms) ? [onLine(a, b, ms)] : []
      case 'ray':
        return (b.ms >= a.ms ? ms >= a.ms : ms <= a.ms) ? [onLine(a, b, ms)] : []
      case 'extended':
        return [onLine(a, b, ms)]
      case 'horizontal':
        return [a.price]
      case 'channel': {
        if (!between(a, b, ms)) return []
        const base = placeOn(a, b, ms)
        // The same distance on the scale everywhere.
        const away = onScale(scale, c.price) - placeOn(a, b, c.ms)
        return [offScale(scale, base), offScale(scale, base + away)]
      }
      case 'pitchfork': {
        // Through the middle of the second and the third point, and parallel through each of them.
        const [from, left, right] = points.map((point) => ({ at: axis(point.ms), place: onScale(scale, point.price) }))
        const middle = { at: (left.at + right.at) / 2, place: (left.place + right.place) / 2 }
        const slope = (middle.place - from.place) / (middle.at - from.at)
        const at = axis(ms)
        return [left, from, right].flatMap((tine) =>
          (at - tine.at) * (middle.at - from.at) < 0 ? [] : [offScale(scale, tine.place + slope * (at - tine.at))],
        )
      }
      case 'rectangle':
        return between(a, b, ms) ? [a.price, b.price] : []
      case 'fib':
        return ms >= Math.min(a.ms, b.ms) ? fibPrices(points) : []
      case 'fib-extension':
        return ms >= Math.min(a.ms, b.ms, c.ms) ? fibExtensionPrices(points) : []
      case 'long':
      case 'short':
        return between(a, b, ms) ? [a.price, b.price, c.price] : []
      case 'brush':
        return points.flatMap((point, i) =>
          i > 0 && between(points[i - 1], point, ms) ? [onLine(points[i - 1], point, ms)] : [],
        )
      case 'vertical':
      case 'regression':
      case 'note':
      case 'text':
      case 'measure':
        return []
    }
  }
  // A vertical line has no single price.
  return prices().filter((price) => Number.isFinite(price))
}
