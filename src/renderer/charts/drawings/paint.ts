/** Paints the figures of drawings on a canvas, independent of charts. */
import type { Figure, Label, Pixel, Stroke, Tone } from '../../../shared/features/drawings/editor/figure-parts.ts'
import { textFont } from '../paint/canvas-text.ts'
import {
  isWritten,
  type Drawing,
  type DrawingColor,
  type DrawingDash,
} from '../../../shared/features/drawings/types.ts'

/** CSS colors from the design tokens, and the text size relative to the default. */
export interface DrawingPalette {
  readonly colors: Readonly<Record<DrawingColor, string>>
  readonly up: string
  readonly down: string
  readonly pane: string
  readonly raised: string
  readonly line: string
  readonly text: string
  readonly accent: string
  readonly textScale: number
}

export interface PaintOptions {
  readonly selected: boolean
  readonly hovered: boolean
  /** Index of the handle that keys move, or null. */
  readonly handle: number | null
  readonly locked: boolean
}

/** The font of a label. Text written by the user is larger. */
export const labelFont = (bold: boolean, textScale: number): string => textFont(bold ? 13 : 11, textScale, 500)

const DASHES: Readonly<Record<DrawingDash, (width: number) => number[]>> = {
  solid: () => [],
  dashed: (width) => [5 + width * 2, 3 + width * 2],
  dotted: (width) => [0.01, 2 + width * 2],
}

function toneColor(tone: Tone, drawing: Drawing, palette: DrawingPalette, color?: DrawingColor): string {
  if (color !== undefined) return palette.colors[color]
  return tone === 'own' ? palette.colors[drawing.style.color] : tone === 'up' ? palette.up : palette.down
}

/** Aligns horizontal and vertical lines to whole pixels, so they are sharp. */
function crisp(points: readonly Pixel[], width: number): readonly Pixel[] {
  if (points.length !== 2) return points
  const [a, b] = points
  const half = Math.round(width) % 2 === 1 ? 0.5 : 0
  const at = (value: number): number => Math.round(value - half) + half
  if (a.y === b.y) return [{ x: a.x, y: at(a.y) }, { x: b.x, y: at(b.y) }] // oxfmt-ignore
  if (a.x === b.x) return [{ x: at(a.x), y: a.y }, { x: at(b.x), y: b.y }] // oxfmt-ignore
  return points
}

function trace(ctx: CanvasRenderingContext2D, points: readonly Pixel[], smooth: boolean): void {
  ctx.beginPath()
  ctx.moveTo(points[0].x, points[0].y)
  if (!smooth || points.length < 3) for (let i = 1; i < points.length; i++) ctx.lineTo(points[i].x, points[i].y)
  else {
    // A curve through the midpoints, so a freehand line has no corners.
    for (let i = 1; i < points.length - 1; i++) {
      const [p, q] = [points[i], points[i + 1]]
      ctx.quadraticCurveTo(p.x, p.y, (p.x + q.x) / 2, (p.y + q.y) / 2)
    }
    const last = points[points.length - 1]
    ctx.lineTo(last.x, last.y)
  }
}

function paintStroke(ctx: CanvasRenderingContext2D, stroke: Stroke, drawing: Drawing, palette: DrawingPalette): void {
  const width = stroke.thin ? 1 : drawing.style.width
  ctx.lineWidth = width
  ctx.strokeStyle = toneColor(stroke.tone, drawing, palette, stroke.color)
  ctx.globalAlpha = stroke.faint ? 0.55 : 1
  // Round ends only for freehand lines and dots: they are slow, and invisible on straight lines.
  ctx.lineCap = stroke.smooth || drawing.style.dash === 'dotted' ? 'round' : 'butt'
  ctx.setLineDash(stroke.faint ? [3, 4] : stroke.thin ? [] : DASHES[drawing.style.dash](width))
  trace(ctx, crisp(stroke.points, width), stroke.smooth ?? false)
  ctx.stroke()
}

function paintLabel(ctx: CanvasRenderingContext2D, label: Label, drawing: Drawing, palette: DrawingPalette): void {
  const color = toneColor(label.tone, drawing, palette, label.color)
  const plain = label.tone === 'own'
  ctx.font = labelFont(drawing.kind === 'text', palette.textScale)
  ctx.textBaseline = 'middle'
  ctx.textAlign = 'left'
  ctx.globalAlpha = 1
  if (label.boxed) {
    ctx.beginPath()
    ctx.roundRect(label.left, label.top, label.width, label.height, 3)
    ctx.fillStyle = plain ? palette.raised : color
    ctx.fill()
    if (plain) {
      ctx.strokeStyle = palette.line
      ctx.lineWidth = 1
      ctx.stroke()
    }
  } else {
    // A tint behind the text keeps it readable over candles; an outline around each letter costs ten times as much.
    ctx.globalAlpha = 0.72
    ctx.fillStyle = palette.pane
    ctx.fillRect(label.left + 2, label.top + 2, label.width - 4, label.height - 4)
    ctx.globalAlpha = 1
  }
  const x = label.left + label.pad
  label.lines.forEach((line, i) => {
    const y = label.top + 2 + label.line * (i + 0.5)
    ctx.fillStyle = label.boxed ? (plain ? palette.text : palette.pane) : color
    ctx.fillText(line, x, y)
  })
}

function paintHandles(
  ctx: CanvasRenderingContext2D,
  figure: Figure,
  palette: DrawingPalette,
  options: PaintOptions,
): void {
  ctx.globalAlpha = 1
  ctx.lineWidth = 1.5
  ctx.strokeStyle = palette.accent
  figure.handles.forEach((handle, i) => {
    const held = options.handle === i
    ctx.beginPath()
    ctx.arc(handle.x, handle.y, options.locked ? 2.5 : held ? 6.5 : 4.5, 0, Math.PI * 2)
    ctx.fillStyle = held || options.locked ? palette.accent : palette.pane
    ctx.fill()
    if (!options.locked) ctx.stroke()
  })
}

/** Paints one figure: fills, lines, arrow heads, labels, and the handles of a selected one. */
export function paintFigure(
  ctx: CanvasRenderingContext2D,
  figure: Figure,
  drawing: Drawing,
  palette: DrawingPalette,
  options: PaintOptions,
): void {
  ctx.lineJoin = 'round'
  ctx.lineCap = 'round'
  ctx.setLineDash([])
  for (const ground of figure.grounds) {
    ctx.globalAlpha = ground.alpha
    ctx.fillStyle = toneColor(ground.tone, drawing, palette, ground.color)
    trace(ctx, ground.points, false)
    ctx.fill()
  }
  if (options.hovered && !options.selected) {
    // A soft glow shows what a click would select.
    ctx.globalAlpha = 0.25
    ctx.setLineDash([])
    for (const stroke of figure.strokes) {
      ctx.strokeStyle = toneColor(stroke.tone, drawing, palette)
      ctx.lineWidth = (stroke.thin ? 1 : drawing.style.width) + 5
      trace(ctx, stroke.points, stroke.smooth ?? false)
      ctx.stroke()
    }
  }
  for (const stroke of figure.strokes) paintStroke(ctx, stroke, drawing, palette)
  ctx.setLineDash([])
  ctx.globalAlpha = 1
  for (const head of figure.heads) {
    ctx.fillStyle = toneColor(head.tone, drawing, palette)
    trace(ctx, head.points, false)
    ctx.closePath()
    ctx.fill()
  }
  for (const label of figure.labels) paintLabel(ctx, label, drawing, palette)
  if (options.selected && isWritten(drawing.kind)) {
    ctx.setLineDash([3, 3])
    ctx.strokeStyle = palette.accent
    ctx.lineWidth = 1
    for (const { left, top, width, height } of figure.labels)
      ctx.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1)
    ctx.setLineDash([])
  }
  if (options.selected) paintHandles(ctx, figure, palette, options)
}
