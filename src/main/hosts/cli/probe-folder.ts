/** Tries what a recording does in a folder: make it, and create, write, sync, rename and delete a file. Leaves nothing. */
import { closeSync, fsyncSync, openSync, renameSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'

/** The calls that may fail, so that tests can let them. */
export interface ProbeDisk {
  readonly makeFolder: (path: string) => string | null
  readonly create: (path: string) => number
  readonly write: (file: number, bytes: Uint8Array) => void
  readonly sync: (file: number) => void
  readonly rename: (from: string, to: string) => void
  /** Files that can still be created; undefined if the file system doesn't say. */
  readonly freeFiles: (folder: string) => number | undefined
}

const DISK: ProbeDisk = {
  makeFolder: (path) => makeFolder(path, 0o700),
  create: (path) => openSync(path, 'wx', 0o600),
  write: (file, bytes) => void writeSync(file, bytes),
  sync: fsyncSync,
  rename: renameSync,
  freeFiles(folder) {
    const { files, ffree } = statfsSync(folder)
    // Some file systems make room for files as they need it, and say 0 of 0.
    return files === 0 ? undefined : ffree
  },
}

/** A block of a store, so that a disk with a few bytes left counts as full. */
const PROBE_BYTES = 64 * 1024

/** Why nothing can be recorded in a folder, and what to do; null if something can. */
export function probeFolder(folder: string, disk: ProbeDisk = DISK): string | null {
  const name = join(folder, `.tapedeck-doctor-${process.pid}`)
  let made: string | null = null
  try {
    made = disk.makeFolder(folder)
    const file = disk.create(name)
    try {
      disk.write(file, new Uint8Array(PROBE_BYTES))
      disk.sync(file)
    } finally {
      closeSync(file)
    }
    disk.rename(name, `${name}-renamed`)
    return null
  } catch (thrown) {
    return explain(thrown, folder, disk)
  } finally {
    for (const path of [name, `${name}-renamed`]) removeFile(path)
    if (made !== null) removeFolders(folder, made)
  }
}

function removeFile(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // The folder is a file, or its disk can't even delete. What failed before says so.
  }
}

/** Removes the folders that were made, innermost first, unless another program uses them by now. */
function removeFolders(innermost: string, outermost: string): void {
  try {
    for (let path = innermost; ; path = dirname(path)) {
      rmdirSync(path)
      if (path === outermost || dirname(path) === path) return
    }
  } catch {
    // not empty any longer
  }
}

function explain(thrown: unknown, folder: string, disk: ProbeDisk): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  switch (code) {
    case 'ENOSPC':
      return isOutOfFiles(folder, disk)
        ? `The disk of ${folder} has no room for another file, although it has free space. Delete files, or use --home.`
        : `The disk of ${folder} is full. Free some space, or use --home.`
    case 'EDQUOT':
      return `Your quota on the disk of ${folder} is used up. Delete files, or use --home.`
    case 'EROFS':
      return `${folder} is on a read-only disk. Use --home to name a folder elsewhere.`
    case 'EACCES':
    case 'EPERM':
      return `${folder} isn’t writable. Change its permissions, or use --home.`
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EEXIST':
    case 'ELOOP':
    case 'ENAMETOOLONG':
    case 'EINVAL':
      return `${folder} can’t be created. Use --home to name another folder.`
    default:
      return `Writing in ${folder} failed: ${String(thrown instanceof Error ? thrown.message : thrown)}. Check the disk, or use --home.`
  }
}

function isOutOfFiles(folder: string, disk: ProbeDisk): boolean {
  for (let path = folder; ; path = dirname(path)) {
    try {
      return disk.freeFiles(path) === 0
    } catch {
      if (dirname(path) === path) return false
    }
  }
}
