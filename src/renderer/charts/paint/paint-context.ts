/** What painters get to paint with, by chart. */
import type { IndicatorDrawParams } from 'klinecharts'
import type { GapSpan } from '../../../shared/core/status/status.ts'
import type { Zone } from '../../text/zone.ts'
import type { ChartPlot, ChartStyle, ChartTheme, Quote, QuoteMap } from '../model/chart.ts'
import type { ComparedLine } from '../model/compared.ts'
import type { Footprint, FootprintCell, FootprintLook } from '../model/footprint.ts'
import type { ChartMarker } from '../model/markers.ts'
import type { Row } from '../model/series.ts'

/** What painters need from their chart. Looked up by chart id, because templates are global. */
export interface PaintContext {
  readonly theme: ChartTheme
  readonly gaps: readonly GapSpan[]
  /** The clock of a replay, UTC ms; null: live. */
  readonly clockMs: number | null
  /** Markers by row index. */
  readonly markers: ReadonlyMap<number, readonly ChartMarker[]>
  readonly style: ChartStyle
  /** Height of the legend at the top of the price pane, px. */
  readonly headPx: number
  readonly ticks: boolean
  readonly intervalMs: number
  /** Called after each painting of the price pane. */
  readonly painted: () => void
  readonly plot: ChartPlot
  readonly zone: Zone
  readonly quote: Quote | null
  /** The last traded close. */
  readonly last: number | null
  readonly compared: () => readonly ComparedLine[]
  /** Null: not read. */
  readonly quoteMap: QuoteMap | null
  /** Null unless the style is `footprint`; `cells` null: not read. */
  readonly footprint: {
    readonly cells: Footprint | null
    readonly look: FootprintLook
    readonly selected: FootprintCell | null
  } | null
}

const contexts = new Map<string, () => PaintContext>()

/** Registers a chart's context with the painters; returns the function that removes it. */
export function providePaintContext(chartId: string, context: () => PaintContext): () => void {
  contexts.set(chartId, context)
  return () => contexts.delete(chartId)
}

/** A pane while it is painted; px. */
export interface Painter {
  readonly ctx: CanvasRenderingContext2D
  readonly context: PaintContext
  readonly rows: readonly Row[]
  readonly from: number
  readonly to: number
  readonly x: (index: number) => number
  readonly y: (value: number) => number
  readonly half: number
  readonly height: number
  readonly width: number
}

/** The painter of a pane, or undefined if its chart is gone. */
export function painterOf(params: IndicatorDrawParams<unknown, unknown, unknown>): Painter | undefined {
  const context = contexts.get(params.chart.id)?.()
  if (!context) return undefined
  const range = params.chart.getVisibleRange()
  return {
    ctx: params.ctx,
    context,
    rows: params.chart.getDataList() as Row[], // every row comes from series.ts
    from: range.from,
    to: range.to,
    x: (index) => params.xAxis.convertToPixel(index),
    y: (value) => params.yAxis.convertToPixel(value),
    half: params.chart.getBarSpace().halfBar,
    height: params.bounding.height,
    width: params.bounding.width,
  }
}
