/** Why a file is no workspace, in English. */
import { phrasesOf } from '../../base/text.ts'

export const WORKSPACE_TEXTS = {
  'workspaceFile.too-large': 'This file is too large to be a workspace.',
  'workspaceFile.not-json': 'This isn’t a workspace file: it isn’t valid JSON or was cut off.',
  'workspaceFile.not-ours': 'This isn’t a Tapedeck workspace file.',
  'workspaceFile.newer': 'This workspace was saved by a newer version of Tapedeck. Update Tapedeck to open it.',
  'workspaceFile.damaged': 'This workspace file is corrupt: it has no pane that can be shown.',
} as const

export const workspacePhrase = phrasesOf(WORKSPACE_TEXTS)
