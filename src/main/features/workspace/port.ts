/** Workspaces as the rest of the terminal sees them. */
import type { WorkspacesState } from '../../../shared/features/workspace/contract.ts'
import type { Workspace } from '../../../shared/features/workspace/document.ts'

export interface Workspaces {
  state(): WorkspacesState
  /** Checks, keeps and tells a workspace given as JSON text. Throws `bad-arguments`, `too-large` or `disk-error`. */
  put(text: string, replaces: boolean): void
  /** Throws `not-allowed` for the last one, `disk-error`. */
  remove(id: string): void
  show(id: string): void
  /** Throws `not-found`. */
  snapshot(id: string, atMs: number): Workspace
  /** Called after every change; answers its undo. */
  onChange(listener: () => void): () => void
}

/** Where they are kept: one text. */
export interface WorkspacesFile {
  /** Null: nothing was kept yet. */
  load(): string | null
  /** Writes the whole or nothing. */
  save(text: string): void
  /** Keeps a text that cannot be read whole aside, so that nothing of the user's is lost. Answers its new name. */
  setAside(): string
}
