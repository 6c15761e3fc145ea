/** Pane and workspace commands for the shortcut table. */
import { shownGroups } from '../../../shared/features/workspace/document.ts'
import * as edits from '../../../shared/features/workspace/edits.ts'
import { t } from '../../../shared/base/text.ts'
import { dockLabel } from './labels.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import type { Command } from '../../core/window/command.ts'
import type { DockState } from './dock.svelte.ts'
import { popOutPane, toggleFloat } from './dock-acts.ts'

const STEP_PX = 40

const command = (id: string, title: string, keys: readonly string[], run: Command['run']): Command => ({
  id: `dock-${id}`,
  group: 'Workspace',
  title,
  keys,
  run,
})
/** Focuses the front pane of the next (1) or previous (-1) group in reading order. */
function step(dock: DockState, by: 1 | -1): void {
  const { now } = dock
  const groups = shownGroups(now)
  const at = groups.findIndex((one) => one.panes.includes(now.front))
  const to = groups[(at + by + groups.length) % groups.length]
  if (to) dock.focus(to.front)
}

const ARROWS = [
  ['left', '\u2190', 'row', -STEP_PX],
  ['right', '\u2192', 'row', STEP_PX],
  ['up', '\u2191', 'column', -STEP_PX],
  ['down', '\u2193', 'column', STEP_PX],
] as const

export function dockCommands(dock: DockState): readonly Command[] {
  /** Runs a command on the front pane. */
  const onPane = (run: (pane: string, app: WindowState) => void) => (app: WindowState) => {
    if (dock.front) run(dock.front.id, app)
  }
  return [
    command('next', t('Next pane'), ['F6'], () => step(dock, 1)),
    command('previous', t('Previous pane'), ['Shift+F6'], () => step(dock, -1)),
    ...ARROWS.map(([to, arrow]) =>
      command(
        `move-${to}`,
        dockLabel(`dock.move-pane.${to}`),
        [`Ctrl+Alt+${arrow}`],
        onPane((pane) => {
          dock.change((now) => edits.moveTowards(now, pane, to))
          dock.focus(pane)
        }),
      ),
    ),
    ...ARROWS.map(([to, arrow, axis, px]) =>
      command(
        `size-${to}`,
        dockLabel(`dock.size-pane.${to}`),
        [`Alt+Shift+${arrow}`],
        onPane((pane) => dock.change((now) => edits.resizePane({ ...now, area: dock.area }, pane, axis, px))),
      ),
    ),
    command(
      'maximise',
      t('Maximize or restore the pane'),
      ['Alt+Enter'],
      onPane((pane) => dock.change((now) => edits.toggleMaximised(now, pane))),
    ),
    command(
      'float',
      t('Float or dock the pane'),
      ['Ctrl+Alt+F'],
      onPane((pane) => toggleFloat(dock, pane)),
    ),
    command(
      'pop-out',
      t('Move the pane to a new window'),
      ['Ctrl+Alt+P'],
      onPane((pane, app) => popOutPane(app, dock, pane)),
    ),
    command(
      'close',
      t('Close the pane'),
      ['Ctrl+Alt+W'],
      onPane((pane) => dock.close(pane)),
    ),
    command('undo', t('Undo the last layout change'), ['Ctrl+Alt+Z'], (app) => {
      if (!dock.undo()) app.toasts.show(t('There is no layout change to undo.'))
    }),
    command('redo', t('Redo the layout change'), ['Ctrl+Alt+Y'], (app) => {
      if (!dock.redo()) app.toasts.show(t('There is no layout change to redo.'))
    }),
    command('workspaces', t('Workspaces'), ['Ctrl+Alt+S'], () => void dock.menuAsked++),
  ]
}
