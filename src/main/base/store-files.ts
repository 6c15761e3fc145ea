/** The files that belong to a store, for moving, replacing or deleting it. */
import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/**
 * Suffixes of the files that SQLite and the writer create next to the store. The WAL comes first: a store without its
 * WAL is corrupt, while a WAL without its store is merely useless.
 */
export const STORE_SIDE_FILES = ['-wal', '-shm', '-head'] as const

/** A file next to the store that lists the sessions that may not be erased yet. */
export const HOLDS_SUFFIX = '-holds.json'

/** A file next to the store that lists the sessions that a verification found corrupt. */
export const FINDINGS_SUFFIX = '-findings.json'

/** A file next to the store that exists while a backup is being restored into it. */
export const restoreNoteFile = (store: string): string => `${store}-restoring.json`

/**
 * Suffixes of files saved next to the store after data loss. As long as one of them exists, verification reports it.
 */
export const LOG_COPY = '-wal.corrupt-'
export const HEAD_COPY = '-head.lost-'

/** The suffixes of the files saved next to a store after data loss, sorted. Throws the disk's error. */
export function findLossFiles(store: string): string[] {
  const name = basename(store)
  return readdirSync(dirname(store))
    .filter((file) => [LOG_COPY, HEAD_COPY].some((part) => file.startsWith(name + part)))
    .map((file) => file.slice(name.length))
    .sort()
}
