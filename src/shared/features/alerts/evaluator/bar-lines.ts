/** Bars of one kind and interval as indicators need them, and the comparisons of lines that alerts wait for. */
import { createBarBuilder, toBar, type BarBuilder, type BarGrid } from '../../../core/market/bars.ts'
import type { BarValues, Indicator } from '../../../core/market/indicators/indicator.ts'
import { INDICATORS, PRICES } from '../../../core/market/indicators/table.ts'
import type { Bar, BarSource, Interval } from '../../../core/market/market.ts'
import type { AlertCondition, IndicatorLine } from '../types.ts'

type IndicatorCondition = Extract<AlertCondition, { readonly is: 'indicator' }>

interface Line {
  readonly wanted: IndicatorLine
  indicator: Indicator
  /** Alerts that use it. */
  uses: number
  values: readonly number[]
}

/** Told of a cross: what the line is now and was before. */
export type LinesCrossed<T> = (item: T, up: boolean, value: number, before: number) => void

interface Comparison<T> {
  readonly item: T
  readonly condition: IndicatorCondition
  readonly line: Line
  readonly other: Line | null
  /** Line less what it is compared with, and the line itself, when last looked at; NaN: the chain begins. */
  apart: number
  value: number
}

/** Bars before now that an indicator wants to be warm. */
export const SEED_BARS = 2_000

const keyOf = ({ id, values, price }: IndicatorLine): string => `${id}(${values.join(',')}) ${price}`

const newIndicator = ({ id, values, price }: IndicatorLine): Indicator => INDICATORS[id].create(values, PRICES[price])

/**
 * Bars are closed by the first record of a later one, or by the clock. A record that comes for a closed bar
 * changes no indicator any more. Nothing is compared until the bars before are joined in by `seed`.
 */
export class BarLines<T> {
  readonly of: BarSource
  readonly interval: Interval
  readonly #grid: BarGrid
  #builder: BarBuilder
  readonly #lines = new Map<string, Line>()
  #comparisons: Comparison<T>[] = []
  #onRecord = 0
  #order = 0
  /** Start of the forming bar; NaN: none. Bars before `#closedTo` are closed. */
  #forming = NaN
  #closedTo = -Infinity
  #seeded = false

  constructor(of: BarSource, interval: Interval, grid: BarGrid) {
    this.of = of
    this.interval = interval
    this.#grid = grid
    this.#builder = createBarBuilder({ grid })
  }

  get seeded(): boolean {
    return this.#seeded
  }
  get empty(): boolean {
    return this.#comparisons.length === 0
  }

  /** A line that is new makes all of them begin anew: `seeded` is false then. */
  add(item: T, condition: IndicatorCondition): void {
    const line = this.#line(condition.line)
    const other = condition.against.is === 'line' ? this.#line(condition.against.line) : null
    this.#comparisons.push({ item, condition, line, other, apart: NaN, value: NaN })
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

  /** Whether a comparison has what it needs. */
  warm(item: T): boolean {
    const one = this.#comparisons.find((each) => each.item === item)
    if (one === undefined || !this.#seeded) return false
    const { line, against } = one.condition
    // Before its first bar a line has no values at all.
    const known = (of: Line | null, output: number): boolean => !Number.isNaN(of?.values[output] ?? NaN)
    return known(one.line, line.output) && (against.is !== 'line' || known(one.other, against.line.output))
  }

  /** Joins the bars before now, oldest first; what was received since stands. Crosses nothing. */
  seed(bars: readonly Bar[]): void {
    const [first] = this.#builder.states()
    for (const bar of bars) {
      // A bar that is being received since its beginning is known better than the store has it.
      if (first !== undefined && bar.startMs > first.startMs) break
      // Of the bar that was forming then, some records may be known from both.
      const known = this.#builder.get(bar.startMs)?.volume ?? NaN
      const volume = bar.volume ?? NaN
      this.#builder.merge({
        ...bar,
        volume: Number.isNaN(known) ? volume : Math.max(0, volume - known),
        volumeRest: 0,
        openMs: bar.startMs,
        openSeq: 0,
        closeMs: bar.startMs,
        closeSeq: 0,
        firstSeq: 0,
        lastSeq: 0,
      })
    }
    const states = this.#builder.states()
    for (const state of states.slice(0, -1)) this.#push(toBar(state))
    const last = states.at(-1)
    this.#forming = last?.startMs ?? NaN
    this.#closedTo = last?.startMs ?? -Infinity
    this.#builder.forgetBefore(this.#closedTo)
    this.#seeded = true
    this.cut()
  }

  /** A record of this kind; `size` NaN: it carries none. */
  record(eventMs: number, price: number, size: number, crossed: LinesCrossed<T>): void {
    const start = this.#builder.apply(eventMs, ++this.#order, price, size)
    if (!this.#seeded || Number.isNaN(start) || start < this.#closedTo) return
    if (Number.isNaN(this.#forming)) this.#forming = start
    else if (start > this.#forming) {
      this.#close(crossed)
      this.#forming = start
    } else if (start < this.#forming) return
    if (this.#onRecord > 0) this.#look(crossed)
  }

  /** Closes the forming bar when its end has come. */
  advance(nowMs: number, crossed: LinesCrossed<T>): void {
    if (!this.#seeded || Number.isNaN(this.#forming)) return
    if (nowMs < this.#builder.grid.endOf(this.#forming)) return
    this.#close(crossed)
    this.#forming = NaN
  }

  /** The bars before now are to be given once more: those given were not all there are. */
  reopen(): void {
    if (this.#seeded) this.#begin()
  }

  /** Another place in time: the bars before it are to be given anew. */
  forget(): void {
    this.#builder = createBarBuilder({ grid: this.#grid })
    this.#closedTo = -Infinity
    this.#begin()
  }

  /** What comes does not follow what came: the next value of each comparison crosses nothing. */
  cut(): void {
    for (const one of this.#comparisons) one.apart = one.value = NaN
  }

  #line(wanted: IndicatorLine): Line {
    const key = keyOf(wanted)
    const known = this.#lines.get(key)
    if (known !== undefined) {
      known.uses += 1
      return known
    }
    if (this.#seeded) this.#begin()
    const line: Line = { wanted, indicator: newIndicator(wanted), uses: 1, values: [] }
    this.#lines.set(key, line)
    return line
  }

  /** All lines get their past once more: a new one needs bars that are forgotten. */
  #begin(): void {
    this.#seeded = false
    this.#forming = NaN
    for (const line of this.#lines.values()) {
      line.indicator = newIndicator(line.wanted)
      line.values = []
    }
    this.cut()
  }

  #release(wanted: IndicatorLine): void {
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
  #look(crossed: LinesCrossed<T>): void {
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
    const apart =
      value -
      (against.is === 'level' ? against.level : against.is === 'price' ? close : (others?.[against.line.output] ?? NaN))
    const { apart: before, value: valueBefore } = one
    one.apart = apart
    one.value = value
    if (before < 0 && apart >= 0 && direction !== 'down') crossed(one.item, true, value, valueBefore)
    else if (before > 0 && apart <= 0 && direction !== 'up') crossed(one.item, false, value, valueBefore)
  }
}
