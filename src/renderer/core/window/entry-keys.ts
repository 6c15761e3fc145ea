/** The shortcut shown in a menu entry. */
import type { WindowState } from './window.svelte.ts'

/** The `keys` of a menu entry: the command's first current chord; empty if it has none. */
export function entryKeys(app: WindowState, id: string): { readonly keys?: string } {
  const [first] = app.commands.keysOfId(id)
  return first === undefined ? {} : { keys: first }
}
