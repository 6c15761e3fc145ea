/** The parts of a drawing's figure while it is put together. */
import type { Drawing } from '../types.ts'
import { label } from './figure-labels.ts'
import type { Frame, Ground, Handle, Head, Label, Pixel, Stroke, Tone } from './figure-parts.ts'

export class Sketch {
  readonly drawing: Drawing
  readonly frame: Frame
  /** The drawing's points; at least one. */
  readonly pixels: readonly Pixel[]
  readonly plot: Frame['plot']
  readonly right: number
  readonly bottom: number
  readonly strokes: Stroke[] = []
  readonly grounds: Ground[] = []
  readonly heads: Head[] = []
  readonly labels: Label[] = []
  readonly handles: Handle[] = []

  constructor(drawing: Drawing, frame: Frame, pixels: readonly Pixel[]) {
    this.drawing = drawing
    this.frame = frame
    this.pixels = pixels
    this.plot = frame.plot
    this.right = frame.plot.left + frame.plot.width
    this.bottom = frame.plot.top + frame.plot.height
  }

  get fill(): number {
    return this.drawing.style.fill
  }
  get points(): Drawing['points'] {
    return this.drawing.points
  }
  get words(): Frame['words'] {
    return this.frame.words
  }

  stroke(line: [Pixel, Pixel] | null, more: Partial<Stroke> = {}): void {
    if (line) this.strokes.push({ points: line, tone: 'own', ...more })
  }

  /** Fills an area, if the style fills any. */
  ground(points: readonly Pixel[], more: Partial<Ground> = {}): void {
    if (this.fill > 0) this.grounds.push({ points, tone: 'own', alpha: this.fill, solid: true, ...more })
  }

  handle(pixel: Pixel, msOf: number | null, priceOf: number | null): void {
    this.handles.push({ ...pixel, msOf, priceOf })
  }

  ownHandles(): void {
    this.pixels.forEach((pixel, i) => this.handle(pixel, i, i))
  }

  /** The user's text next to it. */
  note(at: Pixel, x: number, y: number): void {
    const { text } = this.drawing
    if (text !== '') this.labels.push(label(this.frame, text.split('\n'), at, { x, y }))
  }

  /** The text of a drawing that consists of it. */
  textLabel(at: Pixel, more: Parameters<typeof label>[3]): Label {
    const { text } = this.drawing
    return { ...label(this.frame, text === '' ? ['…'] : text.split('\n'), at, more), boxed: this.fill > 0 }
  }

  /** The y of a price, px; null if it can't be placed. */
  level(price: number): number | null {
    const pixel = this.frame.toPixel({ ms: this.drawing.points[0].ms, price })
    return pixel && Number.isFinite(pixel.y) ? pixel.y : null
  }
}

export function arrowHead(from: Pixel, to: Pixel, width: number, tone: Tone = 'own'): Head {
  const angle = Math.atan2(to.y - from.y, to.x - from.x)
  const size = 7 + width * 2.5
  const wing = (turn: number): Pixel => ({
    x: to.x - size * Math.cos(angle + turn),
    y: to.y - size * Math.sin(angle + turn),
  })
  return { points: [to, wing(0.42), wing(-0.42)], tone }
}

/** The corners of the rectangle between two points, in order. */
export const corners = (a: Pixel, b: Pixel): Pixel[] => [a, { x: b.x, y: a.y }, b, { x: a.x, y: b.y }]

/** Whether a point can be painted. */
export const isPlace = ({ x, y }: Pixel): boolean => Number.isFinite(x) && Number.isFinite(y)
