/** Bars of one source and interval for indicators, and the line comparisons that alerts wait for. */
import { stateOfStored, toBar, type BarGrid } from '../../../core/market/bars.ts'
import { createBarBuilder, type BarBuilder } from '../../../core/market/bar-builder.ts'
import type { BarValues, Indicator } from '../../../core/market/indicators/indicator.ts'
import type { DayOf } from '../../../core/market/indicators/indicators.ts'
import { PRICES } from '../../../core/market/indicators/row.ts'
import { INDICATORS } from '../../../core/market/indicators/table.ts'
import type { Bar, BarSource, Interval } from '../../../core/market/market.ts'
import { formulaSpec, MOST_FORMULA_BARS } from '../formula-line.ts'
import type { AlertCondition, AlertLine } from '../types.ts'

type IndicatorCondition = Extract<AlertCondition, { readonly is: 'indicator' }>

interface Line {
  readonly wanted: AlertLine
  indicator: Indicator
  uses: number
  values: readonly number[]
}

/** Called for each cross, with the line's value now and before. */
export type LinesCrossed<T> = (item: T, up: boolean, value: number, before: number) => void

interface Comparison<T> {
  readonly item: T
  readonly condition: IndicatorCondition
  readonly line: Line
  readonly other: Line | null
  /**
   * The line minus what it is compared with, and the line itself, at the last comparison. NaN: no comparison in this
   * chain yet.
   */
  distance: number
  value: number
}

/** How many earlier bars an indicator gets to warm up. */
export const SEED_BARS = MOST_FORMULA_BARS

const keyOf = (line: AlertLine): string =>
  `${line.id}(${line.values.join(',')}) ${line.id === 'formula' ? line.text : line.price}`

/** Where the days and main sessions of an instrument begin, UTC ms. */
export interface LineDays {
  readonly dayOf: DayOf
  readonly openOf: DayOf
}

const NO_VALUES: Indicator = { peek: () => [], push: () => [] }

function newIndicator(line: AlertLine, { dayOf, openOf }: LineDays): Indicator {
  if (line.id !== 'formula') return INDICATORS[line.id].create(line.values, PRICES[line.price], dayOf, openOf)
  // Only formulas without errors get into an alert.
  return formulaSpec(line.text)?.create(line.values, PRICES.close, dayOf, openOf) ?? NO_VALUES
}

/**
 * A bar is closed by the first record of a later one, or by the clock. A record for a closed bar no longer changes an
 * indicator. Nothing is compared until `seed` has added the earlier bars.
 */
export class BarLines<T> {
  readonly of: BarSource
  readonly interval: Interval
  readonly #grid: BarGrid
  readonly #days: LineDays
  #builder: BarBuilder
  readonly #lines = new Map<string, Line>()
  #comparisons: Comparison<T>[] = []
  #onRecord = 0
  #order = 0
  /** Start of the forming bar, or NaN without one. Bars before `#closedTo` are closed. */
  #forming = NaN
  #closedTo = -Infinity
  #isSeeded = false

  constructor(of: BarSource, interval: Interval, grid: BarGrid, days: LineDays) {
    this.of = of
    this.interval = interval
    this.#grid = grid
    this.#days = days
    this.#builder = createBarBuilder({ grid })
  }

  get isSeeded(): boolean {
    return this.#isSeeded
  }
  get isEmpty(): boolean {
    return this.#comparisons.length === 0
  }

  /** A new line restarts all lines, so `isSeeded` is false afterwards. */
  add(item: T, condition: IndicatorCondition): void {
    const line = this.#line(condition.line)
    const other = condition.against.is === 'line' ? this.#line(condition.against.line) : null
    this.#comparisons.push({ item, condition, line, other, distance: NaN, value: NaN })
    if (condition.on === 'record') this.#onRecord += 1
  }

  remove(item: T): void {
    const at = this.#comparisons.findIndex((one) => one.item === item)
    if (at < 0) return
    const [{ condition }] = this.#comparisons.splice(at, 1)
    if (condition.on === 'record') this.#onRecord -= 1
    this.#release(condition.line)
    if (condition.against.is === 'line') this.#release(condition.against.line)
  }

  /** Whether a comparison has all the values it needs. */
  isWarm(item: T): boolean {
    const one = this.#comparisons.find((each) => each.item === item)
    if (one === undefined || !this.#isSeeded) return false
    const { line, against } = one.condition
    // A line has no values before its first bar.
    const known = (of: Line | null, output: number): boolean => !Number.isNaN(of?.values[output] ?? NaN)
    return known(one.line, line.output) && (against.is !== 'line' || known(one.other, against.line.output))
  }

  /** Adds the earlier bars, oldest first. What was received meanwhile stays. Nothing is crossed. */
  seed(bars: readonly Bar[]): void {
    const [first] = this.#builder.states()
    for (const bar of bars) {
      // A bar received from its start is more complete than the stored one.
      if (first !== undefined && bar.startMs > first.startMs) break
      // The bar that was forming then can include records that were also received here.
      const known = this.#builder.get(bar.startMs)?.volume ?? NaN
      const state = stateOfStored(bar)
      if (!Number.isNaN(known)) state.volume = Math.max(0, state.volume - known)
      this.#builder.merge(state)
    }
    const states = this.#builder.states()
    for (const state of states.slice(0, -1)) this.#push(toBar(state))
    const last = states.at(-1)
    this.#forming = last?.startMs ?? NaN
    this.#closedTo = last?.startMs ?? -Infinity
    this.#builder.forgetBefore(this.#closedTo)
    this.#isSeeded = true
    this.cut()
  }

  /** Takes a record of this source. `size` is NaN if it has none. */
  record(eventMs: number, price: number, size: number, crossed: LinesCrossed<T>): void {
    const start = this.#builder.apply(eventMs, ++this.#order, price, size)
    if (!this.#isSeeded || Number.isNaN(start) || start < this.#closedTo) return
    if (Number.isNaN(this.#forming)) this.#forming = start
    else if (start > this.#forming) {
      this.#close(crossed)
      this.#forming = start
    } else if (start < this.#forming) return
    if (this.#onRecord > 0) this.#compareForming(crossed)
  }

  /** Closes the forming bar once its end has passed. */
  advance(nowMs: number, crossed: LinesCrossed<T>): void {
    if (!this.#isSeeded || Number.isNaN(this.#forming)) return
    if (nowMs < this.#builder.grid.endOf(this.#forming)) return
    this.#close(crossed)
    this.#forming = NaN
  }

  /** Asks for the earlier bars again, because those given were incomplete. */
  reopen(): void {
    if (this.#isSeeded) this.#begin()
  }

  /** Starts over at another point in time, which needs its own earlier bars. */
  forget(): void {
    this.#builder = createBarBuilder({ grid: this.#grid })
    this.#closedTo = -Infinity
    this.#begin()
  }

  /** Starts a new chain: the next value of each comparison crosses nothing. */
  cut(): void {
    for (const one of this.#comparisons) one.distance = one.value = NaN
  }

  #line(wanted: AlertLine): Line {
    const key = keyOf(wanted)
    const known = this.#lines.get(key)
    if (known !== undefined) {
      known.uses += 1
      return known
    }
    if (this.#isSeeded) this.#begin()
    const line: Line = { wanted, indicator: newIndicator(wanted, this.#days), uses: 1, values: [] }
    this.#lines.set(key, line)
    return line
  }

  /** Restarts all lines, because a new one needs bars that are no longer held. */
  #begin(): void {
    this.#isSeeded = false
    this.#forming = NaN
    for (const line of this.#lines.values()) {
      line.indicator = newIndicator(line.wanted, this.#days)
      line.values = []
    }
    this.cut()
  }

  #release(wanted: AlertLine): void {
    const key = keyOf(wanted)
    const line = this.#lines.get(key)
    if (line !== undefined && --line.uses === 0) this.#lines.delete(key)
  }

  #push(bar: BarValues): void {
    for (const line of this.#lines.values()) line.values = line.indicator.push(bar)
  }

  #close(crossed: LinesCrossed<T>): void {
    const state = this.#builder.get(this.#forming)
    if (state === undefined) return
    const bar = toBar(state)
    this.#closedTo = state.endMs
    this.#push(bar)
    for (const one of [...this.#comparisons]) {
      if (one.condition.on === 'close') this.#compare(one, one.line.values, one.other?.values, bar.close, crossed)
    }
    this.#builder.forgetBefore(state.endMs)
  }

  /** Compares within the forming bar. */
  #compareForming(crossed: LinesCrossed<T>): void {
    const state = this.#builder.get(this.#forming)
    if (state === undefined) return
    const bar = toBar(state)
    const peeked = new Map<Line, readonly number[]>()
    const peek = (line: Line): readonly number[] => {
      const known = peeked.get(line) ?? line.indicator.peek(bar)
      peeked.set(line, known)
      return known
    }
    for (const one of [...this.#comparisons]) {
      if (one.condition.on !== 'record') continue
      this.#compare(one, peek(one.line), one.other === null ? undefined : peek(one.other), bar.close, crossed)
    }
  }

  #compare(
    one: Comparison<T>,
    values: readonly number[],
    others: readonly number[] | undefined,
    close: number,
    crossed: LinesCrossed<T>,
  ): void {
    const { line, against, direction } = one.condition
    const value = values[line.output] ?? NaN
    const distance =
      value -
      (against.is === 'level' ? against.level : against.is === 'price' ? close : (others?.[against.line.output] ?? NaN))
    const { distance: before, value: valueBefore } = one
    one.distance = distance
    one.value = value
    if (before < 0 && distance >= 0 && direction !== 'down') crossed(one.item, true, value, valueBefore)
    else if (before > 0 && distance <= 0 && direction !== 'up') crossed(one.item, false, value, valueBefore)
  }
}
