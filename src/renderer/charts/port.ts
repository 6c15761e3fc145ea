/**
 * What a pane needs of a chart. Only `kline-chart.ts` knows the drawing library behind it.
 * All times are UTC ms; prices are numbers as received.
 */
import type { ChartStyle } from '../../shared/chart-settings.ts'
import type { Bar } from '../../shared/market.ts'
import type { GapSpan } from '../../shared/state.ts'
import type { ChartMarker } from './markers.ts'

export type { ChartStyle }

/** A place on the chart, px from its top left corner. */
export interface ChartPixel {
  readonly x: number
  readonly y: number
}

/** An instant (UTC ms) and a price. */
export interface ChartPoint {
  readonly ms: number
  readonly price: number
}

/** Where bars and prices are drawn, px from the chart's top left corner: without axes and further panes. */
export interface PlotArea {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** What is drawn: changing any part but `decimals` and `style` needs `load`. */
export interface ChartSeries {
  readonly label: string
  readonly intervalMs: number
  readonly decimals: number
  readonly style: ChartStyle
  /** Points are single prints: no bodies, no volume bars. */
  readonly ticks: boolean
}

/** Colours as CSS text, read from the design tokens. */
export interface ChartTheme {
  readonly pane: string
  readonly raised: string
  readonly line: string
  readonly text: string
  readonly dim: string
  readonly faint: string
  readonly accent: string
  readonly up: string
  readonly down: string
  readonly warn: string
}

/** The bar under the crosshair, or the last one while the crosshair is elsewhere. */
export interface ChartLegend {
  readonly bar: Bar | null
  /** Close of the bar before, for the change. */
  readonly previousClose: number | null
  readonly fromCrosshair: boolean
  /** The gap under the crosshair, in a bar or where there is none. */
  readonly gap: GapSpan | null
  /** Start of what is under the crosshair, UTC ms; null: it is elsewhere. */
  readonly atMs: number | null
  readonly markers: readonly ChartMarker[]
}

/** Older bars, oldest first, and whether still older ones exist. */
export type LoadOlder = (beforeMs: number) => Promise<{ readonly bars: readonly Bar[]; readonly more: boolean }>

export interface ChartPort {
  /** Replaces everything shown; `keepView` leaves zoom and position on the same instants. */
  load(series: ChartSeries, bars: readonly Bar[], more: boolean, keepView: boolean): void
  /** Bars by start: the same start replaces, a later one appends, an earlier one is corrected in place. */
  update(bars: readonly Bar[]): void
  setGaps(gaps: readonly GapSpan[]): void
  /** Events at the feet of their bars; those under the crosshair are told in the legend. */
  setMarkers(markers: readonly ChartMarker[]): void
  setTheme(theme: ChartTheme): void
  /** IANA zone of the axis and the crosshair. */
  setZone(zone: string): void
  setStyle(style: ChartStyle): void
  setDecimals(decimals: number): void
  setLoadOlder(load: LoadOlder | null): void
  onLegend(listener: (legend: ChartLegend) => void): void
  /** Moves the crosshair by bars (negative: older); the first step starts at the last bar. */
  stepCrosshair(bars: number): void
  clearCrosshair(): void
  /** Zooms by a factor around the last visible bar; above 1 shows fewer bars. */
  zoom(factor: number): void
  scroll(bars: number): void
  scrollToLatest(): void
  /** Brings an instant into view, reading older bars for it where there are some. */
  goTo(ms: number): Promise<void>
  /** The bar at so many px from the chart's left edge; null: there is none. */
  barAt(x: number): Bar | null
  /** Bars now in view, oldest first. */
  visibleBars(): readonly Bar[]
  /**
   * Where an instant and a price lie, px from the chart's top left corner, also outside of the plot area:
   * between two bars in proportion, beyond the last at the pace of the interval. Null: there are no bars.
   */
  pixelOf(ms: number, price: number): ChartPixel | null
  /** The instant and price at a place: the inverse of `pixelOf`, to the price of a pixel. */
  pointAt(x: number, y: number): ChartPoint | null
  /** Called once in a frame in which `pixelOf` began to answer otherwise (pan, zoom, scale, size, a new range). */
  onView(listener: () => void): () => void
  plotArea(): PlotArea
  /** PNG of the chart as a data URL. */
  png(): string
  resize(): void
  destroy(): void
}
