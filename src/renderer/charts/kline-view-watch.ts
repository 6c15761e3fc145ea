/** Notifies listeners in each frame in which the positions of instants or prices on a chart changed. */
import type { Chart } from 'klinecharts'
import type { PriceAxis } from './kline-axis.ts'
import type { KlineCrosshair } from './kline-crosshair.ts'
import type { Places } from './kline-place.ts'
import type { Row } from './model/series.ts'

export class ViewWatch {
  readonly #listeners = new Set<() => void>()
  readonly #crosshair: KlineCrosshair
  readonly #state: () => string
  #before = ''

  constructor(
    chart: Chart,
    prices: PriceAxis,
    crosshair: KlineCrosshair,
    { rows, places }: { readonly rows: () => readonly Row[]; readonly places: Pick<Places, 'plotArea' | 'xOf'> },
  ) {
    this.#crosshair = crosshair
    this.#state = () => {
      const range = prices.axis()?.getRange()
      const { width, height } = places.plotArea()
      const list = rows()
      const bar = chart.getBarSpace().bar
      return [
        width,
        height,
        range?.realFrom,
        range?.realTo,
        bar,
        list.at(0)?.timestamp,
        places.xOf(0),
        list.length,
      ].join()
    }
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    // What it saw when it began may have changed and come back before the next painting.
    this.#before = ''
    return () => this.#listeners.delete(listener)
  }

  /** Call it after each painting. Moves a crosshair that was placed on a row along with it. */
  check(): void {
    if (this.#listeners.size === 0 && !this.#crosshair.stands) return
    const state = this.#state()
    if (state === this.#before) return
    this.#before = state
    this.#crosshair.stay()
    for (const listener of this.#listeners) listener()
  }
}
