/** The parts of a drawing's figure, and the chart as figures need it. */
import type { Drawing, DrawingColor, DrawingPoint } from '../types.ts'

export interface Pixel {
  readonly x: number
  readonly y: number
}
export interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** The chart as drawings need it. */
export interface Frame {
  /** The part of the chart in which prices are drawn, px. */
  readonly plot: Box
  /** Null if the point can't be placed: there are no bars, or the scale lacks the price. */
  toPixel(point: DrawingPoint): Pixel | null
  readonly words: FigureTexts
  /** The closed and forming bars that start within [from, to] (UTC ms), as far as loaded; absent: none. */
  closes?(fromMs: number, toMs: number): readonly { readonly ms: number; readonly close: number }[]
  /** Text scale; absent: 1. */
  readonly textScale?: number
  /** A cache of this view's figures; absent: each figure is built every time. */
  readonly known?: WeakMap<Drawing, Figure | null>
}
/** The text formats of figures. */
export interface FigureTexts {
  price(value: number): string
  /** A price difference, with its sign. */
  change(value: number): string
  /** Bars, time and volume between two points, as far as known. */
  span(from: DrawingPoint, to: DrawingPoint): string
  /** The width of a line of label text, px. */
  textWidth(text: string, bold: boolean): number
}

/** `own`: the drawing's color. The others are the colors of rising and falling prices. */
export type Tone = 'own' | 'up' | 'down'

export interface Stroke {
  readonly points: readonly Pixel[]
  readonly tone: Tone
  /** Instead of the drawing's color. */
  readonly color?: DrawingColor | undefined
  /** Absent: as the style says. */
  readonly thin?: true
  readonly faint?: true
  readonly smooth?: true
}
/** A filled arrowhead. */
export interface Head {
  readonly points: readonly Pixel[]
  readonly tone: Tone
}
export interface Ground {
  readonly points: readonly Pixel[]
  readonly tone: Tone
  readonly color?: DrawingColor | undefined
  readonly alpha: number
  /** Whether the pointer can grab it. */
  readonly solid: boolean
}
export interface Label extends Box {
  readonly lines: readonly string[]
  /** The height of a line and the padding around the lines, px. */
  readonly line: number
  readonly pad: number
  readonly tone: Tone
  readonly color?: DrawingColor | undefined
  /** Has its own background, to be readable over candles. */
  readonly boxed: boolean
}
/** What a handle moves of a point: its time, its price, or both. */
export interface Handle extends Pixel {
  readonly msOf: number | null
  readonly priceOf: number | null
}
export interface Figure {
  readonly strokes: readonly Stroke[]
  readonly grounds: readonly Ground[]
  readonly heads: readonly Head[]
  readonly labels: readonly Label[]
  readonly handles: readonly Handle[]
}
