/** The keys that an entry of a menu shows. */
import type { WindowState } from './window.svelte.ts'

/** The first chord of a command as it is set now, as part of an entry; nothing where it has none. */
export function entryKeys(app: WindowState, id: string): { readonly keys?: string } {
  const [first] = app.parts.commands.keysOfId(id)
  return first === undefined ? {} : { keys: first }
}
