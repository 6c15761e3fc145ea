/** Commands of panes and workspaces: rows of the one table of shortcuts. */
import { groupsIn } from '../../../shared/features/workspace/document.ts'
import * as edits from '../../../shared/features/workspace/edits.ts'
import { t } from '../../../shared/base/text.ts'
import { dockLabel } from './labels.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import type { Command } from '../../core/window/command.ts'
import { popOutPane, toggleFloat } from './dock-acts.ts'

const STEP_PX = 40

const dock = (id: string, title: string, keys: readonly string[], run: Command['run']): Command => ({
  id: `dock-${id}`,
  group: 'Workspace',
  title,
  keys,
  run,
})
/** With the pane in front. */
const onPane = (run: (app: WindowState, pane: string) => void) => (app: WindowState) => {
  const { front } = app.dock
  if (front) run(app, front.id)
}

/** The front pane of the next group in reading order. */
function step(app: WindowState, by: 1 | -1): void {
  const { now } = app.dock
  const groups = [now.dock, ...now.floats.map((one) => one.dock)].flatMap(groupsIn)
  const at = groups.findIndex((one) => one.panes.includes(now.front))
  const to = groups[(at + by + groups.length) % groups.length]
  if (to) app.dock.focus(to.front)
}

const ARROWS = [
  ['left', '\u2190', 'row', -STEP_PX],
  ['right', '\u2192', 'row', STEP_PX],
  ['up', '\u2191', 'column', -STEP_PX],
  ['down', '\u2193', 'column', STEP_PX],
] as const

export const DOCK_COMMANDS: readonly Command[] = [
  dock('next', t('Next pane'), ['F6'], (app) => step(app, 1)),
  dock('previous', t('Previous pane'), ['Shift+F6'], (app) => step(app, -1)),
  ...ARROWS.map(([to, arrow]) =>
    dock(
      `move-${to}`,
      dockLabel(`dock.move-pane.${to}`),
      [`Ctrl+Alt+${arrow}`],
      onPane((app, pane) => {
        app.dock.change((now) => edits.moveTowards(now, pane, to))
        app.dock.focus(pane)
      }),
    ),
  ),
  ...ARROWS.map(([to, arrow, axis, px]) =>
    dock(
      `size-${to}`,
      dockLabel(`dock.size-pane.${to}`),
      [`Alt+Shift+${arrow}`],
      onPane((app, pane) =>
        app.dock.change((now) => edits.resizePane({ ...now, area: app.dock.area }, pane, axis, px)),
      ),
    ),
  ),
  dock(
    'maximise',
    t('Maximize or restore the pane'),
    ['Alt+Enter'],
    onPane((app, pane) => app.dock.change((now) => edits.toggleMaximised(now, pane))),
  ),
  dock('float', t('Float or dock the pane'), ['Ctrl+Alt+F'], onPane(toggleFloat)),
  dock('pop-out', t('Move the pane to a new window'), ['Ctrl+Alt+P'], onPane(popOutPane)),
  dock(
    'close',
    t('Close the pane'),
    ['Ctrl+Alt+W'],
    onPane((app, pane) => app.closePane(pane)),
  ),
  dock('undo', t('Undo the last layout change'), ['Ctrl+Alt+Z'], (app) => {
    if (!app.dock.undo()) app.toasts.show(t('There is no layout change to undo.'))
  }),
  dock('redo', t('Redo the layout change'), ['Ctrl+Alt+Y'], (app) => {
    if (!app.dock.redo()) app.toasts.show(t('There is no layout change to redo.'))
  }),
  dock('workspaces', t('Workspaces'), ['Ctrl+Alt+S'], (app) => void app.dock.menuAsked++),
]
