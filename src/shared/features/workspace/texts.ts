/** Why a file is no workspace, in English. */
export const WORKSPACE_TEXTS = {
  'workspaceFile.too-large': 'This file is too large to be a workspace.',
  'workspaceFile.not-json': 'This is no workspace file: it is not JSON, or it was cut off.',
  'workspaceFile.not-ours': 'This is no workspace file of Tapedeck.',
  'workspaceFile.newer': 'This workspace was saved by a newer Tapedeck. Update Tapedeck to open it.',
  'workspaceFile.damaged': 'This workspace file is damaged: it names no pane that can be shown.',
} as const
