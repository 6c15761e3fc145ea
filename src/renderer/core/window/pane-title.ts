/** What the tab of a pane says. */
import type { WorkspacePane } from '../../../shared/features/workspace/document.ts'
import { instrumentOf } from '../../../shared/features/workspace/edits.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import type { WindowState } from './window.svelte.ts'
import { paneRow } from './pane-table.ts'

/** The service's spelling of a symbol, once it is known. */
export function symbolOf(app: WindowState, instrument: InstrumentId): string {
  const known = app.quotes.peek(instrument)?.symbol
  if (known !== undefined) return known
  const listed = app.list.symbols.find((one) => instrument === `${one.asset}:${one.symbol.replace(/[-/_]/g, '')}`)
  return listed?.symbol ?? instrument.slice(instrument.indexOf(':') + 1)
}

const OF_ONE: ReadonlySet<string> = new Set(['chart', 'quote', 'tape'])

/** What a tab says and a screen reader calls a pane: where panes look at different things, each says at which. */
export function titleOf(app: WindowState, pane: WorkspacePane): string {
  const told = app.dock.titles[pane.id]
  if (told !== undefined && told !== '') return told
  const { title } = paneRow(pane.kind)
  if (pane.kind !== 'quote' && pane.kind !== 'tape') return title
  const { whole } = app.dock
  const mine = instrumentOf(whole, pane)
  const others = whole.panes.some((one) => OF_ONE.has(one.kind) && instrumentOf(whole, one) !== mine)
  return others ? `${title}, ${symbolOf(app, mine)}` : title
}
