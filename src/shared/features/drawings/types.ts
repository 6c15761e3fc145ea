/**
 * Chart drawings by the user. A drawing belongs to an instrument and is stored in time and price, never in pixels or
 * bars, so it is at the same place at every interval and in every time zone.
 */
import * as v from 'valibot'
import { finite } from '../../base/schemas.ts'
import type { InstrumentId } from '../../base/units.ts'

export const DRAWING_KINDS = [
  'trend',
  'ray',
  'extended',
  'horizontal',
  'vertical',
  'channel',
  'regression',
  'pitchfork',
  'rectangle',
  'fib',
  'fib-extension',
  'text',
  'note',
  'arrow',
  'brush',
  'long',
  'short',
  'measure',
] as const
export type DrawingKind = (typeof DRAWING_KINDS)[number]

/** Roles of design tokens, so that a drawing is readable in every theme. */
export const DRAWING_COLORS = ['accent', 'green', 'red', 'orange', 'yellow', 'violet', 'text', 'dim'] as const
export type DrawingColor = (typeof DRAWING_COLORS)[number]
/** Drawings of the demo market and of services never mix. */
export const DRAWING_MARKETS = ['demo', 'service'] as const
export type DrawingMarket = (typeof DRAWING_MARKETS)[number]
export const DRAWING_DASHES = ['solid', 'dashed', 'dotted'] as const
export type DrawingDash = (typeof DRAWING_DASHES)[number]

/** The most drawings per instrument. */
export const MAX_DRAWINGS = 500
/** The most points in a brush stroke. */
export const MAX_BRUSH_POINTS = 2_000
/** The most points in all drawings of an instrument. */
export const MAX_POINTS = 50_000
export const MAX_TEXT = 500
/** The widest line, px. */
export const WIDEST = 4

/** The number of points of each kind, as [minimum, maximum]. */
export const POINT_COUNTS: Readonly<Record<DrawingKind, readonly [number, number]>> = {
  trend: [2, 2],
  ray: [2, 2],
  extended: [2, 2],
  horizontal: [1, 1],
  vertical: [1, 1],
  /** Two for the base line, then one on the parallel. */
  channel: [3, 3],
  /** Its ends; their prices don't matter. */
  regression: [2, 2],
  /** The pivot, then the two points between which the median line passes. */
  pitchfork: [3, 3],
  rectangle: [2, 2],
  fib: [2, 2],
  /** A move from the first to the second point, projected from the third. */
  'fib-extension': [3, 3],
  text: [1, 1],
  /** What it is about, then where the text stands. */
  note: [2, 2],
  arrow: [2, 2],
  brush: [2, MAX_BRUSH_POINTS],
  /** Entry, target, stop. The target's time is the right edge, and the stop has the same time. */
  long: [3, 3],
  short: [3, 3],
  measure: [2, 2],
}

/** The limits of Date. */
const FARTHEST_MS = 8.64e15
const point = v.strictObject({ ms: v.pipe(finite, v.minValue(-FARTHEST_MS), v.maxValue(FARTHEST_MS)), price: finite })
/** The most levels of a drawing. */
const MAX_LEVELS = 12
export const drawingStyleSchema = v.strictObject({
  color: v.picklist(DRAWING_COLORS),
  /** Px. */
  width: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(WIDEST)),
  dash: v.picklist(DRAWING_DASHES),
  /** Opacity of the fill, 0 (none) to 1. */
  fill: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
  /** The colors of its levels, in their order; absent: all have the drawing's color. */
  levels: v.optional(v.pipe(v.array(v.picklist(DRAWING_COLORS)), v.maxLength(MAX_LEVELS))),
})

export const drawingSchema = v.pipe(
  v.strictObject({
    /** Unique among the drawings of its instrument. */
    id: v.pipe(v.string(), v.minLength(1), v.maxLength(40)),
    kind: v.picklist(DRAWING_KINDS),
    points: v.pipe(v.array(point), v.maxLength(MAX_BRUSH_POINTS)),
    style: drawingStyleSchema,
    /** The text of a `text` drawing, or a label next to any other. */
    text: v.pipe(v.string(), v.maxLength(MAX_TEXT)),
    locked: v.boolean(),
    hidden: v.boolean(),
    /**
     * The market time (UTC ms) at which it was drawn or last changed: now, or the replay's clock. It isn't shown at
     * earlier times.
     */
    asOfMs: finite,
  }),
  v.check(({ kind, points }) => {
    const [least, most] = POINT_COUNTS[kind]
    return points.length >= least && points.length <= most
  }, 'as many points as its kind has'),
)

/** UTC ms, possibly fractional, and a price, possibly between ticks. */
export interface DrawingPoint {
  readonly ms: number
  readonly price: number
}
export interface DrawingStyle {
  readonly color: DrawingColor
  readonly width: number
  readonly dash: DrawingDash
  readonly fill: number
  readonly levels?: readonly DrawingColor[] | undefined
}
/** One drawing. In a list, later ones are above earlier ones. */
export interface Drawing {
  readonly id: string
  readonly kind: DrawingKind
  readonly points: readonly DrawingPoint[]
  readonly style: DrawingStyle
  readonly text: string
  readonly locked: boolean
  readonly hidden: boolean
  readonly asOfMs: number
}

/** The drawings of an instrument, and the number of changes since the terminal started. */
export interface DrawingsState {
  readonly instrument: InstrumentId
  readonly revision: number
  readonly drawings: readonly Drawing[]
  /** What was wrong with their file, as a sentence, until they are changed. */
  readonly problem?: string
}

/** Whether a drawing is there for its text. */
export const isWritten = (kind: DrawingKind): boolean => kind === 'text' || kind === 'note'
/** Colors of levels: neighbors differ. */
const LEVEL_COLORS: readonly DrawingColor[] = ['dim', 'red', 'orange', 'green', 'accent', 'violet', 'yellow', 'text']

export function defaultStyle(kind: DrawingKind): DrawingStyle {
  const plain: DrawingStyle = { color: 'accent', width: 2, dash: 'solid', fill: 0 }
  switch (kind) {
    case 'trend':
    case 'ray':
    case 'extended':
    case 'arrow':
    case 'brush':
      return plain
    case 'horizontal':
      return { ...plain, width: 1 }
    case 'vertical':
      return { ...plain, width: 1, dash: 'dashed', color: 'dim' }
    case 'channel':
    case 'regression':
    case 'pitchfork':
    case 'rectangle':
      return { ...plain, width: 1, fill: 0.12 }
    case 'fib':
    case 'fib-extension':
      return { ...plain, width: 1, color: 'yellow', fill: 0.06, levels: LEVEL_COLORS }
    case 'text':
      return { ...plain, color: 'text', width: 1 }
    case 'note':
      return { ...plain, width: 1, fill: 1 }
    case 'long':
    case 'short':
      return { ...plain, width: 1, color: 'text', fill: 0.16 }
    case 'measure':
      return { ...plain, width: 1, fill: 0.12 }
  }
}
