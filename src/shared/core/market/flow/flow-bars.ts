/** The trades of an instrument as bars: cells, delta and VWAP of each. Pure. */
import type { BarGrid } from '../bars.ts'
import { Amount, FlowCells, NO_CELLS, rowOfPrice, type CellColumns, type PriceRows } from './cells.ts'
import type { GapEnds, LostBetween } from './gap-count.ts'
import { isUnquoted, type TradeSide } from './side.ts'
import { addToVwap, mergeVwap, NO_VWAP, type VwapPart } from './vwap.ts'

/** A trade. `eventMs` NaN: undated. `size` NaN: none. Times UTC ms. */
export interface FlowTrade {
  readonly recvMs: number
  readonly eventMs: number
  readonly price: number
  readonly size: number
}

/** How far the sides of a period can be trusted: numbers of trades. */
export interface FlowCoverage {
  readonly trades: number
  /** Trades without a side, including those that aren't settled. */
  readonly unknown: number
  /** Trades without a usable quote. Their side, if any, comes from the price's direction. */
  readonly unquoted: number
  /** Number of times that trades or quotes were not received. */
  readonly gaps: number
  /** Number of times that nothing is stored between two sessions. */
  readonly breaks: number
}

/** Bars: columns of equal length, each with the sums of its trades. */
export interface FlowColumns {
  readonly startMs: readonly number[]
  readonly buy: readonly number[]
  readonly sell: readonly number[]
  readonly unknown: readonly number[]
  /** The least and greatest delta within the bar, from 0, in the order of receipt. */
  readonly leastDelta: readonly number[]
  readonly mostDelta: readonly number[]
  /** The volume-weighted average price, 0 without volume, and the squared distances from it times volume. */
  readonly vwap: readonly number[]
  readonly squares: readonly number[]
  /** The cells of each bar; absent unless asked for. */
  readonly cells?: readonly CellColumns[]
}

/** The sums of a span of receipt as one bar, with cells of one tick. */
export interface FlowPart {
  readonly bars: FlowColumns
  /** Without a gap before the first message: that one is found when parts are joined. */
  readonly coverage: FlowCoverage
  readonly gapEnds: GapEnds
  /** The first and last date of its trades, UTC ms; Infinity and -Infinity: it has none. */
  readonly firstMs: number
  readonly lastMs: number
}

/** [fromMs, toMs), UTC ms; `toMs` null: no end. */
export interface FlowSpan {
  readonly fromMs: number
  readonly toMs: number | null
}

class FlowBar {
  readonly cells = new FlowCells()
  readonly #delta = new Amount()
  leastDelta = 0
  mostDelta = 0
  vwap: VwapPart = NO_VWAP

  settled(size: number, side: 1 | -1): void {
    this.#delta.add(size, side)
    this.leastDelta = Math.min(this.leastDelta, this.#delta.value)
    this.mostDelta = Math.max(this.mostDelta, this.#delta.value)
  }

  /** Adds the trades of a part that follows those already added. */
  include({ bars }: FlowPart, group: number): void {
    const [buy, sell, unknown] = [bars.buy[0], bars.sell[0], bars.unknown[0]]
    this.leastDelta = Math.min(this.leastDelta, this.#delta.value + bars.leastDelta[0])
    this.mostDelta = Math.max(this.mostDelta, this.#delta.value + bars.mostDelta[0])
    this.#delta.add(buy)
    this.#delta.add(sell, -1)
    this.cells.addColumns(bars.cells?.[0] ?? NO_CELLS, (row) => Math.floor(row / group))
    const volume = buy + sell + unknown
    if (volume > 0) this.vwap = mergeVwap(this.vwap, { volume, mean: bars.vwap[0], squares: bars.squares[0] })
  }
}

export class FlowBars {
  readonly #grid: Pick<BarGrid, 'startOf'>
  readonly #span: FlowSpan
  readonly #rows: PriceRows | null
  readonly #bars = new Map<number, FlowBar>()
  #trades = 0
  #unknown = 0
  #unquoted = 0
  #gaps = 0
  #breaks = 0

  /** `rows` null: volume isn't split by price. */
  constructor(grid: Pick<BarGrid, 'startOf'>, span: FlowSpan, rows: PriceRows | null) {
    this.#grid = grid
    this.#span = span
    this.#rows = rows
  }

  /** Adds a trade as unknown. Returns the start of its bar, UTC ms; NaN: it is outside. */
  arrived({ recvMs, eventMs, price, size }: FlowTrade): number {
    const start = this.#startOf(recvMs, eventMs)
    if (Number.isNaN(start)) return NaN
    const bar = this.#barAt(start)
    bar.cells.add(this.#rowOf(price), 0, size)
    bar.vwap = addToVwap(bar.vwap, price, size)
    this.#trades++
    this.#unknown++
    return start
  }

  /** Gives a trade that arrived its side. Returns the start of its bar, UTC ms; NaN: it is outside. */
  settled({ recvMs, eventMs, price, size }: FlowTrade, { side, reason }: TradeSide): number {
    const start = this.#startOf(recvMs, eventMs)
    const bar = this.#bars.get(start)
    if (bar === undefined) return NaN
    if (isUnquoted({ side, reason })) this.#unquoted++
    if (side === 0) return start
    this.#unknown--
    bar.cells.settle(this.#rowOf(price), side, size)
    if (size >= 0 && size < Infinity) bar.settled(size, side)
    return start
  }

  /** Adds the trades of a part, in the bar that starts at `start` (UTC ms). Parts come in order, before later trades. */
  include(start: number, part: FlowPart): void {
    const { trades, unknown, unquoted, gaps, breaks } = part.coverage
    if (trades > 0) this.#barAt(start).include(part, this.#rows?.group ?? 1)
    this.#trades += trades
    this.#unknown += unknown
    this.#unquoted += unquoted
    this.#gaps += gaps
    this.#breaks += breaks
  }

  /** Trades or quotes were not received or stored between two messages. Returns whether it counts here. */
  lost({ afterMs, beforeMs, why }: LostBetween): boolean {
    const { fromMs, toMs } = this.#span
    const isInside = beforeMs > fromMs && (toMs === null || afterMs < toMs)
    if (isInside && why === 'gap') this.#gaps++
    if (isInside && why === 'break') this.#breaks++
    return isInside
  }

  /** Starts of the bars with trades, ascending. */
  starts(): readonly number[] {
    return [...this.#bars.keys()].sort((a, b) => a - b)
  }

  columns(starts: readonly number[]): FlowColumns {
    const bars = starts.map((start) => this.#bars.get(start) ?? new FlowBar())
    return {
      startMs: starts,
      buy: bars.map(({ cells }) => cells.buy),
      sell: bars.map(({ cells }) => cells.sell),
      unknown: bars.map(({ cells }) => cells.unknown),
      leastDelta: bars.map((bar) => bar.leastDelta),
      mostDelta: bars.map((bar) => bar.mostDelta),
      vwap: bars.map(({ vwap }) => (vwap.volume > 0 ? vwap.mean : 0)),
      squares: bars.map(({ vwap }) => vwap.squares),
      ...(this.#rows === null ? {} : { cells: bars.map(({ cells }) => cells.columns()) }),
    }
  }

  get coverage(): FlowCoverage {
    return {
      trades: this.#trades,
      unknown: this.#unknown,
      unquoted: this.#unquoted,
      gaps: this.#gaps,
      breaks: this.#breaks,
    }
  }

  #barAt(start: number): FlowBar {
    let bar = this.#bars.get(start)
    if (bar === undefined) {
      bar = new FlowBar()
      this.#bars.set(start, bar)
    }
    return bar
  }

  /** A trade belongs to its bar by event time, as in bars. */
  #startOf(recvMs: number, eventMs: number): number {
    const { fromMs, toMs } = this.#span
    const atMs = Number.isNaN(eventMs) ? recvMs : eventMs
    return atMs < fromMs || (toMs !== null && atMs >= toMs) ? NaN : this.#grid.startOf(atMs)
  }

  #rowOf(price: number): number {
    return this.#rows === null ? 0 : rowOfPrice(price, this.#rows)
  }
}
