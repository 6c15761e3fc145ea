/**
 * The values of one indicator for a growing list of rows. The cost of a tick doesn't depend on the length of the list:
 * closed bars are pushed once, and the forming bar is only peeked at. Pure.
 */
import type { DayOf } from '../../../shared/core/market/indicators/indicators.ts'
import {
  PRICES,
  parameterValues,
  type IndicatorRow,
  type PriceName,
} from '../../../shared/core/market/indicators/table.ts'
import type { Row } from './series.ts'

/** Values by output number: "0", "1" …; absent values have no key. */
export type StudyValues = Readonly<Record<string, number>>

const NOTHING: StudyValues = {}

function valuesOf(list: readonly number[]): StudyValues {
  const values: Record<string, number> = {}
  for (const [at, value] of list.entries()) if (Number.isFinite(value)) values[at] = value
  return values
}

export class StudyRun {
  /** One entry per row, extended in place. */
  readonly values: StudyValues[] = []
  readonly #row: IndicatorRow
  readonly #parameters: readonly number[]
  readonly #price: PriceName
  readonly #dayOf: DayOf
  #rows: readonly Row[] | null = null
  #indicator: ReturnType<IndicatorRow['create']>
  #pushed = 0

  constructor(row: IndicatorRow, given: Readonly<Record<string, number>>, price: PriceName, dayOf: DayOf) {
    this.#row = row
    this.#parameters = parameterValues(row, given)
    this.#price = price
    this.#dayOf = dayOf
    this.#indicator = this.#create()
  }

  get parameters(): readonly number[] {
    return this.#parameters
  }

  #create(): ReturnType<IndicatorRow['create']> {
    return this.#row.create(this.#parameters, PRICES[this.#price], this.#dayOf)
  }

  /**
   * Computes the values for the current rows. The same list may have grown, with its last row replaced; for a different
   * list, all values are recomputed.
   */
  follow(rows: readonly Row[]): readonly StudyValues[] {
    if (rows !== this.#rows || rows.length < this.values.length) {
      this.#rows = rows
      this.#indicator = this.#create()
      this.#pushed = 0
      this.values.length = 0
    }
    const last = rows.length - 1
    for (; this.#pushed < last; this.#pushed++) {
      const bar = rows[this.#pushed].bar
      this.values[this.#pushed] = bar === null ? NOTHING : valuesOf(this.#indicator.push(bar))
    }
    const bar = rows[last]?.bar
    if (last >= 0) this.values[last] = bar ? valuesOf(this.#indicator.peek(bar)) : NOTHING
    return this.values
  }
}
