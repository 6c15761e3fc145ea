/** The price labels next to the price axis: bid, ask, and the last trade if the bars are averages. */
import type { KlineBars } from './kline-bars.ts'
import type { PriceAxis } from './kline-axis.ts'
import type { AxisTag, Quote } from './model/chart.ts'

type TagPrice = Omit<AxisTag, 'y' | 'text'>

interface Options {
  readonly prices: PriceAxis
  readonly bars: KlineBars
  readonly quote: () => Quote | null
  /** Whether the label of the last price has a countdown. */
  readonly hasCountdown: () => boolean
}

export class PriceTags {
  readonly #options: Options
  readonly #listeners = new Set<(tags: readonly AxisTag[]) => void>()
  #tags: readonly AxisTag[] = []

  constructor(options: Options) {
    this.#options = options
  }

  /** Calls the listener now and whenever a label moves or changes; returns its unsubscribe function. */
  listen(listener: (tags: readonly AxisTag[]) => void): () => void {
    this.#listeners.add(listener)
    listener(this.#tags)
    return () => this.#listeners.delete(listener)
  }

  /** The texts of the labels. */
  texts(): readonly string[] {
    return this.#wanted().map(this.#options.prices.tagText)
  }

  /** Call it before the axis is painted. The other labels make room for that of the last price. */
  place(): void {
    const { prices, bars, hasCountdown } = this.#options
    const close = bars.rows().at(-1)?.close ?? NaN
    const last = bars.areAverages || bars.hasNewer || Number.isNaN(close) ? null : close
    const tags = prices.placeTags(last, this.#wanted(), hasCountdown())
    if (JSON.stringify(tags) === JSON.stringify(this.#tags)) return
    this.#tags = tags
    for (const listener of this.#listeners) listener(tags)
  }

  #wanted(): readonly TagPrice[] {
    const { bars } = this.#options
    const quote = this.#options.quote()
    const close = bars.areAverages ? (bars.last?.close ?? null) : null
    return [
      ...(quote?.bid ? [{ key: 'B' as const, price: quote.bid }] : []),
      ...(quote?.ask ? [{ key: 'A' as const, price: quote.ask }] : []),
      ...(close === null ? [] : [{ key: 'L' as const, price: close }]),
    ]
  }
}
