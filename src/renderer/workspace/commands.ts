/** What can be done by key: one table for the keyboard, the symbol box and the list of shortcuts. */
import type { LowerPaneName } from '../../shared/settings.ts'
import type { WindowState } from '../state/window.svelte.ts'
import { REPLAY_COMMANDS } from './replay/replay-commands.ts'

export const GROUPS = ['General', 'Watchlist', 'Chart', 'Tape', 'Research', 'Replay'] as const

export interface Command {
  readonly id: string
  readonly title: string
  /** As shown: "Ctrl+K", "?", "Space". Cmd stands for Ctrl on a Mac. */
  readonly keys: readonly string[]
  readonly group: (typeof GROUPS)[number]
  readonly run: (app: WindowState) => void
  /** Handled by a pane or by typing; listed, but not run from here. */
  readonly listedOnly?: true
  /** Only there while this is shown; absent: always. */
  readonly when?: 'live' | 'replay'
}

const nothing = () => undefined
const pane = (which: LowerPaneName) => (app: WindowState) =>
  app.setWorkspace({ bottomPane: app.settings.now.workspace.bottomPane === which ? 'none' : which })

function stepList(app: WindowState, step: 1 | -1): void {
  const lists = app.settings.now.watchlists
  const at = lists.findIndex((list) => list.id === app.list.id)
  const to = lists[(at + step + lists.length) % lists.length]
  if (to) app.setWorkspace({ activeWatchlist: to.id })
}

export const COMMANDS: readonly Command[] = [
  { id: 'symbol', group: 'General', title: 'Symbol or command', keys: ['Ctrl+K'], run: (app) => app.openSymbolBox() },
  {
    id: 'type',
    group: 'General',
    title: 'Symbol box, by typing its letters',
    keys: ['A to Z'],
    run: nothing,
    listedOnly: true,
  },
  { id: 'back', group: 'General', title: 'Back out of anything', keys: ['Esc'], run: nothing, listedOnly: true },
  {
    id: 'shortcuts',
    group: 'General',
    title: 'Keyboard shortcuts',
    keys: ['?'],
    run: (app) => void (app.dialog = 'shortcuts'),
  },
  {
    id: 'settings',
    group: 'General',
    title: 'Settings',
    keys: ['Ctrl+,'],
    run: (app) => app.openSettings('connection'),
  },
  {
    id: 'connect',
    group: 'General',
    title: 'Connect your account',
    keys: [],
    run: (app) => void (app.dialog = 'connect'),
  },
  { id: 'log', group: 'General', title: 'Show or hide the log', keys: ['Alt+L'], run: pane('log') },
  { id: 'sessions', group: 'General', title: 'Show or hide recorded sessions', keys: ['Alt+S'], run: pane('sessions') },
  { id: 'export', group: 'General', title: 'Export…', keys: ['Alt+E'], run: (app) => app.openExport() },
  { id: 'import', group: 'General', title: 'Import…', keys: ['Alt+I'], run: (app) => app.openImport() },
  { id: 'evidence', group: 'General', title: 'Show or hide evidence', keys: ['Alt+V'], run: pane('evidence') },
  {
    id: 'messages',
    group: 'General',
    title: 'Messages of the bar or print (or double click)',
    keys: ['Enter'],
    run: nothing,
    listedOnly: true,
  },
  {
    id: 'quote-messages',
    group: 'General',
    title: 'Messages behind the quote',
    keys: ['Alt+M'],
    run: (app) =>
      app.evidence.show({
        instrument: app.instrument,
        what: { is: 'quote' },
        title: `${app.quotes.row(app.instrument)?.symbol ?? app.instrument}, quote`,
      }),
  },
  {
    id: 'theme',
    group: 'General',
    title: 'Switch between dark and light',
    keys: ['Alt+T'],
    run: (app) =>
      app.set({ appearance: { theme: document.documentElement.dataset['theme'] === 'light' ? 'dark' : 'light' } }),
  },
  {
    id: 'rows',
    group: 'Watchlist',
    title: 'Next and previous symbol',
    keys: ['\u2193', '\u2191'],
    run: nothing,
    listedOnly: true,
  },
  {
    id: 'move',
    group: 'Watchlist',
    title: 'Move the symbol',
    keys: ['Alt+\u2193', 'Alt+\u2191'],
    run: nothing,
    listedOnly: true,
  },
  { id: 'remove', group: 'Watchlist', title: 'Remove the symbol', keys: ['Delete'], run: nothing, listedOnly: true },
  {
    id: 'rename',
    group: 'Watchlist',
    title: 'Rename the list (on its tab)',
    keys: ['F2'],
    run: nothing,
    listedOnly: true,
  },
  { id: 'next-list', group: 'Watchlist', title: 'Next list', keys: ['Alt+]'], run: (app) => stepList(app, 1) },
  { id: 'previous-list', group: 'Watchlist', title: 'Previous list', keys: ['Alt+['], run: (app) => stepList(app, -1) },
  { id: 'new-list', group: 'Watchlist', title: 'New list', keys: [], run: (app) => app.addList() },
  {
    id: 'interval',
    group: 'Chart',
    title: 'Interval, by typing it: 5, 15, 30s, 1h, 1d',
    keys: ['0 to 9'],
    run: nothing,
    listedOnly: true,
  },
  {
    id: 'tape',
    group: 'Tape',
    title: 'Hold the tape still, and let it run',
    keys: ['Space'],
    run: (app) => app.tape.toggle(),
    // Space plays a replay.
    when: 'live',
  },
  {
    id: 'tape-replay',
    group: 'Tape',
    title: 'Hold the tape of a replay',
    keys: ['Alt+H'],
    run: (app) => app.tape.toggle(),
    when: 'replay',
  },
  {
    id: 'company',
    group: 'Research',
    title: 'Company: profile, statements, ratios',
    keys: ['Alt+C'],
    run: pane('company'),
  },
  {
    id: 'earnings',
    group: 'Research',
    title: 'Earnings: calendar, history, calls',
    keys: ['Alt+Q'],
    run: pane('earnings'),
  },
  { id: 'news', group: 'Research', title: 'News and sentiment', keys: ['Alt+N'], run: pane('news') },
  { id: 'commodities', group: 'Research', title: 'Commodities', keys: ['Alt+G'], run: pane('commodities') },
  {
    id: 'technical',
    group: 'Research',
    title: 'Technical indicators, the service’s beside ours',
    keys: ['Alt+Y'],
    run: pane('technical'),
  },
  {
    id: 'research-settings',
    group: 'Research',
    title: 'Research: calls a day, key, history',
    keys: [],
    run: (app) => app.openSettings('research'),
  },
  ...REPLAY_COMMANDS,
]

const isThere = (command: Command, replaying: boolean) =>
  command.when === undefined || (command.when === 'replay') === replaying

/** The commands that the symbol box offers for a text. */
export function boxCommands(text: string, replaying = false): readonly Command[] {
  const wanted = text.trim().toLowerCase()
  const runnable = COMMANDS.filter(
    (one) => one.listedOnly === undefined && one.id !== 'symbol' && isThere(one, replaying),
  )
  return wanted === '' ? [] : runnable.filter((one) => one.title.toLowerCase().includes(wanted))
}

export interface KeyPress {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey?: boolean
}

const SHOWN: Readonly<Record<string, string>> = {
  ' ': 'Space',
  ArrowLeft: '\u2190',
  ArrowRight: '\u2192',
  ArrowUp: '\u2191',
  ArrowDown: '\u2193',
}

/** The command of a key press, if it has one. With a character, Shift counts only through the one it makes. */
export function commandOf(press: KeyPress, replaying = false): Command | undefined {
  const named = press.key.length > 1
  const modifiers = `${press.ctrlKey || press.metaKey ? 'Ctrl+' : ''}${press.altKey ? 'Alt+' : ''}${named && press.shiftKey ? 'Shift+' : ''}`
  const key = SHOWN[press.key] ?? (named ? press.key : press.key.toUpperCase())
  return COMMANDS.find(
    (one) => one.listedOnly === undefined && one.keys.includes(modifiers + key) && isThere(one, replaying),
  )
}
