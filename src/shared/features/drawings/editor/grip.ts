/** What the pointer can grab of a figure. */
import type { Figure, Handle, Pixel } from './figure-parts.ts'

/** The part of a figure at a position. */
export type Grip =
  | { readonly is: 'handle'; readonly handle: Handle }
  | { readonly is: 'line' }
  | { readonly is: 'ground' }

/** How far from a line the pointer can be, px. Fingers need more. */
export const REACH = 6

/** The part of a figure at a pixel. Handles count only if they are visible. */
export function gripAt(figure: Figure, at: Pixel, handles: boolean, width: number, reach = REACH): Grip | null {
  if (handles) {
    let best: Handle | null = null
    let least = reach + 4
    for (const handle of figure.handles) {
      const away = Math.hypot(handle.x - at.x, handle.y - at.y)
      if (away <= least) [best, least] = [handle, away]
    }
    if (best) return { is: 'handle', handle: best }
  }
  for (const { points } of figure.strokes)
    for (let i = 1; i < points.length; i++)
      if (distance(at, points[i - 1], points[i]) <= reach + width / 2) return { is: 'line' }
  for (const { left, top, width: wide, height } of figure.labels)
    if (at.x >= left && at.x <= left + wide && at.y >= top && at.y <= top + height) return { is: 'line' }
  for (const ground of figure.grounds) if (ground.solid && within(at, ground.points)) return { is: 'ground' }
  return null
}

/** Distance from a position to a segment, px. */
export function distance(at: Pixel, a: Pixel, b: Pixel): number {
  const dx = b.x - a.x
  const dy = b.y - a.y
  const length = dx * dx + dy * dy
  const along = length === 0 ? 0 : Math.max(0, Math.min(1, ((at.x - a.x) * dx + (at.y - a.y) * dy) / length))
  return Math.hypot(at.x - a.x - along * dx, at.y - a.y - along * dy)
}

function within(at: Pixel, ring: readonly Pixel[]): boolean {
  let odd = false
  ring.forEach((a, i) => {
    const b = ring[(i + 1) % ring.length]
    if (a.y > at.y !== b.y > at.y && at.x < a.x + ((b.x - a.x) * (at.y - a.y)) / (b.y - a.y)) odd = !odd
  })
  return odd
}
