/** Days and trading sessions behind the bars: shading outside main hours, lines where a day or session starts. */
import { DAY_MS } from '../../../shared/base/durations.ts'
import { sessionState } from '../../../shared/core/market/calendar.ts'
import type { AssetClass } from '../../../shared/base/units.ts'
import type { ChartTheme } from '../model/chart.ts'
import type { Zone } from '../../text/zone.ts'

export interface CalendarPaint {
  readonly ctx: CanvasRenderingContext2D
  readonly theme: ChartTheme
  readonly asset: AssetClass
  readonly zone: Zone
  readonly sessions: boolean
  readonly days: boolean
  readonly intervalMs: number
  readonly timestamps: (index: number) => number
  readonly from: number
  readonly to: number
  readonly x: (index: number) => number
  readonly half: number
  readonly height: number
}

/** Day lines closer than this, px, would look like a fence. */
const MIN_APART = 24

/** The first rows of the days and sessions in view, and the ranges outside the main session. Pure. */
export function calendarMarks(paint: Pick<CalendarPaint, 'asset' | 'zone' | 'timestamps' | 'from' | 'to'>): {
  days: number[]
  bounds: number[]
  outside: [number, number][]
} {
  const { asset, zone, timestamps, from, to } = paint
  const days: number[] = []
  const bounds: number[] = []
  const outside: [number, number][] = []
  let day = from > 0 ? Math.floor(zone.wall(timestamps(from - 1)) / DAY_MS) : NaN
  let state = from > 0 ? sessionState(asset, timestamps(from - 1)) : null
  for (let i = from; i < to; i++) {
    const ms = timestamps(i)
    const today = Math.floor(zone.wall(ms) / DAY_MS)
    if (!Number.isNaN(day) && today !== day) days.push(i)
    day = today
    const now = sessionState(asset, ms)
    if (state !== null && now !== state) bounds.push(i)
    state = now
    if (now === 'open') continue
    const last = outside[outside.length - 1]
    if (last !== undefined && last[1] === i) last[1] = i + 1
    else outside.push([i, i + 1])
  }
  return { days, bounds, outside }
}

/** Paints the calendar. Below level 0, what is painted first ends up on top. */
export function paintCalendar(paint: CalendarPaint): void {
  const { ctx, theme, intervalMs, x, half, height } = paint
  if (intervalMs >= DAY_MS || paint.to <= paint.from || (!paint.days && !paint.sessions)) return
  const { days, bounds, outside } = calendarMarks(paint)
  ctx.save()
  ctx.lineWidth = 1
  const line = (index: number): void => {
    const at = Math.round(x(index) - half) + 0.5
    ctx.moveTo(at, 0)
    ctx.lineTo(at, height)
  }
  if (paint.days && (days.length < 2 || x(days[1]) - x(days[0]) >= MIN_APART)) {
    ctx.setLineDash([4, 4])
    ctx.strokeStyle = theme.faint
    ctx.globalAlpha = 0.7
    ctx.beginPath()
    days.forEach(line)
    ctx.stroke()
  }
  if (paint.sessions && paint.asset !== 'crypto') {
    ctx.setLineDash([1, 3])
    ctx.strokeStyle = theme.accent
    ctx.globalAlpha = 0.6
    ctx.beginPath()
    bounds.forEach(line)
    ctx.stroke()
    ctx.globalAlpha = 0.06
    ctx.fillStyle = theme.accent
    for (const [first, end] of outside) {
      const left = x(first) - half
      ctx.fillRect(left, 0, x(end - 1) + half - left, height)
    }
  }
  ctx.restore()
}
