/** Tab titles of panes. */
import type { WorkspacePane } from '../../../shared/features/workspace/document.ts'
import { instrumentOf } from '../../../shared/features/workspace/links.ts'
import { symbolOf } from '../../core/symbols/symbol-of.ts'
import { paneRow } from '../../core/window/pane-table.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import type { DockState } from './dock.svelte.ts'

const OF_ONE: ReadonlySet<string> = new Set(['chart', 'quote', 'tape'])

/** The title shown on a tab and read by screen readers. Names the instrument where panes show different ones. */
export function titleOf(app: WindowState, dock: DockState, pane: WorkspacePane): string {
  const told = dock.titles[pane.id]
  if (told !== undefined && told !== '') return told
  const { title } = paneRow(pane.kind)
  if (pane.kind !== 'quote' && pane.kind !== 'tape') return title
  const { whole } = dock
  const mine = instrumentOf(whole, pane)
  const others = whole.panes.some((one) => OF_ONE.has(one.kind) && instrumentOf(whole, one) !== mine)
  return others ? `${title}, ${symbolOf(app, mine)}` : title
}
