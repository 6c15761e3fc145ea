/** Places a tour card next to its target, inside the window. Pure; px. */

export interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}
type Size = Pick<Box, 'width' | 'height'>

const GAP = 12
const EDGE = 8

/** Right of the box, else left, below or above. If the box fills the window, the card goes inside it. */
export function cardPlace(box: Box, card: Size, window: Size): { readonly left: number; readonly top: number } {
  const within = (n: number, size: number, room: number) => Math.round(Math.max(EDGE, Math.min(n, room - size - EDGE)))
  const left = (n: number) => within(n, card.width, window.width)
  const top = (n: number) => within(n, card.height, window.height)
  const right = box.left + box.width
  const bottom = box.top + box.height
  const tall = box.height > card.height
  if (tall && right + GAP + card.width + EDGE <= window.width)
    return { left: Math.round(right + GAP), top: top(box.top + 24) }
  if (tall && box.left - GAP - card.width >= EDGE)
    return { left: Math.round(box.left - GAP - card.width), top: top(box.top + 24) }
  if (bottom + GAP + card.height + EDGE <= window.height) return { left: left(box.left), top: Math.round(bottom + GAP) }
  if (box.top - GAP - card.height >= EDGE) return { left: left(box.left), top: Math.round(box.top - GAP - card.height) }
  return { left: left(box.left + (box.width - card.width) / 2), top: top(box.top + (box.height - card.height) / 2) }
}
