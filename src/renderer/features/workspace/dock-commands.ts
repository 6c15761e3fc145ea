/** Commands of panes and workspaces: rows of the one table of shortcuts. */
import { groupsIn } from '../../../shared/features/workspace/document.ts'
import * as edits from '../../../shared/features/workspace/edits.ts'
import { say } from '../../text/catalogue.ts'
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
  dock('next', say('dock.next-pane'), ['F6'], (app) => step(app, 1)),
  dock('previous', say('dock.previous-pane'), ['Shift+F6'], (app) => step(app, -1)),
  ...ARROWS.map(([to, arrow]) =>
    dock(
      `move-${to}`,
      say(`dock.move-pane.${to}`),
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
      say(`dock.size-pane.${to}`),
      [`Alt+Shift+${arrow}`],
      onPane((app, pane) =>
        app.dock.change((now) => edits.resizePane({ ...now, area: app.dock.area }, pane, axis, px)),
      ),
    ),
  ),
  dock(
    'maximise',
    say('dock.maximise-pane-or-restore'),
    ['Alt+Enter'],
    onPane((app, pane) => app.dock.change((now) => edits.toggleMaximised(now, pane))),
  ),
  dock('float', say('dock.float-pane-or-put'), ['Ctrl+Alt+F'], onPane(toggleFloat)),
  dock('pop-out', say('dock.move-pane-into-window'), ['Ctrl+Alt+P'], onPane(popOutPane)),
  dock(
    'close',
    say('dock.close-pane'),
    ['Ctrl+Alt+W'],
    onPane((app, pane) => app.closePane(pane)),
  ),
  dock('undo', say('dock.undo-last-change-layout'), ['Ctrl+Alt+Z'], (app) => {
    if (!app.dock.undo()) app.toasts.show(say('dock.there-no-change-layout'))
  }),
  dock('redo', say('dock.redo-change-layout'), ['Ctrl+Alt+Y'], (app) => {
    if (!app.dock.redo()) app.toasts.show(say('dock.there-no-change-layout-redo'))
  }),
  dock('workspaces', say('dock.workspaces'), ['Ctrl+Alt+S'], (app) => void app.dock.menuAsked++),
]
