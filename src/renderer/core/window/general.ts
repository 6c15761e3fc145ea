/** Commands of the whole window. */
import type { PaneKind } from '../../../shared/features/workspace/kinds.ts'
import { t } from '../../../shared/base/text.ts'
import type { WindowState } from './window.svelte.ts'
import type { Command } from './command.ts'

export const nothing = () => undefined
/** Shows a pane, or closes it if it is visible. */
export const togglePane = (which: PaneKind) => (app: WindowState) => app.layout.toggle(which)

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
  general('symbol', t('Symbol or command'), ['Ctrl+K'], (app) => app.openSymbolBox()),
  listed('type', t('Symbol box (type its letters)'), [t('A to Z')]),
  listed('back', t('Close, cancel or go back'), ['Esc']),
  general('shortcuts', t('Keyboard shortcuts'), ['?'], (app) => void (app.dialog = 'shortcuts')),
  general('help', t('Help'), ['F1'], (app) => app.openHelp()),
  general('tour', t('One-minute tour'), [], (app) => app.startTour()),
  general('undo-told', t('Undo last notification'), ['Alt+P'], (app) => {
    if (!app.toasts.undoLast()) app.toasts.show(t('Nothing to undo.'))
  }),
  general('told', t('Go to the notification, or show all'), ['F8'], (app) => {
    if (app.toasts.told.length > 0) app.toasts.asked++
    else app.toasts.show(t('No notifications yet.'))
  }),
  listed('menu', t('Context menu'), ['Shift+F10']),
  general('settings', t('Settings'), ['Ctrl+,'], (app) => app.openSettings('connection')),
  general('connect', t('Connect your account'), [], (app) => void (app.dialog = 'connect')),
  general('log', t('Show or hide the log'), ['Alt+L'], togglePane('log')),
]
