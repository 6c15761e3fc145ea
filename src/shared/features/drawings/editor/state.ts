/** The states of drawing by pointer and by keys, the events that lead from one to the next, and what comes of them. */
import type { Frame, Pixel } from './figure-parts.ts'
import type { Grip } from './grip.ts'
import type { Drawing, DrawingKind, DrawingPoint, DrawingStyle } from '../types.ts'

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

/** Nothing is under way. */
export const idle: Mode = { is: 'idle' }
/** A tool is in hand, and nothing is placed yet. */
export const freshPlacing: Mode = { is: 'placing', points: [], at: null, pressed: null, byKeys: false }
