/** The chart port over klinecharts 10: the only file that drives the library. */
import { dispose, init, registerIndicator, type Chart } from 'klinecharts'
import { dayStart } from '../../shared/core/market/calendar.ts'
import type { GapSpan } from '../../shared/core/status/status.ts'
import { steadyAxes, tagsWidth } from './paint/axis-width.ts'
import { textPx } from './paint/canvas-text.ts'
import { comparedPercents } from './model/compared.ts'
import { countdownText, countsDown } from './model/countdown.ts'
import { PriceAxis } from './kline-axis.ts'
import { KlineBars } from './kline-bars.ts'
import { KlineCrosshair } from './kline-crosshair.ts'
import { chartLegend, type ComparedLine } from './kline-legend.ts'
import { placesOf } from './kline-place.ts'
import { Studies } from './kline-studies.ts'
import { lastLineStyle, lineColor, lineDash } from './model/line-style.ts'
import { placeMarkers, type ChartMarker } from './model/markers.ts'
import { markSize, PAINTERS, providePaintContext } from './paint/paint.ts'
import { STUDY_TEMPLATE } from './paint/paint-studies.ts'
import { rowPxToFit } from './model/rows-on-screen.ts'
import type {
  AxisTag,
  ChartLegend,
  ChartPlot,
  ChartPort,
  ChartSeries,
  ChartTheme,
  ComparedSeries,
} from './model/chart.ts'
import { bigText } from './model/scale.ts'
import type { Row } from './model/series.ts'
import { chartStyles } from './paint/styles.ts'
import { thinPaint } from './paint/thin-paint.ts'
import { axisLabels, axisText, crosshairText } from './model/time-axis.ts'
import { Turns } from './model/turns.ts'
import { Zone } from '../text/zone.ts'

/** Px of a chart's height, at the usual size of the text, from which it has room for the volume below its bars. */
const VOLUME_LEAST_PX = 150
/** Below it there is room for bars and the last price alone. */
const WORDS_LEAST_PX = 110
/** Room right of the last bar when the chart stands at its end, px. */
const RIGHT_PX = 80
/** Fitting leaves so much more: the price axis may still grow. */
const FIT_SPARE_PX = 12
const MOST_ROW_PX = 60
/** Of all charts of the window. */
const turns = new Turns()
let registered = false

/** Opens a chart in an element. Throws when the canvas cannot be made. */
export function openChart(element: HTMLElement, theme: ChartTheme): ChartPort {
  if (!registered) {
    for (const template of [...PAINTERS, STUDY_TEMPLATE]) registerIndicator(template)
    registered = true
  }
  let zone = new Zone('UTC')
  let series: ChartSeries = { label: '', intervalMs: 60_000, decimals: 2, style: 'candles', ticks: false }
  let plot: ChartPlot = {
    scale: 'linear',
    inverted: false,
    volume: true,
    sessions: false,
    days: false,
    countdown: false,
    asset: 'crypto',
  }
  let compared: readonly ComparedSeries[] = []
  let quote: Parameters<ChartPort['setQuote']>[0] = null
  let clock: () => number = () => Date.now()
  let gaps: readonly GapSpan[] = []
  let markers: readonly ChartMarker[] = []
  let placed: {
    readonly rows: readonly Row[]
    readonly length: number
    readonly by: ReturnType<typeof placeMarkers>
  } | null = null
  let legendListener: (legend: ChartLegend) => void = () => undefined
  let head = 0
  const made: Chart | null = init(element, {
    timezone: 'UTC',
    styles: chartStyles(theme, series.style, plot.countdown && !series.ticks),
    hotkey: { enabled: false },
    // Micro-prices keep every zero.
    decimalFold: { threshold: 100 },
    formatter: {
      formatBigNumber: bigText,
      formatDate: ({ timestamp, type }) =>
        type === 'xAxis' ? '' : crosshairText(timestamp, series.ticks ? 1 : series.intervalMs, zone),
      formatExtendText: ({ index }) => ((index === 1) === prices.countsAbove ? countdown() : ''),
    },
    layout: { barSpaceLimit: { min: 1, max: MOST_ROW_PX } },
  })
  if (!made) throw new Error('the chart could not be opened')
  const chart: Chart = made
  chart.setOffsetRightDistance(RIGHT_PX)
  const bars = new KlineBars(chart, {
    series: () => series,
    gaps: () => gaps,
    changed() {
      crosshair.refresh()
      showVolume()
      legend()
    },
    joined: () => restyle(),
  })
  const rows = (): readonly Row[] => bars.rows()

  let low = false
  let stale = false
  const restyle = (): void => {
    const counts = plot.countdown && countsDown(series) && !bars.moreNewer && !low
    chart.setStyles(chartStyles(theme, series.style, counts, bars.moreNewer, low, stale))
  }
  /** Px as of the last resize: to ask the element with every tick would lay out the whole page in the middle of it. */
  let height = 0
  /** Whether the chart has less height than so much, in px of the usual size of the text. */
  function isBelow(least: number): boolean {
    if (height === 0) height = element.clientHeight
    return height > 0 && height < textPx(least, theme.textScale)
  }
  function lookAtHeight(): void {
    const is = isBelow(WORDS_LEAST_PX)
    if (is === low) return
    low = is
    restyle()
  }
  /** The library paints on the next frame whatever it was asked to size anew. */
  const repaint = (): void => chart.resize()
  /** Compared symbols have only their percent in common. */
  const scale = (): ChartPlot['scale'] => (compared.length > 0 ? 'percent' : plot.scale)

  function countdown(): string {
    const { last } = bars
    const end = last === undefined ? NaN : Math.max(last.endMs, last.startMs + 1)
    return plot.countdown && countsDown(series) && !bars.moreNewer ? countdownText(end - clock()) : ''
  }

  const unprovide = providePaintContext(chart.id, () => ({
    theme,
    gaps,
    markers: placedMarkers(),
    style: series.style,
    ticks: series.ticks,
    intervalMs: series.intervalMs,
    painted() {
      placeTags()
      lookAtView()
    },
    plot,
    zone,
    quote,
    last: bars.moreNewer ? null : (bars.last?.close ?? null),
    compared: comparedLines,
  }))
  chart.overrideXAxis({
    createTicks: ({ range }) => {
      const list = rows()
      const from = Math.max(0, range.realFrom)
      const to = Math.min(list.length, range.realTo)
      const labels = axisLabels(
        (i) => list[i].timestamp,
        from,
        to,
        chart.getBarSpace().bar,
        series.ticks ? 1 : series.intervalMs,
        zone,
        textPx(84, theme.textScale),
      )
        .map((label) => ({ coord: xOf(label.index), value: list[label.index].timestamp, text: label.text }))
        .filter(({ coord, text }) => isWithin(coord, text))
      if (labels.length === 0) labels.push(...anyLabel(from, to))
      axisShown = labels.map(({ coord, text }) => `${coord} ${text}`).join()
      return labels
    },
  })
  let axisShown = ''
  /** Whether a label of the time axis is not cut: of a time a part would be another time. */
  function isWithin(x: number, text: string): boolean {
    const half = textPx(text.length * 3, theme.textScale)
    return x >= half && x <= plotArea().width - half
  }
  /** The last row with room for its time, where no round time has it. */
  function anyLabel(from: number, to: number): { coord: number; value: number; text: string }[] {
    for (let i = to - 1; i >= from; i--) {
      const { timestamp } = rows()[i]
      const text = axisText(timestamp, series.ticks ? 1 : series.intervalMs, false, zone)
      if (isWithin(xOf(i), text)) return [{ coord: xOf(i), value: timestamp, text }]
    }
    return []
  }
  let look = 0
  const thin = thinPaint(chart, () => `${look} ${axisShown}`)
  const axes = steadyAxes(chart, () => tagsWidth(wantedTags().map(prices.tagText), theme.textScale))
  const takePanes = (): void => {
    thin()
    axes.take()
  }
  const studies = new Studies(chart, {
    theme: () => theme,
    shown: () => places.shown(),
    dayOf: (ms) => dayStart(plot.asset, ms),
    failed: (thrown) => reportError(thrown),
  })
  const prices = new PriceAxis(chart, {
    rows,
    shown: () => places.shown(),
    series: () => series,
    scale,
    inverted: () => plot.inverted,
    head: () => head,
    textScale: () => theme.textScale,
    others: (from, to) => {
      const [low, high] = studies.range(from, to)
      const lines = comparedLines().flatMap(({ prices: list }) => list.filter((price) => price !== null))
      return [Math.min(low, ...lines), Math.max(high, ...lines)]
    },
  })

  const places = placesOf(chart, { rows, series: () => series, axis: () => prices.axis() })
  const { xOf, plotArea, shown } = places
  const crosshair = new KlineCrosshair(chart, element, { rows, places, moved: () => legend() })

  /** Compared symbols in prices of the chart's own: as far from its left edge as they are from theirs. */
  function comparedLines(): readonly ComparedLine[] {
    const from = compared.length === 0 ? -1 : prices.baseIndex()
    if (from < 0) return []
    const instants = rows()
      .slice(from, shown().to)
      .map((row) => row.timestamp)
    const base = prices.base()
    const taken = new Set(studies.stylesOverPrices())
    return compared.map((one) => {
      const style = lastLineStyle(taken)
      taken.add(style)
      return {
        colour: lineColor(style, theme.series),
        dash: lineDash(style),
        from,
        prices: comparedPercents(instants, one.bars).map((percent) =>
          percent === null ? null : base * (1 + percent / 100),
        ),
      }
    })
  }
  chart.createIndicator({ name: 'td-behind', paneId: 'candle_pane' }, true)
  chart.createIndicator({ name: 'td-over', paneId: 'candle_pane' }, true)
  takePanes()
  let volumePane = false

  const tagListeners = new Set<(tags: readonly AxisTag[]) => void>()
  let tags: readonly AxisTag[] = []
  /** Labels the chart asks for beside those of the library. */
  function wantedTags(): readonly Omit<AxisTag, 'y' | 'text'>[] {
    const average = series.style === 'heikin-ashi' && !series.ticks
    const close = average ? (bars.last?.close ?? null) : null
    return [
      ...(quote?.bid ? [{ key: 'B' as const, price: quote.bid }] : []),
      ...(quote?.ask ? [{ key: 'A' as const, price: quote.ask }] : []),
      ...(close === null ? [] : [{ key: 'L' as const, price: close }]),
    ]
  }
  /** Before the axis is painted: what stands beside it. The label of the last price keeps its place, the others move. */
  function placeTags(): void {
    const close = rows().at(-1)?.close ?? NaN
    const average = series.style === 'heikin-ashi' && !series.ticks
    const own = average || bars.moreNewer || Number.isNaN(close) ? null : close
    const next = prices.placeTags(own, wantedTags(), !low && countdown() !== '')
    if (JSON.stringify(next) === JSON.stringify(tags)) return
    tags = next
    for (const listener of tagListeners) listener(tags)
  }

  const viewers = new Set<() => void>()
  let seen = ''
  /** After each painting: tells viewers, and a crosshair that stands on a row, when what lies where has changed. */
  function lookAtView(): void {
    if (viewers.size === 0 && !crosshair.stands) return
    const range = prices.axis()?.getRange()
    const { width, height } = plotArea()
    const first = rows()[0]?.timestamp
    const now = `${width} ${height} ${range?.realFrom} ${range?.realTo} ${chart.getBarSpace().bar} ${first} ${xOf(0)} ${rows().length}`
    if (now === seen) return
    seen = now
    crosshair.stay()
    for (const viewer of viewers) viewer()
  }

  function showVolume(): void {
    // In little height the bars need the room more.
    const wanted =
      plot.volume && !isBelow(VOLUME_LEAST_PX) && !series.ticks && bars.all.some((bar) => bar.volume !== null)
    if (wanted === volumePane) return
    volumePane = wanted
    if (wanted) {
      chart.createIndicator({ name: 'td-volume', paneId: 'volume' }, false)
    } else chart.removeIndicator({ name: 'td-volume' })
    studies.setVolume(wanted)
    takePanes()
  }

  /** Placed anew when there are other rows: painting happens with every tick. */
  function placedMarkers(): ReturnType<typeof placeMarkers> {
    const list = rows()
    if (placed === null || placed.rows !== list || placed.length !== list.length) {
      const starts = markers.length === 0 ? [] : list.map((row) => row.timestamp)
      placed = { rows: list, length: list.length, by: placeMarkers(markers, starts, series.intervalMs) }
    }
    return placed.by
  }

  function legend(): void {
    legendListener(
      chartLegend({
        rows: rows(),
        cursor: crosshair.index,
        rests: crosshair.rests,
        moreNewer: bars.moreNewer,
        gaps,
        intervalMs: series.intervalMs,
        markers: (row) => placedMarkers().get(row) ?? [],
        studies: (row) => studies.legends(row),
        compared,
        lines: comparedLines(),
        base: () => prices.base(),
      }),
    )
  }

  // The pane itself takes the keyboard; the library's own stop would be a second one.
  for (const child of element.children) child.removeAttribute('tabindex')
  element.addEventListener('pointerdown', bars.hold, true)
  addEventListener('pointerup', bars.letGo, true)
  addEventListener('pointercancel', bars.letGo, true)

  let gone = false
  /** Panes get their places in a microtask of the library's own, which is in the queue before this one. */
  function legendOfPanes(): void {
    queueMicrotask(() => {
      if (!gone) legend()
    })
  }

  const turn = turns.register(() => {
    if (!bars.flush()) repaint()
  })

  const port: ChartPort = {
    load(next, list, more, keepView, newer = false) {
      const under = keepView ? (crosshair.ms ?? undefined) : undefined
      const restyled =
        next.style !== series.style || newer !== bars.moreNewer || countsDown(next) !== countsDown(series)
      series = next
      axes.forget()
      bars.replace(list, more, newer)
      crosshair.keep(undefined)
      if (restyled) restyle()
      bars.reload(keepView)
      // The bar under the crosshair stays the one that the legend tells of.
      crosshair.keep(under)
    },
    update(updates) {
      if (updates.length > 0 && bars.update(updates)) turn.ask()
    },
    setGaps(next) {
      gaps = next
      if (bars.last) bars.reload(true)
    },
    setMarkers(next) {
      if (next.length === 0 && markers.length === 0) return
      markers = next
      placed = null
      chart.resize()
      legend()
    },
    setTheme(next) {
      const resized = next.textScale !== theme.textScale
      theme = next
      look++
      if (resized) axes.forget()
      restyle()
      if (!resized) return
      // Axes and panes below the bars grow along; the library measures those when it lays out anew.
      lookAtHeight()
      showVolume()
      studies.fitPanes()
      repaint()
    },
    setZone(name) {
      zone = new Zone(name)
      chart.setTimezone('UTC')
      chart.resize()
    },
    setStyle(style) {
      if (style === series.style) return
      const was = bars.derived
      series = { ...series, style }
      restyle()
      if (was !== bars.derived) bars.reload(true)
    },
    setPlot(next) {
      const before = plot
      plot = next
      if (next.scale !== before.scale || next.inverted !== before.inverted) prices.apply()
      if (next.countdown !== before.countdown) restyle()
      showVolume()
      repaint()
    },
    setHeadroom(px) {
      if (px === head) return
      head = px
      repaint()
    },
    setStudies(list) {
      if (studies.set(list, series.decimals)) takePanes()
      repaint()
      legendOfPanes()
    },
    setQuote(next) {
      if (next?.bid === quote?.bid && next?.ask === quote?.ask) return
      quote = next
      turn.ask()
    },
    setCompared(list) {
      const before = scale()
      compared = list
      if (scale() !== before) prices.apply()
      legend()
      turn.ask()
    },
    setStale(next) {
      if (next === stale) return
      stale = next
      restyle()
    },
    setClock(now) {
      clock = now
    },
    setDecimals(decimals) {
      if (decimals === series.decimals) return
      series = { ...series, decimals }
      const symbol = chart.getSymbol()
      // Changed in place: setSymbol would throw the bars away.
      if (symbol) symbol.pricePrecision = decimals
      studies.setDecimals(decimals)
      chart.resize()
    },
    setPages(next) {
      bars.pages = next
    },
    onLegend(listener) {
      legendListener = listener
      legend()
    },
    onTags(listener) {
      tagListeners.add(listener)
      listener(tags)
      return () => tagListeners.delete(listener)
    },
    stepCrosshair: crosshair.step,
    showCrosshair: crosshair.show,
    onCrosshair: crosshair.follow,
    clearCrosshair: crosshair.clear,
    zoom(factor) {
      chart.zoomAtDataIndex(factor, Math.max(0, chart.getVisibleRange().to - 1))
    },
    scroll(count) {
      chart.scrollByDistance(-count * chart.getBarSpace().bar)
    },
    scrollToLatest() {
      if (bars.moreNewer && bars.pages) bars.pages.newest()
      else chart.scrollToRealTime()
    },
    fit() {
      const { width } = plotArea()
      prices.apply()
      if (rows().length === 0 || width <= 0) return
      chart.setBarSpace(rowPxToFit(rows().length, width, RIGHT_PX + FIT_SPARE_PX, MOST_ROW_PX))
      chart.scrollToRealTime()
    },
    goTo: (ms) => bars.goTo(ms),
    barAt(x) {
      const index = places.indexAt(x)
      return index === undefined ? null : (rows()[index]?.bar ?? null)
    },
    barsBetween: (fromMs, toMs) => bars.between(fromMs, toMs),
    markersAt(x, y) {
      const { left, top, height } = plotArea()
      const { foot, radius } = markSize(theme.textScale)
      const reach = radius + 2
      if (Math.abs(y - (top + height - foot)) > reach) return []
      const near = [...placedMarkers()]
        .map(([index, there]) => ({ away: Math.abs(left + xOf(index) - x), there }))
        .filter(({ away }) => away <= reach)
      return near.toSorted((a, b) => a.away - b.away)[0]?.there ?? []
    },
    visibleBars() {
      const { from, to } = shown()
      return rows()
        .slice(from, to)
        .flatMap((row) => (row.bar ? [row.bar] : []))
    },
    pixelOf: places.pixelOf,
    pointAt: places.pointAt,
    onView(listener) {
      viewers.add(listener)
      return () => viewers.delete(listener)
    },
    plotArea,
    png: () => chart.getConvertPictureUrl(true, 'png', theme.pane),
    resize() {
      height = element.clientHeight
      lookAtHeight()
      showVolume()
      chart.resize()
      studies.fitPanes()
      legendOfPanes()
    },
    destroy() {
      gone = true
      bars.stop()
      turn.stop()
      studies.stop()
      crosshair.stop()
      element.removeEventListener('pointerdown', bars.hold, true)
      removeEventListener('pointerup', bars.letGo, true)
      removeEventListener('pointercancel', bars.letGo, true)
      unprovide()
      dispose(chart)
    },
  }
  return port
}
