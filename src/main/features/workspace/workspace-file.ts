/** Stores `workspaces.json` atomically. A corrupt file is saved as `workspaces.bad.json`. */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { readWhole, replaceWhole } from '../../base/whole-file.ts'
import type { WorkspacesFile } from './port.ts'

export function workspacesFile(folder: string): WorkspacesFile {
  const file = join(folder, 'workspaces.json')
  return {
    load: () => readWhole(file),
    save: (text) => replaceWhole(file, text),
    setAside() {
      renameSync(file, join(folder, 'workspaces.bad.json'))
      return 'workspaces.bad.json'
    },
  }
}
