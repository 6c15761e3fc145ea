/** Tooltips of buttons: their label and shortcut. */
import { t } from '../../../shared/base/text.ts'
import type { WindowState } from './window.svelte.ts'
import { chordText } from '../../ui/chord-text.ts'

/** The current chord of a command as the platform writes it; empty if it has none. */
export function keysFor(app: WindowState, id: string): string {
  const [first] = app.commands.keysOfId(id)
  return first === undefined ? '' : chordText(first, app.info?.platform ?? '')
}

/** "Settings (Ctrl+,)", or only the label if there is no shortcut. `ids`: the commands whose shortcuts are listed. */
export function titled(app: WindowState, words: string, ...ids: readonly string[]): string {
  const keys = ids.map((id) => keysFor(app, id)).filter((one) => one !== '')
  return keys.length === 0 ? words : t('{words} ({keys})', { words, keys: keys.join(', ') })
}

const NAMED = {
  palette: 'symbol',
  help: 'help',
  sessions: 'sessions',
  evidence: 'evidence',
  replay: 'replay-latest',
  live: 'replay-live',
  hold: 'tape',
  menu: 'menu',
} as const

/** The shortcuts named in texts of the help and the tour; the command's title if it has none. */
export function keysNamed(app: WindowState): Readonly<Record<keyof typeof NAMED, string>> {
  const named = ([name, id]: readonly [string, string]) =>
    [name, keysFor(app, id) || `“${app.commands.find(id)?.title ?? ''}”`] as const
  // the names of the entries are those of the table
  return Object.fromEntries(Object.entries(NAMED).map(named)) as Record<keyof typeof NAMED, string>
}
