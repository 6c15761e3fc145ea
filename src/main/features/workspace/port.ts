/** Workspaces, as other features use them. */
import type { WorkspacesState } from '../../../shared/features/workspace/contract.ts'
import type { Workspace } from '../../../shared/features/workspace/document.ts'

export interface Workspaces {
  state(): WorkspacesState
  /**
   * Validates and saves a workspace given as JSON text, and notifies listeners. Throws `bad-arguments`, `too-large` or
   * `disk-error`.
   */
  put(text: string, replaces: boolean): void
  /** Throws `not-allowed` for the last workspace, and `disk-error`. */
  remove(id: string): void
  show(id: string): void
  /** Throws `not-found`. */
  snapshot(id: string, atMs: number): Workspace
  /** Calls back after every change; returns a function that removes the listener. */
  onChange(listener: () => void): () => void
}

/** Where workspaces are saved, as one text. */
export interface WorkspacesFile {
  /** Null: nothing was saved yet. */
  load(): string | null
  /** Writes atomically. */
  save(text: string): void
  /** Renames a text that can't be fully read, so that no user data is lost. Returns its new name. */
  setAside(): string
}
