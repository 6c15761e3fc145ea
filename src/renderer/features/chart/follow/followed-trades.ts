/** The latest trades of an instrument on a chart, each a point of its own. */
import { unixMs } from '../../../../shared/base/units.ts'
import type { Bar, Print } from '../../../../shared/core/market/market.ts'
import type { Transport } from '../../../../shared/transport.ts'
import type { ChartTarget, Following } from './chart-target.ts'

const MAX_TRADES = 2_000

/** A trade as a point. The chart needs strictly growing times, so trades of the same time are a microsecond apart. */
function pointOf(trade: Print, afterMs: number): Bar {
  const start = unixMs(Math.max(trade.eventMs ?? trade.recvMs, afterMs + 0.001))
  const { price } = trade
  return {
    startMs: start,
    endMs: start,
    open: price,
    high: price,
    low: price,
    close: price,
    volume: trade.size,
    count: 1,
    complete: true,
  }
}

export class FollowedTrades implements Following {
  readonly #target: ChartTarget
  readonly #unsubscribe: () => void
  #points: Bar[] = []
  #isLoaded = false
  #isStopped = false

  constructor(transport: Transport, target: ChartTarget) {
    this.#target = target
    const { view, instrument } = target.query
    target.begin()
    this.#unsubscribe = transport.subscribe(
      'tape',
      { view, instrument, limit: MAX_TRADES },
      (value) => {
        if (this.#isStopped) return
        target.setDecimals(value.decimals, this.#isLoaded)
        if (value.reset) this.#replace(value.reset)
        this.#append(value.prints)
      },
      (failure) => target.onStage({ is: 'failed', failure }),
    )
    target.chart.setPages(null)
  }

  readonly stop = (): void => {
    this.#isStopped = true
    this.#target.chart.setPages(null)
    this.#unsubscribe()
  }

  readonly cut = (ms: number): void => {
    if (this.#lastMs <= ms) return
    this.#points = this.#points.filter((point) => point.startMs <= ms)
    this.#show(true)
  }

  get #lastMs(): number {
    return this.#points.at(-1)?.startMs ?? 0
  }

  #replace(trades: readonly Print[]): void {
    const keepView = this.#isLoaded
    this.#points = []
    for (const trade of trades) this.#points.push(pointOf(trade, this.#lastMs))
    this.#isLoaded = true
    this.#show(keepView)
  }

  #append(trades: readonly Print[]): void {
    if (trades.length === 0) return
    const { length } = this.#points
    for (const trade of trades) this.#points.push(pointOf(trade, this.#lastMs))
    this.#target.chart.update(this.#points.slice(length))
    this.#tellStage()
  }

  #show(keepView: boolean): void {
    this.#target.load(this.#points, false, keepView, false)
    this.#tellStage()
  }

  #tellStage(): void {
    this.#target.onStage(this.#points.length > 0 ? { is: 'ready' } : { is: 'empty', damaged: false })
  }
}
