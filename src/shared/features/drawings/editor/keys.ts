/**
 * Drawing with the keyboard: points are placed and moved with arrows; drawings are selected, deleted and cycled
 * through.
 */
import { t } from '../../../base/text.ts'
import { drawingPhrase } from '../texts.ts'
import { handlesOf } from './hit.ts'
import { byArrow, byEnter, withTool } from './placing.ts'
import {
  freshPlacing,
  idle,
  type EditorKey,
  type EditorState,
  type Mods,
  type Outcome,
  type Surroundings,
} from './state.ts'
import type { Handle } from './figure-parts.ts'
import { changed, without } from '../lists.ts'
import { withHandle } from './shape.ts'
import { isWritten, type Drawing, type DrawingPoint } from '../types.ts'

const ARROWS: Readonly<Partial<Record<EditorKey, readonly [number, number]>>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
}

/** Handles a key that the editor uses. Others are left to the chart. */
export function key(state: EditorState, pressed: EditorKey, mods: Mods, around: Surroundings): Outcome {
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
    // Esc goes one step back: first the placed points, then the tool.
    const begun = (mode.is === 'placing' && mode.points.length > 0) || mode.is === 'brushing'
    return begun
      ? { state: { ...state, mode: freshPlacing }, taken: true, say: t('Started over.') }
      : withTool(state, null)
  }
  const drawing = around.drawings.find((one) => one.id === state.selected)
  if (drawing === undefined || !around.isShown(drawing)) return { state, taken: false }
  const name = drawingPhrase(`drawing.${drawing.kind}`)
  if (arrow) return nudge(state, drawing, arrow[0] * many, arrow[1] * many, around)
  switch (pressed) {
    case 'Escape':
      return mode.is === 'points'
        ? { state: { ...state, mode: idle }, taken: true, say: t('{name}, all points.', { name }) }
        : { state: { ...state, selected: null }, taken: true, say: t('Nothing selected.') }
    case 'Delete':
    case 'Backspace':
      if (drawing.locked) return { state, taken: true, say: t('{name} is locked.', { name }) }
      return {
        state: { ...state, mode: idle, selected: null, hovered: null },
        taken: true,
        edit: { drawings: without(around.drawings, drawing.id), what: t('{name} deleted', { name }) },
        say: t('{name} deleted.', { name }),
      }
    case 'Enter': {
      if (drawing.locked) return { state, taken: true, say: t('{name} is locked.', { name }) }
      if (mode.is === 'points')
        return { state: { ...state, mode: idle }, taken: true, say: t('{name}, all points.', { name }) }
      if (isWritten(drawing.kind)) return { state, taken: true, write: drawing.id }
      if (handlesOf(drawing, around).length === 0) return { state, taken: true }
      return { state: { ...state, mode: { is: 'points', handle: 0 } }, taken: true, say: sayHandle(drawing, 0, around) }
    }
    case 'Tab':
      return tab(state, drawing, mods.shift ? -1 : 1, around)
    default:
      return { state, taken: false }
  }
}

function held(drawing: Drawing, { msOf, priceOf }: Handle): DrawingPoint {
  return { ms: drawing.points[msOf ?? 0].ms, price: drawing.points[priceOf ?? 0].price }
}

function sayHandle(drawing: Drawing, index: number, around: Surroundings): string {
  const handles = handlesOf(drawing, around)
  const handle = handles.at(index)
  if (handle === undefined) return ''
  const price = around.surface.words.price(held(drawing, handle).price)
  return t('Point {n} of {all} at {price}.', { n: index + 1, all: handles.length, price })
}

function nudge(state: EditorState, drawing: Drawing, bars: number, steps: number, around: Surroundings): Outcome {
  const name = drawingPhrase(`drawing.${drawing.kind}`)
  if (drawing.locked) return { state, taken: true, say: t('{name} is locked.', { name }) }
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
      what: t('{name} moved', { name }),
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

/** Selects the next visible drawing, wrapping around. */
export function cycled(state: EditorState, step: 1 | -1, around: Surroundings): Outcome {
  const shown = around.drawings.filter(around.isShown)
  if (shown.length === 0) return { state, taken: true, say: t('No drawings here.') }
  const at = shown.findIndex((one) => one.id === state.selected)
  const next = shown[at < 0 ? (step === 1 ? 0 : shown.length - 1) : (at + step + shown.length) % shown.length]
  const place = shown.indexOf(next) + 1
  const kind = drawingPhrase(`drawing.${next.kind}`)
  return {
    state: { ...state, tool: null, mode: idle, selected: next.id },
    taken: true,
    say: t(next.locked ? '{name}, {n} of {all}, at {price}, locked.' : '{name}, {n} of {all}, at {price}.', {
      name: next.text === '' ? kind : t('{name} “{text}”', { name: kind, text: next.text }),
      n: place,
      all: shown.length,
      price: around.surface.words.price(next.points[0].price),
    }),
  }
}
