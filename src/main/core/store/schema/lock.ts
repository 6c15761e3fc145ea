/** One writer per store: an operating system lock that is released when the process dies, however it dies. */
import Database from 'better-sqlite3'
import { existsSync } from 'node:fs'
import { CodedError } from '../../../../shared/base/errors.ts'
import { storeError } from './sqlite.ts'
import { fileIdentity, isSameFile, realStorePath, refuseSecondName } from './store-path.ts'

/** A reader that checks for a writer holds the lock for an instant, so a writer retries this long, ms. */
const PATIENCE_MS = 250

export interface Lock {
  /** The store's real path. The writer opens this one, whatever path it was given. */
  readonly file: string
  /**
   * Takes the lock again if its file was deleted or replaced, because another writer would lock the new file. Returns
   * whether it had to; another writer may have come and gone in between. Throws `store-locked` if one is there.
   */
  renew(): boolean
  release(): void
}

const lockPath = (file: string): string => `${file}.lock`

/**
 * Takes the exclusive lock of a store, on a file next to the store's real path. Throws `store-locked` if another writer
 * holds it or the store has a second name.
 */
export function lockStore(path: string): Lock {
  const file = realStorePath(path)
  refuseSecondName(file)
  let holder = take(file)
  return {
    file,
    renew() {
      if (isSameFile(holder.identity, fileIdentity(lockPath(file)))) return false
      const next = take(file)
      holder.db.close()
      holder = next
      return true
    },
    release: () => void holder.db.close(),
  }
}

function take(file: string) {
  let db: Database.Database | undefined
  try {
    db = new Database(lockPath(file), { timeout: PATIENCE_MS })
    const identity = fileIdentity(lockPath(file))
    db.exec('BEGIN EXCLUSIVE')
    return { db, identity }
  } catch (thrown) {
    db?.close()
    const error = storeError(thrown, file)
    if (error.code !== 'store-locked') throw error
    throw new CodedError('store-locked', `Another Tapedeck is recording into ${file}.`, {
      hint: 'Close it first, or choose another store. You can still read this one.',
      cause: thrown,
    })
  }
}

/** Whether a writer in any process holds the lock of a store. Changes nothing. */
export function isLocked(file: string): boolean {
  const path = lockPath(realStorePath(file))
  if (!existsSync(path)) return false
  let db: Database.Database | undefined
  try {
    db = new Database(path, { readonly: true, fileMustExist: true, timeout: 0 })
    db.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (thrown) {
    return storeError(thrown, file).code === 'store-locked'
  } finally {
    db?.close()
  }
}
