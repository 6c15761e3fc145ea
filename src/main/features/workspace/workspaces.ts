/** The user's workspaces: read once, validated on every change, and saved before listeners are called. */
import type { SnapshotRow } from '../../../shared/features/workspace/contract.ts'
import { CodedError, messageOf } from '../../../shared/base/errors.ts'
import { parseWorkspace } from '../../../shared/features/workspace/document.ts'
import {
  findWorkspace,
  firstLibrary,
  MAX_WORKSPACES,
  parseLibrary,
  putWorkspace,
  removeWorkspace,
  sameLayout,
  withSnapshot,
  type WorkspaceLibrary,
} from '../../../shared/features/workspace/library.ts'
import { Listeners } from '../../../shared/base/listeners.ts'
import { notSaved } from '../../base/whole-file.ts'
import type { Workspaces, WorkspacesFile } from './port.ts'

export interface WorkspacesOptions {
  readonly file: WorkspacesFile
  readonly nowMs: () => number
  /** Reports what was wrong with the file. */
  readonly problem: (text: string, detail?: string) => void
}

/** Opens the workspaces. Never fails, whatever the file contains; there is always at least one. */
export function createWorkspaces({ file, nowMs, problem }: WorkspacesOptions): Workspaces {
  const listeners = new Listeners()
  /** A file that couldn't be read is left unchanged: it may be readable again later. */
  let readOnly = false
  let library = read()

  function read(): WorkspaceLibrary {
    let text: string | null
    try {
      text = file.load()
    } catch (error) {
      readOnly = true
      problem('Couldn’t read the workspaces. The default ones are shown, and changes aren’t saved.', messageOf(error))
      return firstLibrary()
    }
    if (text === null) return firstLibrary()
    let content: unknown
    try {
      content = JSON.parse(text)
    } catch {
      aside('The workspaces were corrupt')
      return firstLibrary()
    }
    const found = parseLibrary(content)
    const listed =
      typeof content === 'object' && content !== null && 'workspaces' in content && Array.isArray(content.workspaces)
        ? content.workspaces.length
        : -1
    if (listed !== found.workspaces.length)
      aside(listed < 0 ? 'The workspaces were corrupt' : 'Some workspaces couldn’t be read')
    return found
  }
  function aside(what: string): void {
    try {
      problem(`${what}; the file was saved as ${file.setAside()}.`)
    } catch (error) {
      readOnly = true
      problem(`${what}; the file is unchanged, and changes aren’t saved.`, messageOf(error))
    }
  }

  function keep(next: WorkspaceLibrary): void {
    if (next === library) return
    if (!readOnly) {
      try {
        file.save(JSON.stringify(next))
      } catch (cause) {
        throw notSaved('Couldn’t save the workspace.', cause)
      }
    }
    library = next
    listeners.call()
  }

  return {
    state: () => ({
      workspaces: library.workspaces,
      latest: library.latest,
      snapshots: Object.fromEntries(
        Object.entries(library.snapshots).map(([id, list]): [string, readonly SnapshotRow[]] => [
          id,
          list.map((one) => ({ atMs: one.atMs, panes: one.workspace.panes.length })),
        ]),
      ),
    }),
    put(text, replaces) {
      let content: unknown
      try {
        content = JSON.parse(text)
      } catch {
        content = undefined
      }
      const workspace = parseWorkspace(content)
      if (!workspace) throw new CodedError('bad-arguments', 'This workspace can’t be shown.')
      const before = findWorkspace(library, workspace.id)
      if (!before && library.workspaces.length >= MAX_WORKSPACES)
        throw new CodedError('too-large', `You can have up to ${MAX_WORKSPACES} workspaces.`, {
          hint: 'Delete one, then try again.',
        })
      const noted =
        before && !sameLayout(before, workspace) ? withSnapshot(library, before, nowMs(), replaces) : library
      keep(putWorkspace(noted, workspace))
    },
    remove(id) {
      const found = findWorkspace(library, id)
      if (!found) return
      if (library.workspaces.length === 1)
        throw new CodedError('not-allowed', 'This is the only workspace.', { hint: 'Add another one first.' })
      keep(removeWorkspace(withSnapshot(library, found, nowMs(), true), id))
    },
    show(id) {
      if (library.latest !== id && findWorkspace(library, id)) keep({ ...library, latest: id })
    },
    snapshot(id, atMs) {
      const list = Object.hasOwn(library.snapshots, id) ? library.snapshots[id] : undefined
      const found = list?.find((one) => one.atMs === atMs)
      if (!found) throw new CodedError('not-found', 'This version of the workspace is no longer saved.')
      return found.workspace
    },
    onChange: listeners.add,
  }
}
