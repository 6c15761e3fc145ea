/**
 * What a pane needs from a chart. Only `kline-chart.ts` knows the drawing library behind it.
 * All times are UTC ms; prices are numbers as received.
 */
import type { FlowCoverage } from '../../../shared/core/market/flow/flow-bars.ts'
import type { SideMeter } from '../../../shared/core/market/flow/side.ts'
import type { ChartScale, ChartStyle, StudyKind } from '../../../shared/features/chart/chart-settings.ts'
import type { PriceName } from '../../../shared/core/market/indicators/row.ts'
import type { CellColumns, PriceRows } from '../../../shared/core/market/flow/cells.ts'
import type { Bar } from '../../../shared/core/market/market.ts'
import type { GapSpan } from '../../../shared/core/status/status.ts'
import type { AssetClass } from '../../../shared/base/units.ts'
import type { LineDash } from './line-style.ts'
import type { Footprint, FootprintCell, FootprintLook } from './footprint.ts'
import type { ChartMarker } from './markers.ts'
import type { BarQuotes, QuoteMap } from './quote-map.ts'
import type { FlowOf } from './study-run.ts'

export type { ChartStyle, Footprint, QuoteMap }

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

/** The area of bars and prices, without axes and other panes, px from the chart's top left corner. */
export interface PlotArea {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** What is drawn: changing any part but `decimals` needs `load`. */
export interface ChartSeries {
  readonly label: string
  readonly intervalMs: number
  readonly decimals: number
  /** Points are single trades: no bodies, no volume bars. */
  readonly ticks: boolean
}

export interface StyledSeries extends ChartSeries {
  readonly style: ChartStyle
}

/** CSS colors from the design tokens, and the text size. */
export interface ChartTheme {
  readonly pane: string
  readonly raised: string
  readonly line: string
  /** Color of grid lines behind the bars. */
  readonly grid: string
  readonly text: string
  readonly dim: string
  readonly faint: string
  readonly accent: string
  readonly up: string
  readonly down: string
  readonly warn: string
  /** Text size relative to the default. */
  readonly textScale: number
  /** Colors of indicators and compared symbols, in order. */
  readonly series: readonly string[]
}

/** Best bid and ask. */
export interface Quote {
  readonly bid: number | null
  readonly ask: number | null
}

/** A label next to an axis: bid, ask, the last trade if the bars are averages, or the value of an indicator's line. */
export interface AxisTag {
  /** Unique among the labels. */
  readonly key: string
  readonly of: 'bid' | 'ask' | 'last' | 'study'
  /** The color of an indicator's line; '' for the other labels. */
  readonly colour: string
  readonly price: number
  readonly text: string
  /** Middle of the label, px from the top of the price pane. */
  readonly y: number
}

/** The layout options of the plot. */
export interface ChartPlot {
  readonly scale: ChartScale
  readonly inverted: boolean
  readonly volume: boolean
  /** Shade hours outside the main session and draw their boundaries. */
  readonly sessions: boolean
  readonly days: boolean
  /** Show the values of indicators next to the axes. */
  readonly values: boolean
  /** Show how long bid and ask stayed at each price of each bar. */
  readonly quoteMap: boolean
  /** Show how long the mid stayed at each price during the bars in view. */
  readonly timeAtPrice: boolean
  /** Show the time until the last bar closes, under its price. */
  readonly countdown: boolean
  /** The asset class whose calendar defines days and sessions. */
  readonly asset: AssetClass
}

export interface ChartStudy {
  readonly id: string
  readonly kind: StudyKind
  readonly values: Readonly<Record<string, number>>
  readonly price: PriceName
  readonly formula?: { readonly name: string; readonly text: string } | undefined
  /** CSS colors by output. Empty or absent: from the theme, by `palette`. */
  readonly colours: readonly string[]
  /** The line style of each output; see `line-style.ts`. */
  readonly palette: readonly number[]
  /** Drawn in its own pane instead of over the prices. */
  readonly own: boolean
}

/** How far the sides of trades that were read can be trusted. */
export interface ReadSides {
  readonly meter: SideMeter
  readonly coverage: FlowCoverage
  /** The bars that were read, [fromMs, toMs), UTC ms; `toMs` null: up to now. Null: those of the figure itself. */
  readonly range: { readonly fromMs: number; readonly toMs: number | null } | null
}

/** The trades of a volume profile. */
export interface ProfileCells {
  readonly rows: PriceRows
  /** UTC ms; `toMs` null: up to now. */
  readonly fromMs: number
  readonly toMs: number | null
  /** How far the sides of its trades can be trusted. */
  readonly sides: ReadSides
  /** The cells to sum, given the bars in view. */
  readonly cells: (bars: readonly Bar[]) => readonly CellColumns[]
  /** The time range of the shown trades, given the bars in view: [fromMs, toMs), UTC ms; `toMs` null: up to now. */
  readonly span: (bars: readonly Bar[]) => { readonly fromMs: number; readonly toMs: number | null }
}

/** What the legend shows of a volume profile. */
export interface ProfileLegend {
  /** Made from trades; otherwise from bars, whose volume is spread evenly. */
  readonly ofTrades: boolean
  /** Prices: the middle of the row with the most volume, and the edges of the value area. */
  readonly most: number
  readonly area: readonly [number, number]
  /** Null: the profile is made from bars. */
  readonly sides: ReadSides | null
}

/** The values of one study under the crosshair, by output; null if absent. */
export interface StudyLegend {
  readonly id: string
  readonly values: readonly (number | null)[]
  /** The figures of a volume profile; null: nothing was traded. */
  readonly profile?: ProfileLegend | null
  readonly colours: readonly string[]
  /** The dash of each output's line. */
  readonly dashes: readonly LineDash[]
  /** Top of its pane, px from the chart's top; null if drawn over the prices. */
  readonly top: number | null
  /** Why its values are no longer updated; null: no problem. */
  readonly problem: string | null
}

/** Another symbol's bars to compare with, drawn in percent from the left edge. */
export interface ComparedSeries {
  readonly label: string
  readonly bars: readonly Bar[]
  readonly gaps: readonly GapSpan[]
}
export interface ComparedLegend {
  readonly label: string
  readonly colour: string
  readonly dash: LineDash
  /** Change from its close at the left edge to the bar under the crosshair; null if there is no bar. */
  readonly percent: number | null
}

/** The bar under the crosshair, or the last one without a crosshair. */
export interface ChartLegend {
  readonly bar: Bar | null
  /** Close of the previous bar, for the change. */
  readonly previousClose: number | null
  readonly fromCrosshair: boolean
  /** The bars moved under a still mouse, so the user didn't choose this bar. */
  readonly rests: boolean
  /** The gap under the crosshair, whether or not there is a bar. */
  readonly gap: GapSpan | null
  /** Start of the row under the crosshair, UTC ms; null without a crosshair. */
  readonly atMs: number | null
  readonly markers: readonly ChartMarker[]
  readonly studies: readonly StudyLegend[]
  readonly compared: readonly ComparedLegend[]
}

/** Bars that adjoin those loaded, oldest first. `more`: others exist beyond them. */
export interface ChartPage {
  readonly bars: readonly Bar[]
  readonly more: boolean
}

/**
 * What is stored of the time before the first bar of a chart that loads no older ones: nothing, data that the chart
 * doesn't take, or corrupt data.
 */
export type OlderData = 'none' | 'more' | 'corrupt'

/** Loads further bars. A chart holds a range of history, which may end before the newest bar. */
export interface ChartPages {
  /** Bars before an instant, UTC ms. */
  older(beforeMs: number): Promise<ChartPage>
  /** Asked once `older` gives no more bars. */
  olderData(): OlderData
  /** Bars after the last one loaded. */
  newer(): Promise<ChartPage>
  /** Loads the range that ends with the newest bar. */
  newest(): void
  /** Loads the range around an instant. Returns false if there are no bars; the loaded ones then stay. */
  around(ms: number): Promise<boolean>
  /** Pages were added and the chart isn't being dragged: too many bars may now be dropped, through `load`. */
  settled(): void
}

export interface ChartPort {
  /**
   * Replaces everything shown; `keepView` keeps zoom and position. `more`: older bars exist. `newer`: newer ones exist,
   * so the last bar has no last price. The style stays: only `setStyle` changes it.
   */
  load(series: ChartSeries, bars: readonly Bar[], more: boolean, keepView: boolean, newer?: boolean): void
  /** Bars by start: the same start replaces, a later one appends, an earlier one is corrected in place. */
  update(bars: readonly Bar[]): void
  setGaps(gaps: readonly GapSpan[]): void
  /** Sets the clock of a replay, UTC ms: a gap without an end lasts until then. Null: live, so it lasts. */
  setReplayClock(ms: number | null): void
  /** Sets the event markers below bars; the legend lists those under the crosshair. */
  setMarkers(markers: readonly ChartMarker[]): void
  setTheme(theme: ChartTheme): void
  /** IANA zone of the axis and the crosshair. */
  setZone(zone: string): void
  setStyle(style: ChartStyle): void
  setDecimals(decimals: number): void
  /** Sets the source of further bars; null if none can be loaded. */
  setPages(pages: ChartPages | null): void
  setPlot(plot: ChartPlot): void
  /** Keeps the highest price this far below the top, px, as long as the bars have room. */
  setHeadroom(px: number): void
  /** The indicators, in the order of their panes. */
  setStudies(studies: readonly ChartStudy[]): void
  /** Sets the volume by side of bars; those from `fromMs` (UTC ms) on have changed. Null: not read. */
  setFlow(flowOf: FlowOf | null, fromMs: number): void
  /** Sets the cells of the style `footprint`; null: not read. */
  setFootprint(footprint: Footprint | null): void
  /** Sets the trades of a volume profile, by the id of its indicator; null: not read, so it is made from bars. */
  setProfile(id: string, cells: ProfileCells | null): void
  /** Sets the quotes of bars; null: not read. */
  setQuoteMap(map: QuoteMap | null): void
  /** The quotes of a bar (start, UTC ms); undefined: not read. */
  quotesAt(startMs: number): BarQuotes | undefined
  setFootprintLook(look: FootprintLook): void
  /** The cells of a bar (start, UTC ms) of the footprint; null: not read, or another style. */
  footprintAt(startMs: number): { readonly rows: PriceRows; readonly cells: CellColumns } | null
  /** Marks a cell of the footprint; null: none. */
  selectCell(cell: FootprintCell | null): void
  /** Shows best bid and ask as lines; null removes them. */
  setQuote(quote: Quote | null): void
  /** Sets the compared symbols, each oldest bar first. With any, the price axis shows percent. */
  setCompared(series: readonly ComparedSeries[]): void
  /** If no data is being received, the label of the last price turns gray. */
  setStale(stale: boolean): void
  /** The current time of the view, UTC ms, for the countdown to the close of the last bar. */
  setClock(now: () => number): void
  onLegend(listener: (legend: ChartLegend) => void): void
  /** Called with the labels next to the price axis after each painting that moved or changed one. */
  onTags(listener: (tags: readonly AxisTag[]) => void): () => void
  /** Moves the crosshair by bars (negative: older); the first step starts at the last bar. */
  stepCrosshair(bars: number): void
  clearCrosshair(): void
  /** Shows a linked chart's crosshair on the bar at an instant, without notifying other charts. Null removes it. */
  showCrosshair(ms: number | null): void
  /** Reports the position of this chart's crosshair, UTC ms, or null. */
  onCrosshair(listener: (ms: number | null) => void): () => void
  /** Zooms by a factor around the last visible bar; above 1 shows fewer bars. */
  zoom(factor: number): void
  scroll(bars: number): void
  scrollToLatest(): void
  /** Zooms out to all loaded bars, at no less than 1 px per bar, and fits the price axis again. */
  fit(): void
  /** Brings an instant into view. Loads older bars if needed. */
  goTo(ms: number): Promise<void>
  /** The bar at an x from the chart's left edge, px, or null. */
  barAt(x: number): Bar | null
  /** The markers at a position, px from the chart's top left corner. */
  markersAt(x: number, y: number): readonly ChartMarker[]
  /** Bars that begin within [fromMs, toMs], oldest first. */
  barsBetween(fromMs: number, toMs: number): readonly Bar[]
  /** Bars now in view, oldest first. */
  visibleBars(): readonly Bar[]
  /** Whether older bars than the loaded ones exist or may exist. */
  hasOlder(): boolean
  /** What is stored of the time before the loaded bars; `more` while `hasOlder`. */
  olderData(): OlderData
  /**
   * The position of an instant and a price, px from the chart's top left corner, even outside the plot area.
   * Interpolates between two bars and extrapolates beyond the ends by the interval. Null if there are no bars.
   */
  pixelOf(ms: number, price: number): ChartPixel | null
  /** The instant and price at a position: the inverse of `pixelOf`, exact to one pixel. */
  pointAt(x: number, y: number): ChartPoint | null
  /** Called at most once per frame, when results of `pixelOf` changed (pan, zoom, scale, size, a new range). */
  onView(listener: () => void): () => void
  plotArea(): PlotArea
  /** PNG of the chart as a data URL. */
  png(): string
  resize(): void
  destroy(): void
}
