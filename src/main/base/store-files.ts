/** The files that belong to a store, for moving, replacing or deleting it. */
import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/**
 * Suffixes of the files that SQLite and the writer keep next to the store. The log comes first: a store without its log
 * is corrupt, a log without its store is only useless.
 */
export const STORE_SIDE_FILES = ['-wal', '-shm', '-head'] as const

/** A file next to the store that exists while a backup is being restored into it. */
export const restoreNoteFile = (store: string): string => `${store}-restoring.json`

/** What is set aside beside a store after a loss. As long as one of these lies there, verification names it. */
export const LOG_COPY = '-wal.corrupt-'
export const HEAD_COPY = '-head.lost-'

/** What the names of files that were set aside beside a store have after its own, in order. Throws what the disk says. */
export function findLossFiles(store: string): string[] {
  const name = basename(store)
  return readdirSync(dirname(store))
    .filter((file) => [LOG_COPY, HEAD_COPY].some((part) => file.startsWith(name + part)))
    .map((file) => file.slice(name.length))
    .sort()
}
