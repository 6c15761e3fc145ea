/**
 * The values of one indicator for a growing list of rows. The cost of a tick doesn't depend on the length of the list:
 * closed bars are pushed once, and the forming bar is only peeked at. Pure.
 */
import type { BarFlow, BarValues, EarlierTrades } from '../../../shared/core/market/indicators/indicator.ts'
import type { DayOf } from '../../../shared/core/market/indicators/indicators.ts'
import { PRICES, type PriceName, shownOutputs } from '../../../shared/core/market/indicators/row.ts'
import { parameterValues, type IndicatorRow } from '../../../shared/core/market/indicators/table.ts'
import type { Row } from './series.ts'

/** Values by output number: "0", "1" …; absent values have no key. */
export type StudyValues = Readonly<Record<string, number>>

export interface FlowOf {
  /** The volume by side of the bar that starts at an instant (UTC ms); undefined: not read. */
  (startMs: number): BarFlow | undefined
  /** What was read of before an instant (UTC ms), in order, for sums that begin earlier than the bars of the chart. */
  readonly before?: (startMs: number) => readonly EarlierTrades[]
}

const NOTHING: StudyValues = {}

export function valuesOf(list: readonly number[]): StudyValues {
  const values: Record<string, number> = {}
  for (const [at, value] of list.entries()) if (Number.isFinite(value)) values[at] = value
  return values
}

/** The values of a study for the rows of a chart. */
export interface StudyRun {
  /** One entry per row, extended in place. */
  readonly values: readonly StudyValues[]
  readonly parameters: readonly number[]
  /** The outputs whose values belong to the axis. */
  readonly shown: readonly number[]
  readonly drawn: NonNullable<IndicatorRow['drawn']>
  /** Whether it is computed from the sides of trades. */
  readonly needsSides: boolean
  /** Why its values are no longer updated; absent or null: no problem. */
  readonly problem?: string | null
  /** The value that an output is drawn with at a row; null if there is none. */
  valueAt(index: number, output: number): number | null
  /** Sets the sides of bars; those from `fromMs` (UTC ms) on have changed. */
  setFlow(flowOf: FlowOf | null, fromMs: number): void
  /**
   * The values for the current rows. The same list may have grown, with its last row replaced; for a different list,
   * all values are recomputed.
   */
  follow(rows: readonly Row[]): readonly StudyValues[]
  /** Call when it has been removed from the chart. */
  end?(): void
}

/** An indicator of the table, computed at once. */
export class IndicatorRun implements StudyRun {
  readonly values: StudyValues[] = []
  readonly #row: IndicatorRow
  readonly #parameters: readonly number[]
  readonly #price: PriceName
  readonly #dayOf: DayOf
  readonly #openOf: DayOf
  #rows: readonly Row[] | null = null
  #indicator: ReturnType<IndicatorRow['create']>
  #pushed = 0
  #flowOf: FlowOf | null = null

  constructor(
    row: IndicatorRow,
    given: Readonly<Record<string, number>>,
    price: PriceName,
    dayOf: DayOf,
    openOf: DayOf = dayOf,
  ) {
    this.#row = row
    this.#parameters = parameterValues(row, given)
    this.#price = price
    this.#dayOf = dayOf
    this.#openOf = openOf
    this.#indicator = this.#create()
  }

  get parameters(): readonly number[] {
    return this.#parameters
  }

  #create(): ReturnType<IndicatorRow['create']> {
    return this.#row.create(this.#parameters, PRICES[this.#price], this.#dayOf, this.#openOf)
  }

  get shown(): readonly number[] {
    return shownOutputs(this.#row)
  }

  get drawn(): NonNullable<IndicatorRow['drawn']> {
    return this.#row.drawn ?? {}
  }

  valueAt(index: number, output: number): number | null {
    const shift = this.drawn.shifts?.(this.#parameters)[output] ?? 0
    return this.values[index - shift]?.[output] ?? null
  }

  get needsSides(): boolean {
    return this.#row.needsSides === true
  }

  setFlow(flowOf: FlowOf | null, fromMs: number): void {
    this.#flowOf = flowOf
    const pushed = this.#pushed === 0 ? undefined : this.#rows?.[this.#pushed - 1]
    if (pushed !== undefined && pushed.timestamp >= fromMs) this.#rows = null
  }

  #barOf({ bar }: Row): BarValues | null {
    return bar === null || !this.needsSides ? bar : { ...bar, flow: this.#flowOf?.(bar.startMs) }
  }

  follow(rows: readonly Row[]): readonly StudyValues[] {
    if (rows !== this.#rows || rows.length < this.values.length) {
      this.#rows = rows
      this.#indicator = this.#create()
      this.#pushed = 0
      this.values.length = 0
      if (this.needsSides && rows.length > 0 && this.#indicator.lead)
        for (const trades of this.#flowOf?.before?.(rows[0].timestamp) ?? []) this.#indicator.lead(trades)
    }
    const last = rows.length - 1
    for (; this.#pushed < last; this.#pushed++) {
      const bar = this.#barOf(rows[this.#pushed])
      if (bar === null) this.#indicator.gap?.()
      this.values[this.#pushed] = bar === null ? NOTHING : valuesOf(this.#indicator.push(bar))
    }
    const bar = last < 0 ? null : this.#barOf(rows[last])
    if (last >= 0) this.values[last] = bar ? valuesOf(this.#indicator.peek(bar)) : NOTHING
    return this.values
  }
}
