/** The canvas with a chart's drawings, over its plot area. Painted only when the drawings or the view change. */
import type { Frame, Pixel } from '../../../shared/features/drawings/editor/figure-parts.ts'
import { figureOf } from '../../../shared/features/drawings/editor/figure.ts'
import { isOutside } from '../../../shared/features/drawings/editor/plot-area.ts'
import type { Drawing, DrawingPoint } from '../../../shared/features/drawings/types.ts'
import type { ChartPort } from '../model/chart.ts'
import { paintFigure, type DrawingPalette } from './paint.ts'

/** The drawings to paint, lowest first. */
export interface DrawingScene {
  readonly drawings: readonly Drawing[]
  readonly selected: string | null
  readonly hovered: string | null
  /** Index of the handle that keys move. */
  readonly handle: number | null
  /** Where keys would place the next point. */
  readonly cursor: DrawingPoint | null
  readonly palette: DrawingPalette
}

export interface DrawingLayer {
  /** Shows a scene in the next frame. */
  show(scene: DrawingScene): void
  /** Measures and paints again after the element's size or the language changed. */
  refresh(): void
  destroy(): void
}

/** Puts a layer on a canvas that covers the chart. `onView` is called after the view changed and was painted. */
export function createDrawingLayer(
  canvas: HTMLCanvasElement,
  port: Pick<ChartPort, 'onView' | 'plotArea'>,
  frame: Frame & { renew(): void },
  onView: () => void,
): DrawingLayer {
  const ctx = canvas.getContext('2d')
  let scene: DrawingScene | null = null
  let waiting = 0

  function sized(): number {
    const ratio = window.devicePixelRatio || 1
    const width = Math.round(canvas.clientWidth * ratio)
    const height = Math.round(canvas.clientHeight * ratio)
    if (canvas.width !== width) canvas.width = width
    if (canvas.height !== height) canvas.height = height
    return ratio
  }

  let blank = true
  // A visible canvas costs the same in every frame, even if it is empty.
  canvas.style.visibility = 'hidden'
  function paint(): void {
    cancelAnimationFrame(waiting)
    waiting = 0
    if (!ctx || !scene) return
    const empty = scene.drawings.length === 0 && scene.cursor === null
    // Most charts have no drawings: they cost nothing.
    if (empty && blank) return
    blank = empty
    canvas.style.visibility = empty ? 'hidden' : ''
    const ratio = sized()
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0)
    ctx.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight)
    if (empty) return
    const { left, top, width, height } = frame.plot
    ctx.save()
    ctx.beginPath()
    ctx.rect(left, top, width, height)
    ctx.clip()
    for (const drawing of scene.drawings) {
      if (isOutside(drawing, frame)) continue
      const figure = figureOf(drawing, frame)
      if (figure === null) continue
      paintFigure(ctx, figure, drawing, scene.palette, {
        selected: drawing.id === scene.selected,
        hovered: drawing.id === scene.hovered,
        handle: scene.handle,
        locked: drawing.locked,
      })
    }
    const at = scene.cursor && frame.toPixel(scene.cursor)
    if (at) paintCursor(ctx, at, scene.palette)
    ctx.restore()
  }

  const off = port.onView(() => {
    frame.renew()
    // In the same frame as the chart, so drawings never lag behind their candles.
    paint()
    onView()
  })
  return {
    show(next) {
      scene = next
      if (waiting === 0) waiting = requestAnimationFrame(paint)
    },
    refresh() {
      frame.renew()
      if (waiting === 0) waiting = requestAnimationFrame(paint)
    },
    destroy() {
      off()
      cancelAnimationFrame(waiting)
    },
  }
}

function paintCursor(ctx: CanvasRenderingContext2D, { x, y }: Pixel, palette: DrawingPalette): void {
  ctx.setLineDash([])
  ctx.globalAlpha = 1
  ctx.lineWidth = 1.5
  ctx.strokeStyle = palette.accent
  ctx.beginPath()
  ctx.arc(x, y, 6, 0, Math.PI * 2)
  for (const [dx, dy] of [
    [1, 0],
    [-1, 0],
    [0, 1],
    [0, -1],
  ] as const) {
    // oxfmt-ignore
    ctx.moveTo(x + dx * 3, y + dy * 3)
    ctx.lineTo(x + dx * 12, y + dy * 12)
  }
  ctx.stroke()
}
