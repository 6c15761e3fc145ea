/** How each kind of drawing places and moves its points. Pure. */
import type { Handle, Pixel } from './figure-parts.ts'
import { POINT_COUNTS, type Drawing, type DrawingKind, type DrawingPoint } from '../types.ts'

/** How many points the user places; unlimited for a brush. */
export function pointsToPlace(kind: DrawingKind): number {
  // A position's stop follows its target until it is moved.
  return kind === 'long' || kind === 'short' ? 2 : POINT_COUNTS[kind][0]
}

/**
 * The points of a kind from those that were placed and the pointer's. A position gets its stop: half as far from the
 * entry as the target, or the target twice as far as the stop, depending on the pointer's side.
 */
export function completed(kind: DrawingKind, points: readonly DrawingPoint[]): readonly DrawingPoint[] {
  if ((kind !== 'long' && kind !== 'short') || points.length < 2) return points
  const [entry, other] = points
  const away = other.price - entry.price
  const gains = kind === 'long' ? away >= 0 : away <= 0
  const target = gains ? other.price : entry.price - away * 2
  const stop = gains ? entry.price - away / 2 : other.price
  return [entry, { ms: other.ms, price: target }, { ms: other.ms, price: stop }]
}

/** Whether the points make no visible drawing, such as two at one position. */
export function isDegenerate(kind: DrawingKind, points: readonly DrawingPoint[]): boolean {
  if (points.length < POINT_COUNTS[kind][0]) return true
  const [a, b] = points
  if (b === undefined || kind === 'brush') return false
  return a.ms === b.ms && a.price === b.price
}

/** A drawing with the part that a handle holds at another position. */
export function withHandle(
  drawing: Drawing,
  { msOf, priceOf }: Pick<Handle, 'msOf' | 'priceOf'>,
  to: DrawingPoint,
): Drawing {
  const points = drawing.points.map((point, i) => ({
    ms: i === msOf ? to.ms : point.ms,
    price: i === priceOf ? to.price : point.price,
  }))
  if (drawing.kind !== 'long' && drawing.kind !== 'short') return { ...drawing, points }
  // The stop ends where the target does, and neither passes the entry.
  const [entry, target, stop] = points
  const rises = drawing.kind === 'long'
  const above = (price: number, than: number): number => (rises ? Math.max(price, than) : Math.min(price, than))
  const below = (price: number, than: number): number => (rises ? Math.min(price, than) : Math.max(price, than))
  const price = priceOf === 0 ? below(above(entry.price, stop.price), target.price) : entry.price
  return {
    ...drawing,
    points: [
      { ms: entry.ms, price },
      { ms: target.ms, price: above(target.price, price) },
      { ms: target.ms, price: below(stop.price, price) },
    ],
  }
}

/** Rotates a position around `from` so that the line between them is level, upright or at 45° on the screen. */
export function straightened(from: Pixel, at: Pixel): Pixel {
  const dx = at.x - from.x
  const dy = at.y - from.y
  const eighth = Math.round(Math.atan2(dy, dx) / (Math.PI / 4))
  if (eighth % 4 === 0) return { x: at.x, y: from.y }
  if (eighth % 2 === 0) return { x: from.x, y: at.y }
  const side = (Math.abs(dx) + Math.abs(dy)) / 2
  return { x: from.x + Math.sign(dx) * side, y: from.y + Math.sign(dy) * side }
}

/** A stroke without the points that are within `tolerance` px of the line through the others. */
export function simplified(pixels: readonly Pixel[], tolerance: number): number[] {
  const keep = new Set([0, pixels.length - 1])
  const open: [number, number][] = [[0, pixels.length - 1]]
  for (let span = open.pop(); span; span = open.pop()) {
    const [from, to] = span
    const a = pixels[from]
    const b = pixels[to]
    const length = Math.hypot(b.x - a.x, b.y - a.y)
    let farthest = -1
    let most = tolerance
    for (let i = from + 1; i < to; i++) {
      const p = pixels[i]
      const away =
        length === 0
          ? Math.hypot(p.x - a.x, p.y - a.y)
          : Math.abs((b.x - a.x) * (a.y - p.y) - (a.x - p.x) * (b.y - a.y)) / length
      if (away > most) [farthest, most] = [i, away]
    }
    if (farthest < 0) continue
    keep.add(farthest)
    open.push([from, farthest], [farthest, to])
  }
  return [...keep].sort((a, b) => a - b)
}

/** A price at the precision of the instrument. */
export function rounded(price: number, decimals: number): number {
  const scale = 10 ** Math.min(decimals, 15)
  const whole = Math.round(price * scale)
  // Larger integers have gaps between them, so this is as exact as possible.
  return Number.isSafeInteger(whole) ? whole / scale : price
}

const NICE = [1, 2, 5]
/** The smallest round price step of at least one tick that moves a line by at least `px`. `perPixel` is above zero. */
export function priceStep(perPixel: number, decimals: number, px: number): number {
  const tick = 10 ** -decimals
  const least = Math.max(tick, perPixel * px)
  const power = 10 ** Math.floor(Math.log10(least))
  for (const nice of [...NICE, 10]) if (nice * power >= least * (1 - 1e-9)) return nice * power
  return power * 10
}
