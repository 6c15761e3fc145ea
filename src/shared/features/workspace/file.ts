/** A workspace as a file that can be given to another: `.workspace.json`. */
import { workspacePhrase } from './texts.ts'
import { parseWorkspace, panesIn, type Workspace } from './document.ts'
import { migrateWorkspace } from './migrate.ts'

export const FILE_KIND = 'tapedeck workspace'
export const MOST_FILE_BYTES = 1_000_000

/** Text of the file; the same workspace always gives the same text. */
export function workspaceFile(workspace: Workspace): string {
  return `${JSON.stringify({ kind: FILE_KIND, workspace }, null, 2)}\n`
}
/** Name of the file, with what a file system may not take left out. */
export function fileNameOf(workspace: Workspace): string {
  const plain = workspace.name.replace(/[^\p{L}\p{N} ._-]/gu, '').trim() || 'workspace'
  return `${plain.replace(/ +/g, '-').toLowerCase()}.workspace.json`
}

export type ReadFile =
  { readonly ok: true; readonly workspace: Workspace } | { readonly ok: false; readonly why: string }

/** Reads such a file. Whatever is in it, this answers a sound workspace or a sentence, and never throws. */
export function readWorkspaceFile(text: string): ReadFile {
  if (text.length > MOST_FILE_BYTES) return no(workspacePhrase('workspaceFile.too-large'))
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    return no(workspacePhrase('workspaceFile.not-json'))
  }
  if (typeof content !== 'object' || content === null || !('kind' in content) || content.kind !== FILE_KIND)
    return no(workspacePhrase('workspaceFile.not-ours'))
  const inside = 'workspace' in content ? content.workspace : null
  const version =
    typeof inside === 'object' && inside !== null && 'version' in inside && typeof inside.version === 'number'
      ? inside.version
      : 0
  const workspace = parseWorkspace(migrateWorkspace(inside))
  if (workspace) return { ok: true, workspace: { ...workspace, popouts: [], panes: kept(workspace) } }
  return no(workspacePhrase(version > 2 ? 'workspaceFile.newer' : 'workspaceFile.damaged'))
}
const no = (why: string): ReadFile => ({ ok: false, why })

/** Windows of their own belong to the screen that they stood on: their panes come back into nothing but the dock. */
function kept(workspace: Workspace): Workspace['panes'] {
  const here = new Set([workspace.dock, ...workspace.floats.map((one) => one.dock)].flatMap(panesIn))
  return workspace.panes.filter((one) => here.has(one.id))
}
