/** Figures of drawings made of lines. */
import { regressionOf, REGRESSION_DEVIATIONS } from '../regression.ts'
import type { DrawingPoint } from '../types.ts'
import { label } from './figure-labels.ts'
import type { Frame, Pixel } from './figure-parts.ts'
import { clipped } from './plot-area.ts'
import { arrowHead, isPlace, type Sketch } from './sketch.ts'

export function addStraightLine(sketch: Sketch, a: Pixel, b?: Pixel): void {
  sketch.ownHandles()
  if (b === undefined) return
  const line = clipped(a, b, sketch.plot, {
    start: sketch.drawing.kind === 'extended',
    end: sketch.drawing.kind === 'ray' || sketch.drawing.kind === 'extended',
  })
  sketch.stroke(line)
  if (sketch.drawing.kind === 'arrow' && line) sketch.heads.push(arrowHead(a, b, sketch.drawing.style.width))
  sketch.note({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 - 3 }, 0.5, 1)
}

export function addHorizontalLine(sketch: Sketch, a: Pixel): void {
  sketch.stroke([
    { x: sketch.plot.left, y: a.y },
    { x: sketch.right, y: a.y },
  ])
  sketch.handle({ x: Math.max(sketch.plot.left + 12, Math.min(a.x, sketch.right - 12)), y: a.y }, 0, 0)
  sketch.labels.push(
    label(
      sketch.frame,
      [sketch.words.price(sketch.points[0].price)],
      { x: sketch.right - 4, y: a.y - 2 },
      { x: 1, y: 1 },
    ),
  )
  sketch.note({ x: sketch.plot.left + 4, y: a.y - 2 }, 0, 1)
}

export function addVerticalLine(sketch: Sketch, a: Pixel): void {
  sketch.stroke([
    { x: a.x, y: sketch.plot.top },
    { x: a.x, y: sketch.bottom },
  ])
  sketch.handle({ x: a.x, y: Math.max(sketch.plot.top + 12, Math.min(a.y, sketch.bottom - 12)) }, 0, 0)
  sketch.note({ x: a.x + 3, y: sketch.bottom - 6 }, 0, 1)
}

export function addChannel(sketch: Sketch, a: Pixel, b?: Pixel, c?: Pixel): void {
  sketch.ownHandles()
  if (b === undefined) return
  sketch.stroke(clipped(a, b, sketch.plot))
  if (c === undefined) return
  // Straight on the screen, so also parallel there.
  const rise = b.x === a.x ? 0 : a.y + ((b.y - a.y) * (c.x - a.x)) / (b.x - a.x)
  const away = c.y - rise
  const upper: Pixel = { x: a.x, y: a.y + away }
  const end: Pixel = { x: b.x, y: b.y + away }
  sketch.stroke(clipped(upper, end, sketch.plot))
  sketch.stroke(clipped({ x: a.x, y: a.y + away / 2 }, { x: b.x, y: b.y + away / 2 }, sketch.plot), {
    thin: true,
    faint: true,
  })
  sketch.ground([a, b, end, upper])
  sketch.note({ x: (a.x + b.x) / 2, y: Math.min((a.y + b.y) / 2, (upper.y + end.y) / 2) - 3 }, 0.5, 1)
}

export function addPitchfork(sketch: Sketch, a: Pixel, b?: Pixel, c?: Pixel): void {
  sketch.ownHandles()
  if (b === undefined) return
  if (c === undefined) {
    sketch.stroke(clipped(a, b, sketch.plot))
    return
  }
  const middle: Pixel = { x: (b.x + c.x) / 2, y: (b.y + c.y) / 2 }
  const along = ({ x, y }: Pixel): Pixel => ({ x: x + middle.x - a.x, y: y + middle.y - a.y })
  const tines = [b, c].map((from) => clipped(from, along(from), sketch.plot, { end: true }))
  sketch.stroke(clipped(a, middle, sketch.plot, { end: true }))
  for (const tine of tines) sketch.stroke(tine)
  sketch.stroke(clipped(b, c, sketch.plot), { thin: true, faint: true })
  const [upper, lower] = tines
  if (upper && lower) sketch.ground([...upper, lower[1], lower[0]], { solid: false })
  sketch.note({ x: a.x, y: a.y - 6 }, 0.5, 1)
}

export function addRegression(sketch: Sketch, a: Pixel, b?: Pixel): void {
  const found = b === undefined ? null : regressionFigure(sketch.points, sketch.frame)
  if (found === null) {
    sketch.ownHandles()
    if (b) sketch.stroke(clipped(a, b, sketch.plot), { thin: true, faint: true })
    return
  }
  const [base, upper, lower] = found
  sketch.ground([...upper, ...lower.toReversed()])
  sketch.strokes.push({ points: base, tone: 'own' })
  for (const points of [upper, lower]) sketch.strokes.push({ points, tone: 'own', thin: true })
  const [start, end] = [base[0], base[base.length - 1]]
  const [first, last] = sketch.points[0].ms <= sketch.points[1].ms ? [0, 1] : [1, 0]
  sketch.handle(start, first, null)
  sketch.handle(end, last, null)
  sketch.note({ x: (start.x + end.x) / 2, y: Math.min(...upper.map(({ y }) => y)) - 3 }, 0.5, 1)
}

/** Most points of a regression line: on a logarithmic scale it is a curve. */
const REGRESSION_POINTS = 48

/** The line and its two bounds over the bars between two points; null without bars. */
function regressionFigure([a, b]: readonly DrawingPoint[], frame: Frame): readonly [Pixel[], Pixel[], Pixel[]] | null {
  const bars = frame.closes?.(Math.min(a.ms, b.ms), Math.max(a.ms, b.ms)) ?? []
  const line = regressionOf(bars.map(({ close }) => close))
  if (line === null) return null
  const last = bars.length - 1
  const count = Math.min(bars.length, REGRESSION_POINTS)
  const indexes = Array.from({ length: count }, (_, i) => Math.round((i * last) / (count - 1)))
  const along = (deviations: number): Pixel[] =>
    indexes.flatMap((i) => {
      const price = line.first + ((line.last - line.first) * i) / last + deviations * line.deviation
      const pixel = frame.toPixel({ ms: bars[i].ms, price })
      return pixel && isPlace(pixel) ? [pixel] : []
    })
  const lines = [along(0), along(REGRESSION_DEVIATIONS), along(-REGRESSION_DEVIATIONS)] as const
  return lines.every(({ length }) => length > 1) ? lines : null
}
