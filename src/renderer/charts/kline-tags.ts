/** The labels next to the axes: bid, ask, the last trade if the bars are averages, and the values of indicators. */
import type { KlineBars } from './kline-bars.ts'
import type { PriceAxis } from './kline-axis.ts'
import type { AxisTag, Quote } from './model/chart.ts'

/** A label before it has a place. */
export type TagPrice = Omit<AxisTag, 'y' | 'text'>

interface Options {
  readonly prices: PriceAxis
  readonly bars: KlineBars
  readonly quote: () => Quote | null
  /** Whether the label of the last price has a countdown. */
  readonly hasCountdown: () => boolean
  /** The values of indicators over the prices. */
  readonly values: () => readonly TagPrice[]
  /** Those of indicators in panes of their own, placed. */
  readonly ownValues: () => readonly AxisTag[]
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

  texts(): readonly string[] {
    return [...this.#wanted().map(this.#options.prices.tagText), ...this.#options.ownValues().map(({ text }) => text)]
  }

  /** Call it before the axis is painted. The other labels make room for that of the last price. */
  place(): void {
    const { prices, bars, hasCountdown, ownValues } = this.#options
    const close = bars.rows().at(-1)?.close ?? NaN
    const last = bars.areAverages || bars.hasNewer || Number.isNaN(close) ? null : close
    const tags = [...prices.placeTags(last, this.#wanted(), hasCountdown()), ...ownValues()]
    if (JSON.stringify(tags) === JSON.stringify(this.#tags)) return
    this.#tags = tags
    for (const listener of this.#listeners) listener(tags)
  }

  #wanted(): readonly TagPrice[] {
    const { bars, values } = this.#options
    const quote = this.#options.quote()
    const close = bars.areAverages ? (bars.last?.close ?? null) : null
    const tag = (of: 'bid' | 'ask' | 'last', price: number): TagPrice => ({ key: of, of, colour: '', price })
    return [
      ...(quote?.bid ? [tag('bid', quote.bid)] : []),
      ...(quote?.ask ? [tag('ask', quote.ask)] : []),
      ...(close === null ? [] : [tag('last', close)]),
      ...values(),
    ]
  }
}
