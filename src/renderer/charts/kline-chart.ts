/** The chart port over klinecharts 10: the only file that drives the library. */
import { dispose, init, registerIndicator, type Chart } from 'klinecharts'
import { barStart, dayStart } from '../../shared/core/market/calendar.ts'
import type { Bar } from '../../shared/core/market/market.ts'
import type { GapSpan } from '../../shared/core/status/status.ts'
import { afterPaint } from '../base/frames.ts'
import { frameRate } from '../base/frame-rate.ts'
import { Zone } from '../text/zone.ts'
import { PriceAxis } from './kline-axis.ts'
import { KlineBars } from './kline-bars.ts'
import { Canvases } from './kline-canvases.ts'
import { KlineCrosshair } from './kline-crosshair.ts'
import { chartLegend } from './kline-legend.ts'
import { Markers } from './kline-markers.ts'
import { placesOf, type Places } from './kline-place.ts'
import { Studies } from './kline-studies.ts'
import type { FlowOf } from './model/study-run.ts'
import { PriceTags } from './kline-tags.ts'
import { axisStepMs, TimeAxis } from './kline-time-axis.ts'
import { ViewWatch } from './kline-view-watch.ts'
import { comparedLines, type ComparedLine } from './model/compared.ts'
import { countdownText, countsDown } from './model/countdown.ts'
import type { Footprint, FootprintCell, FootprintLook } from './model/footprint.ts'
import type {
  ChartLegend,
  ChartPages,
  ChartPlot,
  ChartPort,
  ChartSeries,
  ChartStudy,
  ChartStyle,
  ChartTheme,
  ComparedSeries,
  OlderData,
  ProfileCells,
  Quote,
  QuoteMap,
  StyledSeries,
} from './model/chart.ts'
import type { ChartMarker } from './model/markers.ts'
import { rowPxToFit } from './model/rows-on-screen.ts'
import { bigText } from './model/scale.ts'
import { crosshairText } from './model/time-axis.ts'
import { Turns, type Turn } from './model/turns.ts'
import { steadyAxes, tagsWidth, type SteadyAxes } from './paint/axis-width.ts'
import { textPx } from './paint/canvas-text.ts'
import { PAINTERS } from './paint/paint.ts'
import { totalsPx } from './paint/paint-footprint.ts'
import { providePaintContext, type PaintContext } from './paint/paint-context.ts'
import { STUDY_TEMPLATE } from './paint/paint-studies.ts'
import { chartStyles } from './paint/styles.ts'

/** Lower charts have no volume pane, px at the default text size. */
const MIN_VOLUME_PX = 150
/** Lower charts show only bars and the last price, px. */
const MIN_TEXT_PX = 110
/** Room right of the last bar when the newest bar is in view, px. */
const RIGHT_PX = 80
/** Extra room that fitting leaves, because the price axis may still grow. */
const FIT_SPARE_PX = 12
const MAX_ROW_PX = 60
/** Widest bar, px: a footprint with long numbers at the largest text. */
const WIDEST_ROW_PX = 200
/** Width of a bar in which a footprint usually has numbers, px at the default text size. */
const FOOTPRINT_ROW_PX = 96
/**
 * Shared by all charts of the window. The library paints canvases in the frame after a change, so charts change just
 * after the frame ahead of the data. Their canvases, their legends and the quotes then change in the same frame.
 */
const turns = new Turns(
  (run) => frameRate.ahead((nowMs) => afterPaint(() => run(nowMs))),
  () => frameRate.restMs,
)
let isRegistered = false

/** Opens a chart in an element. Throws if the canvas can't be created. */
export function openChart(element: HTMLElement, theme: ChartTheme): ChartPort {
  if (!isRegistered) {
    for (const template of [...PAINTERS, STUDY_TEMPLATE]) registerIndicator(template)
    isRegistered = true
  }
  return new KlineChart(element, theme)
}

class KlineChart implements ChartPort {
  readonly #element: HTMLElement
  readonly #chart: Chart
  readonly #canvases: Canvases
  readonly #bars: KlineBars
  readonly #places: Places
  readonly #prices: PriceAxis
  readonly #studies: Studies
  readonly #crosshair: KlineCrosshair
  readonly #markers: Markers
  readonly #tags: PriceTags
  readonly #axes: SteadyAxes
  readonly #viewWatch: ViewWatch
  readonly #turn: Turn
  readonly #unprovide: () => void
  /** Aborted when the chart is destroyed. */
  readonly #ended = new AbortController()
  #theme: ChartTheme
  #zone = new Zone('UTC')
  #series: StyledSeries = { label: '', intervalMs: 60_000, decimals: 2, style: 'candles', ticks: false }
  #plot: ChartPlot = {
    scale: 'linear',
    inverted: false,
    volume: true,
    sessions: false,
    days: false,
    values: true,
    quoteMap: false,
    timeAtPrice: false,
    countdown: false,
    asset: 'crypto',
  }
  #compared: readonly ComparedSeries[] = []
  #quote: Quote | null = null
  #footprint: Footprint | null = null
  #quoteMap: QuoteMap | null = null
  #footprintLook: FootprintLook = { content: 'bid-ask', ratio: 3, againstZero: false }
  #cell: FootprintCell | null = null
  /** Width of bars before a footprint widened them, px. */
  #rowPxBefore: number | null = null
  #gaps: readonly GapSpan[] = []
  #replayMs: number | null = null
  #now: () => number = () => Date.now()
  #onLegend: (legend: ChartLegend) => void = () => undefined
  #headPx = 0
  /** Height at the last resize, px. Reading it from the element with every tick would force a layout of the page. */
  #heightPx = 0
  #isLow = false
  #isStale = false
  #hasVolumePane = false

  constructor(element: HTMLElement, theme: ChartTheme) {
    this.#element = element
    this.#theme = theme
    const chart = this.#initLibrary()
    const rows = () => this.#bars.rows()
    const series = () => this.#series
    const textScale = () => this.#theme.textScale
    const shown = () => this.#places.shown()
    this.#chart = chart
    this.#canvases = new Canvases(chart, () => this.#crosshair.isPainted)
    this.#bars = new KlineBars(chart, {
      series,
      gaps: () => this.#gaps,
      changed: () => this.#barsChanged(),
      joined: () => this.#restyle(),
    })
    this.#places = placesOf(chart, { rows, series, axis: () => this.#prices.axis() })
    const places = this.#places
    this.#unprovide = providePaintContext(chart.id, () => this.#paintContext())
    new TimeAxis(chart, {
      rows,
      series,
      zone: () => this.#zone,
      textScale,
      xOf: places.xOf,
      plotWidth: () => places.plotArea().width,
    })
    this.#axes = steadyAxes(chart, () => tagsWidth(this.#tags.texts(), textScale()))
    this.#studies = new Studies(chart, {
      theme: () => this.#theme,
      shown,
      dayOf: (ms) => dayStart(this.#plot.asset, ms),
      openOf: (ms) => barStart(this.#plot.asset, '1D', ms),
      failed: (thrown) => reportError(thrown),
      asset: () => this.#plot.asset,
      changed: () => this.#tellLegend(),
    })
    this.#prices = new PriceAxis(chart, {
      rows,
      shown,
      series,
      scale: () => this.#scale,
      inverted: () => this.#plot.inverted,
      priceRows: () => (this.#series.style === 'footprint' ? (this.#footprint?.rows ?? null) : null),
      fitted: () => this.#places.shown(this.#series.style === 'footprint' ? chart.getBarSpace().halfBar : 0),
      head: () => this.#headPx,
      foot: () =>
        this.#series.style === 'footprint' && !this.#series.ticks && this.#footprint !== null
          ? totalsPx(chart.getBarSpace().halfBar, textScale())
          : 0,
      textScale,
      studies: (from, to) => this.#studies.range(from, to),
      compared: () => this.#rangeOfCompared(),
    })
    this.#crosshair = new KlineCrosshair(chart, element, { rows, places, moved: () => this.#tellLegend() })
    this.#markers = new Markers({ rows, intervalMs: () => this.#series.intervalMs, textScale, places })
    this.#tags = new PriceTags({
      prices: this.#prices,
      bars: this.#bars,
      quote: () => this.#quote,
      hasCountdown: () => !this.#isLow && this.#countdown() !== '',
      values: () => this.#studies.tags(this.#tagRow(), false),
      ownValues: () => this.#studies.placedTags(this.#tagRow()),
    })
    this.#viewWatch = new ViewWatch(chart, this.#prices, this.#crosshair, { rows, places })
    for (const name of ['td-behind', 'td-over']) chart.createIndicator({ name, paneId: 'candle_pane' }, true)
    this.#axes.take()
    // The pane itself takes the keyboard; the library's own tab stop would be a second one.
    for (const child of element.children) child.removeAttribute('tabindex')
    const capture = { capture: true, signal: this.#ended.signal }
    element.addEventListener('pointerdown', this.#bars.hold, capture)
    addEventListener('pointerup', this.#bars.release, capture)
    addEventListener('pointercancel', this.#bars.release, capture)
    this.#turn = turns.register(() => {
      if (!this.#bars.flush()) this.#canvases.repaint()
    })
  }

  load(series: ChartSeries, list: readonly Bar[], more: boolean, keepView: boolean, newer = false): void {
    const bars = this.#bars
    const crosshairMs = keepView ? (this.#crosshair.ms ?? undefined) : undefined
    const before = this.#series
    this.#series = { ...series, style: before.style }
    const isRestyled = newer !== bars.hasNewer || countsDown(this.#series) !== countsDown(before)
    this.#axes.forget()
    bars.replace(list, more, newer)
    this.#crosshair.keep(undefined)
    if (isRestyled) this.#restyle()
    bars.reload(keepView)
    // The legend stays on the bar under the crosshair.
    this.#crosshair.keep(crosshairMs)
  }

  update(updates: readonly Bar[]): void {
    if (updates.length > 0 && this.#bars.update(updates)) this.#turn.ask()
  }

  setGaps(gaps: readonly GapSpan[]): void {
    this.#gaps = gaps
    if (this.#bars.last) this.#bars.reload(true)
  }

  setReplayClock(ms: number | null): void {
    if (ms === this.#replayMs) return
    this.#replayMs = ms
    if (this.#gaps.some(({ toMs }) => toMs === null)) this.#turn.ask()
  }

  setMarkers(markers: readonly ChartMarker[]): void {
    if (!this.#markers.set(markers)) return
    this.#repaint()
    this.#tellLegend()
  }

  setTheme(theme: ChartTheme): void {
    const isResized = theme.textScale !== this.#theme.textScale
    this.#theme = theme
    if (isResized) this.#axes.forget()
    this.#restyle()
    if (!isResized) return
    // Axes and panes below the bars grow too; the library measures them at its next layout.
    this.#checkHeight()
    this.#showVolume()
    this.#studies.fitPanes()
    this.#repaint()
  }

  setZone(zone: string): void {
    this.#zone = new Zone(zone)
    this.#chart.setTimezone('UTC')
    this.#repaint()
  }

  setStyle(style: ChartStyle): void {
    if (style === this.#series.style) return
    const wereAverages = this.#bars.areAverages
    this.#series = { ...this.#series, style }
    this.#widen()
    this.#restyle()
    if (wereAverages !== this.#bars.areAverages) this.#bars.reload(true)
  }

  setPlot(plot: ChartPlot): void {
    const before = this.#plot
    this.#plot = plot
    if (plot.scale !== before.scale || plot.inverted !== before.inverted) this.#prices.apply()
    if (plot.countdown !== before.countdown) this.#restyle()
    this.#showVolume()
    this.#repaint()
  }

  setHeadroom(px: number): void {
    if (px === this.#headPx) return
    this.#headPx = px
    this.#repaint()
  }

  setFlow(flowOf: FlowOf | null, fromMs: number): void {
    this.#studies.setFlow(flowOf, fromMs)
    // No bar may come that would tell it.
    this.#tellLegendOfPanes()
  }

  setStudies(studies: readonly ChartStudy[]): void {
    if (this.#studies.set(studies, this.#series.decimals)) this.#axes.take()
    this.#repaint()
    this.#tellLegendOfPanes()
  }

  setFootprint(footprint: Footprint | null): void {
    const isRegrouped = footprint?.rows.group !== this.#footprint?.rows.group
    this.#footprint = footprint
    if (isRegrouped) this.#repaint()
    else this.#turn.ask()
    this.#tellLegend()
  }

  setProfile(id: string, cells: ProfileCells | null): void {
    this.#studies.setProfile(id, cells)
    this.#turn.ask()
    this.#tellLegend()
  }

  setQuoteMap(map: QuoteMap | null): void {
    this.#quoteMap = map
    this.#turn.ask()
    this.#tellLegend()
  }

  quotesAt: ChartPort['quotesAt'] = (startMs) => this.#quoteMap?.quotesOf(startMs)

  setFootprintLook(look: FootprintLook): void {
    this.#footprintLook = look
    this.#repaint()
  }

  footprintAt: ChartPort['footprintAt'] = (startMs) => {
    const cells = this.#series.style === 'footprint' ? this.#footprint?.cellsOf(startMs) : undefined
    return this.#footprint === null || cells === undefined ? null : { rows: this.#footprint.rows, cells }
  }

  selectCell(cell: FootprintCell | null): void {
    this.#cell = cell
    this.#repaint()
  }

  setQuote(quote: Quote | null): void {
    if (quote?.bid === this.#quote?.bid && quote?.ask === this.#quote?.ask) return
    this.#quote = quote
    this.#turn.ask()
  }

  setCompared(compared: readonly ComparedSeries[]): void {
    const before = this.#scale
    this.#compared = compared
    if (this.#scale !== before) this.#prices.apply()
    this.#tellLegend()
    this.#turn.ask()
  }

  setStale(isStale: boolean): void {
    if (isStale === this.#isStale) return
    this.#isStale = isStale
    this.#restyle()
  }

  setClock(now: () => number): void {
    this.#now = now
  }

  setDecimals(decimals: number): void {
    if (decimals === this.#series.decimals) return
    this.#series = { ...this.#series, decimals }
    const symbol = this.#chart.getSymbol()
    // Changed in place, because setSymbol would discard the bars.
    if (symbol) symbol.pricePrecision = decimals
    this.#studies.setDecimals(decimals)
    this.#repaint()
  }

  setPages(pages: ChartPages | null): void {
    this.#bars.pages = pages
  }

  onLegend(listener: (legend: ChartLegend) => void): void {
    this.#onLegend = listener
    this.#tellLegend()
  }

  onTags: ChartPort['onTags'] = (listener) => this.#tags.listen(listener)
  onView: ChartPort['onView'] = (listener) => this.#viewWatch.listen(listener)
  onCrosshair: ChartPort['onCrosshair'] = (listener) => this.#crosshair.follow(listener)
  stepCrosshair: ChartPort['stepCrosshair'] = (bars) => this.#crosshair.step(bars)
  showCrosshair: ChartPort['showCrosshair'] = (ms) => this.#crosshair.show(ms)
  clearCrosshair: ChartPort['clearCrosshair'] = () => this.#crosshair.clear()
  goTo: ChartPort['goTo'] = (ms) => this.#bars.goTo(ms)
  barsBetween: ChartPort['barsBetween'] = (fromMs, toMs) => this.#bars.between(fromMs, toMs)
  markersAt: ChartPort['markersAt'] = (x, y) => this.#markers.at(x, y)
  pixelOf: ChartPort['pixelOf'] = (ms, price) => this.#places.pixelOf(ms, price)
  pointAt: ChartPort['pointAt'] = (x, y) => this.#places.pointAt(x, y)
  plotArea: ChartPort['plotArea'] = () => this.#places.plotArea()
  png: ChartPort['png'] = () => this.#chart.getConvertPictureUrl(true, 'png', this.#theme.pane)

  zoom(factor: number): void {
    this.#chart.zoomAtDataIndex(factor, Math.max(0, this.#chart.getVisibleRange().to - 1))
  }

  scroll(bars: number): void {
    this.#chart.scrollByDistance(-bars * this.#chart.getBarSpace().bar)
  }

  scrollToLatest(): void {
    if (this.#bars.hasNewer && this.#bars.pages) this.#bars.pages.newest()
    else this.#chart.scrollToRealTime()
  }

  fit(): void {
    const { width } = this.plotArea()
    const { length } = this.#bars.rows()
    this.#prices.apply()
    if (length === 0 || width <= 0) return
    this.#chart.setBarSpace(rowPxToFit(length, width, RIGHT_PX + FIT_SPARE_PX, MAX_ROW_PX))
    this.#chart.scrollToRealTime()
  }

  barAt(x: number): Bar | null {
    const index = this.#places.indexAt(x)
    return index === undefined ? null : (this.#bars.rows()[index]?.bar ?? null)
  }

  hasOlder(): boolean {
    return this.#bars.hasOlder
  }

  olderData(): OlderData {
    return this.#bars.hasOlder ? 'more' : (this.#bars.pages?.olderData() ?? 'none')
  }

  visibleBars(): readonly Bar[] {
    const { from, to } = this.#places.shown()
    const rows = this.#bars.rows().slice(from, to)
    return rows.flatMap((row) => (row.bar ? [row.bar] : []))
  }

  resize(): void {
    this.#heightPx = this.#element.clientHeight
    this.#canvases.forget()
    this.#checkHeight()
    this.#showVolume()
    this.#repaint()
    this.#studies.fitPanes()
    this.#tellLegendOfPanes()
  }

  destroy(): void {
    this.#ended.abort()
    this.#bars.stop()
    this.#turn.stop()
    this.#studies.stop()
    this.#crosshair.stop()
    this.#canvases.stop()
    this.#unprovide()
    dispose(this.#chart)
  }

  #initLibrary(): Chart {
    const chart = init(this.#element, {
      timezone: 'UTC',
      styles: chartStyles(this.#theme, this.#series.style, false),
      hotkey: { enabled: false },
      // Show all zeros of tiny prices instead of folding them.
      decimalFold: { threshold: 100 },
      formatter: {
        formatBigNumber: bigText,
        formatDate: ({ timestamp, type }) =>
          type === 'xAxis' ? '' : crosshairText(timestamp, axisStepMs(this.#series), this.#zone),
        formatExtendText: ({ index }) => ((index === 1) === this.#prices.countsAbove ? this.#countdown() : ''),
      },
      layout: { barSpaceLimit: { min: 1, max: WIDEST_ROW_PX } },
    })
    if (!chart) throw new Error('the chart could not be opened')
    chart.setOffsetRightDistance(RIGHT_PX)
    return chart
  }

  #paintContext(): PaintContext {
    const { style, ticks, intervalMs } = this.#series
    return {
      theme: this.#theme,
      gaps: this.#gaps,
      clockMs: this.#replayMs,
      markers: this.#markers.byRow(),
      headPx: this.#headPx,
      style,
      ticks,
      intervalMs,
      painted: () => {
        this.#tags.place()
        this.#viewWatch.check()
      },
      plot: this.#plot,
      zone: this.#zone,
      quote: this.#quote,
      last: this.#bars.hasNewer ? null : (this.#bars.last?.close ?? null),
      compared: () => this.#comparedLines(),
      quoteMap: this.#quoteMap,
      footprint:
        style === 'footprint' && !ticks
          ? { cells: this.#footprint, look: this.#footprintLook, selected: this.#cell }
          : null,
    }
  }

  /** Percent while symbols are compared, because their prices aren't comparable. */
  get #scale(): ChartPlot['scale'] {
    return this.#compared.length > 0 ? 'percent' : this.#plot.scale
  }

  get #hasCountdown(): boolean {
    return this.#plot.countdown && countsDown(this.#series) && !this.#bars.hasNewer
  }

  /** The row whose values are labels next to the axes; -1: none. */
  #tagRow(): number {
    return this.#plot.values && !this.#bars.hasNewer ? this.#bars.rows().length - 1 : -1
  }

  #countdown(): string {
    const { last } = this.#bars
    const endMs = last === undefined ? NaN : Math.max(last.endMs, last.startMs + 1)
    return this.#hasCountdown ? countdownText(endMs - this.#now()) : ''
  }

  #comparedLines(): readonly ComparedLine[] {
    const from = this.#compared.length === 0 ? -1 : this.#prices.baseIndex()
    if (from < 0) return []
    const rows = this.#bars.rows().slice(from, this.#places.shown().to)
    const instants = rows.map((row) => row.timestamp)
    const place = { instants, from, base: this.#prices.base() }
    return comparedLines(this.#compared, place, this.#studies.stylesOverPrices(), this.#theme.series)
  }

  /** Lowest and highest price of the compared symbols' lines; infinite if there are none. */
  #rangeOfCompared(): readonly [number, number] {
    const prices = this.#comparedLines().flatMap((line) => line.prices.filter((price) => price !== null))
    return [Math.min(...prices), Math.max(...prices)]
  }

  /** Makes bars wide enough for the numbers of a footprint, and as wide as before after it. */
  #widen(): void {
    const { bar } = this.#chart.getBarSpace()
    const usual = textPx(FOOTPRINT_ROW_PX, this.#theme.textScale)
    if (this.#series.style === 'footprint') {
      if (bar >= usual) return
      this.#rowPxBefore = bar
      this.#setRowPx(usual)
    } else if (this.#rowPxBefore !== null) {
      this.#setRowPx(this.#rowPxBefore)
      this.#rowPxBefore = null
    }
  }

  /** Sets the width of bars. The room right of the last bar, which the library counts in bars, keeps its width. */
  #setRowPx(px: number): void {
    const isNewestInView = this.#places.shown().to >= this.#bars.rows().length
    this.#chart.setBarSpace(px)
    if (isNewestInView) this.#chart.scrollToRealTime()
  }

  /** The library paints once in the next frame, however often a layout is requested. */
  #repaint(): void {
    this.#chart.resize()
  }

  #restyle(): void {
    this.#canvases.forget()
    const { hasNewer } = this.#bars
    const hasCountdown = this.#hasCountdown && !this.#isLow
    this.#chart.setStyles(
      chartStyles(this.#theme, this.#series.style, hasCountdown, hasNewer, this.#isLow, this.#isStale),
    )
  }

  #isBelow(px: number): boolean {
    if (this.#heightPx === 0) this.#heightPx = this.#element.clientHeight
    return this.#heightPx > 0 && this.#heightPx < textPx(px, this.#theme.textScale)
  }

  #checkHeight(): void {
    const isLow = this.#isBelow(MIN_TEXT_PX)
    if (isLow === this.#isLow) return
    this.#isLow = isLow
    this.#restyle()
  }

  #showVolume(): void {
    // In a low chart, the bars need the space.
    const isWanted =
      this.#plot.volume &&
      !this.#isBelow(MIN_VOLUME_PX) &&
      !this.#series.ticks &&
      this.#bars.all.some((bar) => bar.volume !== null)
    if (isWanted === this.#hasVolumePane) return
    this.#hasVolumePane = isWanted
    if (isWanted) this.#chart.createIndicator({ name: 'td-volume', paneId: 'volume' }, false)
    else this.#chart.removeIndicator({ name: 'td-volume' })
    this.#studies.setVolume(isWanted)
    this.#axes.take()
  }

  #barsChanged(): void {
    this.#crosshair.refresh()
    this.#showVolume()
    this.#tellLegend()
  }

  #tellLegend(): void {
    this.#onLegend(
      chartLegend({
        rows: this.#bars.rows(),
        cursor: this.#crosshair.index,
        rests: this.#crosshair.rests,
        hasNewer: this.#bars.hasNewer,
        gaps: this.#gaps,
        intervalMs: this.#series.intervalMs,
        markers: (row) => this.#markers.byRow().get(row) ?? [],
        studies: (row) => this.#studies.legends(row),
        compared: this.#compared,
        lines: this.#comparedLines(),
        base: () => this.#prices.base(),
      }),
    )
  }

  /** Runs in a microtask, after the library's own, which positions the panes. */
  #tellLegendOfPanes(): void {
    queueMicrotask(() => {
      if (!this.#ended.signal.aborted) this.#tellLegend()
    })
  }
}
