/**
 * The history of responses, in a file separate from the store, so that a 10 MB response never delays a tick and the
 * command line can make requests while the app records. Texts are compressed, and identical texts are stored once.
 */
import Database from 'better-sqlite3'
import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import { constants } from 'node:zlib'
import { makeFolder } from '../../base/make-folder.ts'
import { zstdCompress as compress, zstdDecompress as decompress } from '../../base/zstd.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import type { ServiceResponse, ResponseVersion } from '../../../shared/features/research/research.ts'
import { unixMs } from '../../../shared/base/units.ts'
import type { ResponseKey, ResponseStore, LatestResponse } from './port.ts'
import { MAX_RESPONSE_BYTES } from './request.ts'

/** "TDR1": the application id in the SQLite header. */
const APPLICATION_ID = 0x54445231
const VERSION = 1
const MAX_VERSIONS = 500
/** How long a statement waits for another process, such as `tapedeck fetch`. */
const BUSY_MS = 5_000

const TABLES = `
CREATE TABLE body (id INTEGER PRIMARY KEY, sha256 BLOB NOT NULL UNIQUE, size INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
CREATE TABLE answer (
  id INTEGER PRIMARY KEY, source TEXT NOT NULL, endpoint TEXT NOT NULL, symbol TEXT NOT NULL, params TEXT NOT NULL,
  status INTEGER NOT NULL, content_type TEXT NOT NULL, fetched_ms REAL NOT NULL,
  body INTEGER NOT NULL REFERENCES body (id)) STRICT;
CREATE INDEX answer_order ON answer (source, endpoint, symbol, params, fetched_ms);
CREATE INDEX answer_body ON answer (body);
`

interface Row {
  readonly id: number
  readonly status: number
  readonly content_type: string
  readonly fetched_ms: number
  readonly size: number
  readonly sha256: Buffer
}
interface RowWithData extends Row {
  readonly data: Buffer
}

export interface ResponseFile extends ResponseStore {
  close(): void
}

/** Opens or creates the file. Throws `store-newer`, `store-damaged` or `disk-error`. */
export function openResponses(file: string): ResponseFile {
  const db = openDatabase(file)
  const columns = 'answer.id, status, content_type, fetched_ms, size, sha256'
  const joined = 'answer JOIN body ON body.id = answer.body'
  const ofKey = 'source = ? AND endpoint = ? AND symbol = ? AND params = ?'
  const sql = {
    newest: db.prepare<[string, string, string, string, number], RowWithData>(
      `SELECT ${columns}, data FROM ${joined} WHERE ${ofKey} AND fetched_ms <= ? AND status BETWEEN 200 AND 299
       ORDER BY fetched_ms DESC, answer.id DESC LIMIT 1`,
    ),
    versions: db.prepare<[string, string, string, string, number, number], Row>(
      `SELECT ${columns} FROM ${joined} WHERE ${ofKey} AND fetched_ms <= ?
       ORDER BY fetched_ms DESC, answer.id DESC LIMIT ?`,
    ),
    received: db.prepare<[string, string, string, number, number], Row>(
      `SELECT ${columns} FROM ${joined} WHERE source = ? AND endpoint = ? AND symbol = ? AND fetched_ms <= ?
       AND status BETWEEN 200 AND 299 ORDER BY fetched_ms DESC, answer.id DESC LIMIT ?`,
    ),
    asked: db
      .prepare<[string, string, string, number, number], string>(
        `SELECT params FROM answer WHERE source = ? AND endpoint = ? AND symbol = ? AND fetched_ms <= ?
         AND status BETWEEN 200 AND 299 GROUP BY params ORDER BY max(fetched_ms) DESC LIMIT ?`,
      )
      .pluck(),
    // SQLite takes the other columns from the row with the maximum.
    latest: db.prepare<[string, string, number], LatestResponse & { readonly fetched_ms: number }>(
      `SELECT id, endpoint, symbol, max(fetched_ms) AS fetched_ms FROM answer
       WHERE source = ? AND endpoint IN (SELECT value FROM json_each(?)) AND fetched_ms <= ?
       AND status BETWEEN 200 AND 299 GROUP BY endpoint, symbol`,
    ),
    byId: db.prepare<[number], RowWithData>(`SELECT ${columns}, data FROM ${joined} WHERE answer.id = ?`),
    body: db.prepare<[Buffer], number>('SELECT id FROM body WHERE sha256 = ?').pluck(),
    addBody: db.prepare<[Buffer, number, Buffer]>('INSERT INTO body (sha256, size, data) VALUES (?, ?, ?)'),
    add: db.prepare<[string, string, string, string, number, string, number, number]>(
      `INSERT INTO answer (source, endpoint, symbol, params, status, content_type, fetched_ms, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    clear: db.prepare<[string, string | null, string | null]>(
      'DELETE FROM answer WHERE source = ? AND (? IS NULL OR endpoint = ?)',
    ),
    sweep: db.prepare('DELETE FROM body WHERE id NOT IN (SELECT body FROM answer)'),
  }
  const parts = ({ source, endpoint, symbol, params }: ResponseKey) => [source, endpoint, symbol, params] as const

  return {
    async newest(key, atMs) {
      const row = sql.newest.get(...parts(key), atMs ?? Number.MAX_VALUE)
      return row === undefined ? null : whole(row)
    },
    // better-sqlite3 is synchronous; the interface returns promises for stores that aren't.
    versions: async (key, atMs) => sql.versions.all(...parts(key), atMs ?? Number.MAX_VALUE, MAX_VERSIONS).map(version),
    received: async ({ source, endpoint, symbol }, atMs) =>
      sql.received.all(source, endpoint, symbol, atMs ?? Number.MAX_VALUE, MAX_VERSIONS).map(version),
    asked: async ({ source, endpoint, symbol }, atMs) =>
      sql.asked.all(source, endpoint, symbol, atMs ?? Number.MAX_VALUE, MAX_VERSIONS),
    latest: async (source, endpoints, atMs) =>
      sql.latest
        .all(source, JSON.stringify(endpoints), atMs ?? Number.MAX_VALUE)
        .map(({ id, endpoint, symbol }) => ({ id, endpoint, symbol })),
    async byId(id) {
      const row = sql.byId.get(id)
      return row === undefined ? null : whole(row)
    },
    async save(response) {
      const bytes = Buffer.from(response.text, 'utf8')
      const sha256 = createHash('sha256').update(bytes).digest()
      const data =
        sql.body.get(sha256) === undefined
          ? await compress(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 6 } })
          : null
      return db.transaction(() => {
        const old = sql.body.get(sha256)
        if (old === undefined && data === null)
          throw new CodedError('internal', 'A response was cleared while it was being saved.')
        const body = old ?? Number(sql.addBody.run(sha256, bytes.length, data ?? bytes).lastInsertRowid)
        const { status, contentType, fetchedMs } = response
        return Number(sql.add.run(...parts(response), status, contentType, fetchedMs, body).lastInsertRowid)
      })()
    },
    async clear(source, endpoint) {
      db.transaction(() => {
        sql.clear.run(source, endpoint, endpoint)
        sql.sweep.run()
      })()
      // The WAL still has the cleared data, so truncate it now. If a reader blocks this, a later checkpoint will.
      db.pragma('busy_timeout = 0')
      db.pragma('wal_checkpoint(TRUNCATE)')
      db.pragma(`busy_timeout = ${BUSY_MS}`)
    },
    close: () => void db.close(),
  }
}

const version = (row: Row): ResponseVersion => ({
  id: row.id,
  fetchedMs: unixMs(row.fetched_ms),
  status: row.status,
  contentType: row.content_type,
  size: row.size,
  sha256: row.sha256.toString('hex'),
})

/** Loads the text and checks its hash, so that corrupt data is never shown as a response. */
async function whole(row: RowWithData): Promise<ServiceResponse> {
  const bytes = await decompress(row.data, { maxOutputLength: MAX_RESPONSE_BYTES + 1 }).catch(() => null)
  if (bytes === null || !createHash('sha256').update(bytes).digest().equals(row.sha256)) {
    throw new CodedError('store-damaged', 'A saved response is corrupt and can’t be shown.', { hint: 'Refresh it.' })
  }
  return { ...version(row), text: bytes.toString('utf8') }
}

function openDatabase(file: string): Database.Database {
  try {
    makeFolder(dirname(file))
    const db = new Database(file)
    try {
      db.pragma(`busy_timeout = ${BUSY_MS}`)
      refuseForeign(db, file) // must come first, because setting the journal mode writes to the file
      db.pragma('journal_mode = WAL')
      db.pragma('synchronous = NORMAL')
      // Overwrite cleared responses, so that none remain in free pages.
      db.pragma('secure_delete = ON')
      db.transaction(() => prepare(db)).immediate()
      return db
    } catch (thrown) {
      db.close()
      throw thrown
    }
  } catch (thrown) {
    if (thrown instanceof CodedError) throw thrown
    const code = thrown instanceof Database.SqliteError ? thrown.code : ''
    if (/CORRUPT|NOTADB/.test(code)) {
      throw new CodedError('store-damaged', `Couldn’t read the history of responses in ${file}.`, {
        hint: 'Move the file away; Tapedeck will create a new one.',
        cause: thrown,
      })
    }
    throw new CodedError('disk-error', `Couldn’t save responses in ${file}.`, {
      hint: 'Check that its folder is writable and that the disk isn’t full.',
      cause: thrown,
    })
  }
}

/** Counts triggers, views and virtual tables, which could run SQL when a response is saved. We create none. */
const hiddenIn = (db: Database.Database): number =>
  Number(
    db
      .prepare(`SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%'`)
      .pluck()
      .get(),
  )
const tables = (db: Database.Database): number => Number(db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get())

function refuseForeign(db: Database.Database, file: string): void {
  const application = Number(db.pragma('application_id', { simple: true }))
  if (application !== APPLICATION_ID && tables(db) > 0) {
    throw new CodedError('store-damaged', `${file} isn’t a Tapedeck response history.`, {
      hint: 'Move the file away; Tapedeck will create a new one.',
    })
  }
  if (hiddenIn(db) > 0) {
    throw new CodedError('store-damaged', `${file} contains hidden commands (triggers or views) and wasn’t opened.`, {
      hint: 'Tapedeck never writes any. Move the file away; Tapedeck will create a new one.',
    })
  }
  if (Number(db.pragma('user_version', { simple: true })) > VERSION) {
    throw new CodedError('store-newer', `${file} was written by a newer Tapedeck.`, { hint: 'Update Tapedeck.' })
  }
}

function prepare(db: Database.Database): void {
  if (tables(db) > 0) return
  db.exec(TABLES)
  db.pragma(`application_id = ${APPLICATION_ID}`)
  db.pragma(`user_version = ${VERSION}`)
}
