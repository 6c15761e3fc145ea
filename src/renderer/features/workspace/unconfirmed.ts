/**
 * Workspaces that a window has changed and the terminal hasn't confirmed. The browser keeps them while the page reloads:
 * what a page sends as it unloads may never leave, through a port in Electron and through a socket alike.
 */
import { parseWorkspace, type Workspace } from '../../../shared/features/workspace/document.ts'

export class UnconfirmedWorkspaces {
  readonly #key: string
  readonly #storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

  /** `window`: the id of a popped-out window, or null: it begins with a copy of what its opener keeps. */
  constructor(window: string | null, storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> = sessionStorage) {
    this.#key = `tapedeck.unconfirmed:${window ?? ''}`
    this.#storage = storage
  }

  keep(workspaces: readonly Workspace[]): void {
    try {
      this.#storage.setItem(this.#key, JSON.stringify(workspaces))
    } catch {
      // Without room, a reload at this moment loses the change.
    }
  }
  /** The terminal has confirmed all of them. */
  forget(): void {
    this.#storage.removeItem(this.#key)
  }
  /** Those that the page had when it was left. */
  read(): readonly Workspace[] {
    try {
      const list: unknown = JSON.parse(this.#storage.getItem(this.#key) ?? '[]')
      return Array.isArray(list) ? list.flatMap((one) => parseWorkspace(one) ?? []) : []
    } catch {
      return []
    }
  }
}
