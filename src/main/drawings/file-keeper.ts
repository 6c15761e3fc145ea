/** A folder with a file an instrument: written beside, synced, renamed. */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { DrawingsKeeper } from './port.ts'

/** Keeps files in a folder, which is made with the first of them. A bad one is kept as `<name>.bad`. */
export function drawingsFolder(folder: string): DrawingsKeeper {
  return {
    load(name) {
      try {
        return readFileSync(join(folder, name), 'utf8')
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
        throw error
      }
    },
    save(name, text) {
      mkdirSync(folder, { recursive: true })
      const beside = join(folder, `${name}.${process.pid}.tmp`)
      try {
        const handle = openSync(beside, 'w', 0o600)
        try {
          writeSync(handle, text)
          fsyncSync(handle)
        } finally {
          closeSync(handle)
        }
        renameSync(beside, join(folder, name))
      } catch (error) {
        rmSync(beside, { force: true })
        throw error
      }
    },
    setAside(name) {
      renameSync(join(folder, name), join(folder, `${name}.bad`))
      return `${name}.bad`
    },
  }
}
