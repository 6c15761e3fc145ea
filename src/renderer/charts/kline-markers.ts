/** The event markers below a chart's bars: assigned to rows, and found by position. */
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

  /** Sets the markers. Returns whether the chart must be repainted. */
  set(markers: readonly ChartMarker[]): boolean {
    if (markers.length === 0 && this.#markers.length === 0) return false
    this.#markers = markers
    this.#placed = null
    return true
  }

  /** Markers by row index. Cached while the rows are the same, because charts are painted with every tick. */
  byRow(): MarkersByRow {
    const rows = this.#options.rows()
    if (this.#placed?.rows !== rows || this.#placed.length !== rows.length) {
      const starts = this.#markers.length === 0 ? [] : rows.map((row) => row.timestamp)
      const byRow = placeMarkers(this.#markers, starts, this.#options.intervalMs())
      this.#placed = { rows, length: rows.length, byRow }
    }
    return this.#placed.byRow
  }

  /** The markers of the nearest bar at a position, px from the chart's top left corner. */
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
