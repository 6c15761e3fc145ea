/** Small files that are read and replaced as a whole. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CodedError } from '../../shared/base/errors.ts'
import { makeFolder } from './make-folder.ts'

/** The text of a file; null if it doesn't exist. Throws the disk's error. */
export function readWhole(file: string): string | null {
  try {
    // Opening a named pipe waits until someone writes to it.
    if (statSync(file).isFIFO()) throw new Error('it is a named pipe')
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/**
 * Replaces a file, readable by its owner only, and creates its folder. After a crash or a power cut, the file is the old
 * one or the new one, never a part of either. Throws the disk's error, and then leaves nothing behind.
 */
export function replaceWhole(file: string, data: string | Uint8Array): void {
  const draft = `${file}.${process.pid}.tmp`
  makeFolder(dirname(file))
  rmSync(draft, { force: true })
  try {
    const handle = openSync(draft, 'wx', 0o600)
    try {
      writeFileSync(handle, data)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** The error of a file that couldn't be replaced: what wasn't saved, as a sentence. */
export const notSaved = (message: string, cause: unknown): CodedError =>
  new CodedError('disk-error', message, { hint: 'Check the free disk space and the folder’s permissions.', cause })
