/** Brings a pane onto the screen, whatever it takes: the one place that palette, menus and help go through. */
import { LOWER_PANES, type LowerPaneName } from '../../../shared/settings.ts'
import type { PaneKind } from '../../../shared/workspace/kinds.ts'
import type { WindowState } from '../../state/window.svelte.ts'

const isLower = (kind: PaneKind): kind is PaneKind & LowerPaneName => (LOWER_PANES as readonly string[]).includes(kind)

/** Shows a pane of a kind and leaves it shown. */
export function openPane(app: WindowState, kind: PaneKind): void {
  if (isLower(kind)) app.setWorkspace({ bottomPane: kind })
}
