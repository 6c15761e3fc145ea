/** Brings a pane onto the screen, whatever it takes: the one place that palette, menus and help go through. */
import type { PaneKind } from '../../../shared/features/workspace/kinds.ts'
import type { WindowState } from './window.svelte.ts'

/** Shows a pane of a kind and leaves it shown. */
export function openPane(app: WindowState, kind: PaneKind): void {
  app.openPane(kind)
}
