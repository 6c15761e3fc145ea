/** Commands of the window as a whole. */
import { TEXT_SCALES } from '../../../shared/core/settings/comfort-settings.ts'
import type { PaneKind } from '../../../shared/features/workspace/kinds.ts'
import { say } from '../../text/catalogue.ts'
import type { WindowState } from './window.svelte.ts'
import type { Command } from './command.ts'

export const nothing = () => undefined
/** Shows a pane, or puts it away where it is shown. */
export const togglePane = (which: PaneKind) => (app: WindowState) => app.togglePane(which)

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

/** The next larger or smaller size of the text. */
function resize(app: WindowState, step: 1 | -1): void {
  const at = TEXT_SCALES.indexOf(app.settings.now.appearance.scale)
  const scale = TEXT_SCALES[at + step]
  if (scale === undefined) return
  app.set({ appearance: { scale } })
  app.toasts.say(say('command.size', { percent: scale }))
}

export const GENERAL_COMMANDS: readonly Command[] = [
  general('symbol', say('command.symbol'), ['Ctrl+K'], (app) => app.openSymbolBox()),
  listed('type', say('command.type'), [say('keys.letters')]),
  listed('back', say('command.back'), ['Esc']),
  general('shortcuts', say('command.shortcuts'), ['?'], (app) => void (app.dialog = 'shortcuts')),
  general('help', say('command.help'), ['F1'], (app) => app.openHelp()),
  general('tour', say('command.tour'), [], (app) => app.startTour()),
  general('undo-told', say('command.undo-told'), ['Alt+P'], (app) => {
    if (!app.toasts.undoLast()) app.toasts.show(say('toasts.nothing-to-undo'))
  }),
  general('told', say('command.told'), ['F8'], (app) => {
    if (app.toasts.told.length > 0) app.toasts.asked++
    else app.toasts.show(say('toasts.none'))
  }),
  listed('menu', say('command.menu'), ['Shift+F10']),
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
      title: say('commands.quote', { symbol: app.quotes.row(app.instrument)?.symbol ?? app.instrument }),
    }),
  ),
  general('theme', say('command.theme'), ['Alt+T'], (app) =>
    app.set({ appearance: { theme: document.documentElement.dataset['theme'] === 'light' ? 'dark' : 'light' } }),
  ),
  general('larger', say('command.larger'), ['Alt++'], (app) => resize(app, 1)),
  general('smaller', say('command.smaller'), ['Alt+-'], (app) => resize(app, -1)),
  general('usual-size', say('command.usual-size'), [], (app) => app.set({ appearance: { scale: 100 } })),
]
