/** Pane actions shared by menus and shortcuts. */
import { MAX_POPOUTS, panesIn } from '../../../shared/features/workspace/document.ts'
import * as edits from '../../../shared/features/workspace/edits.ts'
import { t } from '../../../shared/base/text.ts'
import { featuresOf } from '../../core/window/window-place.ts'
import { dockHash } from '../../core/window/window-route.ts'
import type { DockState } from './dock.svelte.ts'
import { expectWindow } from './pane-windows.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'

/** Floats a docked pane, or docks a floating one. */
export function toggleFloat(dock: DockState, id: string): void {
  const key = `${dock.id} ${id}`
  if (!panesIn(dock.now.dock).includes(id)) {
    dock.change((now) => edits.dockPane(now, id, dock.floated.get(key)))
    dock.floated.delete(key)
    return
  }
  const box = edits.boxOfPane(dock.now, id)
  const { width, height } = dock.area
  const size = {
    width: Math.min(560, Math.max(280, box?.width ?? 420)),
    height: Math.min(420, Math.max(220, box?.height ?? 320)),
  }
  const x = Math.round((width - size.width) / 2)
  const y = Math.round((height - size.height) / 2)
  const before = dock.now.dock
  dock.change((now) => edits.floatPane(now, id, { x, y, ...size }))
  dock.floated.set(key, { before, after: dock.now.dock })
}

/** Moves a pane into its own window. In a popped-out window, moves its panes back to the dock. */
export function popOutPane(app: WindowState, dock: DockState, id: string): void {
  const mine = dock.window
  if (mine !== null) return dock.changeWhole((now) => edits.popIn(now, mine))
  if (dock.whole.popouts.length >= MAX_POPOUTS)
    return app.toasts.show(
      t('You can have up to {most} extra windows. Close one first; the pane stays here.', { most: MAX_POPOUTS }),
    )
  const taken = new Set(dock.whole.popouts.map((one) => one.id))
  let n = 1
  while (taken.has(`window-${n}`)) n++
  const window = `window-${n}`
  if (edits.popOut(dock.whole, window, [id]) === dock.whole)
    return app.toasts.show(t('This is the only pane. Add another one before you move it out.'))
  const route = { workspace: dock.id, window }
  if (!app.openBeside(dockHash(route), featuresOf(localStorage, dock.id, window))) return
  expectWindow(dock.id, window)
  dock.changeWhole((now) => edits.popOut(now, window, [id]))
  // The new window reads the saved workspace.
  dock.flush()
}
