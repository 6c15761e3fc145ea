/** Stores `workspaces.json` atomically. A corrupt file is saved as `workspaces.bad.json`. */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkspacesFile } from './port.ts'

export function workspacesFile(folder: string): WorkspacesFile {
  const file = join(folder, 'workspaces.json')
  return {
    load() {
      try {
        return readFileSync(file, 'utf8')
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
        throw error
      }
    },
    save(text) {
      mkdirSync(folder, { recursive: true })
      const draft = `${file}.${process.pid}.tmp`
      const handle = openSync(draft, 'w', 0o600)
      try {
        writeSync(handle, text)
        fsyncSync(handle)
      } finally {
        closeSync(handle)
      }
      renameSync(draft, file)
    },
    setAside() {
      renameSync(file, join(folder, 'workspaces.bad.json'))
      return 'workspaces.bad.json'
    },
  }
}
