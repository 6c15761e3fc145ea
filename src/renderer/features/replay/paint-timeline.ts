/** Paints the timeline of a replay on a canvas: activity, gaps, bookmarks, loop, cursor, ruler. */
import type { Gap } from '../../../shared/core/recording/session.ts'
import type { ReplayTimeline } from '../../../shared/features/replay/replay.ts'
import type { Zone } from '../../text/zone.ts'
import { textFont, textPx } from '../../charts/paint/canvas-text.ts'
import { rulerLabels, xOf } from './timeline-scale.ts'
import type { Span } from '../../../shared/base/spans.ts'

/** CSS colors, read from the design tokens. */
export interface TimelineColours {
  readonly page: string
  readonly line: string
  readonly rest: string
  readonly text: string
  readonly dim: string
  readonly replay: string
  readonly warn: string
  readonly accent: string
}

export interface TimelinePicture {
  readonly span: Span
  readonly width: number
  readonly height: number
  readonly data: ReplayTimeline | null
  readonly sessions: readonly Span[]
  readonly loop: Span | null
  readonly cursorMs: number
  /** Pointer position, px; null while the pointer is elsewhere. */
  readonly hoverX: number | null
  readonly zone: Zone
  /** Text scale; 1 is the default size. */
  readonly textScale: number
  readonly colours: TimelineColours
}

/** Heights, px: loop and bookmark lane on top, ruler at the bottom (at text scale 1), activity in between. */
export const LANE = 11
const RULER = 13
/** Distance between the edges of a loop, at least, px: wider than the head of the cursor. */
const MIN_LOOP_PX = 14
/** Half the width of a bookmark flag, for hit testing. */
export const FLAG_PX = 6

type Context = CanvasRenderingContext2D

function box(picture: TimelinePicture, from: number, to: number): { left: number; right: number } | null {
  const { span, width } = picture
  if (to < span.fromMs || from > span.toMs) return null
  const left = Math.max(0, xOf(from, span, width))
  const right = Math.min(width, xOf(to, span, width))
  return { left, right: Math.max(right, left + 1) }
}

function paintSessions(ctx: Context, picture: TimelinePicture, base: number): void {
  const { sessions, colours } = picture
  for (const session of sessions) {
    const at = box(picture, session.fromMs, session.toMs)
    if (!at) continue
    ctx.fillStyle = colours.line
    ctx.globalAlpha = 0.35
    ctx.fillRect(at.left, LANE, at.right - at.left, base - LANE)
    ctx.globalAlpha = 1
    ctx.fillStyle = colours.dim
    for (const edge of [session.fromMs, session.toMs]) {
      const x = Math.round(xOf(edge, picture.span, picture.width))
      if (x >= 0 && x <= picture.width) ctx.fillRect(Math.min(x, picture.width - 1), LANE, 1, base - LANE)
    }
  }
}

function paintActivity(ctx: Context, picture: TimelinePicture, base: number): void {
  const { data, colours, cursorMs, span, width } = picture
  if (!data || data.counts.length === 0) return
  const each = (data.toMs - data.fromMs) / data.counts.length
  let most = 0
  for (const count of data.counts) if (count > most) most = count
  if (most === 0) return
  const room = base - LANE - 2
  const cursor = xOf(cursorMs, span, width)
  for (const [i, count] of data.counts.entries()) {
    if (count === 0) continue
    const left = xOf(data.fromMs + i * each, span, width)
    const right = xOf(data.fromMs + (i + 1) * each, span, width)
    if (right < 0 || left > width) continue
    // The square root keeps a quiet night visible next to a busy open.
    const height = Math.max(1, Math.round(Math.sqrt(count / most) * room))
    const w = Math.max(1, right - left - 1)
    ctx.fillStyle = left < cursor ? colours.replay : colours.rest
    ctx.fillRect(left, base - height, w, height)
  }
}

function hatch(ctx: Context, left: number, right: number, top: number, base: number): void {
  const height = base - top
  ctx.save()
  ctx.beginPath()
  ctx.rect(left, top, right - left, height)
  ctx.clip()
  ctx.beginPath()
  for (let x = Math.floor(left - height); x < right; x += 5) {
    ctx.moveTo(x, base)
    ctx.lineTo(x + height, top)
  }
  ctx.stroke()
  ctx.restore()
}

function paintGaps(ctx: Context, picture: TimelinePicture, base: number, gaps: readonly Gap[]): void {
  const { colours, sessions } = picture
  const end = sessions.at(-1)?.toMs ?? picture.span.toMs
  // Gaps of several feeds at the same time are hatched once: overlapping strokes would blur.
  let painted = -Infinity
  ctx.strokeStyle = colours.warn
  ctx.fillStyle = colours.warn
  ctx.lineWidth = 1
  for (const gap of gaps.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const at = box(picture, gap.fromMs, gap.toMs ?? end)
    if (!at) continue
    const left = Math.max(at.left, painted)
    const right = Math.max(at.right, left + (at.left >= painted ? 2 : 0))
    if (right <= left) continue
    painted = right
    ctx.globalAlpha = 0.12
    ctx.fillRect(left, LANE, right - left, base - LANE)
    ctx.globalAlpha = 0.95
    if (right - left < 5) ctx.fillRect(left, LANE, Math.max(1.5, right - left), base - LANE)
    else hatch(ctx, left, right, LANE, base)
  }
  ctx.globalAlpha = 1
}

function paintLoop(ctx: Context, picture: TimelinePicture, base: number): void {
  const { loop, colours } = picture
  const exact = loop && box(picture, loop.fromMs, loop.toMs)
  if (!exact) return
  // The edges of a short loop stand apart, so that the cursor doesn't cover them.
  const spread = Math.max(0, MIN_LOOP_PX - (exact.right - exact.left)) / 2
  const at = { left: exact.left - spread, right: exact.right + spread }
  ctx.fillStyle = colours.accent
  ctx.globalAlpha = 0.16
  ctx.fillRect(at.left, LANE, at.right - at.left, base - LANE)
  ctx.globalAlpha = 1
  ctx.fillRect(at.left, 4, at.right - at.left, 3)
  for (const x of [at.left, at.right - 2]) ctx.fillRect(x, 2, 2, base - 2)
}

function paintBookmarks(ctx: Context, picture: TimelinePicture): void {
  const { data, span, width, colours } = picture
  ctx.fillStyle = colours.warn
  for (const { atMs } of data?.bookmarks ?? []) {
    const x = Math.round(xOf(atMs, span, width))
    if (x < -FLAG_PX || x > width + FLAG_PX) continue
    ctx.fillRect(x, 1, 1, LANE + 3)
    ctx.beginPath()
    ctx.moveTo(x + 1, 1)
    ctx.lineTo(x + 8, 3.5)
    ctx.lineTo(x + 1, 7)
    ctx.fill()
  }
}

function paintRuler(ctx: Context, picture: TimelinePicture, base: number): void {
  const { span, width, height, zone, colours, textScale } = picture
  ctx.font = textFont(10, textScale)
  ctx.textBaseline = 'alphabetic'
  for (const { ms, text } of rulerLabels(span, width, zone, textPx(76, textScale))) {
    const x = xOf(ms, span, width)
    ctx.fillStyle = colours.line
    ctx.fillRect(Math.round(x), base, 1, 3)
    const half = ctx.measureText(text).width / 2
    if (x - half < 0 || x + half > width) continue
    ctx.fillStyle = colours.dim
    ctx.fillText(text, Math.round(x - half), height - 2)
  }
}

/** Paints the timeline. Expects a context scaled to CSS px. */
export function paintTimeline(ctx: Context, picture: TimelinePicture): void {
  const { width, height, span, cursorMs, hoverX, colours, data } = picture
  const base = height - textPx(RULER, picture.textScale)
  ctx.clearRect(0, 0, width, height)
  paintSessions(ctx, picture, base)
  paintActivity(ctx, picture, base)
  paintGaps(ctx, picture, base, data?.gaps ?? [])
  paintLoop(ctx, picture, base)
  paintBookmarks(ctx, picture)
  ctx.fillStyle = colours.line
  ctx.fillRect(0, base, width, 1)
  paintRuler(ctx, picture, base)
  if (hoverX !== null) {
    ctx.fillStyle = colours.dim
    ctx.fillRect(Math.round(hoverX), LANE, 1, base - LANE)
  }
  const x = Math.round(xOf(cursorMs, span, width))
  if (x < -4 || x > width + 4) return
  ctx.fillStyle = colours.text
  ctx.fillRect(x - 1, 3, 2, base - 3)
  ctx.beginPath()
  ctx.moveTo(x - 5, 0)
  ctx.lineTo(x + 5, 0)
  ctx.lineTo(x, 7)
  ctx.fill()
}
