/** The commands of drawings: rows of the one table of shortcuts. They speak to the chart that was used last. */
import { DRAWING_KINDS, type DrawingKind } from '../../../shared/features/drawings/types.ts'
import { say } from '../../text/catalogue.ts'
import type { DrawingCommands, DrawingsBook } from './drawings.svelte.ts'
import type { Command } from '../../core/window/command.ts'

/** Tools that are taken often enough to have a key of their own. */
const KEYS: Readonly<Partial<Record<DrawingKind, string>>> = {
  trend: 'Alt+K',
  horizontal: 'Alt+U',
  fib: 'Alt+F',
}

/** Makes rows that go to the chart drawn on last. */
const rowsOf =
  (book: DrawingsBook) =>
  (id: string, title: string, keys: readonly string[], act: (desk: DrawingCommands) => void): Command => ({
    id: `drawing-${id}`,
    group: 'Drawing',
    title,
    keys,
    run(app) {
      const { desk } = book
      if (!desk) return app.toasts.show(say('chart.there-no-chart-draw'))
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

export function drawingCommands(book: DrawingsBook): readonly Command[] {
  const onDesk = rowsOf(book)
  return [
    ...DRAWING_KINDS.map((kind) => {
      const key = KEYS[kind]
      return onDesk(kind, say('chart.draw', { what: say(`drawing.${kind}`) }), key === undefined ? [] : [key], (desk) =>
        desk.choose(kind),
      )
    }),
    onDesk('next', say('chart.select-next-drawing'), ['Alt+D'], (desk) => desk.next(1)),
    onDesk('magnet', say('chart.magnet-points-go-prices'), ['Alt+X'], (desk) => desk.setMagnet(!desk.settings.magnet)),
    onDesk('hide-all', say('chart.hide-all-drawings-or'), ['Alt+Z'], (desk) => desk.hideAll(!desk.settings.hidden)),
    onDesk('lock-all', say('chart.lock-all-drawings-or'), [], (desk) => desk.lockAll(!desk.allLocked)),
    onDesk('delete-all', say('chart.delete-all-drawings-symbol'), [], (desk) => desk.removeAll()),
    onDesk('undo-drawing', say('chart.undo-last-change-drawings'), [], (desk) => void desk.undo()),
    onDesk('redo-drawing', say('chart.redo-last-change-drawings'), [], (desk) => void desk.redo()),
    onChart('undo', say('chart.undo-redo-on-chart'), ['Ctrl+Z', 'Ctrl+Y']),
    onChart('copy', say('chart.copy-paste-duplicate-drawing'), ['Ctrl+C', 'Ctrl+V', 'Ctrl+D']),
    onChart('move', say('chart.move-drawing-bar-or'), [say('keys.arrows')]),
    onChart('points', say('chart.place-point-change-points'), [say('keys.on-drawing', { keys: 'Enter' })]),
    onChart('cycle', say('chart.next-drawing-or-next'), [say('keys.on-drawing', { keys: 'Tab' })]),
    onChart('retext', say('chart.text-drawing'), [say('keys.on-drawing', { keys: 'F2' })]),
    onChart('delete', say('chart.delete-drawing'), [say('keys.on-drawing', { keys: 'Delete' })]),
  ]
}
