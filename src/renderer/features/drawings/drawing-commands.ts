/** Drawing commands. They go to the chart used last. */
import { DRAWING_KINDS, type DrawingKind } from '../../../shared/features/drawings/types.ts'
import { t } from '../../../shared/base/text.ts'
import { drawingPhrase } from '../../../shared/features/drawings/texts.ts'
import type { DrawingCommands, DrawingsBook } from './drawings.svelte.ts'
import type { Command } from '../../core/window/command.ts'

/** The tools used often enough to have a default shortcut. */
const KEYS: Readonly<Partial<Record<DrawingKind, string>>> = {
  trend: 'Alt+K',
  horizontal: 'Alt+U',
  fib: 'Alt+F',
}

/** Creates commands that go to the chart used last. */
const rowsOf =
  (book: DrawingsBook) =>
  (id: string, title: string, keys: readonly string[], act: (controller: DrawingCommands) => void): Command => ({
    id: `drawing-${id}`,
    group: 'Drawing',
    title,
    keys,
    run(app) {
      const { controller } = book
      if (!controller) return app.toasts.show(t('There is no chart to draw on.'))
      act(controller)
      controller.focus()
    },
  })
/** A command that the focused chart handles itself; it is only listed here. */
const onChart = (id: string, title: string, keys: readonly string[]): Command => ({
  id: `drawing-${id}`,
  group: 'Drawing',
  title,
  keys,
  run: () => undefined,
  listedOnly: true,
})

export function drawingCommands(book: DrawingsBook): readonly Command[] {
  const onController = rowsOf(book)
  return [
    ...DRAWING_KINDS.map((kind) => {
      const key = KEYS[kind]
      return onController(
        kind,
        t('Draw: {what}', { what: drawingPhrase(`drawing.${kind}`) }),
        key === undefined ? [] : [key],
        (controller) => controller.choose(kind),
      )
    }),
    onController('next', t('Select the next drawing'), ['Alt+D'], (controller) => controller.next(1)),
    onController('magnet', t('Magnet: snap points to bar prices'), ['Alt+X'], (controller) =>
      controller.setMagnet(!controller.settings.magnet),
    ),
    onController('hide-all', t('Hide or show all drawings'), ['Alt+Z'], (controller) =>
      controller.hideAll(!controller.settings.hidden),
    ),
    onController('lock-all', t('Lock or unlock all drawings'), [], (controller) =>
      controller.lockAll(!controller.allLocked),
    ),
    onController('delete-all', t('Delete all drawings on this symbol'), [], (controller) => controller.removeAll()),
    onController('undo-drawing', t('Undo last drawing change'), [], (controller) => void controller.undo()),
    onController('redo-drawing', t('Redo last drawing change'), [], (controller) => void controller.redo()),
    onChart('undo', t('Undo and redo (on the chart)'), ['Ctrl+Z', 'Ctrl+Y']),
    onChart('copy', t('Copy, paste, and duplicate the drawing'), ['Ctrl+C', 'Ctrl+V', 'Ctrl+D']),
    onChart('move', t('Move the drawing by one bar or price step (ten with Shift)'), [t('Arrow keys')]),
    onChart('points', t('Place a point, or edit the drawing’s points'), [t('{keys} on a drawing', { keys: 'Enter' })]),
    onChart('cycle', t('Next drawing, or next point'), [t('{keys} on a drawing', { keys: 'Tab' })]),
    onChart('retext', t('Edit the drawing’s text'), [t('{keys} on a drawing', { keys: 'F2' })]),
    onChart('delete', t('Delete the drawing'), [t('{keys} on a drawing', { keys: 'Delete' })]),
  ]
}
