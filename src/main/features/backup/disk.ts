/** The disk operations for making and restoring a backup, injected so that a test can fail after each of them. */
import { closeSync, copyFileSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { chmod, copyFile, open } from 'node:fs/promises'
import { makeFolder } from '../../base/make-folder.ts'
import { CodedError } from '../../../shared/base/errors.ts'

export interface Disk {
  makeFolder(path: string): void
  /** Copies a file and syncs the copy. */
  copy(from: string, to: string): Promise<void>
  /** Writes a small file and syncs it. */
  write(path: string, text: string): void
  rename(from: string, to: string): void
  /** Renames a file, or copies and removes it if the new name is on another file system. */
  move(from: string, to: string): void
  /** Removes a file, or a folder with its contents; does nothing if it doesn't exist. */
  remove(path: string): void
  /** Syncs a folder's entries. Does nothing where the system can't, as on Windows. */
  syncFolder(path: string): void
}

export function syncFile(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

export const systemDisk: Disk = {
  makeFolder: (path) => void makeFolder(path, 0o700),
  async copy(from, to) {
    await copyFile(from, to)
    // A file copied from a read-only medium would otherwise stay read-only.
    await chmod(to, 0o600)
    const file = await open(to, 'r+')
    try {
      await file.sync()
    } finally {
      await file.close()
    }
  },
  write(path, text) {
    const file = openSync(path, 'w', 0o600)
    try {
      // Unlike writeSync, this fails if the disk takes only a part.
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  },
  rename: (from, to) => renameSync(from, to),
  move(from, to) {
    try {
      renameSync(from, to)
    } catch (thrown) {
      if (!(thrown instanceof Error) || !('code' in thrown) || thrown.code !== 'EXDEV') throw thrown
      copyFileSync(from, `${to}.partial`)
      syncFile(`${to}.partial`)
      renameSync(`${to}.partial`, to)
      rmSync(from)
    }
  },
  remove: (path) => rmSync(path, { recursive: true, force: true }),
  syncFolder(path) {
    let folder: number
    try {
      folder = openSync(path, 'r')
    } catch {
      return
    }
    try {
      fsyncSync(folder)
    } catch {
      // Not every file system syncs folders.
    } finally {
      closeSync(folder)
    }
  },
}

/** Replaces a small file atomically: after a crash it is either the old one or the new one. */
export function replaceFile(disk: Disk, path: string, text: string, folder: string): void {
  try {
    disk.write(`${path}.tmp`, text)
    disk.rename(`${path}.tmp`, path)
  } catch (thrown) {
    disk.remove(`${path}.tmp`)
    throw thrown
  }
  disk.syncFolder(folder)
}

/** The parsed content of a JSON file; undefined if it doesn't exist or can't be read. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** What SQLite reports only about a file that it writes. A backup reads the store, and writes its copy. */
const SQLITE_WRITE = /^SQLITE_IOERR_(?:WRITE|FSYNC|DIR_FSYNC|TRUNCATE)$/

/**
 * Adds a code and a next step to a disk error. `what` names the work that failed: "The backup"; `where`: its folder, if it
 * writes to one only.
 */
export function diskError(thrown: unknown, what: string, where?: string): unknown {
  if (!(thrown instanceof Error) || thrown instanceof CodedError || !('code' in thrown)) return thrown
  const { code } = thrown
  const disk = where === undefined ? 'the disk' : `the disk of ${where}`
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL') {
    const hint = where === undefined ? 'Free some space.' : 'Free some space or choose another folder.'
    return new CodedError('disk-full', `${what} failed: ${disk} is full.`, { hint, cause: thrown })
  }
  if (typeof code === 'string' && SQLITE_WRITE.test(code)) {
    return new CodedError('disk-error', `${what} failed: ${disk} reported an error.`, {
      hint: 'Check the disk.',
      cause: thrown,
    })
  }
  if (typeof code === 'string' && /^E[A-Z]+$/.test(code)) {
    return new CodedError('disk-error', `${what} failed: ${thrown.message}.`, {
      hint: 'Check the disk and the permissions of its folders.',
      cause: thrown,
    })
  }
  return thrown
}
