/** What a chart shows: its query, the stage of loading it, and the target that its bars go to. */
import type { ChartPort } from '../../../charts/model/chart.ts'
import type { Failure } from '../../../../shared/base/errors.ts'
import type { InstrumentId } from '../../../../shared/base/units.ts'
import { msOf, type Bar, type BarSource, type Interval } from '../../../../shared/core/market/market.ts'
import type { EventBarRule } from '../../../../shared/core/market/event-bars.ts'
import type { SpreadOperator } from '../../../../shared/core/market/spread.ts'

/** The other instrument of a ratio or difference. */
export interface SpreadQuery {
  readonly with: InstrumentId
  readonly operator: SpreadOperator
}

export interface ChartQuery {
  readonly view: string
  readonly instrument: InstrumentId
  readonly label: string
  readonly of: BarSource
  readonly interval: Interval
  readonly ticks: boolean
  /** Bars by trades instead of bars of the interval. */
  readonly eventBars: EventBarRule | null
  /** Instead of the instrument's own prices. */
  readonly spread?: SpreadQuery | null
}

export type ChartStage =
  | { readonly is: 'loading' }
  /** `damaged`: bars are stored, but corrupt. */
  | { readonly is: 'empty'; readonly damaged: boolean }
  | { readonly is: 'ready' }
  | { readonly is: 'failed'; readonly failure: Failure }

export interface Following {
  readonly stop: () => void
  /** Drops bars that start after an instant (UTC ms): a replay seeked back, and the new bars haven't arrived yet. */
  readonly cut: (ms: number) => void
}

/** The part of the chart port that loading bars uses. */
export type ChartSink = Pick<ChartPort, 'load' | 'update' | 'setGaps' | 'setDecimals' | 'setPages'>

/** A query, the chart that it is shown on, and the listeners of that chart's pane. */
export class ChartTarget {
  readonly chart: ChartSink
  readonly query: ChartQuery
  readonly onStage: (stage: ChartStage) => void
  readonly #onDecimals: (decimals: number) => void
  #decimals = 2

  constructor(
    chart: ChartSink,
    query: ChartQuery,
    onStage: (stage: ChartStage) => void,
    onDecimals: (decimals: number) => void,
  ) {
    this.chart = chart
    this.query = query
    this.onStage = onStage
    this.#onDecimals = onDecimals
  }

  /** Sets the decimals of prices. Once bars are shown, they never decrease. */
  setDecimals(next: number, hasBars: boolean): void {
    if (next <= this.#decimals && hasBars) return
    this.#decimals = next
    this.chart.setDecimals(next)
    this.#onDecimals(next)
  }

  load(bars: readonly Bar[], hasOlder: boolean, keepView: boolean, hasNewer: boolean): void {
    const { label, interval, ticks, eventBars } = this.query
    const series = {
      label,
      // Bars by trades can be any time apart.
      intervalMs: eventBars === null ? msOf(interval) : 1,
      decimals: this.#decimals,
      ticks,
    }
    this.chart.load(series, bars, hasOlder, keepView, hasNewer)
  }

  /** Clears the chart while the first bars load. */
  begin(): void {
    this.onStage({ is: 'loading' })
    this.chart.setGaps([])
    this.load([], false, false, false)
  }
}
