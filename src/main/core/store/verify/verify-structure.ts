/**
 * Checks the structure of the store: pages, tables and indexes. SQLite's own check is a single read during which the
 * write-ahead log can't be emptied, so a large file is checked in pieces, each in a separate read.
 */
import Database from 'better-sqlite3'
import { toFailure } from '../../../../shared/base/errors.ts'
import { sessionId } from '../../../../shared/base/units.ts'
import { LATEST_VERSION, migrate } from '../schema/migrations.ts'
import { APPLICATION_ID, type Db } from '../schema/sqlite.ts'
import type { Report } from './checked-session.ts'

const STORE = sessionId('')
/** Files up to this size are checked whole, in less than a second. */
const WHOLE_BYTES = 256 << 20
const PIECE_ROWS = 2_000
/** Differences reported per table. */
const MAX_PER_TABLE = 20
/** Tables that grow with the recorded data, each with an id and one index over all rows. The others stay small. */
const LARGE_TABLES = ['block', 'rollup', 'snapshot']

export interface StructureOptions {
  /** Files up to this many bytes are checked in one read. */
  readonly wholeBytes?: number
  readonly pieceRows?: number
}

/**
 * Checks pages, tables and indexes, and compares the schema with the migrations'. `progress` gets a fraction from 0 to
 * 1 while no read is open; if it throws, the check ends. In pieces, everything that readers use is checked. SQLite's
 * page map for shrinking the file is checked only if the file is read whole.
 */
export function checkStructure(
  db: Db,
  report: Report,
  progress: (done: number) => void = () => undefined,
  { wholeBytes = WHOLE_BYTES, pieceRows = PIECE_ROWS }: StructureOptions = {},
): void {
  const bytes = Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }))
  checkSchema(db, report)
  if (bytes <= wholeBytes) {
    sqliteCheck(db, null, report)
    progress(1)
    return
  }
  const tables = db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all()
  const steps = tables.length + 1
  // Under this name SQLite also checks the list of free pages.
  sqliteCheck(db, 'sqlite_schema', report)
  for (const [i, table] of tables.entries()) {
    progress((i + 1) / steps)
    if (!LARGE_TABLES.includes(table)) sqliteCheck(db, table, report)
    else checkInPieces(db, table, pieceRows, report, (part) => progress((i + 1 + part) / steps))
  }
  progress(1)
}

/** Runs SQLite's own check on everything (null) or on one table and its indexes. */
function sqliteCheck(db: Db, table: string | null, report: Report): void {
  const rows = db.pragma(`integrity_check(${table ?? MAX_PER_TABLE})`) as { readonly integrity_check: string }[]
  for (const { integrity_check: reported } of rows.slice(0, MAX_PER_TABLE))
    if (reported !== 'ok') report(STORE, 'structure', reported)
}

const textOf = (db: Db): string =>
  JSON.stringify(db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all())

/** Schemas by version. Making a store just to read its schema takes most of the time of checking a small one. */
const schemas = new Map<number, string>()

/** The schema of a new store of a version. */
function schemaOf(version: number): string {
  const known = schemas.get(version)
  if (known !== undefined) return known
  const fresh = new Database(':memory:')
  try {
    migrate(fresh, APPLICATION_ID, version)
    const schema = textOf(fresh)
    schemas.set(version, schema)
    return schema
  } finally {
    fresh.close()
  }
}

function checkSchema(db: Db, report: Report): void {
  const version = Number(db.pragma('user_version', { simple: true }))
  if (schemaOf(Math.min(Math.max(version, 0), LATEST_VERSION)) !== textOf(db))
    report(STORE, 'structure', 'the schema isn’t that of a Tapedeck store')
}

/** The columns of a row in an index, followed by the row's id. */
type Key = readonly unknown[]

/**
 * Checks a table by id and its index in order, piece by piece: ids ascend, each row is in the index, and each index row
 * is in the table. Checksums cover the other columns.
 */
function checkInPieces(
  db: Db,
  table: string,
  pieceRows: number,
  report: Report,
  progress: (done: number) => void,
): void {
  let reported = 0
  /** Reports a difference. Returns whether more of this table can be reported. */
  const reportInTable = (detail: string): boolean => {
    if (reported < MAX_PER_TABLE) report(STORE, 'structure', detail)
    return ++reported < MAX_PER_TABLE
  }
  try {
    const index = `${table}_order`
    const names = (db.pragma(`index_info(${index})`) as { readonly name: string }[]).map(({ name }) => name)
    const list = names.join(', ')
    const marks = names.map(() => '?').join(', ')
    const same = names.map((name) => `${name} = ?`).join(' AND ')
    const last = db.prepare<[], number | null>(`SELECT max(id) FROM ${table} NOT INDEXED`).pluck().get() ?? 0
    const rows = db
      .prepare<[number, number], Key>(`SELECT ${list}, id FROM ${table} NOT INDEXED WHERE id > ? ORDER BY id LIMIT ?`)
      .raw()
    const inIndex = db.prepare<unknown[], number>(`SELECT id FROM ${table} INDEXED BY ${index} WHERE ${same}`).pluck()
    const first = db.prepare<[number], Key>(
      `SELECT ${list}, id FROM ${table} INDEXED BY ${index} ORDER BY ${list} LIMIT ?`,
    )
    const further = db.prepare<unknown[], Key>(
      `SELECT ${list}, id FROM ${table} INDEXED BY ${index} WHERE (${list}) > (${marks}) ORDER BY ${list} LIMIT ?`,
    )
    const byId = db.prepare<[number], Key>(`SELECT ${list}, id FROM ${table} NOT INDEXED WHERE id = ?`).raw()
    const read = <T>(run: () => T): T => db.transaction(run).deferred()

    let id = Number.MIN_SAFE_INTEGER
    for (;;) {
      const hasMore = read(() => {
        const piece = rows.all(id, pieceRows)
        for (const row of piece) {
          const next = Number(row.at(-1))
          if (!(next > id)) return reportInTable(`rows of table ${table} are out of order at ${next}`) && false
          id = next
          const found = inIndex.get(...row.slice(0, -1))
          if (found !== id && !reportInTable(`row ${id} of table ${table} is missing from its index`)) return false
        }
        return piece.length === pieceRows
      })
      if (!hasMore) break
      progress(Math.min(0.5, (id / Math.max(1, last)) * 0.5))
    }
    let key: Key | null = null
    let seen = 0
    for (;;) {
      const hasMore = read(() => {
        const piece: readonly Key[] =
          key === null ? first.raw().all(pieceRows) : further.raw().all(...key.slice(0, -1), pieceRows)
        for (const entry of piece) {
          if (key !== null && !isAfter(entry, key))
            return reportInTable(`the index of table ${table} is out of order`) && false
          key = entry
          const row = byId.get(Number(entry.at(-1)))
          const isThere = row !== undefined && row.every((value, i) => value === entry[i])
          if (
            !isThere &&
            !reportInTable(`the index of table ${table} lists row ${Number(entry.at(-1))}, which isn’t stored`)
          )
            return false
        }
        seen += piece.length
        return piece.length === pieceRows
      })
      if (!hasMore) return
      progress(Math.min(1, 0.5 + (seen / Math.max(seen, last)) * 0.5))
    }
  } catch (thrown) {
    if (!(thrown instanceof Database.SqliteError)) throw thrown
    const { message, detail } = toFailure(thrown)
    report(STORE, 'structure', `table ${table}: ${detail ?? message}`)
  }
}

/** Whether an index key comes after another. All columns are numbers. */
function isAfter(key: Key, before: Key): boolean {
  for (let i = 0; i < key.length; i++) {
    const a = Number(key[i])
    const b = Number(before[i])
    if (a !== b) return a > b
  }
  return false
}
