/**
 * Rows without a recording: what is being imported, what was erased and not yet cleared away, what a death
 * left of either. No reader sees them, because every read begins at a recording. An import gets its row last,
 * an erased recording loses it first, so each is whole or not there; the rest is cleared in small steps.
 */
import type { Work } from './sealer.ts'
import type { Db } from '../schema/sqlite.ts'

/** Tables whose rows name a recording by number. */
const TABLES = ['series', 'journal', 'gap', 'entry', 'chain', 'connection', 'snapshot', 'label', 'bookmark'] as const

/** Keys by which rows of a table are told apart where it has no rowid. */
const ROW: Readonly<Partial<Record<(typeof TABLES)[number], string>>> = {
  gap: 'from_seq',
  entry: 'seq',
  chain: 'conn, part',
  connection: 'conn',
}

const BLOCKS_PER_STEP = 32
const ROWS_PER_STEP = 1_000

export class HiddenRows {
  readonly #db: Db
  #least
  #most

  constructor(db: Db) {
    this.#db = db
    const extremeId = (f: 'min' | 'max'): number => {
      const ends = ['recording', ...TABLES]
        .map((table) => `SELECT ${f}(${table === 'recording' ? 'id' : 'recording'}) AS id FROM ${table}`)
        .join(' UNION ALL ')
      return db.prepare<[], number | null>(`SELECT ${f}(id) FROM (${ends})`).pluck().get() ?? 0
    }
    this.#least = Math.min(0, extremeId('min'))
    this.#most = Math.max(0, extremeId('max'))
  }

  /**
   * A number that no row has used since the store was opened: positive of what is recorded here, negative of what is
   * imported. One that has no rows any more may still wait to be cleared, and whoever got it would be cleared with it.
   */
  freshId(kind: 'recorded' | 'imported'): number {
    return kind === 'recorded' ? ++this.#most : --this.#least
  }

  /** Numbers that have rows but no recording. */
  find(): number[] {
    const found = new Set<number>()
    for (const table of TABLES) {
      // From number to number by the index: a table of millions of rows is not walked.
      const ids = this.#db
        .prepare<[], number>(
          // The name must be no column of any of the tables: within the subquery it would be theirs.
          `WITH RECURSIVE ids(owner) AS (
             SELECT min(recording) FROM ${table}
             UNION ALL
             SELECT (SELECT min(recording) FROM ${table} WHERE recording > owner) FROM ids WHERE owner IS NOT NULL)
           SELECT owner FROM ids WHERE owner IS NOT NULL AND owner NOT IN (SELECT id FROM recording)`,
        )
        .pluck()
      for (const id of ids.all()) found.add(id)
    }
    return [...found]
  }

  /** Deletes the rows of a number without a recording, a few in each transaction. */
  *clear(id: number): Work {
    const series = this.#db.prepare<[number], number>('SELECT id FROM series WHERE recording = ?').pluck().all(id)
    for (const one of series) {
      yield* this.#delete('block', 'id', 'series = ?', one, BLOCKS_PER_STEP)
      yield* this.#delete('rollup', 'id', 'series = ?', one, BLOCKS_PER_STEP)
    }
    for (const table of TABLES) {
      const most = table === 'journal' || table === 'snapshot' ? BLOCKS_PER_STEP : ROWS_PER_STEP
      yield* this.#delete(table, ROW[table] ?? 'rowid', 'recording = ?', id, most)
    }
  }

  *#delete(table: string, key: string, where: string, of: number, most: number): Work {
    const run = this.#db.prepare<[number, number, number]>(
      `DELETE FROM ${table} WHERE ${where} AND (${key}) IN (SELECT ${key} FROM ${table} WHERE ${where} LIMIT ?)`,
    )
    for (let deleted = most; deleted === most;) {
      yield () => {
        deleted = run.run(of, of, most).changes
      }
    }
  }
}
