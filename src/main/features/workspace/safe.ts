/** Workspaces in safe mode: the default ones, which aren't saved. */
import { firstLibrary } from '../../../shared/features/workspace/library.ts'
import { Listeners } from '../../../shared/base/listeners.ts'
import type { Workspaces, WorkspacesFile } from './port.ts'

/** Prefix of workspace ids in safe mode, so that none is confused with a saved one. */
const SAFE_ID = 'safe-mode--'

/** Saves nothing and leaves saved workspaces unchanged. */
function nowhere(): WorkspacesFile {
  const { workspaces, ...rest } = firstLibrary()
  const renamed = workspaces.map((one) => ({ ...one, id: SAFE_ID + one.id }))
  return {
    load: () => JSON.stringify({ ...rest, workspaces: renamed, latest: SAFE_ID + rest.latest }),
    save: () => {},
    setAside: () => '',
  }
}

export interface SafeWorkspaces extends Workspaces {
  /** Enters safe mode: shows the default workspaces and saves nothing. */
  enter(): void
  /** Leaves safe mode: the saved workspaces are back unchanged. */
  leave(): void
}

/** `open` creates workspaces over a file. In safe mode, `stored` is neither read nor written. */
export function safeWorkspaces(
  open: (file: WorkspacesFile) => Workspaces,
  stored: WorkspacesFile,
  safe: boolean,
): SafeWorkspaces {
  const listeners = new Listeners()
  const follow = (one: Workspaces): Workspaces => {
    one.onChange(() => listeners.call())
    return one
  }
  let now = follow(open(safe ? nowhere() : stored))
  return {
    state: () => now.state(),
    put(text, replaces) {
      // A window that doesn't know yet that safe mode has ended may still send its layout.
      if (!safe && isOfSafeMode(text)) return
      now.put(text, replaces)
    },
    remove: (id) => now.remove(id),
    show: (id) => now.show(id),
    snapshot: (id, atMs) => now.snapshot(id, atMs),
    onChange: listeners.add,
    enter() {
      if (safe) return
      safe = true
      now = follow(open(nowhere()))
      listeners.call()
    },
    leave() {
      if (!safe) return
      safe = false
      now = follow(open(stored))
      listeners.call()
    },
  }
}

function isOfSafeMode(text: string): boolean {
  try {
    const content: unknown = JSON.parse(text)
    const id = typeof content === 'object' && content !== null && 'id' in content ? content.id : undefined
    return typeof id === 'string' && id.startsWith(SAFE_ID)
  } catch {
    return false // `put` reports the error when it parses the text
  }
}
