/** Brings a store's journal into its file. */
import Database from 'better-sqlite3'
import { storeError } from './sqlite.ts'

/** Writes what waits beside the store into it, as far as readers of other programs allow. The caller holds the lock. */
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
