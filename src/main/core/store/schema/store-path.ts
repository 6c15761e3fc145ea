/**
 * Resolves a store's path to its file. A store has one name, because its journal and its lock are next to that name.
 */
import { existsSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { CodedError } from '../../../../shared/base/errors.ts'
import { restoreNoteFile } from '../../../base/store-files.ts'

/** The limit of Linux. */
const MAX_LINKS = 40

/** Resolves symbolic links, also for a file that doesn't exist yet. Absolute. */
export function realStorePath(path: string): string {
  let at = resolve(path)
  for (let followed = 0; followed < MAX_LINKS; followed++) {
    const real = realPath(at)
    if (real !== null) return real
    const target = linkTarget(at)
    if (target === null) return join(realPath(dirname(at)) ?? dirname(at), basename(at))
    at = resolve(dirname(at), target)
  }
  return at // a link loop: opening it fails with the system's own reason
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

/** Identifies a file whatever its name. */
export interface FileIdentity {
  readonly device: bigint
  readonly inode: bigint
}

/** Identity of the file at a path; null if there is none. Throws other system errors. */
export function fileIdentity(path: string): FileIdentity | null {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? null : { device: stat.dev, inode: stat.ino }
}

export const isSameFile = (a: FileIdentity | null, b: FileIdentity | null): boolean =>
  a === null || b === null ? a === b : a.device === b.device && a.inode === b.inode

/** The system's mount table; empty where none can be read. */
function readMounts(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return ''
  }
}

/** Whether a line of `/proc/self/mountinfo` mounts something at exactly this path. */
function isMountPoint(path: string, mounts: string): boolean {
  const escaped = path.replace(/[\\ \t\n]/g, (c) => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`)
  return mounts.split('\n').some((line) => line.split(' ')[4] === escaped)
}

/**
 * Throws `not-allowed` if it isn't a file, and `store-locked` if it has other names: a hard link, or a bind mount of the single file. SQLite looks for
 * the journal, and we look for the lock, next to the name that was opened. With two names, two writers wouldn't see
 * each other and a reader would miss the other name's journal. `path` is a real path.
 */
export function refuseSecondName(path: string, mounts: () => string = readMounts): void {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return
  // Opening a named pipe waits until someone writes to it.
  if (!stat.isFile()) {
    throw new CodedError('not-allowed', `${path} isn’t a file, so it can’t be a store.`, {
      hint: 'Name the file of a store.',
    })
  }
  if (stat.nlink > 1) {
    throw new CodedError('store-locked', `The store ${path} also has another name (a hard link) and wasn't opened.`, {
      hint: 'Delete the other name, or make a real copy of the file and open that.',
    })
  }
  if (isMountPoint(path, mounts())) {
    throw new CodedError('store-locked', `The store ${path} is mounted as a single file and wasn't opened.`, {
      hint: 'Mount the folder that holds the store instead.',
    })
  }
}

/**
 * Throws `store-locked` during a restore, when the store may not be in place. Callers first finish a restore that was
 * interrupted.
 */
export function refuseDuringRestore(path: string): void {
  const note = restoreNoteFile(path)
  if (!existsSync(note)) return
  // A restore that is still copying hasn't touched the store.
  if (/"phase":"copying"/.test(readFileSync(note, 'utf8'))) return
  throw new CodedError('store-locked', `A backup is being restored into ${path}.`, {
    hint: 'Try again in a moment. If the restore was interrupted, start Tapedeck or run any command: it finishes the restore.',
  })
}
