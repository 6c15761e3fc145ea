/** Commands of the window as a whole. */
import type { PaneKind } from '../../../shared/workspace/kinds.ts'
import { say } from '../../messages/catalogue.ts'
import type { WindowState } from '../../state/window.svelte.ts'
import type { Command } from '../commands.ts'

export const nothing = () => undefined
/** Shows a pane, or puts it away where it is shown. */
export const togglePane = (which: PaneKind) => (app: WindowState) =>
  app.togglePane(which)

const general = (id: string, title: string, keys: readonly string[], run: Command['run']): Command => ({
  id,
  group: 'General',
  title,
  keys,
  run,
})
const listed = (id: string, title: string, keys: readonly string[]): Command => ({
  ...general(id, title, keys, nothing),
  listedOnly: true,
})

export const GENERAL_COMMANDS: readonly Command[] = [
  general('symbol', say('command.symbol'), ['Ctrl+K'], (app) => app.openSymbolBox()),
  listed('type', say('command.type'), ['A to Z']),
  listed('back', say('command.back'), ['Esc']),
  general('shortcuts', say('command.shortcuts'), ['?'], (app) => void (app.dialog = 'shortcuts')),
  general('settings', say('command.settings'), ['Ctrl+,'], (app) => app.openSettings('connection')),
  general('connect', say('command.connect'), [], (app) => void (app.dialog = 'connect')),
  general('log', say('command.log'), ['Alt+L'], togglePane('log')),
  general('sessions', say('command.sessions'), ['Alt+S'], togglePane('sessions')),
  general('export', say('command.export'), ['Alt+E'], (app) => app.openExport()),
  general('import', say('command.import'), ['Alt+I'], (app) => app.openImport()),
  general('evidence', say('command.evidence'), ['Alt+V'], togglePane('evidence')),
  listed('messages', say('command.messages'), ['Enter']),
  general('quote-messages', say('command.quote-messages'), ['Alt+M'], (app) =>
    app.evidence.show({
      instrument: app.instrument,
      what: { is: 'quote' },
      title: `${app.quotes.row(app.instrument)?.symbol ?? app.instrument}, quote`,
    }),
  ),
  general('theme', say('command.theme'), ['Alt+T'], (app) =>
    app.set({ appearance: { theme: document.documentElement.dataset['theme'] === 'light' ? 'dark' : 'light' } }),
  ),
]
