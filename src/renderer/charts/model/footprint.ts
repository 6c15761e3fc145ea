/** What a footprint shows of its bars, and how much room that needs. Pure. */
import type { CellColumns, PriceRows } from '../../../shared/core/market/flow/cells.ts'
import {
  barProfile,
  imbalances,
  stacked,
  unfinished,
  type BarProfile,
  type Imbalance,
  type ImbalanceRule,
  type Stack,
} from '../../../shared/core/market/flow/footprint.ts'
import type { FootprintContent } from '../../../shared/features/chart/chart-settings.ts'

/** The cells of bars by start, UTC ms; undefined: not read. */
export interface Footprint {
  readonly rows: PriceRows
  readonly cellsOf: (startMs: number) => CellColumns | undefined
}

export interface FootprintLook extends Omit<ImbalanceRule, 'least'> {
  readonly content: FootprintContent
}

/** A cell that was selected by key or mouse. */
export interface FootprintCell {
  readonly startMs: number
  readonly row: number
}

/** How cells are drawn: numbers, a bar of each side, or one color. */
export type CellDetail = 'numbers' | 'bars' | 'heat'
/** The least height of a row with numbers, px at the default text size. */
export const NUMBERS_PX = 14
const BARS_PX = 5
const MIN_BARS_WIDTH_PX = 14

/** The detail that fits, by the height of a row and the width of a column, px at the default text size. */
export function detailThatFits(rowPx: number, columnPx: number, numbersPx: number, textScale: number): CellDetail {
  if (rowPx >= NUMBERS_PX * textScale && columnPx >= numbersPx) return 'numbers'
  return rowPx >= BARS_PX && columnPx >= MIN_BARS_WIDTH_PX ? 'bars' : 'heat'
}

/** A size in at most five characters. A size that isn't 0 never looks like 0. */
export function sizeText(size: number): string {
  if (size === 0) return '0'
  if (size >= 999_500) return `${trimmed(size / 1e6)}M`
  if (size >= 9_995) return `${trimmed(size / 1e3)}K`
  if (size >= 99.5) return String(Math.round(size))
  if (size >= 0.995) return String(Number(size.toPrecision(3)))
  return size < 0.001 ? '<.001' : String(Number(size.toFixed(3)))
}
const trimmed = (size: number): string =>
  size >= 99.5 ? String(Math.round(size)) : String(Number(size.toPrecision(3)))

/** "+12", "−3", "0"; "≈0" if it is smaller than a size can be written. */
export function deltaText(delta: number): string {
  const size = sizeText(Math.abs(delta))
  if (size.startsWith('<')) return '≈0'
  return `${delta > 0 ? '+' : delta < 0 ? '−' : ''}${size}`
}

export interface BarTotal {
  readonly delta: number
  /** Volume without a side. */
  readonly unknown: number
  readonly volume: number
}

/**
 * The deltas of the bars in view, each with how far it could be off if all unknown volume had one side, or with "±…"
 * if that doesn't fit. "Δ" goes first, and from all of them, because a delta without its bounds looks certain.
 */
export function deltaTotals(
  totals: readonly Pick<BarTotal, 'delta' | 'unknown'>[],
  fits: (text: string) => boolean,
): readonly string[] {
  const words = totals.map(({ delta, unknown }) => {
    const value = deltaText(delta)
    const bounds = unknown > 0 ? [` ±${sizeText(unknown)}`, ' ±…'] : []
    return bounds.map((one) => value + one).find(fits) ?? value
  })
  const named = words.map((one) => `Δ ${one}`)
  return named.every(fits) ? named : words
}

export interface BarMarks {
  readonly imbalances: readonly Imbalance[]
  readonly stacks: readonly Stack[]
  readonly profile: BarProfile | null
  readonly unfinished: { readonly high: boolean; readonly low: boolean }
}

/** Computes the marks of bars once for the same cells and rule. */
export class MarksOf {
  #rule = ''
  #known = new WeakMap<CellColumns, BarMarks>()

  get(cells: CellColumns, rule: ImbalanceRule): BarMarks {
    const key = `${rule.ratio} ${rule.least} ${rule.againstZero}`
    if (key !== this.#rule) this.#known = new WeakMap()
    this.#rule = key
    const known = this.#known.get(cells)
    if (known !== undefined) return known
    const list = imbalances(cells, rule)
    const marks = {
      imbalances: list,
      stacks: stacked(list),
      profile: barProfile(cells),
      unfinished: unfinished(cells),
    }
    this.#known.set(cells, marks)
    return marks
  }
}
