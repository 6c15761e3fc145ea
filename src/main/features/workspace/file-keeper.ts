/** Stores `workspaces.json` atomically. A corrupt one is saved as `workspaces.bad.json`. */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkspacesKeeper } from './port.ts'

export function workspacesFile(folder: string): WorkspacesKeeper {
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
      const beside = `${file}.${process.pid}.tmp`
      const handle = openSync(beside, 'w', 0o600)
      try {
        writeSync(handle, text)
        fsyncSync(handle)
      } finally {
        closeSync(handle)
      }
      renameSync(beside, file)
    },
    setAside() {
      renameSync(file, join(folder, 'workspaces.bad.json'))
      return 'workspaces.bad.json'
    },
  }
}
