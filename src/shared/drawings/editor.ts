/**
 * Drawing by pointer and by keys as a state machine: an event and what the chart is now in, the next
 * state and what became of the drawings out. Pure: ids, instants and the chart are arguments.
 */
import { missingCase } from '../errors.ts'
import { figureOf, gripAt, isOutside, REACH, type Frame, type Grip, type Handle, type Pixel } from './figure.ts'
import { changed, without } from './lists.ts'
import { completed, isDegenerate, pointsToPlace, simplified, straightened, withHandle } from './shape.ts'
import {
  DRAWING_NAMES,
  MOST_BRUSH_POINTS,
  type Drawing,
  type DrawingKind,
  type DrawingPoint,
  type DrawingStyle,
} from './types.ts'

/** What the editor needs of the chart. Points it answers are at the precision of the instrument. */
export interface Surface extends Frame {
  /** Null: there are no bars. */
  toPoint(pixel: Pixel): DrawingPoint | null
  /** The open, high, low or close within reach of a pixel; null: none is. */
  snap(pixel: Pixel): DrawingPoint | null
  /** A point at the precision of the instrument. */
  tidy(point: DrawingPoint): DrawingPoint
  /** A point so many bars and steps of price from another: what arrow keys do. */
  step(point: DrawingPoint, bars: number, steps: number): DrawingPoint
  /** Where keys begin: in the middle of what is seen. */
  middle(): DrawingPoint | null
}

export type Mode =
  | { readonly is: 'idle' }
  /** Points so far, and where the next one would be. `pressed`: the button is down since the last one. */
  | {
      readonly is: 'placing'
      readonly points: readonly DrawingPoint[]
      readonly at: DrawingPoint | null
      readonly pressed: Pixel | null
      readonly byKeys: boolean
    }
  | { readonly is: 'brushing'; readonly points: readonly DrawingPoint[]; readonly byKeys: boolean }
  /** The button is down on a drawing and has not moved yet. */
  | { readonly is: 'pressed'; readonly grip: Grip; readonly from: Pixel }
  | { readonly is: 'dragging'; readonly grip: Grip; readonly from: Pixel; readonly was: Drawing; readonly now: Drawing }
  /** Arrow keys move one handle of the selected drawing. */
  | { readonly is: 'points'; readonly handle: number }

export interface EditorState {
  /** What the next points are of; null: drawings are selected and moved. */
  readonly tool: DrawingKind | null
  readonly mode: Mode
  readonly selected: string | null
  readonly hovered: string | null
}

export const AT_REST: EditorState = { tool: null, mode: { is: 'idle' }, selected: null, hovered: null }

export interface Mods {
  readonly shift: boolean
  readonly ctrl: boolean
}
export const NO_MODS: Mods = { shift: false, ctrl: false }

export type EditorEvent =
  | { readonly is: 'tool'; readonly tool: DrawingKind | null }
  | { readonly is: 'down'; readonly at: Pixel; readonly mods: Mods; readonly touch: boolean }
  | { readonly is: 'move'; readonly at: Pixel; readonly mods: Mods }
  | { readonly is: 'up'; readonly at: Pixel; readonly mods: Mods }
  | { readonly is: 'double'; readonly at: Pixel }
  | { readonly is: 'leave' }
  | { readonly is: 'key'; readonly key: EditorKey; readonly mods: Mods }
  | { readonly is: 'select'; readonly id: string | null }

/** Keys that mean something here; what else is pressed is the chart's. */
export const EDITOR_KEYS = [
  'Escape',
  'Enter',
  'Tab',
  'Delete',
  'Backspace',
  'ArrowLeft',
  'ArrowRight',
  'ArrowUp',
  'ArrowDown',
] as const
export type EditorKey = (typeof EDITOR_KEYS)[number]

export interface Surroundings {
  readonly surface: Surface
  /** Of the instrument, lowest first, also those that are not seen. */
  readonly drawings: readonly Drawing[]
  /** Whether one is seen, and so can be selected. */
  readonly isShown: (drawing: Drawing) => boolean
  readonly magnet: boolean
  readonly styleOf: (kind: DrawingKind) => DrawingStyle
  /** For one new drawing. */
  readonly id: string
  /** UTC ms of the market that the user sees. */
  readonly asOfMs: number
}

export interface Outcome {
  readonly state: EditorState
  /** Whether the event was the editor's: else it is the chart's. */
  readonly taken: boolean
  /** The drawings after it, and what was done. */
  readonly edit?: { readonly drawings: readonly Drawing[]; readonly what: string; readonly merge?: string }
  /** Asks for the text of this drawing. */
  readonly write?: string
  /** For a screen reader. */
  readonly say?: string
}

/** Px that a press may move and still be a click. */
const CLICK = 4
/** Px between points of a stroke, and how far a left-out point may be off. */
const STROKE_STEP = 2
const STROKE_TOLERANCE = 0.6

const idle: Mode = { is: 'idle' }
const freshPlacing: Mode = { is: 'placing', points: [], at: null, pressed: null, byKeys: false }
const far = (a: Pixel, b: Pixel): boolean => Math.hypot(a.x - b.x, a.y - b.y) > CLICK

/** What is under a pixel: the selected drawing's handles first, then the topmost line, then the topmost ground. */
export function hit(
  at: Pixel,
  selected: string | null,
  around: Pick<Surroundings, 'surface' | 'drawings' | 'isShown'>,
  reach = REACH,
): { readonly drawing: Drawing; readonly grip: Grip } | null {
  let ground: { drawing: Drawing; grip: Grip } | null = null
  let line: { drawing: Drawing; grip: Grip } | null = null
  for (let i = around.drawings.length - 1; i >= 0; i--) {
    const drawing = around.drawings[i]
    if (!around.isShown(drawing) || isOutside(drawing, around.surface)) continue
    const figure = figureOf(drawing, around.surface)
    if (figure === null) continue
    const grip = gripAt(figure, at, drawing.id === selected, drawing.style.width, reach)
    if (grip?.is === 'handle') return { drawing, grip }
    if (grip?.is === 'line') line ??= { drawing, grip }
    else if (grip) ground ??= { drawing, grip }
  }
  return line ?? ground
}

/** The drawing that is under way: as it would be if the pointer let go now. Null: none is. */
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

/** Where a pixel stands: at a price of a bar where the magnet holds, Ctrl turns it the other way. */
function placed(at: Pixel, mods: Mods, anchor: DrawingPoint | null, around: Surroundings): DrawingPoint | null {
  const { surface } = around
  if (around.magnet !== mods.ctrl) {
    const snapped = surface.snap(at)
    if (snapped) return snapped
  }
  const from = anchor && mods.shift ? surface.toPixel(anchor) : null
  const point = surface.toPoint(from ? straightened(from, at) : at)
  if (point === null || from === null || anchor === null) return point
  // Level and upright are exact, not as exact as a pixel.
  const straight = straightened(from, at)
  return {
    ms: straight.x === from.x ? anchor.ms : point.ms,
    price: straight.y === from.y ? anchor.price : point.price,
  }
}

const shift = (drawing: Drawing, from: Pixel, to: Pixel, around: Surroundings): Drawing => {
  const { surface } = around
  const dx = to.x - from.x
  const dy = to.y - from.y
  const moved = (point: DrawingPoint): DrawingPoint => {
    const pixel = surface.toPixel(point)
    const start = pixel && surface.toPoint(pixel)
    const end = pixel && surface.toPoint({ x: pixel.x + dx, y: pixel.y + dy })
    if (!start || !end) return point
    // As a difference, so that what does not move stays exactly where it was.
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

/** The next state, and what comes of an event. */
export function edited(state: EditorState, event: EditorEvent, around: Surroundings): Outcome {
  switch (event.is) {
    case 'tool':
      return {
        state: {
          ...state,
          tool: event.tool,
          mode: event.tool === null ? idle : freshPlacing,
          selected: null,
          hovered: null,
        },
        taken: true,
        say: event.tool === null ? 'No tool.' : `${DRAWING_NAMES[event.tool]}. ${howToPlace(event.tool)}`,
      }
    case 'select':
      return { state: { ...state, tool: null, mode: idle, selected: event.id }, taken: true }
    case 'down':
      return down(state, event, around)
    case 'move':
      return move(state, event, around)
    case 'up':
      return up(state, event, around)
    case 'double':
      return double(state, event.at, around)
    case 'leave':
      return leave(state)
    case 'key':
      return key(state, event.key, event.mods, around)
    default:
      return missingCase(event)
  }
}

function howToPlace(kind: DrawingKind): string {
  const count = pointsToPlace(kind)
  if (kind === 'brush') return 'Press and draw, or Enter, arrows and Enter.'
  return `${count === 1 ? 'One point' : `${count} points`}: click, or move with the arrows and press Enter. Esc ends.`
}

function down(state: EditorState, event: EditorEvent & { is: 'down' }, around: Surroundings): Outcome {
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

/** One more point of what is being placed: with the last one the drawing is there. */
function add(
  state: EditorState,
  tool: DrawingKind,
  points: readonly DrawingPoint[],
  how: { readonly pressed: Pixel | null; readonly byKeys: boolean },
  around: Surroundings,
): Outcome {
  if (points.length < pointsToPlace(tool)) {
    const at = points[points.length - 1]
    const say = how.byKeys ? `Point ${points.length} at ${around.surface.words.price(at.price)}.` : undefined
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
    // A double click, or Enter twice: the second point is still to come.
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
      what: `${DRAWING_NAMES[tool]} drawn`,
      // What is written into it at once is the same step.
      ...(tool === 'text' ? { merge: `text ${drawing.id}` } : {}),
    },
    ...(tool === 'text' ? { write: drawing.id } : {}),
    say: `${DRAWING_NAMES[tool]} drawn.`,
  }
}

function move(state: EditorState, event: EditorEvent & { is: 'move' }, around: Surroundings): Outcome {
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
      if (!last || !point || mode.points.length >= MOST_BRUSH_POINTS) return { state, taken: true }
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
  // The ends of a stroke are no handles of their own.
  if (grip.is !== 'handle' || (grip.handle.msOf === null && grip.handle.priceOf === null)) {
    const straight = event.mods.shift ? straightened(from, event.at) : event.at
    return shift(was, from, straight, around)
  }
  const { handle } = grip
  const other = was.points.length === 2 ? was.points[handle.priceOf === 0 ? 1 : 0] : null
  const to = placed(event.at, event.mods, other, around)
  return to === null ? was : withHandle(was, handle, to)
}

function up(state: EditorState, event: EditorEvent & { is: 'up' }, around: Surroundings): Outcome {
  const { mode, tool } = state
  switch (mode.is) {
    case 'placing': {
      if (tool === null || mode.pressed === null) return { state, taken: tool !== null }
      // Pressed and drawn: letting go is the next point. A click: the next click is.
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
          what: `${DRAWING_NAMES[mode.was.kind]} moved`,
        },
      }
    case 'idle':
    case 'points':
      return { state, taken: false }
  }
}

function endStroke(state: EditorState, points: readonly DrawingPoint[], around: Surroundings): Outcome {
  const pixels = points.map((point) => around.surface.toPixel(point) ?? { x: NaN, y: NaN })
  const kept = simplified(pixels, STROKE_TOLERANCE).map((i) => points[i])
  const ended = points.length < 2 ? { ...state, mode: idle } : null
  if (ended) return { state: ended, taken: true }
  const outcome = finish(state, 'brush', kept, around)
  // A hand goes on writing: the brush stays in it.
  return { ...outcome, state: { ...state, tool: 'brush', mode: freshPlacing, selected: null } }
}

function double(state: EditorState, at: Pixel, around: Surroundings): Outcome {
  if (state.tool !== null) return { state, taken: true }
  const found = hit(at, state.selected, around)
  if (found === null) return { state, taken: false }
  const next: EditorState = { ...state, mode: idle, selected: found.drawing.id }
  return found.drawing.locked ? { state: next, taken: true } : { state: next, taken: true, write: found.drawing.id }
}

function leave(state: EditorState): Outcome {
  const { mode } = state
  if (mode.is === 'placing' && mode.pressed === null && !mode.byKeys)
    return { state: { ...state, mode: { ...mode, at: null } }, taken: false }
  return { state: state.hovered === null ? state : { ...state, hovered: null }, taken: false }
}

const ARROWS: Readonly<Partial<Record<EditorKey, readonly [number, number]>>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
}

function key(state: EditorState, pressed: EditorKey, mods: Mods, around: Surroundings): Outcome {
  const arrow = ARROWS[pressed]
  const many = mods.shift ? 10 : 1
  const { mode, tool } = state
  // A gesture under way ends with its button, or with Esc.
  if (mode.is === 'dragging' || mode.is === 'pressed' || (mode.is === 'brushing' && !mode.byKeys))
    return pressed === 'Escape' ? { state: { ...state, mode: idle }, taken: true } : { state, taken: true }
  if (tool !== null) {
    if (arrow) return byArrow(state, tool, arrow[0] * many, arrow[1] * many, around)
    if (pressed === 'Enter') return byEnter(state, tool, around)
    if (pressed !== 'Escape') return { state, taken: false }
    // One step back: first what was placed, then the tool.
    const begun = (mode.is === 'placing' && mode.points.length > 0) || mode.is === 'brushing'
    return begun
      ? { state: { ...state, mode: freshPlacing }, taken: true, say: 'Begun anew.' }
      : edited(state, { is: 'tool', tool: null }, around)
  }
  const drawing = around.drawings.find((one) => one.id === state.selected)
  if (drawing === undefined || !around.isShown(drawing)) return { state, taken: false }
  const name = DRAWING_NAMES[drawing.kind]
  if (arrow) return nudge(state, drawing, arrow[0] * many, arrow[1] * many, around)
  switch (pressed) {
    case 'Escape':
      return mode.is === 'points'
        ? { state: { ...state, mode: idle }, taken: true, say: `${name}, whole.` }
        : { state: { ...state, selected: null }, taken: true, say: 'Nothing selected.' }
    case 'Delete':
    case 'Backspace':
      if (drawing.locked) return { state, taken: true, say: `The ${name.toLowerCase()} is locked.` }
      return {
        state: { ...state, mode: idle, selected: null, hovered: null },
        taken: true,
        edit: { drawings: without(around.drawings, drawing.id), what: `${name} deleted` },
        say: `${name} deleted.`,
      }
    case 'Enter': {
      if (drawing.locked) return { state, taken: true, say: `The ${name.toLowerCase()} is locked.` }
      if (mode.is === 'points') return { state: { ...state, mode: idle }, taken: true, say: `${name}, whole.` }
      if (drawing.kind === 'text') return { state, taken: true, write: drawing.id }
      if (handlesOf(drawing, around).length === 0) return { state, taken: true }
      return { state: { ...state, mode: { is: 'points', handle: 0 } }, taken: true, say: sayHandle(drawing, 0, around) }
    }
    case 'Tab':
      return tab(state, drawing, mods.shift ? -1 : 1, around)
    default:
      return { state, taken: false }
  }
}

/** Handles that move something of their own. */
export function handlesOf(drawing: Drawing, around: Pick<Surroundings, 'surface'>): readonly Handle[] {
  const handles = figureOf(drawing, around.surface)?.handles ?? []
  return handles.filter(({ msOf, priceOf }) => msOf !== null || priceOf !== null)
}

function held(drawing: Drawing, { msOf, priceOf }: Handle): DrawingPoint {
  return { ms: drawing.points[msOf ?? 0].ms, price: drawing.points[priceOf ?? 0].price }
}

function sayHandle(drawing: Drawing, index: number, around: Surroundings): string {
  const handles = handlesOf(drawing, around)
  const handle = handles.at(index)
  if (handle === undefined) return ''
  return `Point ${index + 1} of ${handles.length} at ${around.surface.words.price(held(drawing, handle).price)}.`
}

function byArrow(state: EditorState, tool: DrawingKind, bars: number, steps: number, around: Surroundings): Outcome {
  const { mode } = state
  const { surface } = around
  if (mode.is === 'brushing') {
    const next = surface.step(mode.points[mode.points.length - 1], bars, steps)
    if (mode.points.length >= MOST_BRUSH_POINTS) return { state, taken: true }
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

function byEnter(state: EditorState, tool: DrawingKind, around: Surroundings): Outcome {
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

function nudge(state: EditorState, drawing: Drawing, bars: number, steps: number, around: Surroundings): Outcome {
  const name = DRAWING_NAMES[drawing.kind]
  if (drawing.locked) return { state, taken: true, say: `The ${name.toLowerCase()} is locked.` }
  const { surface } = around
  const { mode } = state
  const handle = mode.is === 'points' ? handlesOf(drawing, around).at(mode.handle) : undefined
  let next: Drawing
  if (handle) next = withHandle(drawing, handle, surface.step(held(drawing, handle), bars, steps))
  else {
    const [first] = drawing.points
    const to = surface.step(first, bars, steps)
    const points = drawing.points.map(({ ms, price }) =>
      surface.tidy({ ms: ms + (to.ms - first.ms), price: price + (to.price - first.price) }),
    )
    next = { ...drawing, points }
  }
  const shown = handle ? held(next, handle) : next.points[0]
  return {
    state,
    taken: true,
    edit: {
      drawings: changed(around.drawings, drawing.id, { points: next.points, asOfMs: around.asOfMs }),
      what: `${name} moved`,
      merge: `nudge ${drawing.id} ${mode.is === 'points' ? mode.handle : ''}`,
    },
    say: surface.words.price(shown.price),
  }
}

function tab(state: EditorState, drawing: Drawing, step: 1 | -1, around: Surroundings): Outcome {
  const { mode } = state
  if (mode.is === 'points') {
    const count = handlesOf(drawing, around).length
    const handle = (mode.handle + step + count) % count
    return { state: { ...state, mode: { is: 'points', handle } }, taken: true, say: sayHandle(drawing, handle, around) }
  }
  return cycled(state, step, around)
}

/** Selects the next drawing that is seen, around the end. */
export function cycled(state: EditorState, step: 1 | -1, around: Surroundings): Outcome {
  const shown = around.drawings.filter(around.isShown)
  if (shown.length === 0) return { state, taken: true, say: 'There are no drawings here.' }
  const at = shown.findIndex((one) => one.id === state.selected)
  const next = shown[at < 0 ? (step === 1 ? 0 : shown.length - 1) : (at + step + shown.length) % shown.length]
  const place = shown.indexOf(next) + 1
  return {
    state: { ...state, tool: null, mode: idle, selected: next.id },
    taken: true,
    say: `${DRAWING_NAMES[next.kind]}${next.text === '' ? '' : ` “${next.text}”`}, ${place} of ${shown.length}, at ${around.surface.words.price(next.points[0].price)}${next.locked ? ', locked' : ''}.`,
  }
}
