/** Our own painters on the chart's canvas: hatched gaps, lines that break at gaps, markers, volume. */
import type { Indicator, IndicatorDrawParams, IndicatorTemplate, KLineData } from 'klinecharts'
import { gapPhrase } from '../../../shared/core/status/gap-texts.ts'
import { t } from '../../../shared/base/text.ts'
import type { GapSpan } from '../../../shared/core/status/status.ts'
import { textFont, textPx } from './canvas-text.ts'
import type { ComparedLine } from '../model/compared.ts'
import { dashPattern } from '../model/line-style.ts'
import type { ChartMarker } from '../model/markers.ts'
import { paintCalendar } from './paint-calendar.ts'
import type { ChartPlot, ChartStyle, ChartTheme, Quote } from '../model/chart.ts'
import { MAX_SLOTS } from '../model/series.ts'
import type { Zone } from '../../text/zone.ts'

/** What painters need from their chart. Looked up by chart id, because templates are global. */
export interface PaintContext {
  readonly theme: ChartTheme
  readonly gaps: readonly GapSpan[]
  /** Markers by row index. */
  readonly markers: ReadonlyMap<number, readonly ChartMarker[]>
  readonly style: ChartStyle
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
}

const contexts = new Map<string, () => PaintContext>()

/** Registers a chart's context with the painters; returns the function that removes it. */
export function providePaintContext(chartId: string, context: () => PaintContext): () => void {
  contexts.set(chartId, context)
  return () => contexts.delete(chartId)
}

interface Painter {
  readonly ctx: CanvasRenderingContext2D
  readonly context: PaintContext
  readonly rows: readonly KLineData[]
  readonly from: number
  readonly to: number
  readonly x: (index: number) => number
  readonly y: (value: number) => number
  readonly half: number
  readonly height: number
  readonly width: number
}

function painter(params: IndicatorDrawParams<unknown, unknown, unknown>): Painter | undefined {
  const context = contexts.get(params.chart.id)?.()
  if (!context) return undefined
  const range = params.chart.getVisibleRange()
  return {
    ctx: params.ctx,
    context,
    rows: params.chart.getDataList(),
    from: range.from,
    to: range.to,
    x: (index) => params.xAxis.convertToPixel(index),
    y: (value) => params.yAxis.convertToPixel(value),
    half: params.chart.getBarSpace().halfBar,
    height: params.bounding.height,
    width: params.bounding.width,
  }
}

/** Index of the first row at or after `ms`. */
function firstAt(rows: readonly KLineData[], ms: number): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (rows[middle].timestamp < ms) low = middle + 1
    else high = middle
  }
  return low
}

function hatch(ctx: CanvasRenderingContext2D, x: number, width: number, height: number): void {
  ctx.save()
  ctx.beginPath()
  ctx.rect(x, 0, width, height)
  ctx.clip()
  ctx.beginPath()
  for (let at = x - height; at < x + width; at += 7) {
    ctx.moveTo(at, height)
    ctx.lineTo(at + height, 0)
  }
  ctx.stroke()
  ctx.restore()
}

/**
 * X of an instant: interpolated within its bar's slot, or else at the edge of the next bar. So a one-second outage
 * doesn't hatch the whole hour around it.
 */
function edge(p: Painter, ms: number): number {
  const next = firstAt(p.rows, ms)
  const before = p.rows[next - 1]
  if (before === undefined) return p.x(next) - p.half
  const inside = (ms - before.timestamp) / p.context.intervalMs
  return p.x(next - 1) - p.half + Math.min(Math.max(inside, 0), 1) * p.half * 2
}

/** Gaps narrower than this, px, are drawn as one line. */
const THIN = 4

interface Span {
  readonly gap: GapSpan
  readonly left: number
  readonly width: number
  readonly open: boolean
}

/** A span that began before the first bar, at most as wide as a gap between two bars. */
function leading(p: Painter, gap: GapSpan): Span[] {
  const endMs = Math.min(gap.toMs ?? Infinity, p.rows[0].timestamp)
  const slots = Math.min(Math.ceil((endMs - gap.fromMs) / p.context.intervalMs), MAX_SLOTS)
  const left = Math.round(p.x(0) - p.half - slots * p.half * 2)
  const right = Math.round(Math.max(p.x(0) - p.half, edge(p, gap.toMs ?? Infinity)))
  return right < 0 || left > p.width ? [] : [{ gap, left, width: Math.max(2, right - left), open: false }]
}

/** The positions of the gaps in view, px. */
function spansOf(p: Painter): Span[] {
  const startMs = p.rows[0].timestamp
  // Slots exist only between bars, so a corrupt span before the first bar wouldn't show.
  const before = p.context.gaps.filter((gap) => gap.cause === 'unreadable' && gap.fromMs < startMs)
  return p.context.gaps.flatMap((gap) => {
    const toMs = gap.toMs ?? Infinity
    if (gap === before.at(-1)) return leading(p, { ...gap, fromMs: before[0].fromMs })
    if (toMs <= startMs) return []
    const open = toMs === Infinity
    const left = Math.round(edge(p, gap.fromMs))
    const right = Math.round(open ? p.width : edge(p, toMs))
    return right < 0 || left > p.width ? [] : [{ gap, left, width: Math.max(2, right - left), open }]
  })
}

/** Paints the cause vertically in the middle of its gap if it fits. */
function paintCause({ ctx, context, height, width: full }: Painter, { gap, left, width }: Span): void {
  const text = t(gap.cause === 'unreadable' ? 'can’t be read · {what}' : 'no data · {what}', {
    what: gapPhrase(`gap.cause.${gap.cause}`),
  })
  const { textScale } = context.theme
  ctx.font = textFont(11, textScale)
  const half = ctx.measureText(text).width / 2 + 5
  const line = textPx(16, textScale)
  if (width < line + 2 || height < half * 2 + 14) return
  ctx.save()
  ctx.translate((Math.max(left, 0) + Math.min(left + width, full)) / 2, height / 2)
  ctx.rotate(-Math.PI / 2)
  ctx.textAlign = 'center'
  ctx.textBaseline = 'middle'
  ctx.fillStyle = context.theme.warn
  ctx.fillText(text, 0, 0)
  ctx.fillStyle = context.theme.pane
  ctx.fillRect(-half, -line / 2, half * 2, line)
  ctx.restore()
}

function paintSpan({ ctx, context, height }: Painter, { left, width, open }: Span): void {
  ctx.strokeStyle = context.theme.warn
  if (width < THIN) {
    // Too narrow to hatch: one dashed line marks the gap without covering a candle.
    ctx.globalAlpha = 0.6
    ctx.setLineDash([2, 4])
    ctx.beginPath()
    ctx.moveTo(left + 0.5, 0)
    ctx.lineTo(left + 0.5, height)
    ctx.stroke()
    ctx.setLineDash([])
    return
  }
  ctx.globalAlpha = 0.8
  ctx.beginPath()
  ctx.moveTo(left + 0.5, 0)
  ctx.lineTo(left + 0.5, height)
  if (!open) {
    ctx.moveTo(left + width - 0.5, 0)
    ctx.lineTo(left + width - 0.5, height)
  }
  ctx.stroke()
  ctx.globalAlpha = 0.32
  hatch(ctx, left, width, height)
  ctx.globalAlpha = 0.07
  ctx.fillStyle = context.theme.warn
  ctx.fillRect(left, 0, width, height)
}

/**
 * Hatches every gap over its whole time, with both edges and the cause. Below level 0 the library paints with
 * `destination-over`, each stroke under the ones before, so texts come first and fills last.
 */
function paintGaps(p: Painter, causes: boolean): void {
  if (p.rows.length === 0 || p.context.gaps.length === 0) return
  const spans = spansOf(p)
  p.ctx.save()
  p.ctx.setLineDash([])
  p.ctx.lineWidth = 1
  if (causes) for (const span of spans) paintCause(p, span)
  for (const span of spans) paintSpan(p, span)
  p.ctx.restore()
}

/** Paints a small open triangle under every bar with missing data. */
function paintIncomplete(p: Painter): void {
  const { ctx, context, rows } = p
  if (context.ticks || p.half < 2) return
  ctx.save()
  ctx.setLineDash([])
  ctx.strokeStyle = context.theme.warn
  ctx.lineWidth = 1
  ctx.globalAlpha = 0.9
  const size = Math.min(3.5, p.half)
  ctx.beginPath()
  for (let i = p.from; i < p.to; i++) {
    const bar = rows[i]?.bar as { complete: boolean } | null | undefined // rows are made by series.ts
    if (!bar || bar.complete) continue
    // The forming bar is always incomplete. A gap in it shows as a gap.
    const x = p.x(i)
    const y = p.height - 4
    ctx.moveTo(x - size, y)
    ctx.lineTo(x, y - size * 1.6)
    ctx.lineTo(x + size, y)
    ctx.closePath()
  }
  ctx.stroke()
  ctx.restore()
}

/** A marker, px: its center above the bottom of the plot, and its radius. */
export const markSize = (textScale: number): { readonly foot: number; readonly radius: number } => ({
  foot: textPx(16, textScale),
  radius: textPx(7, textScale),
})

/** Paints a letter below a bar with an event: E for earnings, N for news. */
function paintMarkers(p: Painter): void {
  const { ctx, context } = p
  if (context.markers.size === 0) return
  ctx.save()
  ctx.setLineDash([])
  const { textScale } = context.theme
  const { foot, radius } = markSize(textScale)
  ctx.font = textFont(9, textScale, 600)
  ctx.textAlign = 'center'
  ctx.textBaseline = 'middle'
  for (const [index, markers] of context.markers) {
    if (index < p.from || index >= p.to) continue
    const x = p.x(index)
    const y = p.height - foot
    const earnings = markers.some((one) => one.kind === 'earnings')
    ctx.fillStyle = earnings ? context.theme.warn : context.theme.accent
    ctx.beginPath()
    ctx.arc(x, y, radius, 0, Math.PI * 2)
    ctx.fill()
    ctx.fillStyle = context.theme.pane
    ctx.fillText(earnings ? 'E' : 'N', x, y + 0.5)
  }
  ctx.restore()
}

/** Paints the line through the closes in the styles `line` and `area`, broken at gaps. */
function paintLine(p: Painter): void {
  const { ctx, context, rows } = p
  if (context.style !== 'line' && context.style !== 'area') return
  ctx.save()
  ctx.setLineDash([])
  ctx.lineWidth = 1.5
  ctx.lineJoin = 'round'
  ctx.strokeStyle = context.theme.accent
  const from = Math.max(0, p.from - 1)
  const to = Math.min(rows.length, p.to + 1)
  let started = -1
  const finish = (end: number): void => {
    if (started < 0) return
    ctx.stroke()
    if (context.style === 'area' && end > started) {
      ctx.lineTo(p.x(end), p.height)
      ctx.lineTo(p.x(started), p.height)
      ctx.closePath()
      const fill = ctx.createLinearGradient(0, 0, 0, p.height)
      fill.addColorStop(0, context.theme.accent)
      fill.addColorStop(1, 'transparent')
      ctx.globalAlpha = 0.22
      ctx.fillStyle = fill
      ctx.fill()
      ctx.globalAlpha = 1
    }
    started = -1
  }
  for (let i = from; i < to; i++) {
    const close = rows[i].close
    if (Number.isNaN(close)) {
      finish(i - 1)
      continue
    }
    const x = p.x(i)
    const y = p.y(close)
    if (started < 0) {
      started = i
      ctx.beginPath()
      ctx.moveTo(x, y)
    } else ctx.lineTo(x, y)
  }
  finish(to - 1)
  ctx.restore()
}

/** Paints days and trading sessions behind everything else in their pane. */
function calendar(p: Painter): void {
  const { plot, theme, zone } = p.context
  paintCalendar({
    ctx: p.ctx,
    theme,
    asset: plot.asset,
    zone,
    sessions: plot.sessions,
    days: plot.days,
    intervalMs: p.context.ticks ? 1 : p.context.intervalMs,
    timestamps: (index) => p.rows[index].timestamp,
    from: Math.max(0, p.from),
    to: Math.min(p.rows.length, p.to),
    x: p.x,
    half: p.half,
    height: p.height,
  })
}

/** Paints lines at the best bid and ask, and at the last price if the bars are averages. */
function paintQuote({ ctx, context, y, width }: Painter): void {
  const { theme, quote, last, style } = context
  const lines = [
    { price: quote?.bid ?? null, colour: theme.up, dash: [6, 3] },
    { price: quote?.ask ?? null, colour: theme.down, dash: [6, 3] },
    { price: style === 'heikin-ashi' ? last : null, colour: theme.text, dash: [2, 3] },
  ]
  ctx.save()
  ctx.lineWidth = 1
  ctx.globalAlpha = 0.75
  for (const { price, colour, dash } of lines) {
    if (price === null) continue
    ctx.setLineDash(dash)
    ctx.strokeStyle = colour
    ctx.beginPath()
    ctx.moveTo(0, Math.round(y(price)) + 0.5)
    ctx.lineTo(width, Math.round(y(price)) + 0.5)
    ctx.stroke()
  }
  ctx.restore()
}

function paintCompared({ ctx, context, x, y }: Painter): void {
  ctx.save()
  ctx.lineWidth = 1.5
  for (const { colour, dash, from, prices } of context.compared()) {
    ctx.strokeStyle = colour
    ctx.setLineDash(dashPattern(dash))
    ctx.beginPath()
    for (const [at, price] of prices.entries()) if (price !== null) ctx.lineTo(x(from + at), y(price))
    ctx.stroke()
  }
  ctx.restore()
}

function paintVolume(p: Painter): void {
  const { ctx, context, rows } = p
  const width = Math.max(1, Math.floor(p.half * 2 * 0.72))
  const base = p.height
  for (const up of [true, false]) {
    ctx.fillStyle = up ? context.theme.up : context.theme.down
    ctx.globalAlpha = 0.5
    for (let i = p.from; i < p.to; i++) {
      const row = rows[i]
      const volume = row?.volume
      if (volume === undefined || Number.isNaN(volume) || row.close >= row.open !== up) continue
      const top = p.y(volume)
      ctx.fillRect(Math.round(p.x(i) - width / 2), top, width, base - top)
    }
  }
  ctx.globalAlpha = 1
}

interface Calculated {
  first: number
  rows: { v?: number }[]
}
const volumes = new WeakMap<object, Calculated>()

/** Extends its cached result in place, so the cost of a tick doesn't depend on the length of the chart. */
function volumeRows(rows: KLineData[], indicator: Indicator<unknown, unknown, unknown>): { v?: number }[] {
  const first = rows[0]?.timestamp ?? NaN
  let known = volumes.get(indicator)
  if (!known || known.first !== first || known.rows.length > rows.length) {
    known = { first, rows: [] }
    volumes.set(indicator, known)
  }
  for (let i = Math.max(0, known.rows.length - 1); i < rows.length; i++) {
    const volume = rows[i].volume
    known.rows[i] = volume === undefined || Number.isNaN(volume) ? {} : { v: volume }
  }
  return known.rows
}

const draw =
  (...painters: ((p: Painter) => void)[]) =>
  (params: IndicatorDrawParams<unknown, unknown, unknown>): boolean => {
    const p = painter(params)
    if (p) for (const paint of painters) paint(p)
    return true
  }

const base = {
  calcParams: [],
  figures: [],
  createTooltipDataSource: () => ({ name: '', calcParamsText: '', features: [], legends: [] }),
}

/** Templates to register once: behind the candles, over the candles, and in the volume pane. */
export const PAINTERS: readonly IndicatorTemplate[] = [
  {
    ...base,
    name: 'td-behind',
    series: 'price',
    zLevel: -10,
    calc: () => [],
    draw: draw((p) => paintGaps(p, true), paintLine, calendar),
  },
  {
    ...base,
    name: 'td-over',
    series: 'price',
    zLevel: 10,
    calc: () => [],
    draw: draw(paintCompared, paintQuote, paintIncomplete, paintMarkers, (p) => p.context.painted()),
  },
  {
    ...base,
    name: 'td-volume',
    series: 'volume',
    precision: 2,
    minValue: 0,
    shouldFormatBigNumber: true,
    figures: [{ key: 'v', title: t('Volume'), type: 'bar' }],
    calc: volumeRows,
    draw: draw((p) => paintGaps(p, false), paintVolume),
  },
]
