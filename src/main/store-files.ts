/** The files of a store, for whoever moves, replaces or deletes one. */

/**
 * What SQLite and the writer keep beside the store's own file and what belongs to exactly that file. The log comes
 * first: a store that lost its log is damaged, a log without its store is only useless.
 */
export const STORE_SIDE_FILES = ['-wal', '-shm', '-head'] as const

/** Stands beside a store while a backup is being restored into it. */
export const restoreNoteFile = (store: string): string => `${store}-restoring.json`
