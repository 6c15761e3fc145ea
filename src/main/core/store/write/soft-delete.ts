/**
 * Rows without a session: an import in progress, erased data not yet deleted, or remains of either after a crash. No
 * reader sees them, because every read starts at a session row. An import writes that row last and an erasure deletes
 * it first, so both are atomic. The rest is deleted in small steps.
 */
import type { Work } from './background-work.ts'
import type { Db } from '../schema/sqlite.ts'

/** Tables whose rows refer to a session by number. */
const TABLES = ['series', 'journal', 'gap', 'entry', 'chain', 'connection', 'snapshot', 'label', 'bookmark'] as const

/** Keys that identify a row in tables without a rowid. */
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
   * Returns a session number not used since the store was opened: positive for sessions recorded here, negative for
   * those from another computer, which can overlap others. Reusing a number that is waiting to be cleared would delete the new session's rows.
   */
  freshId(kind: 'recorded' | 'foreign'): number {
    return kind === 'recorded' ? ++this.#most : --this.#least
  }

  /** Numbers that have rows but no session. */
  find(): number[] {
    const found = new Set<number>()
    for (const table of TABLES) {
      // Jumps from number to number through the index, so that it doesn't scan tables of millions of rows.
      const ids = this.#db
        .prepare<[], number>(
          // The name must not be a column of any of the tables, or the subquery would resolve it to theirs.
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

  /** Deletes the rows of a number without a session, a few per transaction. */
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
