/** A workspace as a file to share: `.workspace.json`. */
import { t } from '../../base/text.ts'
import { parseWorkspace, shownPanes, type Workspace } from './document.ts'

export const FILE_KIND = 'tapedeck workspace'
export const MAX_FILE_BYTES = 1_000_000

/** The text of the file. The same workspace always gives the same text. */
export function workspaceFile(workspace: Workspace): string {
  return `${JSON.stringify({ kind: FILE_KIND, workspace }, null, 2)}\n`
}
/** The name of the file, without characters that file systems reject. */
export function fileNameOf(workspace: Workspace): string {
  const plain = workspace.name.replace(/[^\p{L}\p{N} ._-]/gu, '').trim() || 'workspace'
  return `${plain.replace(/ +/g, '-').toLowerCase()}.workspace.json`
}

export type ReadFile =
  | { readonly ok: true; readonly workspace: Workspace }
  | { readonly ok: false; readonly why: string }

/** Reads such a file. Returns a valid workspace or a sentence for any input, and never throws. */
export function readWorkspaceFile(text: string): ReadFile {
  if (text.length > MAX_FILE_BYTES) return no(t('This file is too large to be a workspace.'))
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    return no(t('This isn’t a workspace file: it isn’t valid JSON or was cut off.'))
  }
  if (typeof content !== 'object' || content === null || !('kind' in content) || content.kind !== FILE_KIND)
    return no(t('This isn’t a Tapedeck workspace file.'))
  const inside = 'workspace' in content ? content.workspace : null
  const version =
    typeof inside === 'object' && inside !== null && 'version' in inside && typeof inside.version === 'number'
      ? inside.version
      : 0
  const workspace = parseWorkspace(inside)
  if (workspace) return { ok: true, workspace: { ...workspace, popouts: [], panes: panesToShare(workspace) } }
  return no(
    t(
      version > 2
        ? 'This workspace was saved by a newer version of Tapedeck. Update Tapedeck to open it.'
        : 'This workspace file is corrupt: it has no pane that can be shown.',
    ),
  )
}
const no = (why: string): ReadFile => ({ ok: false, why })

/** Windows belong to the screen they were on, so their panes return to the dock. */
function panesToShare(workspace: Workspace): Workspace['panes'] {
  const here = new Set(shownPanes(workspace))
  return workspace.panes.filter((one) => here.has(one.id))
}
