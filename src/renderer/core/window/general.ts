/** Commands of the window as a whole. */
import type { PaneKind } from '../../../shared/features/workspace/kinds.ts'
import { say } from '../../text/catalogue.ts'
import type { WindowState } from './window.svelte.ts'
import type { Command } from './command.ts'

export const nothing = () => undefined
/** Shows a pane, or puts it away where it is shown. */
export const togglePane = (which: PaneKind) => (app: WindowState) => app.togglePane(which)

export const general = (id: string, title: string, keys: readonly string[], run: Command['run']): Command => ({
  id,
  group: 'General',
  title,
  keys,
  run,
})
export const listed = (id: string, title: string, keys: readonly string[]): Command => ({
  ...general(id, title, keys, nothing),
  listedOnly: true,
})

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
]
