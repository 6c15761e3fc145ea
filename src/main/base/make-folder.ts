import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder and those it is in, and returns the outermost one that it made; null if the folder was there. Throws
 * the disk's error. Node's own `recursive` never returns where a file system refuses every name with ENOENT, as /proc
 * does.
 */
export function makeFolder(path: string, mode = 0o777): string | null {
  try {
    return makeOne(path, mode)
  } catch (error) {
    const parent = dirname(path)
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT') || parent === path) throw error
    const outermost = makeFolder(parent, mode)
    const made = makeOne(path, mode)
    return outermost ?? made
  }
}

/** Null if the folder was there, or another program has just made it. */
function makeOne(path: string, mode: number): string | null {
  try {
    mkdirSync(path, { mode })
    return path
  } catch (error) {
    // Windows refuses the root of a drive with EPERM.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return null
    throw error
  }
}
