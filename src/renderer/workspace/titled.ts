/** What a button says when the mouse rests on it: its words and the keys that do the same. */
import type { WindowState } from '../state/window.svelte.ts'
import { chordText } from './chords.ts'
import { keysOfId } from './commands.ts'

/** "Settings (Ctrl+,)"; without keys the words alone. `id`: of the command. */
export function titled(app: WindowState, words: string, id: string): string {
  const [first] = keysOfId(id, app.settings.now.shortcuts.keys)
  return first === undefined ? words : `${words} (${chordText(first, app.info?.platform ?? '')})`
}
