/** The chart port over klinecharts 10: the only file that drives the library. */
import { dispose, init, registerIndicator, type Chart, type Crosshair } from 'klinecharts'
import { dayStart } from '../../shared/calendar.ts'
import type { Bar } from '../../shared/market.ts'
import type { GapSpan } from '../../shared/state.ts'
import { comparedPercents } from './compared.ts'
import { countdownText } from './countdown.ts'
import { heikinAshi, heikinAshiRows } from './heikin-ashi.ts'
import { PriceAxis } from './kline-axis.ts'
import { Studies } from './kline-studies.ts'
import { placeMarkers, type ChartMarker } from './markers.ts'
import { MARK, PAINTERS, providePaintContext } from './paint.ts'
import { STUDY_TEMPLATE } from './paint-studies.ts'
import { instantOf, placeOf } from './place.ts'
import type {
  ChartLegend,
  ChartPlot,
  ChartPort,
  ChartSeries,
  ChartTheme,
  ComparedSeries,
  ChartPages,
  PlotArea,
} from './port.ts'
import { lowerBound, mergeBars, rowsOf, rowOf, type Row } from './series.ts'
import { chartStyles } from './styles.ts'
import { thinPaint } from './thin-paint.ts'
import { axisLabels, crosshairText } from './time-axis.ts'
import { Turns } from './turns.ts'
import { Zone } from './zone.ts'

/** Pages of older bars that going to an instant may read, and how many bars farther it goes there at once. */
const MOST_PAGES = 20
const FAR_BARS = 20_000
/** More new rows than that at once are put in whole. */
const MOST_PUSHED = 200
/** Of all charts of the window. */
const turns = new Turns()
let registered = false

/** klinecharts wants a period for extrapolating times right of the last bar. */
function period(intervalMs: number): { type: 'second' | 'minute' | 'hour' | 'day'; span: number } {
  if (intervalMs % 86_400_000 === 0) return { type: 'day', span: intervalMs / 86_400_000 }
  if (intervalMs % 3_600_000 === 0) return { type: 'hour', span: intervalMs / 3_600_000 }
  if (intervalMs % 60_000 === 0) return { type: 'minute', span: intervalMs / 60_000 }
  return { type: 'second', span: Math.max(1, intervalMs / 1_000) }
}

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
  let bars: Bar[] = []
  let moreOlder = false
  /** The last bar loaded is not the newest one. */
  let moreNewer = false
  let pages: ChartPages | null = null
  let legendListener: (legend: ChartLegend) => void = () => undefined
  let push: ((row: Row) => void) | null = null
  let cursor: number | null = null
  let head = 0
  let generation = 0

  const thousands = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
  const big = (value: string | number): string => {
    const n = Number(value)
    const size = Math.abs(n)
    if (size >= 1e9) return `${(n / 1e9).toFixed(2)}B`
    if (size >= 1e6) return `${(n / 1e6).toFixed(2)}M`
    if (size >= 1e4) return `${(n / 1e3).toFixed(1)}K`
    return size >= 100 ? thousands.format(n) : String(Number(n.toPrecision(4)))
  }
  const made: Chart | null = init(element, {
    timezone: 'UTC',
    styles: chartStyles(theme, series.style, plot.countdown && !series.ticks),
    hotkey: { enabled: false },
    // Micro-prices keep every zero.
    decimalFold: { threshold: 100 },
    formatter: {
      formatBigNumber: big,
      formatDate: ({ timestamp, type }) =>
        type === 'xAxis' ? '' : crosshairText(timestamp, series.ticks ? 1 : series.intervalMs, zone),
      formatExtendText: () => countdown(),
    },
    layout: { barSpaceLimit: { min: 1, max: 60 } },
  })
  if (!made) throw new Error('the chart could not be opened')
  const chart: Chart = made
  const rows = (): readonly Row[] => chart.getDataList() as Row[] // every row comes from series.ts

  const restyle = (): void =>
    chart.setStyles(chartStyles(theme, series.style, plot.countdown && !series.ticks && !moreNewer, moreNewer))
  /** The library paints on the next frame whatever it was asked to size anew. */
  const repaint = (): void => chart.resize()
  /** Compared symbols have only their percent in common. */
  const scale = (): ChartPlot['scale'] => (compared.length > 0 ? 'percent' : plot.scale)

  function countdown(): string {
    const last = bars[bars.length - 1]
    const end = last === undefined ? NaN : Math.max(last.endMs, last.startMs + 1)
    return plot.countdown && !series.ticks && !moreNewer ? countdownText(end - clock()) : ''
  }

  const unprovide = providePaintContext(chart.id, () => ({
    theme,
    gaps,
    markers: placedMarkers(),
    style: series.style,
    ticks: series.ticks,
    intervalMs: series.intervalMs,
    painted: lookAtView,
    plot,
    zone,
    quote,
    last: moreNewer ? null : (bars[bars.length - 1]?.close ?? null),
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
      ).map((label) => ({ coord: xOf(label.index), value: list[label.index].timestamp, text: label.text }))
      axisShown = labels.map(({ coord, text }) => `${coord} ${text}`).join()
      return labels
    },
  })
  let axisShown = ''
  let look = 0
  const thin = thinPaint(chart, () => `${look} ${axisShown}`)
  const studies = new Studies(chart, {
    theme: () => theme,
    dayOf: (ms) => dayStart(plot.asset, ms),
    failed: (thrown) => reportError(thrown),
  })
  const prices = new PriceAxis(chart, {
    rows,
    series: () => series,
    scale,
    inverted: () => plot.inverted,
    head: () => head,
    others: (from, to) => {
      const [low, high] = studies.range(from, to)
      const lines = comparedLines().flatMap(({ prices: list }) => list.filter((price) => price !== null))
      return [Math.min(low, ...lines), Math.max(high, ...lines)]
    },
  })

  /** Compared symbols in prices of the chart's own: as far from its left edge as they are from theirs. */
  function comparedLines(): readonly {
    readonly colour: string
    readonly from: number
    readonly prices: readonly (number | null)[]
  }[] {
    if (compared.length === 0) return []
    const { from, to } = chart.getVisibleRange()
    const instants = rows()
      .slice(Math.max(0, from), to)
      .map((row) => row.timestamp)
    const base = prices.base()
    return compared.map((one, i) => ({
      colour: comparedColour(i),
      from: Math.max(0, from),
      prices: comparedPercents(instants, one.bars).map((percent) =>
        percent === null ? null : base * (1 + percent / 100),
      ),
    }))
  }
  // From the end: indicators take theirs from the beginning.
  const comparedColour = (i: number): string => theme.series[theme.series.length - 1 - (i % theme.series.length)]
  chart.createIndicator({ name: 'td-behind', paneId: 'candle_pane' }, true)
  chart.createIndicator({ name: 'td-over', paneId: 'candle_pane' }, true)
  thin()
  let volumePane = false

  function xOf(index: number): number {
    const at = chart.convertToPixel({ dataIndex: index })
    return Array.isArray(at) ? NaN : (at.x ?? NaN)
  }

  function indexAt(x: number): number | undefined {
    const at = chart.convertFromPixel([{ x }], { paneId: 'candle_pane' })
    return (Array.isArray(at) ? at[0] : at)?.dataIndex
  }

  /** Time of one bar beyond the ends: prints have no interval of their own, so it is theirs in the mean. */
  function pace(list: readonly Row[]): number {
    if (!series.ticks) return series.intervalMs
    const some = list.slice(-200)
    const span = some.length > 1 ? some[some.length - 1].timestamp - some[0].timestamp : 0
    return span > 0 ? span / (some.length - 1) : 1_000
  }
  const priceAxis = () => prices.axis()

  const viewers = new Set<() => void>()
  let seen = ''
  /** After each painting: tells viewers when what lies where has changed. */
  function lookAtView(): void {
    if (viewers.size === 0) return
    const range = priceAxis()?.getRange()
    const { width, height } = plotArea()
    const first = rows()[0]?.timestamp
    const now = `${width} ${height} ${range?.realFrom} ${range?.realTo} ${chart.getBarSpace().bar} ${first} ${xOf(0)} ${rows().length}`
    if (now === seen) return
    seen = now
    for (const viewer of viewers) viewer()
  }

  function plotArea(): PlotArea {
    const bounding = chart.getSize('candle_pane', 'main')
    const pane = chart.getSize('candle_pane', 'root')
    return {
      left: bounding?.left ?? 0,
      top: pane?.top ?? 0,
      width: bounding?.width ?? 0,
      height: bounding?.height ?? 0,
    }
  }

  function showVolume(): void {
    const wanted = plot.volume && !series.ticks && bars.some((bar) => bar.volume !== null)
    if (wanted === volumePane) return
    volumePane = wanted
    if (wanted) {
      chart.createIndicator({ name: 'td-volume', paneId: 'volume' }, false)
    } else chart.removeIndicator({ name: 'td-volume' })
    studies.setVolume(wanted)
    thin()
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

  const touchesGap = ({ fromMs, toMs }: GapSpan, startMs: number): boolean =>
    fromMs < startMs + series.intervalMs && (toMs ?? Infinity) >= startMs

  function legend(): void {
    const list = rows()
    // Of bars that were there before: other ones may be fewer.
    if (cursor !== null && cursor >= list.length) cursor = null
    let index = cursor ?? list.length - 1
    while (cursor === null && index > 0 && !list[index]?.bar) index--
    // The end of a stretch of the past is nobody's latest bar.
    const bar = cursor === null && moreNewer ? null : (list[index]?.bar ?? null)
    let before = index - 1
    while (before >= 0 && !list[before].bar) before--
    const atMs = cursor === null ? null : (list[index]?.timestamp ?? null)
    const gap = atMs === null ? null : (gaps.find((one) => touchesGap(one, atMs)) ?? null)
    legendListener({
      bar,
      previousClose: list[before]?.bar?.close ?? null,
      fromCrosshair: cursor !== null,
      gap,
      atMs,
      markers: cursor === null ? [] : (placedMarkers().get(cursor) ?? []),
      studies: studies.legends(cursor ?? list.length - 1),
      compared: comparedLines().map((line, i) => {
        const price = line.prices[Math.min(cursor ?? Infinity, line.from + line.prices.length - 1) - line.from] ?? null
        return {
          label: compared[i].label,
          colour: line.colour,
          percent: price === null ? null : (price / prices.base() - 1) * 100,
        }
      }),
    })
  }

  chart.subscribeAction('onCrosshairChange', (data) => {
    const crosshair = data as Crosshair | undefined // the library types actions as unknown
    // Of the mouse the library tells the place only.
    const index = crosshair?.dataIndex ?? (crosshair?.x === undefined ? undefined : indexAt(crosshair.x))
    cursor = crosshair?.x === undefined || index === undefined || index >= rows().length ? null : index
    legend()
    tellCrosshair()
  })
  const followers = new Set<(ms: number | null) => void>()
  let told: number | null = null
  function tellCrosshair(): void {
    const ms = cursor === null ? null : (rows()[cursor]?.timestamp ?? null)
    if (ms === told) return
    told = ms
    for (const follower of followers) follower(ms)
  }
  const leave = (): void => {
    cursor = null
    legend()
    tellCrosshair()
  }
  /** The library puts a pane into an empty crosshair, and then draws it: only nothing at all takes it away. */
  // its types know no null, its code does
  const noCrosshair = (): void => chart.executeAction('onCrosshairChange', null as unknown as Crosshair)
  // The pane itself takes the keyboard; the library's own stop would be a second one.
  for (const child of element.children) child.removeAttribute('tabindex')
  element.addEventListener('mouseleave', leave)
  // While the chart is dragged the library counts bars from where the drag began: none may go meanwhile.
  let held = false
  const settle = (): void => {
    if (!held) pages?.settled()
  }
  const hold = (): void => {
    held = true
  }
  const letGo = (): void => {
    if (!held) return
    held = false
    settle()
  }
  element.addEventListener('pointerdown', hold, true)
  addEventListener('pointerup', letGo, true)
  addEventListener('pointercancel', letGo, true)

  const derived = (): boolean => series.style === 'heikin-ashi' && !series.ticks
  const rowsShown = (list: readonly Bar[]): Row[] => {
    const plain = rowsOf(list, gaps, series.intervalMs)
    return derived() ? heikinAshiRows(plain) : plain
  }
  function rowShown(bar: Bar): Row {
    const row = rowOf(bar)
    if (!derived()) return row
    const list = rows()
    return heikinAshi(
      row,
      list.findLast((one) => one.bar !== null && one.timestamp < row.timestamp),
    )
  }

  /** Bars that are in `bars` but not yet with the library. */
  let pending = new Map<number, Bar>()
  const turn = turns.register(() => {
    if (pending.size === 0) return repaint()
    const fresh = [...pending.values()]
    if (!push || fresh.length > MOST_PUSHED) return reload(true)
    pending = new Map()
    for (const bar of fresh) push(rowShown(bar))
    showVolume()
    legend()
  })

  function reload(keepView: boolean): void {
    pending = new Map()
    const list = rows()
    const range = chart.getVisibleRange()
    const anchor =
      keepView && list.length > 0 && range.to < list.length ? list[Math.max(0, range.to - 1)].timestamp : null
    const mine = ++generation
    push = null
    chart.setSymbol({ ticker: series.label, pricePrecision: series.decimals, volumePrecision: 2 })
    chart.setPeriod(period(series.intervalMs))
    chart.setDataLoader({
      getBars: ({ type, timestamp, callback }) => {
        const more = () => ({ forward: moreOlder, backward: moreNewer })
        if (type === 'init') callback(rowsShown(bars), more())
        else if (type === 'forward' && pages && timestamp !== null) {
          void pages.older(bars[0]?.startMs ?? timestamp).then(
            (page) => {
              if (mine !== generation) return
              const seam = bars[0]
              const older = page.bars.filter((bar) => seam === undefined || bar.startMs < seam.startMs)
              bars = older.concat(bars)
              moreOlder = page.more && older.length > 0
              // Averages hang on the bar before, so older ones change what is there.
              if (derived()) return reload(true)
              const olderRows = rowsOf(seam === undefined ? older : [...older, seam], gaps, series.intervalMs)
              callback(seam === undefined ? olderRows : olderRows.slice(0, -1), more())
              settle()
            },
            () => {
              if (mine === generation) callback([], more())
            },
          )
        } else if (type === 'backward' && pages) {
          void pages.newer().then(
            (page) => {
              if (mine !== generation) return
              const seam = bars[bars.length - 1]
              const newer = page.bars.filter((bar) => seam === undefined || bar.startMs > seam.startMs)
              bars = bars.concat(newer)
              const joined = moreNewer && !page.more
              moreNewer = page.more
              if (joined) restyle()
              if (derived()) return reload(true)
              const newerRows = rowsOf(seam === undefined ? newer : [seam, ...newer], gaps, series.intervalMs)
              callback(seam === undefined ? newerRows : newerRows.slice(1), more())
              settle()
            },
            () => {
              if (mine === generation) callback([], more())
            },
          )
        } else callback([], more())
      },
      subscribeBar: ({ callback }) => {
        push = callback
      },
      unsubscribeBar: () => {
        push = null
      },
    })
    if (anchor !== null) chart.scrollToTimestamp(anchor)
    showVolume()
    legend()
  }

  const port: ChartPort = {
    load(next, list, more, keepView, newer = false) {
      const under = keepView && cursor !== null ? rows()[cursor]?.timestamp : undefined
      const restyled = next.style !== series.style || newer !== moreNewer
      series = next
      bars = [...list]
      moreOlder = more
      moreNewer = newer
      cursor = null
      if (restyled) restyle()
      reload(keepView)
      if (under === undefined) return
      // The bar under the crosshair stays the one that the legend tells of.
      const index = rows().findIndex((row) => row.timestamp === under)
      if (index < 0) return
      cursor = index
      legend()
    },
    update(updates) {
      if (updates.length === 0) return
      const empty = bars.length === 0
      const lastMs = bars[bars.length - 1]?.startMs ?? Infinity
      const kind = mergeBars(bars, updates)
      const closesGap = gaps.length > 0 && updates.some((bar) => bar.startMs > lastMs + series.intervalMs)
      if (kind === 'middle' || empty || closesGap || !push) reload(true)
      else {
        for (const bar of updates) pending.set(bar.startMs, bar)
        turn.ask()
      }
    },
    setGaps(next) {
      gaps = next
      if (bars.length > 0) reload(true)
    },
    setMarkers(next) {
      if (next.length === 0 && markers.length === 0) return
      markers = next
      placed = null
      chart.resize()
      legend()
    },
    setTheme(next) {
      theme = next
      look++
      restyle()
    },
    setZone(name) {
      zone = new Zone(name)
      chart.setTimezone('UTC')
      chart.resize()
    },
    setStyle(style) {
      if (style === series.style) return
      const was = derived()
      series = { ...series, style }
      restyle()
      if (was !== derived()) reload(true)
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
      if (studies.set(list, series.decimals)) thin()
      repaint()
      legend()
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
      pages = next
    },
    onLegend(listener) {
      legendListener = listener
      legend()
    },
    stepCrosshair(step) {
      const list = rows()
      if (list.length === 0) return
      let index = Math.min(Math.max((cursor ?? list.length) + step, 0), list.length - 1)
      while (index > 0 && index < list.length - 1 && !list[index].bar) index += Math.sign(step) || 1
      const { from, to } = chart.getVisibleRange()
      if (index < from || index >= to) chart.scrollToDataIndex(index)
      const at = chart.convertToPixel(
        { timestamp: list[index].timestamp, value: list[index].close },
        { paneId: 'candle_pane' },
      )
      if (!Array.isArray(at)) chart.executeAction('onCrosshairChange', { ...at, paneId: 'candle_pane' })
      cursor = index
      legend()
      tellCrosshair()
    },
    showCrosshair(ms) {
      const list = rows()
      const index = ms === null ? -1 : list.findLastIndex((row) => row.timestamp <= ms)
      const { from, to } = chart.getVisibleRange()
      const seen = index >= from && index < to
      if (!seen) noCrosshair()
      // A pane that there is not: the other chart's price is none of this one's.
      else chart.executeAction('onCrosshairChange', { x: xOf(index), paneId: 'linked' })
      cursor = seen ? index : null
      told = cursor === null ? null : list[index].timestamp
      legend()
    },
    onCrosshair(listener) {
      followers.add(listener)
      return () => followers.delete(listener)
    },
    clearCrosshair() {
      noCrosshair()
      leave()
    },
    zoom(factor) {
      chart.zoomAtDataIndex(factor, Math.max(0, chart.getVisibleRange().to - 1))
    },
    scroll(count) {
      chart.scrollByDistance(-count * chart.getBarSpace().bar)
    },
    scrollToLatest() {
      if (moreNewer && pages) pages.newest()
      else chart.scrollToRealTime()
    },
    fit() {
      const { width } = plotArea()
      prices.apply()
      if (rows().length === 0 || width <= 0) return
      chart.setBarSpace(Math.min(60, Math.max(1, (width * 0.94) / rows().length)))
      chart.scrollToRealTime()
    },
    async goTo(ms) {
      const far = FAR_BARS * series.intervalMs
      const [first] = bars
      const last = bars[bars.length - 1]
      const isFar = (first !== undefined && moreOlder && first.startMs - ms > far) || (moreNewer && ms > last.startMs)
      if (isFar) await pages?.around(ms)
      const mine = generation
      for (let read = 0; read < MOST_PAGES && bars.length > 0 && bars[0].startMs > ms && moreOlder; read++) {
        const [seam] = bars
        const page = await pages?.older(seam.startMs)
        if (page === undefined || mine !== generation) return
        const older = page.bars.filter((bar) => bar.startMs < seam.startMs)
        bars = older.concat(bars)
        moreOlder = page.more && older.length > 0
      }
      reload(true)
      const list = rows()
      const index = list.findLastIndex((row) => row.timestamp <= ms)
      const { from, to } = chart.getVisibleRange()
      // In the middle, where there is room right of it.
      chart.scrollToDataIndex(Math.min(list.length - 1, Math.max(0, index) + Math.floor((to - from) / 2)))
      settle()
    },
    barAt(x) {
      const index = indexAt(x)
      return index === undefined ? null : (rows()[index]?.bar ?? null)
    },
    barsBetween: (fromMs, toMs) => bars.slice(lowerBound(bars, fromMs), lowerBound(bars, toMs + 1)),
    markersAt(x, y) {
      const { left, top, height } = plotArea()
      const reach = MARK.radius + 2
      if (Math.abs(y - (top + height - MARK.foot)) > reach) return []
      const near = [...placedMarkers()]
        .map(([index, there]) => ({ away: Math.abs(left + xOf(index) - x), there }))
        .filter(({ away }) => away <= reach)
      return near.toSorted((a, b) => a.away - b.away)[0]?.there ?? []
    },
    visibleBars() {
      const { from, to } = chart.getVisibleRange()
      return rows()
        .slice(Math.max(0, from), to)
        .flatMap((row) => (row.bar ? [row.bar] : []))
    },
    pixelOf(ms, price) {
      const list = rows()
      const axis = priceAxis()
      if (list.length === 0 || !axis) return null
      const place = placeOf(list, ms, pace(list))
      const at = Math.floor(place)
      const from = xOf(at)
      const { left, top, height } = plotArea()
      const range = axis.getRange()
      // The axis itself rounds to whole pixels, which a line between two points far apart would show.
      const rate = (axis.valueToRealValue(price, { range }) - range.realFrom) / range.realRange
      return {
        x: left + from + (place - at) * (xOf(at + 1) - from),
        y: top + (axis.reverse ? rate : 1 - rate) * height,
      }
    },
    pointAt(x, y) {
      const list = rows()
      const axis = priceAxis()
      const { left, top } = plotArea()
      let at = indexAt(x - left)
      if (list.length === 0 || !axis || at === undefined) return null
      while (xOf(at) > x - left) at--
      while (xOf(at + 1) <= x - left) at++
      const from = xOf(at)
      const place = at + (x - left - from) / (xOf(at + 1) - from)
      return { ms: instantOf(list, place, pace(list)), price: axis.convertFromPixel(y - top) }
    },
    onView(listener) {
      viewers.add(listener)
      return () => viewers.delete(listener)
    },
    plotArea,
    png: () => chart.getConvertPictureUrl(true, 'png', theme.pane),
    resize() {
      chart.resize()
      studies.fitPanes()
    },
    destroy() {
      generation++
      turn.stop()
      studies.stop()
      element.removeEventListener('mouseleave', leave)
      element.removeEventListener('pointerdown', hold, true)
      removeEventListener('pointerup', letGo, true)
      removeEventListener('pointercancel', letGo, true)
      unprovide()
      dispose(chart)
    },
  }
  return port
}
