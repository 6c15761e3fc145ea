/** What a button says when the mouse rests on it: its words and the keys that do the same. */
import { t } from '../../../shared/base/text.ts'
import type { WindowState } from './window.svelte.ts'
import { chordText } from '../../ui/chord-text.ts'

/** The chord of a command as it is set now and as the platform writes it; empty where it has none. */
export function keysFor(app: WindowState, id: string): string {
  const [first] = app.parts.commands.keysOfId(id)
  return first === undefined ? '' : chordText(first, app.info?.platform ?? '')
}

/** "Settings (Ctrl+,)"; without keys the words alone. `ids`: of the commands, whose keys are listed. */
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

/** The keys that texts of the help and the tour name; the name of a command that has none. */
export function keysNamed(app: WindowState): Readonly<Record<keyof typeof NAMED, string>> {
  const named = ([name, id]: readonly [string, string]) =>
    [name, keysFor(app, id) || `“${app.parts.commands.find(id)?.title ?? ''}”`] as const
  // the names of the entries are those of the table
  return Object.fromEntries(Object.entries(NAMED).map(named)) as Record<keyof typeof NAMED, string>
}
