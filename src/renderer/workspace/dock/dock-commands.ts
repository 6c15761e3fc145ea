/** Commands of panes and workspaces: rows of the one table of shortcuts. */
import { groupsIn } from '../../../shared/workspace/document.ts'
import * as edits from '../../../shared/workspace/edits.ts'
import type { WindowState } from '../../state/window.svelte.ts'
import type { Command } from '../commands.ts'
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
const SIZES = { left: 'narrower', right: 'wider', up: 'lower', down: 'higher' } as const

export const DOCK_COMMANDS: readonly Command[] = [
  dock('next', 'Next pane', ['F6'], (app) => step(app, 1)),
  dock('previous', 'Previous pane', ['Shift+F6'], (app) => step(app, -1)),
  ...ARROWS.map(([to, arrow]) =>
    dock(
      `move-${to}`,
      `Move the pane ${to}`,
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
      `Make the pane ${SIZES[to]}`,
      [`Alt+Shift+${arrow}`],
      onPane((app, pane) =>
        app.dock.change((now) => edits.resizePane({ ...now, area: app.dock.area }, pane, axis, px)),
      ),
    ),
  ),
  dock(
    'maximise',
    'Maximise the pane, or restore it',
    ['Alt+Enter'],
    onPane((app, pane) => app.dock.change((now) => edits.toggleMaximised(now, pane))),
  ),
  dock('float', 'Float the pane, or put it back', ['Ctrl+Alt+F'], onPane(toggleFloat)),
  dock('pop-out', 'Move the pane into a window of its own', ['Ctrl+Alt+P'], onPane(popOutPane)),
  dock(
    'close',
    'Close the pane',
    ['Ctrl+Alt+W'],
    onPane((app, pane) => app.closePane(pane)),
  ),
  dock('undo', 'Undo the last change of the layout', ['Ctrl+Alt+Z'], (app) => {
    if (!app.dock.undo()) app.toasts.show('There is no change of the layout to undo.')
  }),
  dock('redo', 'Redo the change of the layout', ['Ctrl+Alt+Y'], (app) => {
    if (!app.dock.redo()) app.toasts.show('There is no change of the layout to redo.')
  }),
  dock('workspaces', 'Workspaces', ['Ctrl+Alt+S'], (app) => void app.dock.menuAsked++),
]
