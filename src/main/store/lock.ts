/** One writer a store: a lock of the operating system that any death of its process frees. */
import Database from 'better-sqlite3'
import { CodedError } from '../../shared/errors.ts'
import { storeError } from './sqlite.ts'

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
    db = new Database(`${file}.lock`, { timeout: 0 })
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
