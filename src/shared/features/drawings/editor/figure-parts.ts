/** What figures of drawings are made of, and the chart as they see it. */
import type { Drawing, DrawingPoint } from '../types.ts'

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

/** The chart as a drawing sees it. */
export interface Frame {
  /** What of the chart prices are drawn in, px. */
  readonly plot: Box
  /** Null where nothing can be placed: no bars, or a price that the scale has not. */
  toPixel(point: DrawingPoint): Pixel | null
  readonly words: FigureWords
  /** How large texts are; absent: 1, the usual size. */
  readonly textScale?: number
  /** Figures of this view, so that each is made once; absent: made every time. */
  readonly known?: WeakMap<Drawing, Figure | null>
}
/** How figures are told. */
export interface FigureWords {
  price(value: number): string
  /** A difference of prices, with its sign. */
  change(value: number): string
  /** Bars, time and volume between two instants, as far as they are known. */
  span(from: DrawingPoint, to: DrawingPoint): string
  /** Px of a line of text of the labels' size. */
  textWidth(text: string, bold: boolean): number
}

/** `own`: the drawing's colour; the others are those of rising and falling prices. */
export type Tone = 'own' | 'up' | 'down'

export interface Stroke {
  readonly points: readonly Pixel[]
  readonly tone: Tone
  /** Absent: as the style says. */
  readonly thin?: true
  readonly faint?: true
  readonly smooth?: true
}
/** An arrow's head, filled. */
export interface Head {
  readonly points: readonly Pixel[]
  readonly tone: Tone
}
export interface Ground {
  readonly points: readonly Pixel[]
  readonly tone: Tone
  readonly alpha: number
  /** Whether it belongs to what can be grabbed. */
  readonly solid: boolean
}
export interface Label extends Box {
  readonly lines: readonly string[]
  /** Px of a line, and of what is free beside the lines. */
  readonly line: number
  readonly pad: number
  readonly tone: Tone
  /** On a ground of its own, so that it is readable over candles. */
  readonly boxed: boolean
}
/** What of a point moves with a handle: the time of one, the price of one. */
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
