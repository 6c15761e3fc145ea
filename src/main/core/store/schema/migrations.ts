/** The store's format versions, oldest first. Each migration is one file, numbered by the version it leads to. */
import type Database from 'better-sqlite3'
import { firstFormat } from './migrations/0001-first.ts'
import { labelsAndSnapshots } from './migrations/0002-review.ts'
import type { Migration } from './migrations/migration.ts'

export const MIGRATIONS: readonly Migration[] = [firstFormat, labelsAndSnapshots]
export const LATEST_VERSION = MIGRATIONS.length

/** Migrates a store to `target` step by step. Each step is one transaction. */
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
