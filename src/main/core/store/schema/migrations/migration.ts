/** One step from a format version of the store to the next. */
import type Database from 'better-sqlite3'

export interface Migration {
  readonly version: number
  readonly name: string
  /** Settings that SQLite accepts only outside a transaction, before the first table exists. */
  before?(db: Database.Database): void
  up(db: Database.Database): void
}
