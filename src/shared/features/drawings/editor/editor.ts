/**
 * Drawing with the pointer and the keyboard as a state machine: takes an event and the chart, returns the next state
 * and the changed drawings. Pure: ids, times and the chart are arguments.
 */
import { key } from './keys.ts'
import { withTool } from './placing.ts'
import { double, down, leave, move, up } from './pointer.ts'
import { idle, type EditorEvent, type EditorState, type Outcome, type Surroundings } from './state.ts'

/** The next state, and the result of an event. */
export function edited(state: EditorState, event: EditorEvent, around: Surroundings): Outcome {
  switch (event.is) {
    case 'tool':
      return withTool(state, event.tool)
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
  }
}
