/** The commands of drawings: rows of the one table of shortcuts. They speak to the chart that was used last. */
import { DRAWING_KINDS, DRAWING_NAMES, type DrawingKind } from '../../../shared/drawings/types.ts'
import type { DrawingCommands } from '../../state/drawings.svelte.ts'
import type { Command } from '../../workspace/commands.ts'

/** Tools that are taken often enough to have a key of their own. */
const KEYS: Readonly<Partial<Record<DrawingKind, string>>> = {
  trend: 'Alt+K',
  horizontal: 'Alt+U',
  fib: 'Alt+F',
}

const onDesk = (id: string, title: string, keys: readonly string[], act: (desk: DrawingCommands) => void): Command => ({
  id: `drawing-${id}`,
  group: 'Drawing',
  title,
  keys,
  run(app) {
    const { desk } = app.drawings
    if (!desk) return app.toasts.show('There is no chart to draw on.')
    act(desk)
    desk.focus()
  },
})
/** Handled by the chart while it has the keys; listed here. */
const onChart = (id: string, title: string, keys: readonly string[]): Command => ({
  id: `drawing-${id}`,
  group: 'Drawing',
  title,
  keys,
  run: () => undefined,
  listedOnly: true,
})

export const DRAWING_COMMANDS: readonly Command[] = [
  ...DRAWING_KINDS.map((kind) => {
    const key = KEYS[kind]
    return onDesk(kind, `Draw: ${DRAWING_NAMES[kind].toLowerCase()}`, key === undefined ? [] : [key], (desk) =>
      desk.choose(kind),
    )
  }),
  onDesk('next', 'Select the next drawing', ['Alt+D'], (desk) => desk.next(1)),
  onDesk('magnet', 'Magnet: points go to the prices of bars', ['Alt+X'], (desk) =>
    desk.setMagnet(!desk.settings.magnet),
  ),
  onDesk('hide-all', 'Hide all drawings, or show them', ['Alt+Z'], (desk) => desk.hideAll(!desk.settings.hidden)),
  onDesk('lock-all', 'Lock all drawings, or unlock them', [], (desk) => desk.lockAll(!desk.allLocked)),
  onDesk('delete-all', 'Delete all drawings of this symbol', [], (desk) => desk.removeAll()),
  onDesk('undo-drawing', 'Undo the last change of drawings', [], (desk) => void desk.undo()),
  onDesk('redo-drawing', 'Redo the last change of drawings', [], (desk) => void desk.redo()),
  onChart('undo', 'Undo and redo (on the chart)', ['Ctrl+Z', 'Ctrl+Y']),
  onChart('copy', 'Copy, paste and duplicate the drawing', ['Ctrl+C', 'Ctrl+V', 'Ctrl+D']),
  onChart('move', 'Move the drawing by a bar or a step of price; with Shift by ten', ['Arrow keys']),
  onChart('points', 'Place a point; change the points of the drawing', ['Enter on a drawing']),
  onChart('cycle', 'Next drawing, or next point', ['Tab on a drawing']),
  onChart('retext', 'Text of the drawing', ['F2 on a drawing']),
  onChart('delete', 'Delete the drawing', ['Delete on a drawing']),
]
