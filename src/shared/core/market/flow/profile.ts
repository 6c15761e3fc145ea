/** Volume profiles of price rows: point of control, value area, and nodes of high and low volume. Pure. */
import type { CellColumns } from './cells.ts'

/** 70 %, or a little less: sums of decimal volumes are inexact in their last bits. */
const AREA = 0.7 * (1 - 1e-12)
/** Rows that are summed around a node, to each side. */
const AROUND = 2
const HIGH_SHARE = 0.5
const LOW_SHARE = 0.25

/** Volume of every row from the lowest traded to the highest: row `base + i`. */
export interface RowTotals {
  readonly base: number
  readonly volume: Float64Array
}

/** The volume per row, with empty rows between traded ones; null without volume. */
export function totalsOf({ row, buy, sell, unknown }: CellColumns): RowTotals | null {
  const first = row.at(0)
  const last = row.at(-1)
  if (first === undefined || last === undefined) return null
  const volume = new Float64Array(last - first + 1)
  for (const [i, one] of row.entries()) volume[one - first] = buy[i] + sell[i] + unknown[i]
  return volume.some((one) => one > 0) ? { base: first, volume } : null
}

/**
 * The row with the most volume. Of equal ones, the nearest to the middle; then the one in the half with more volume;
 * then the lower one (MyPivots, dictionary entry 40).
 */
export function pointOfControl(totals: ArrayLike<number>): number {
  const middle = (totals.length - 1) / 2
  let [most, balance] = [0, 0]
  for (let level = 0; level < totals.length; level++) balance += Math.sign(level - middle) * totals[level]
  for (let level = 1; level < totals.length; level++) {
    if (totals[level] < totals[most]) continue
    const nearer = Math.abs(most - middle) - Math.abs(level - middle)
    if (totals[level] > totals[most] || nearer > 0 || (nearer === 0 && balance > 0)) most = level
  }
  return most
}

/**
 * The rows around the point of control that hold 70 % of the volume: of the next `rows` rows above and below, the
 * larger sum is added whole, above if they are equal (two rows: Dalton, Mind Over Markets, appendix 1; one: CBOT).
 */
export function valueArea(totals: ArrayLike<number>, most: number, rows: 1 | 2 = 2): readonly [number, number] {
  let all = 0
  for (let level = 0; level < totals.length; level++) all += totals[level]
  let [first, last, held] = [most, most, totals[most]]
  const sum = (from: number, to: number): number => {
    if (from > to) return -1
    let total = 0
    for (let level = from; level <= to; level++) total += totals[level]
    return total
  }
  while (held < all * AREA && (first > 0 || last < totals.length - 1)) {
    const [down, up] = [Math.max(0, first - rows), Math.min(totals.length - 1, last + rows)]
    const [below, above] = [sum(down, first - 1), sum(last + 1, up)]
    held += Math.max(below, above)
    if (above >= below) last = up
    else first = down
  }
  return [first, last]
}

export interface VolumeNodes {
  readonly high: readonly number[]
  readonly low: readonly number[]
}

/**
 * Rows where the volume of five rows is greatest (high) or least (low) among the nearest: 5 % of all rows, at least
 * three, to each side. A high node has at least half of the greatest such sum, a low one at most a quarter.
 */
export function volumeNodes(totals: ArrayLike<number>): VolumeNodes {
  const { length } = totals
  const sums = Array.from({ length }, (_, i) => {
    let sum = 0
    for (let at = Math.max(0, i - AROUND); at <= Math.min(length - 1, i + AROUND); at++) sum += totals[at]
    return sum
  })
  const top = sums.reduce((most, one) => Math.max(most, one), 0)
  const near = Math.max(3, Math.round(length * 0.05))
  const high: number[] = []
  const low: number[] = []
  // A sum at an edge has fewer rows, so it would be low for that reason alone.
  for (let i = AROUND; i < length - AROUND; i++) {
    let [isMost, isLeast] = [true, true]
    for (let at = Math.max(AROUND, i - near); at <= Math.min(length - 1 - AROUND, i + near); at++) {
      // Of equal sums, the first one is the node.
      if (sums[at] > sums[i] || (sums[at] === sums[i] && at < i)) isMost = false
      if (sums[at] < sums[i] || (sums[at] === sums[i] && at < i)) isLeast = false
    }
    if (isMost && sums[i] >= top * HIGH_SHARE && sums[i] > 0) high.push(i)
    if (isLeast && !isMost && sums[i] <= top * LOW_SHARE) low.push(i)
  }
  return { high, low }
}
