/** Corrupts a store as a failing disk would: one bit of a written row. */
import Database from 'better-sqlite3'
import type { FeedId, InstrumentId } from '../../../../../src/shared/base/units.ts'

/** Runs something on the store's file. */
export function inStore<T>(file: string, run: (db: Database.Database) => T): T {
  const db = new Database(file)
  try {
    return run(db)
  } finally {
    db.close()
  }
}

export interface FlipTarget {
  readonly column?: string
  /** Position in the value, 0 to 1. */
  readonly byte?: number
  readonly bit?: number
}

/** Flips one bit of a row. A second call restores it. */
export function flip(
  file: string,
  table: 'block' | 'rollup' | 'journal',
  id: number,
  { column = 'data', byte = 0.5, bit = 3 }: FlipTarget = {},
): void {
  inStore(file, (db) => {
    const data = db.prepare<[number], Buffer>(`SELECT ${column} FROM ${table} WHERE id = ?`).pluck().get(id)
    if (data === undefined) throw new TypeError(`${table} ${id} is not there`)
    const place = Math.min(data.length - 1, Math.floor(byte * data.length))
    data[place] = data[place] ^ (1 << bit)
    db.prepare(`UPDATE ${table} SET ${column} = ? WHERE id = ?`).run(data, id)
  })
}

/** Blocks of a series, oldest first. */
export const blocksOf = (file: string, feed: FeedId, instrument: InstrumentId): readonly number[] =>
  inStore(file, (db) =>
    db
      .prepare<[string, string], number>(
        `SELECT b.id FROM block b JOIN series s ON s.id = b.series
         WHERE s.feed = ? AND s.instrument = ? ORDER BY b.min_seq`,
      )
      .pluck()
      .all(feed, instrument),
  )
