/** What a step from one format of the store to the next is. */
import type Database from 'better-sqlite3'

export interface Migration {
  readonly version: number
  readonly name: string
  /** Settings that SQLite only takes outside a transaction, before the first table. */
  before?(db: Database.Database): void
  up(db: Database.Database): void
}
