/** Paints gaps as hatched spans with their cause, and marks bars with missing data. */
import { t } from '../../../shared/base/text.ts'
import { cutsOrder } from '../../../shared/core/recording/session.ts'
import { gapPhrase } from '../../../shared/core/status/gap-texts.ts'
import type { GapSpan } from '../../../shared/core/status/status.ts'
import { textFont, textPx } from './canvas-text.ts'
import { isByTrades, lowerBound, MAX_SLOTS, type Row } from '../model/series.ts'
import type { Painter } from './paint-context.ts'

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

/** The time that a row stands for, ms. A bar by trades lasts until its last trade. */
const lengthMs = (p: Painter, { timestamp, bar }: Row): number =>
  isByTrades(p.context.intervalMs) && bar !== null ? Math.max(1, bar.endMs - timestamp) : p.context.intervalMs

/**
 * X of an instant: interpolated within its bar's slot, or else at the edge of the next bar. So a one-second outage
 * doesn't hatch the whole hour around it. A replay's clock may be ahead of the last bar.
 */
function edge(p: Painter, ms: number): number {
  const next = lowerBound(p.rows, ms)
  const before = p.rows[next - 1]
  if (before === undefined) return p.x(next) - p.half
  const inside = (ms - before.timestamp) / lengthMs(p, before)
  const isAhead = next === p.rows.length && ms === p.context.clockMs
  const most = isAhead && !isByTrades(p.context.intervalMs) ? MAX_SLOTS : 1
  return p.x(next - 1) - p.half + Math.min(Math.max(inside, 0), most) * p.half * 2
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
  const length = isByTrades(p.context.intervalMs) ? Infinity : p.context.intervalMs
  const slots = Math.min(Math.max(1, Math.ceil((endMs - gap.fromMs) / length)), MAX_SLOTS)
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
    const toMs = gap.toMs ?? p.context.clockMs ?? Infinity
    if (gap === before.at(-1)) return leading(p, { ...gap, fromMs: before[0].fromMs })
    if (toMs <= startMs) return []
    const open = gap.toMs === null
    const left = Math.round(edge(p, gap.fromMs))
    const right = Math.round(toMs === Infinity ? p.width : edge(p, toMs))
    return right < 0 || left > p.width ? [] : [{ gap, left, width: Math.max(2, right - left), open }]
  })
}

/** The middle of the part of a gap that is in view, px. */
const middleOf = ({ width: full }: Painter, { left, width }: Span): number =>
  (Math.max(left, 0) + Math.min(left + width, full)) / 2

/** Paints the cause vertically in the middle of its gap, below the legend, if it fits. Returns whether it did. */
function paintCause(p: Painter, span: Span): boolean {
  const { ctx, context, height } = p
  const { gap, width } = span
  const what = gapPhrase(`gap.cause.${gap.cause}`)
  // Messages that weren't stored were received, so the chart has their bars until Tapedeck restarts.
  const text =
    gap.cause === 'unreadable'
      ? t('can’t be read · {what}', { what })
      : cutsOrder(gap.cause)
        ? what
        : t('no data · {what}', { what })
  const { textScale } = context.theme
  ctx.font = textFont(11, textScale)
  const half = ctx.measureText(text).width / 2 + 5
  const line = textPx(16, textScale)
  if (width < line + 2 || height - context.headPx < half * 2 + 14) return false
  ctx.save()
  ctx.translate(middleOf(p, span), Math.max(height / 2, context.headPx + half + 7))
  ctx.rotate(-Math.PI / 2)
  ctx.textAlign = 'center'
  ctx.textBaseline = 'middle'
  ctx.fillStyle = context.theme.warn
  ctx.fillText(text, 0, 0)
  ctx.fillStyle = context.theme.pane
  ctx.fillRect(-half, -line / 2, half * 2, line)
  ctx.restore()
  return true
}

/**
 * Paints the causes. Where gaps overlap, one text would cover the other: the end of a session, which loses nothing by
 * itself, gives way.
 */
function paintCauses(p: Painter, spans: readonly Span[]): void {
  const line = textPx(16, p.context.theme.textScale)
  const taken: number[] = []
  for (const span of spans.toSorted((a, b) => Number(a.gap.cause === 'quit') - Number(b.gap.cause === 'quit'))) {
    const middle = middleOf(p, span)
    if (!taken.some((other) => Math.abs(other - middle) < line) && paintCause(p, span)) taken.push(middle)
  }
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
export function paintGaps(p: Painter, causes: boolean): void {
  if (p.rows.length === 0 || p.context.gaps.length === 0) return
  const spans = spansOf(p)
  p.ctx.save()
  p.ctx.setLineDash([])
  p.ctx.lineWidth = 1
  if (causes) paintCauses(p, spans)
  for (const span of spans) paintSpan(p, span)
  p.ctx.restore()
}

/** Paints a small open triangle under every bar with missing data. */
export function paintIncomplete(p: Painter): void {
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
