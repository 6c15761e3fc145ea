/** What is done to panes by menu and by key alike. */
import { panesIn } from '../../../shared/workspace/document.ts'
import * as edits from '../../../shared/workspace/edits.ts'
import type { WindowState } from '../../state/window.svelte.ts'

/** Lifts the pane in front above the others, or puts it back among them. */
export function toggleFloat(app: WindowState, id: string): void {
  const { dock } = app
  if (!panesIn(dock.now.dock).includes(id)) return dock.change((now) => edits.dockPane(now, id))
  const box = edits.boxOfPane(dock.now, id)
  const { width, height } = dock.area
  const size = {
    width: Math.min(560, Math.max(280, box?.width ?? 420)),
    height: Math.min(420, Math.max(220, box?.height ?? 320)),
  }
  const x = Math.round((width - size.width) / 2)
  const y = Math.round((height - size.height) / 2)
  dock.change((now) => edits.floatPane(now, id, { x, y, ...size }))
}
