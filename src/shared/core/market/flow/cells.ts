/**
 * Volume per price row, split into bought, sold and unknown. Sums are exact, so they don't depend on the order in which
 * trades or parts are added. Pure.
 */
import type { Side } from './side.ts'

/** Sizes are counted in billionths. Smaller digits of a size are rounded away before it is added. */
const PART = 1e9

/** An exact sum of sizes. */
export class Amount {
  #whole = 0
  /** Billionths, in [0, 1e9). */
  #part = 0

  /** Adds a size, or removes it with `sign` -1. */
  add(size: number, sign: 1 | -1 = 1): void {
    const whole = Math.floor(size)
    this.#sum(whole * sign, Math.round((size - whole) * PART) * sign)
  }

  merge(other: Amount): void {
    this.#sum(other.#whole, other.#part)
  }

  /** The sum as the nearest double. */
  get value(): number {
    // Up to 2^53 billionths, one division rounds once.
    return this.#whole < 9e6 ? (this.#whole * PART + this.#part) / PART : this.#whole + this.#part / PART
  }

  #sum(whole: number, part: number): void {
    const all = this.#part + part
    const carry = Math.floor(all / PART)
    this.#whole += whole + carry
    this.#part = all - carry * PART
  }
}

/** The price rows of an instrument: `group` ticks of 10^-decimals each, counted from price 0. */
export interface PriceRows {
  readonly decimals: number
  readonly group: number
}

/** The row of a price: floor(mantissa / group). A price between two ticks belongs to the lower one. */
export function rowOfPrice(price: number, { decimals, group }: PriceRows): number {
  const scaled = price * 10 ** decimals
  const nearest = Math.round(scaled)
  // 0.29 x 100 is 28.999… in doubles.
  const mantissa = Math.abs(scaled - nearest) <= scaled * 2 ** -50 ? nearest : Math.floor(scaled)
  return Math.floor(mantissa / group)
}

/** The lower edge of a row; that of the next row is the upper one. */
export const priceOfRow = (row: number, { decimals, group }: PriceRows): number => (row * group) / 10 ** decimals

/** Rows in ascending order: columns of equal length. Rows without a trade are absent. */
export interface CellColumns {
  readonly row: readonly number[]
  readonly buy: readonly number[]
  readonly sell: readonly number[]
  readonly unknown: readonly number[]
  /** Number of trades. */
  readonly count: readonly number[]
}
export const NO_CELLS: CellColumns = { row: [], buy: [], sell: [], unknown: [], count: [] }

class Cell {
  readonly buy = new Amount()
  readonly sell = new Amount()
  readonly unknown = new Amount()
  count = 0

  of(side: Side): Amount {
    return side === 1 ? this.buy : side === -1 ? this.sell : this.unknown
  }
}

export class FlowCells {
  readonly #cells = new Map<number, Cell>()
  readonly #total = new Cell()

  /** Counts a trade. A size that is NaN counts as a trade without volume. */
  add(row: number, side: Side, size: number): void {
    for (const cell of [this.#at(row), this.#total]) {
      cell.count++
      if (size >= 0 && size < Infinity) cell.of(side).add(size)
    }
  }

  /** Gives a side to a trade that was added as unknown. */
  settle(row: number, side: Side, size: number): void {
    if (side === 0 || !(size >= 0 && size < Infinity)) return
    for (const cell of [this.#at(row), this.#total]) {
      cell.unknown.add(size, -1)
      cell.of(side).add(size)
    }
  }

  /** Adds the columns of another period, whose rows `rowOf` maps to rows of this one. Sums are to the billionth. */
  addColumns({ row, buy, sell, unknown, count }: CellColumns, rowOf: (row: number) => number): void {
    for (let i = 0; i < row.length; i++) {
      for (const into of [this.#at(rowOf(row[i])), this.#total]) {
        into.buy.add(buy[i])
        into.sell.add(sell[i])
        into.unknown.add(unknown[i])
        into.count += count[i]
      }
    }
  }

  /** Adds the cells of another period, whose rows `rowOf` maps to rows of this one. */
  merge(other: FlowCells, rowOf: (row: number) => number = (row) => row): void {
    for (const [row, cell] of other.#cells) {
      for (const into of [this.#at(rowOf(row)), this.#total]) {
        into.buy.merge(cell.buy)
        into.sell.merge(cell.sell)
        into.unknown.merge(cell.unknown)
        into.count += cell.count
      }
    }
  }

  get buy(): number {
    return this.#total.buy.value
  }
  get sell(): number {
    return this.#total.sell.value
  }
  get unknown(): number {
    return this.#total.unknown.value
  }
  /** Number of trades. */
  get count(): number {
    return this.#total.count
  }

  columns(): CellColumns {
    const row = [...this.#cells.keys()].sort((a, b) => a - b)
    const cells = row.map((one) => this.#at(one))
    return {
      row,
      buy: cells.map((cell) => cell.buy.value),
      sell: cells.map((cell) => cell.sell.value),
      unknown: cells.map((cell) => cell.unknown.value),
      count: cells.map((cell) => cell.count),
    }
  }

  #at(row: number): Cell {
    let cell = this.#cells.get(row)
    if (cell === undefined) {
      cell = new Cell()
      this.#cells.set(row, cell)
    }
    return cell
  }
}

/** 1, 2, 5, 10, 20 … */
function* groupSteps(): Generator<number, void> {
  for (let power = 1; ; power *= 10) for (const step of [1, 2, 5]) yield step * power
}

/** Rows that a bar has at most under the automatic group. */
const MAX_ROWS = 24

/**
 * The least 1-2-5 group under which the median of these bars has at most 24 rows, and all of them together at most
 * `most`.
 */
export function autoGroup(
  bars: readonly { readonly high: number; readonly low: number }[],
  decimals: number,
  most = Infinity,
): number {
  const spans = bars.map(({ high, low }) => high - low).sort((a, b) => a - b)
  const ofBar = groupFor(spans[Math.floor(spans.length / 2)] ?? 0, decimals, MAX_ROWS)
  const [high, low] = [Math.max(...bars.map((bar) => bar.high)), Math.min(...bars.map((bar) => bar.low))]
  return bars.length === 0 || most === Infinity ? ofBar : Math.max(ofBar, groupFor(high - low, decimals, most))
}

/** An automatic group, and how many bars it was chosen from. */
export interface AutoRows {
  readonly group: number
  readonly bars: number
}

/** So many bars are enough to choose rows from. */
const ENOUGH_BARS = 4

/**
 * The automatic group once these bars are shown: it stays, except that one chosen from fewer than four bars may still
 * grow. The first seconds of a market are no measure of its bars. `before`: the choice so far; null: none.
 */
export function autoRows(
  before: AutoRows | null,
  bars: readonly { readonly high: number; readonly low: number }[],
  decimals: number,
  most: number,
): AutoRows | null {
  if (bars.length === 0 || (before !== null && before.bars >= ENOUGH_BARS)) return before
  const group = Math.max(before?.group ?? 1, autoGroup(bars, decimals, most))
  return { group, bars: Math.max(before?.bars ?? 0, bars.length) }
}

/** The least 1-2-5 group that splits a span of prices into at most `levels` rows. */
export function groupFor(span: number, decimals: number, levels: number): number {
  for (const group of groupSteps()) if ((span * 10 ** decimals) / group < levels) return group
  return 1
}

/** The next larger (1) or smaller (-1) group of the 1-2-5 series. */
export function nextGroup(group: number, direction: 1 | -1): number {
  let before = 1
  for (const step of groupSteps()) {
    if (direction === 1 && step > group) return step
    if (direction === -1 && step >= group) return before
    before = step
  }
  return group
}

/** The sum of columns, each row once. Sums are to the billionth. */
export function sumOfCells(list: readonly CellColumns[]): CellColumns {
  if (list.length === 1) return list[0]
  const sum = new FlowCells()
  for (const columns of list) sum.addColumns(columns, (row) => row)
  return sum.columns()
}
