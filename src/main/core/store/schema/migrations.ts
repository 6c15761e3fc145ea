/** The store's formats, oldest first. A migration is one file; its number is the format it leads to. */
import type Database from 'better-sqlite3'
import { firstFormat } from './migrations/0001-first.ts'
import { labelsAndSnapshots } from './migrations/0002-review.ts'
import type { Migration } from './migrations/migration.ts'

export const MIGRATIONS: readonly Migration[] = [firstFormat, labelsAndSnapshots]
export const LATEST_VERSION = MIGRATIONS.length

/** Brings a store to `target` step by step, each step whole or not at all. */
export function migrate(db: Database.Database, applicationId: number, target = LATEST_VERSION): void {
  for (const migration of MIGRATIONS) {
    const version = Number(db.pragma('user_version', { simple: true }))
    if (migration.version <= version || migration.version > target) continue
    migration.before?.(db)
    db.transaction(() => {
      migration.up(db)
      db.pragma(`application_id = ${applicationId}`)
      db.pragma(`user_version = ${migration.version}`)
    }).exclusive()
  }
}
