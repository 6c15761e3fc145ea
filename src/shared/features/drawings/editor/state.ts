/** States of the drawing editor, the events between them, and their results. */
import type { Frame, Pixel } from './figure-parts.ts'
import type { Grip } from './grip.ts'
import type { Drawing, DrawingKind, DrawingPoint, DrawingStyle } from '../types.ts'

/** What the editor needs from the chart. It returns points at the precision of the instrument. */
export interface Surface extends Frame {
  /** Null if there are no bars. */
  toPoint(pixel: Pixel): DrawingPoint | null
  /** The nearest open, high, low or close within reach of a pixel, or null. */
  snap(pixel: Pixel): DrawingPoint | null
  /** Rounds a point to the precision of the instrument. */
  tidy(point: DrawingPoint): DrawingPoint
  /** The point this many bars and price steps away, for arrow keys. */
  step(point: DrawingPoint, bars: number, steps: number): DrawingPoint
  /** Where the keyboard starts: the middle of the visible area. */
  middle(): DrawingPoint | null
}

export type Mode =
  | { readonly is: 'idle' }
  /** The points so far, and where the next one would be. `pressed`: the button is down since the last one. */
  | {
      readonly is: 'placing'
      readonly points: readonly DrawingPoint[]
      readonly at: DrawingPoint | null
      readonly pressed: Pixel | null
      readonly byKeys: boolean
    }
  | { readonly is: 'brushing'; readonly points: readonly DrawingPoint[]; readonly byKeys: boolean }
  /** The button is down on a drawing and hasn't moved yet. */
  | { readonly is: 'pressed'; readonly grip: Grip; readonly from: Pixel }
  | { readonly is: 'dragging'; readonly grip: Grip; readonly from: Pixel; readonly was: Drawing; readonly now: Drawing }
  /** Arrow keys move one handle of the selected drawing. */
  | { readonly is: 'points'; readonly handle: number }

export interface EditorState {
  /** The kind of drawing that the next points make; null: drawings are selected and moved. */
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

export type EditorEvent =
  | { readonly is: 'tool'; readonly tool: DrawingKind | null }
  | { readonly is: 'down'; readonly at: Pixel; readonly mods: Mods; readonly touch: boolean }
  | { readonly is: 'move'; readonly at: Pixel; readonly mods: Mods }
  | { readonly is: 'up'; readonly at: Pixel; readonly mods: Mods }
  | { readonly is: 'double'; readonly at: Pixel }
  | { readonly is: 'leave' }
  | { readonly is: 'key'; readonly key: EditorKey; readonly mods: Mods }
  | { readonly is: 'select'; readonly id: string | null }

/** The keys that the editor uses. The chart gets all others. */
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
  /** Of the instrument, lowest first, including hidden ones. */
  readonly drawings: readonly Drawing[]
  /** Whether a drawing is visible, so that it can be selected. */
  readonly isShown: (drawing: Drawing) => boolean
  readonly magnet: boolean
  readonly styleOf: (kind: DrawingKind) => DrawingStyle
  /** The id for a new drawing. */
  readonly id: string
  /** The market time that the user sees, UTC ms. */
  readonly asOfMs: number
}

export interface Outcome {
  readonly state: EditorState
  /** Whether the editor used the event. If not, it is the chart's. */
  readonly taken: boolean
  /** The resulting drawings, and what was done. */
  readonly edit?: { readonly drawings: readonly Drawing[]; readonly what: string; readonly merge?: string }
  /** The id of a drawing whose text should be edited. */
  readonly write?: string
  /** For screen readers. */
  readonly say?: string
}

/** No gesture or drawing in progress. */
export const idle: Mode = { is: 'idle' }
/** A tool is selected, and nothing is placed yet. */
export const freshPlacing: Mode = { is: 'placing', points: [], at: null, pressed: null, byKeys: false }
