/** Copies a store's write-ahead log into its file. */
import Database from 'better-sqlite3'
import { storeError, type Db } from './sqlite.ts'

/** Checkpoints a store that has no writer, as far as readers in other processes allow. The caller holds the lock. */
export function checkpointStore(file: string): void {
  try {
    const db = new Database(file, { fileMustExist: true, timeout: 1_000 })
    try {
      db.pragma('wal_checkpoint(TRUNCATE)')
    } finally {
      db.close()
    }
  } catch (thrown) {
    throw storeError(thrown, file)
  }
}

/** Result of SQLite's `PRAGMA wal_checkpoint`. */
interface CheckpointResult {
  readonly busy: number
  /** Frames in the log, and how many of them are in the file. */
  readonly log: number
  readonly checkpointed: number
}

/**
 * Copies as much of the log into the file as readers allow, without waiting. Returns whether the file alone now holds
 * every commit. Throws SQLite's errors.
 */
export function copyLog(db: Db): boolean {
  const [{ busy, log, checkpointed }] = db.pragma('wal_checkpoint(PASSIVE)') as [CheckpointResult]
  return busy === 0 && log === checkpointed
}

/**
 * Copies the whole log into the file and empties it. Waits up to `patienceMs` for readers in the middle of a read, and
 * returns false if one takes longer. Throws SQLite's errors.
 */
export function emptyLog(db: Db, patienceMs: number): boolean {
  const timeout = Number(db.pragma('busy_timeout', { simple: true }))
  db.pragma(`busy_timeout = ${patienceMs}`)
  try {
    const [{ busy }] = db.pragma('wal_checkpoint(TRUNCATE)') as [CheckpointResult]
    return busy === 0
  } finally {
    db.pragma(`busy_timeout = ${timeout}`)
  }
}
