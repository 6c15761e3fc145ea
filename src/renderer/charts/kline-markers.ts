/** The events at the feet of a chart's bars: which rows they belong to, and which ones are at a place. */
import { placeMarkers, type ChartMarker } from './model/markers.ts'
import type { Row } from './model/series.ts'
import type { Places } from './kline-place.ts'
import { markSize } from './paint/paint.ts'

type MarkersByRow = ReturnType<typeof placeMarkers>

interface Options {
  readonly rows: () => readonly Row[]
  readonly intervalMs: () => number
  readonly textScale: () => number
  readonly places: Pick<Places, 'plotArea' | 'xOf'>
}

export class Markers {
  readonly #options: Options
  #markers: readonly ChartMarker[] = []
  #placed: { readonly rows: readonly Row[]; readonly length: number; readonly byRow: MarkersByRow } | null = null

  constructor(options: Options) {
    this.#options = options
  }

  /** Returns whether anything may look different now. */
  set(markers: readonly ChartMarker[]): boolean {
    if (markers.length === 0 && this.#markers.length === 0) return false
    this.#markers = markers
    this.#placed = null
    return true
  }

  /** Markers by the index of their row. Computed once for the same rows: charts are painted with every tick. */
  byRow(): MarkersByRow {
    const rows = this.#options.rows()
    if (this.#placed?.rows !== rows || this.#placed.length !== rows.length) {
      const starts = this.#markers.length === 0 ? [] : rows.map((row) => row.timestamp)
      const byRow = placeMarkers(this.#markers, starts, this.#options.intervalMs())
      this.#placed = { rows, length: rows.length, byRow }
    }
    return this.#placed.byRow
  }

  /** The markers of the nearest bar at a place, px from the chart's top left corner. */
  at(x: number, y: number): readonly ChartMarker[] {
    const { left, top, height } = this.#options.places.plotArea()
    const { foot, radius } = markSize(this.#options.textScale())
    const reach = radius + 2
    if (Math.abs(y - (top + height - foot)) > reach) return []
    const near = [...this.byRow()]
      .map(([row, markers]) => ({ distance: Math.abs(left + this.#options.places.xOf(row) - x), markers }))
      .filter(({ distance }) => distance <= reach)
    return near.toSorted((a, b) => a.distance - b.distance)[0]?.markers ?? []
  }
}
