/** Follows one query into a chart: pages of stored bars plus the stream of new ones, or the latest trades. */
import type { ChartPort, ChartSeries, ChartStyle } from '../../../charts/model/chart.ts'
import type { Failure } from '../../../../shared/base/errors.ts'
import type { InstrumentId } from '../../../../shared/base/units.ts'
import { INTERVALS, type Bar, type BarSource, type Interval } from '../../../../shared/core/market/market.ts'
import type { Transport } from '../../../../shared/rpc/transport.ts'
import { FollowedBars } from './followed-bars.ts'
import { FollowedTrades } from './followed-trades.ts'

export interface ChartQuery {
  readonly view: string
  readonly instrument: InstrumentId
  readonly label: string
  readonly of: BarSource
  readonly interval: Interval
  readonly ticks: boolean
  readonly style: ChartStyle
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
    const { label, interval, style, ticks } = this.query
    const series: ChartSeries = {
      label,
      intervalMs: INTERVALS[interval],
      decimals: this.#decimals,
      style: ticks && style !== 'area' ? 'line' : style,
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

/** Keeps a chart up to date with a query until stopped. */
export function followChart(
  transport: Transport,
  chart: ChartSink,
  query: ChartQuery,
  onStage: (stage: ChartStage) => void,
  onDecimals: (decimals: number) => void,
): Following {
  const target = new ChartTarget(chart, query, onStage, onDecimals)
  return query.ticks ? new FollowedTrades(transport, target) : new FollowedBars(transport, target)
}
