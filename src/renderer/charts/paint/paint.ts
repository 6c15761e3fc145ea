/** Our own painters on the chart's canvas: gaps, lines that break at gaps, markers, quotes, volume. */
import type { Indicator, IndicatorDrawParams, IndicatorTemplate, KLineData } from 'klinecharts'
import { t } from '../../../shared/base/text.ts'
import { textFont, textPx } from './canvas-text.ts'
import { dashPattern } from '../model/line-style.ts'
import type { ChartTheme } from '../model/chart.ts'
import type { ChartMarker } from '../model/markers.ts'
import { painterOf, type Painter } from './paint-context.ts'
import { paintCalendar } from './paint-calendar.ts'
import { paintFootprint } from './paint-footprint.ts'
import { paintQuoteMap, paintTimeAtPrice } from './paint-quotes.ts'
import { paintGaps, paintIncomplete } from './paint-gaps.ts'

/** A marker, px: its center above the bottom of the plot, and its radius. */
export const markSize = (textScale: number): { readonly foot: number; readonly radius: number } => ({
  foot: textPx(16, textScale),
  radius: textPx(7, textScale),
})

/** The color and letter of a bar's events: the user's own note comes first, then earnings. */
function markFace(
  markers: readonly ChartMarker[],
  theme: ChartTheme,
): { readonly color: string; readonly letter: string } {
  if (markers.some((one) => one.kind === 'note')) return { color: theme.text, letter: 'J' }
  const earnings = markers.some((one) => one.kind === 'earnings')
  return earnings ? { color: theme.warn, letter: 'E' } : { color: theme.accent, letter: 'N' }
}

/** Paints a letter below a bar with an event: E for earnings, N for news, J for a note of the journal. */
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
    const { color, letter } = markFace(markers, context.theme)
    ctx.fillStyle = color
    ctx.beginPath()
    ctx.arc(x, y, radius, 0, Math.PI * 2)
    ctx.fill()
    ctx.fillStyle = context.theme.pane
    ctx.fillText(letter, x, y + 0.5)
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
    for (const [at, price] of prices.entries()) {
      if (price !== null) ctx.lineTo(x(from + at), y(price))
      else {
        ctx.stroke()
        ctx.beginPath()
      }
    }
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
    const p = painterOf(params)
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
    draw: draw((p) => paintGaps(p, true), paintLine, calendar, paintQuoteMap, paintTimeAtPrice, paintFootprint),
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
