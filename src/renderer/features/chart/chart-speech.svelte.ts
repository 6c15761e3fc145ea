/** What a screen reader says about a chart: the bar under the crosshair, or the chosen cell of a footprint. */
import { untrack } from 'svelte'
import type { CellColumns } from '../../../shared/core/market/flow/cells.ts'
import type { ChartLegend } from '../../charts/model/chart.ts'
import type { Zone } from '../../text/zone.ts'
import { cellSentence, type PlacedCell } from './follow/cell-walk.ts'
import { spokenLegend } from './model/chart-labels.ts'

/** Each is a separate reactive getter, apart from `cells`, which can change with every legend. */
export interface SpokenChart {
  readonly legend: ChartLegend
  readonly cell: PlacedCell | null
  /** The cells of its bar; null: not read. */
  readonly cells: CellColumns | null
  readonly gapLabel: string
  readonly price: (value: number) => string
  readonly size: (value: number) => string
  readonly stepMs: number
  readonly clock: Zone
}

/** Create it during component initialization. */
export class ChartSpeech {
  readonly #shown: SpokenChart
  #pointedAt = $state<number | null>(null)
  // A bar is announced once, when the crosshair reaches it, not with every tick.
  readonly #bar = $derived.by(() => {
    if (this.#pointedAt === null) return ''
    const { legend, gapLabel, price, stepMs, clock } = untrack(() => ({ ...this.#shown }))
    return spokenLegend(legend, gapLabel, price, stepMs, clock)
  })
  readonly #isCellRead = $derived.by(() => {
    void this.#shown.legend
    return this.#shown.cells !== null
  })
  // A cell is announced when it is chosen, regrouped or read again, not with every trade.
  readonly #cell = $derived.by(() => {
    const { cell } = this.#shown
    if (cell === null || !this.#isCellRead) return ''
    const { cells, price, size } = untrack(() => ({ ...this.#shown }))
    return cells === null ? '' : cellSentence(cell, cells, price, size)
  })

  constructor(shown: SpokenChart) {
    this.#shown = shown
    $effect(() => {
      const { rests, fromCrosshair, bar, atMs } = shown.legend
      if (!rests) this.#pointedAt = fromCrosshair ? (bar?.startMs ?? atMs) : null
    })
  }

  get text(): string {
    return this.#cell || this.#bar
  }
}
