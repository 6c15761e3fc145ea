/** A drawing in progress: its points are placed one by one, with the pointer or the keyboard. */
import { t } from '../../../base/text.ts'
import { drawingPhrase } from '../texts.ts'
import { freshPlacing, idle, type EditorState, type Mode, type Mods, type Outcome, type Surroundings } from './state.ts'
import type { Pixel } from './figure-parts.ts'
import { completed, isDegenerate, pointsToPlace, simplified, straightened } from './shape.ts'
import { isWritten, MAX_BRUSH_POINTS, type Drawing, type DrawingKind, type DrawingPoint } from '../types.ts'

/** How far an omitted point of a stroke may be off, px. */
const STROKE_TOLERANCE = 0.6

/** Selects a tool; null deselects it. */
export function withTool(state: EditorState, tool: DrawingKind | null): Outcome {
  return {
    state: { ...state, tool, mode: tool === null ? idle : freshPlacing, selected: null, hovered: null },
    taken: true,
    say:
      tool === null
        ? t('No tool selected.')
        : t('{name}. {how}', { name: drawingPhrase(`drawing.${tool}`), how: howToPlace(tool) }),
  }
}

function howToPlace(kind: DrawingKind): string {
  return kind === 'brush'
    ? t('Drag to draw, or use Enter, arrows, and Enter.')
    : t(
        {
          one: 'One point: click, or move with the arrows and press Enter. Esc cancels.',
          other: '{count} points: click, or move with the arrows and press Enter. Esc cancels.',
        },
        { count: pointsToPlace(kind) },
      )
}

/** The drawing in progress, as if the button were released now; null if there is none. */
export function draftOf(state: EditorState, around: Surroundings): Drawing | null {
  const { mode, tool } = state
  switch (mode.is) {
    case 'dragging':
      return mode.now
    case 'placing': {
      const points = mode.at === null ? mode.points : [...mode.points, mode.at]
      return tool === null || points.length === 0 ? null : made(tool, points, around)
    }
    case 'brushing':
      return made('brush', mode.points, around)
    case 'idle':
    case 'pressed':
    case 'points':
      return null
  }
}

function made(kind: DrawingKind, points: readonly DrawingPoint[], around: Surroundings): Drawing {
  return {
    id: around.id,
    kind,
    points: completed(kind, points),
    style: around.styleOf(kind),
    text: '',
    locked: false,
    hidden: false,
    asOfMs: around.asOfMs,
  }
}

/** The point at a pixel. The magnet snaps to a price of a bar; Ctrl inverts that. */
export function placed(at: Pixel, mods: Mods, anchor: DrawingPoint | null, around: Surroundings): DrawingPoint | null {
  const { surface } = around
  if (around.magnet !== mods.ctrl) {
    const snapped = surface.snap(at)
    if (snapped) return snapped
  }
  const from = anchor && mods.shift ? surface.toPixel(anchor) : null
  const point = surface.toPoint(from ? straightened(from, at) : at)
  if (point === null || from === null || anchor === null) return point
  // Level and upright lines are exact, not rounded to a pixel.
  const straight = straightened(from, at)
  return {
    ms: straight.x === from.x ? anchor.ms : point.ms,
    price: straight.y === from.y ? anchor.price : point.price,
  }
}

/** Adds a point to the drawing in progress. The last one completes it. */
export function add(
  state: EditorState,
  tool: DrawingKind,
  points: readonly DrawingPoint[],
  how: { readonly pressed: Pixel | null; readonly byKeys: boolean },
  around: Surroundings,
): Outcome {
  if (points.length < pointsToPlace(tool)) {
    const at = points[points.length - 1]
    const say = how.byKeys
      ? t('Point {n} at {price}.', { n: points.length, price: around.surface.words.price(at.price) })
      : undefined
    return {
      state: { ...state, mode: { is: 'placing', points, at, ...how } },
      taken: true,
      ...(say === undefined ? {} : { say }),
    }
  }
  return finish(state, tool, points, around)
}

function finish(state: EditorState, tool: DrawingKind, points: readonly DrawingPoint[], around: Surroundings): Outcome {
  const drawing = made(tool, points, around)
  if (isDegenerate(tool, drawing.points)) {
    // A double click, or Enter twice: the second point is still missing.
    const mode: Mode = {
      is: 'placing',
      points: points.slice(0, -1),
      at: points.at(-1) ?? null,
      pressed: null,
      byKeys: false,
    }
    return { state: { ...state, mode: tool === 'brush' ? idle : mode }, taken: true }
  }
  return {
    state: { ...state, tool: null, mode: idle, selected: drawing.id },
    taken: true,
    edit: {
      drawings: [...around.drawings, drawing],
      what: t('{name} drawn', { name: drawingPhrase(`drawing.${tool}`) }),
      // Text typed into it right away is part of the same step.
      ...(isWritten(tool) ? { merge: `text ${drawing.id}` } : {}),
    },
    ...(isWritten(tool) ? { write: drawing.id } : {}),
    say: t('{name} drawn.', { name: drawingPhrase(`drawing.${tool}`) }),
  }
}

/** The button is released: completes a stroke, without the points it doesn't need. */
export function endStroke(state: EditorState, points: readonly DrawingPoint[], around: Surroundings): Outcome {
  const pixels = points.map((point) => around.surface.toPixel(point) ?? { x: NaN, y: NaN })
  const stroke = simplified(pixels, STROKE_TOLERANCE).map((i) => points[i])
  const ended = points.length < 2 ? { ...state, mode: idle } : null
  if (ended) return { state: ended, taken: true }
  const outcome = finish(state, 'brush', stroke, around)
  // The brush stays selected for the next stroke.
  return { ...outcome, state: { ...state, tool: 'brush', mode: freshPlacing, selected: null } }
}

/** Arrow keys move the next point. */
export function byArrow(
  state: EditorState,
  tool: DrawingKind,
  bars: number,
  steps: number,
  around: Surroundings,
): Outcome {
  const { mode } = state
  const { surface } = around
  if (mode.is === 'brushing') {
    const next = surface.step(mode.points[mode.points.length - 1], bars, steps)
    if (mode.points.length >= MAX_BRUSH_POINTS) return { state, taken: true }
    return { state: { ...state, mode: { ...mode, points: [...mode.points, next] } }, taken: true }
  }
  const points = mode.is === 'placing' ? mode.points : []
  const from = (mode.is === 'placing' ? mode.at : null) ?? points.at(-1)
  const at = from ? surface.step(from, bars, steps) : surface.middle()
  return {
    state: { ...state, tool, mode: { is: 'placing', points, at, pressed: null, byKeys: true } },
    taken: true,
    ...(at ? { say: surface.words.price(at.price) } : {}),
  }
}

/** Enter places the next point. */
export function byEnter(state: EditorState, tool: DrawingKind, around: Surroundings): Outcome {
  const { mode } = state
  if (mode.is === 'brushing') return endStroke(state, mode.points, around)
  const points = mode.is === 'placing' ? mode.points : []
  const at = (mode.is === 'placing' ? mode.at : null) ?? around.surface.middle()
  if (at === null) return { state, taken: true }
  const pixel = around.magnet ? around.surface.toPixel(at) : null
  const point = (pixel && around.surface.snap(pixel)) ?? at
  if (tool === 'brush')
    return { state: { ...state, mode: { is: 'brushing', points: [point], byKeys: true } }, taken: true }
  return add(state, tool, [...points, point], { pressed: null, byKeys: true }, around)
}
