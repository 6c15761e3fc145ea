/**
 * What a drawing looks like at a position and zoom: lines, fills, labels and handles in px. The painter draws it and
 * the pointer is tested against it, so what is visible is what can be grabbed. Pure.
 */
import type { Drawing, DrawingKind } from '../types.ts'
import { addRectangle, addFibonacci, addText, addNote, addBrush, addPosition, addMeasurement } from './area-figures.ts'
import type { Figure, Frame, Pixel } from './figure-parts.ts'
import {
  addStraightLine,
  addHorizontalLine,
  addVerticalLine,
  addChannel,
  addPitchfork,
  addRegression,
} from './line-figures.ts'
import { isPlace, Sketch } from './sketch.ts'

/** Adds what a drawing of a kind looks like, from its first three points. */
const FIGURES: Readonly<Record<DrawingKind, (sketch: Sketch, a: Pixel, b?: Pixel, c?: Pixel) => void>> = {
  trend: addStraightLine,
  ray: addStraightLine,
  extended: addStraightLine,
  arrow: addStraightLine,
  horizontal: addHorizontalLine,
  vertical: addVerticalLine,
  channel: addChannel,
  pitchfork: addPitchfork,
  regression: addRegression,
  rectangle: addRectangle,
  fib: addFibonacci,
  'fib-extension': addFibonacci,
  text: addText,
  note: addNote,
  brush: addBrush,
  long: addPosition,
  short: addPosition,
  measure: addMeasurement,
}

/**
 * The figure of a drawing, or null if none of it can be placed. A drawing in progress may have fewer points than its
 * kind needs; the available part is shown.
 */
export function figureOf(drawing: Drawing, frame: Frame): Figure | null {
  const known = frame.known?.get(drawing)
  if (known !== undefined) return known
  const figure = figureNow(drawing, frame)
  frame.known?.set(drawing, figure)
  return figure
}

function figureNow(drawing: Drawing, frame: Frame): Figure | null {
  const pixels: Pixel[] = []
  for (const point of drawing.points) {
    const pixel = frame.toPixel(point)
    if (pixel === null || !Number.isFinite(pixel.x) || !Number.isFinite(pixel.y)) return null
    pixels.push(pixel)
  }
  const [a, b, c] = pixels as (Pixel | undefined)[] // As many as there are.
  if (a === undefined) return null
  const sketch = new Sketch(drawing, frame, pixels)
  FIGURES[drawing.kind](sketch, a, b, c)
  const { strokes, grounds, heads, labels, handles } = sketch
  // Points too far apart for pixel coordinates make no visible line.
  return {
    strokes: strokes.filter(({ points }) => points.every(isPlace)),
    grounds: grounds.filter(({ points }) => points.every(isPlace)),
    heads: heads.filter(({ points }) => points.every(isPlace)),
    labels,
    handles,
  }
}
