/** Places labels next to an axis without overlaps. Pure. */

/** Px from the top of the plot. */
export interface TagSpan {
  readonly from: number
  readonly to: number
}

/** Half the height of the last price's label, and the height of its countdown, px at the default text size. */
const LAST_HALF = 10
const COUNTDOWN = 15

/** The span of the last price's label. Its countdown, if it `counts`, is below, or above if there is no room below. */
export function lastTag(
  middle: number,
  height: number,
  textScale: number,
  counts = true,
): TagSpan & { readonly middle: number; readonly above: boolean } {
  const half = LAST_HALF * textScale
  const more = counts ? COUNTDOWN * textScale : 0
  const above = middle + half + more > height
  return { from: middle - half - (above ? more : 0), middle, to: middle + half + (above ? 0 : more), above }
}

/** Whether one of these would partly hide a label of the axis. */
export const isCovered = (y: number, tags: readonly TagSpan[], textScale: number): boolean =>
  tags.some(({ from, to }) => y + 5 * textScale > from && y - 5 * textScale < to)

/** Height of a label, px at the default text size. */
export const CHIP_HEIGHT = 15

interface Chip<T> {
  readonly chip: T
  readonly y: number
}

/** Stacks labels from top to bottom, each as near to its price as the previous one allows. */
function downFrom<T>(list: readonly Chip<T>[], least: number, height: number): Chip<T>[] {
  let from = least
  return list.map(({ chip, y }) => {
    const at = Math.max(y, from)
    from = at + height
    return { chip, y: at }
  })
}

/** Stacks labels from bottom to top. */
const upFrom = <T>(list: readonly Chip<T>[], most: number, height: number): Chip<T>[] =>
  downFrom(
    list.toReversed().map(({ chip, y }) => ({ chip, y: -y })),
    -most,
    height,
  )
    .map(({ chip, y }) => ({ chip, y: -y }))
    .toReversed()

/**
 * Middles of labels (px) near their prices, from top to bottom. Labels outside the plot are left out. Labels that would
 * cover the `taken` span go above or below it, on the side of their own middle, or on the other side if there is no
 * room. Labels with room on neither side are left out.
 */
export function stackChips<T>(
  wanted: readonly Chip<T>[],
  top: number,
  bottom: number,
  taken: { readonly from: number; readonly middle: number; readonly to: number } | null = null,
  height = CHIP_HEIGHT,
): readonly Chip<T>[] {
  const inside = wanted.filter(({ y }) => y >= top && y <= bottom).toSorted((a, b) => a.y - b.y)
  const half = height / 2
  if (taken === null) return upFrom(downFrom(inside, top + half, height), bottom - half, height)
  const roomAbove = Math.max(0, Math.floor((taken.from - top) / height))
  const roomBelow = Math.max(0, Math.floor((bottom - taken.to) / height))
  const preferred = inside.filter(({ y }) => y < taken.middle).length
  const above = Math.min(Math.max(preferred, inside.length - roomBelow), roomAbove)
  return [
    ...upFrom(downFrom(inside.slice(0, above), top + half, height), taken.from - half, height),
    ...upFrom(downFrom(inside.slice(above, above + roomBelow), taken.to + half, height), bottom - half, height),
  ]
}
