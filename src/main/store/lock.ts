/** One writer a store: a lock of the operating system that any death of its process frees. */
import Database from 'better-sqlite3'
import { existsSync } from 'node:fs'
import { CodedError } from '../../shared/errors.ts'
import { storeError } from './sqlite.ts'

/** A reader that asks who writes holds the lock for an instant: a writer waits so long before it gives up, ms. */
const PATIENCE_MS = 250

export interface Lock {
  release(): void
}

/**
 * Takes the exclusive lock of a store, on a file beside it. Throws `store-locked` when another writer
 * holds it.
 */
export function lockStore(file: string): Lock {
  let db: Database.Database | undefined
  try {
    db = new Database(`${file}.lock`, { timeout: PATIENCE_MS })
    db.exec('BEGIN EXCLUSIVE')
    const held = db
    return { release: () => void held.close() }
  } catch (thrown) {
    db?.close()
    const error = storeError(thrown, file)
    if (error.code !== 'store-locked') throw error
    throw new CodedError('store-locked', `Another Tapedeck is recording into ${file}.`, {
      hint: 'Close it first, or choose another store. Reading is possible meanwhile.',
      cause: thrown,
    })
  }
}

/** Whether a writer holds the lock of a store now, in whatever process. Changes nothing. */
export function isLocked(file: string): boolean {
  const path = `${file}.lock`
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
