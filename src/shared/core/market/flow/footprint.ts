/** What a footprint shows of a bar beside its cells: imbalances, stacks of them, and unfinished auctions. Pure. */
import { leastOf } from '../../../base/decimals.ts'
import type { CellColumns } from './cells.ts'
import { pointOfControl, totalsOf, valueArea } from './profile.ts'

export interface ImbalanceRule {
  /** How many times the diagonally opposite volume. */
  readonly ratio: number
  /** The least volume of an imbalanced cell. */
  readonly least: number
  /** Whether volume against none counts. */
  readonly againstZero: boolean
}

/** An imbalanced cell. `firm`: it remains one if all unknown volume of the weaker cell was on the weaker side. */
export interface Imbalance {
  readonly row: number
  readonly side: 1 | -1
  readonly firm: boolean
}

/** Adjacent imbalanced rows of one side, [from, to]. */
export interface Stack {
  readonly from: number
  readonly to: number
  readonly side: 1 | -1
}

const STACK = 3

/** Buying at a row is compared with selling one row below, selling with buying one row above. */
export function imbalances(
  { row, buy, sell, unknown }: CellColumns,
  { ratio, least, againstZero }: ImbalanceRule,
): readonly Imbalance[] {
  const at = new Map(row.map((one, i) => [one, i]))
  const found: Imbalance[] = []
  const isEnough = (strong: number, weak: number): boolean => strong >= leastOf(ratio * weak, ratio * weak)
  const test = (i: number, side: 1 | -1): void => {
    const strong = side === 1 ? buy[i] : sell[i]
    const other = at.get(row[i] - side)
    const weak = other === undefined ? 0 : side === 1 ? sell[other] : buy[other]
    if (strong === 0 || strong < least || !isEnough(strong, weak) || (weak === 0 && !againstZero)) return
    const most = weak + (other === undefined ? 0 : unknown[other])
    found.push({ row: row[i], side, firm: isEnough(strong, most) })
  }
  for (let i = 0; i < row.length; i++) {
    test(i, 1)
    test(i, -1)
  }
  return found
}

/** Runs of at least `length` adjacent imbalances of one side. */
export function stacked(list: readonly Imbalance[], length = STACK): readonly Stack[] {
  const stacks: Stack[] = []
  for (const side of [1, -1] as const) {
    const rows = list.filter((one) => one.side === side).map(({ row }) => row)
    for (let i = 0; i < rows.length;) {
      let end = i
      while (rows[end + 1] === rows[end] + 1) end++
      if (end - i + 1 >= length) stacks.push({ from: rows[i], to: rows[end], side })
      i = end + 1
    }
  }
  return stacks
}

/** The least volume of an imbalance: the median volume of the sides of cells in these bars; 0 without any. */
export function usualSideVolume(bars: readonly CellColumns[]): number {
  const volumes = bars
    .flatMap(({ buy, sell }) => [...buy, ...sell].filter((volume) => volume > 0))
    .sort((a, b) => a - b)
  return volumes[Math.floor(volumes.length / 2)] ?? 0
}

/**
 * Whether both sides traded at the high and at the low of a bar: an auction that ended there would have only sellers
 * at the low and only buyers at the high.
 */
export function unfinished({ row, buy, sell }: CellColumns): { readonly high: boolean; readonly low: boolean } {
  const top = row.length - 1
  const both = (i: number): boolean => buy[i] > 0 && sell[i] > 0
  return row.length === 0 ? { high: false, low: false } : { high: both(top), low: both(0) }
}

/** The row with the most volume and the value area, as row numbers; null without volume. */
export interface BarProfile {
  readonly poc: number
  readonly area: readonly [number, number]
}
export function barProfile(cells: CellColumns): BarProfile | null {
  const totals = totalsOf(cells)
  if (totals === null) return null
  const poc = pointOfControl(totals.volume)
  const [low, high] = valueArea(totals.volume, poc)
  return { poc: totals.base + poc, area: [totals.base + low, totals.base + high] }
}
