/** Drawing with the pointer: down, move, up. */
import { drawingPhrase } from '../texts.ts'
import { t } from '../../../base/text.ts'
import { hit } from './hit.ts'
import { add, endStroke, placed } from './placing.ts'
import { idle, type EditorEvent, type EditorState, type Mods, type Outcome, type Surroundings } from './state.ts'
import type { Pixel } from './figure-parts.ts'
import { REACH, type Grip } from './grip.ts'
import { changed } from '../lists.ts'
import { straightened, withHandle } from './shape.ts'
import { MAX_BRUSH_POINTS, type Drawing, type DrawingPoint } from '../types.ts'

/** How far a press may move and still be a click, px. */
const CLICK = 4
/** Distance between the points of a stroke, px. */
const STROKE_STEP = 2

const far = (a: Pixel, b: Pixel): boolean => Math.hypot(a.x - b.x, a.y - b.y) > CLICK

const shift = (drawing: Drawing, from: Pixel, to: Pixel, around: Surroundings): Drawing => {
  const { surface } = around
  const dx = to.x - from.x
  const dy = to.y - from.y
  const moved = (point: DrawingPoint): DrawingPoint => {
    const pixel = surface.toPixel(point)
    const start = pixel && surface.toPoint(pixel)
    const end = pixel && surface.toPoint({ x: pixel.x + dx, y: pixel.y + dy })
    if (!start || !end) return point
    // As a difference, so that what doesn't move keeps its exact value.
    return surface.tidy({
      ms: point.ms + (dx === 0 ? 0 : end.ms - start.ms),
      price: point.price + (dy === 0 ? 0 : end.price - start.price),
    })
  }
  const points = drawing.points.map(moved)
  return drawing.kind === 'long' || drawing.kind === 'short'
    ? { ...drawing, points: [points[0], points[1], { ms: points[1].ms, price: points[2].price }] }
    : { ...drawing, points }
}

/** The button goes down, on a drawing or for the next point of one. */
export function down(state: EditorState, event: EditorEvent & { is: 'down' }, around: Surroundings): Outcome {
  const { mode, tool } = state
  if (tool === 'brush') {
    const point = around.surface.toPoint(event.at)
    if (point === null) return { state, taken: true }
    return { state: { ...state, mode: { is: 'brushing', points: [point], byKeys: false } }, taken: true }
  }
  if (tool !== null) {
    const points = mode.is === 'placing' ? mode.points : []
    const point = placed(event.at, event.mods, points.at(-1) ?? null, around)
    if (point === null) return { state, taken: true }
    return add(state, tool, [...points, point], { pressed: event.at, byKeys: false }, around)
  }
  const found = hit(event.at, state.selected, around, event.touch ? REACH * 2 : REACH)
  if (found === null) {
    return { state: { ...state, mode: idle, selected: null }, taken: false }
  }
  const next: EditorState = { ...state, selected: found.drawing.id, hovered: found.drawing.id }
  return { state: { ...next, mode: { is: 'pressed', grip: found.grip, from: event.at } }, taken: true }
}

/** The pointer moves: the gesture follows it, otherwise reports what is under it. */
export function move(state: EditorState, event: EditorEvent & { is: 'move' }, around: Surroundings): Outcome {
  const { mode, tool } = state
  switch (mode.is) {
    case 'placing': {
      if (tool === null) return { state, taken: false }
      const at = placed(event.at, event.mods, mode.points.at(-1) ?? null, around)
      return { state: { ...state, mode: { ...mode, at, byKeys: false } }, taken: true }
    }
    case 'brushing': {
      if (mode.byKeys) return { state, taken: false }
      const last = around.surface.toPixel(mode.points[mode.points.length - 1])
      const point = around.surface.toPoint(event.at)
      if (!last || !point || mode.points.length >= MAX_BRUSH_POINTS) return { state, taken: true }
      if (Math.hypot(last.x - event.at.x, last.y - event.at.y) < STROKE_STEP) return { state, taken: true }
      return { state: { ...state, mode: { ...mode, points: [...mode.points, point] } }, taken: true }
    }
    case 'pressed':
    case 'dragging': {
      const was = mode.is === 'dragging' ? mode.was : around.drawings.find((one) => one.id === state.selected)
      if (was === undefined) return { state: { ...state, mode: idle }, taken: false }
      if (mode.is === 'pressed' && !far(mode.from, event.at)) return { state, taken: true }
      if (was.locked) return { state, taken: true }
      const now = { ...dragged(was, mode.grip, mode.from, event, around), asOfMs: around.asOfMs }
      return { state: { ...state, mode: { is: 'dragging', grip: mode.grip, from: mode.from, was, now } }, taken: true }
    }
    case 'idle':
    case 'points': {
      const hovered = tool === null ? (hit(event.at, state.selected, around)?.drawing.id ?? null) : null
      return { state: hovered === state.hovered ? state : { ...state, hovered }, taken: hovered !== null }
    }
  }
}

function dragged(
  was: Drawing,
  grip: Grip,
  from: Pixel,
  event: { at: Pixel; mods: Mods },
  around: Surroundings,
): Drawing {
  // The ends of a stroke aren't handles.
  if (grip.is !== 'handle' || (grip.handle.msOf === null && grip.handle.priceOf === null)) {
    const straight = event.mods.shift ? straightened(from, event.at) : event.at
    return shift(was, from, straight, around)
  }
  const { handle } = grip
  const other = was.points.length === 2 ? was.points[handle.priceOf === 0 ? 1 : 0] : null
  const to = placed(event.at, event.mods, other, around)
  return to === null ? was : withHandle(was, handle, to)
}

/** The button goes up: what was dragged stays there. */
export function up(state: EditorState, event: EditorEvent & { is: 'up' }, around: Surroundings): Outcome {
  const { mode, tool } = state
  switch (mode.is) {
    case 'placing': {
      if (tool === null || mode.pressed === null) return { state, taken: tool !== null }
      // After a drag, releasing places the next point. After a click, the next click does.
      const released: EditorState = { ...state, mode: { ...mode, pressed: null } }
      if (!far(mode.pressed, event.at)) return { state: released, taken: true }
      const point = placed(event.at, event.mods, mode.points.at(-1) ?? null, around)
      return point === null
        ? { state: released, taken: true }
        : add(released, tool, [...mode.points, point], { pressed: null, byKeys: false }, around)
    }
    case 'brushing':
      return mode.byKeys ? { state, taken: true } : endStroke(state, mode.points, around)
    case 'pressed':
      return { state: { ...state, mode: idle }, taken: true }
    case 'dragging':
      return {
        state: { ...state, mode: idle },
        taken: true,
        edit: {
          drawings: changed(around.drawings, mode.was.id, { points: mode.now.points, asOfMs: around.asOfMs }),
          what: t('{name} moved', { name: drawingPhrase(`drawing.${mode.was.kind}`) }),
        },
      }
    case 'idle':
    case 'points':
      return { state, taken: false }
  }
}

/** A double click edits a drawing's text. */
export function double(state: EditorState, at: Pixel, around: Surroundings): Outcome {
  if (state.tool !== null) return { state, taken: true }
  const found = hit(at, state.selected, around)
  if (found === null) return { state, taken: false }
  const next: EditorState = { ...state, mode: idle, selected: found.drawing.id }
  return found.drawing.locked ? { state: next, taken: true } : { state: next, taken: true, write: found.drawing.id }
}

/** The pointer left the chart. */
export function leave(state: EditorState): Outcome {
  const { mode } = state
  if (mode.is === 'placing' && mode.pressed === null && !mode.byKeys)
    return { state: { ...state, mode: { ...mode, at: null } }, taken: false }
  return { state: state.hovered === null ? state : { ...state, hovered: null }, taken: false }
}
