/** A lock between processes for changes of a small file, freed by the operating system if its holder dies. */
import Database from 'better-sqlite3'

/** How long SQLite waits in one attempt, ms. Short, because its pauses grow and a busy holder would starve the others. */
const ATTEMPT_MS = 3

/**
 * Runs `change` while no other process runs one for the same lock file, which is created if needed and stays. Waits at
 * most `patienceMs` for the others, blocking the thread. Returns what `change` returns. Throws what it throws, or
 * SQLite's error if the lock can't be taken. Not reentrant.
 */
export function withFileLock<T>(lockFile: string, patienceMs: number, change: () => T): T {
  const db = new Database(lockFile, { timeout: ATTEMPT_MS })
  try {
    const untilMs = performance.now() + patienceMs
    while (!begin(db)) {
      if (performance.now() >= untilMs) throw new LockBusyError(lockFile)
    }
    return change()
  } finally {
    db.close()
  }
}

/**
 * Takes a lock for as long as its holder needs, and returns what frees it; null if another process holds it. Throws
 * SQLite's error if the lock file can't be opened, or its file system has no locks.
 */
export function takeFileLock(lockFile: string): (() => void) | null {
  const db = new Database(lockFile, { timeout: ATTEMPT_MS })
  let isTaken = false
  try {
    isTaken = begin(db)
  } finally {
    if (!isTaken) db.close()
  }
  return isTaken ? () => void db.close() : null
}

/** Another process held the lock all the time. */
export class LockBusyError extends Error {
  constructor(lockFile: string) {
    super(`Another process holds ${lockFile}.`)
    this.name = 'LockBusyError'
  }
}

/** Whether the lock was taken. An exclusive transaction that writes nothing is the lock; closing the file frees it. */
function begin(db: Database.Database): boolean {
  try {
    db.exec('BEGIN EXCLUSIVE')
    return true
  } catch (thrown) {
    if (thrown instanceof Database.SqliteError && thrown.code.startsWith('SQLITE_BUSY')) return false
    throw thrown
  }
}
