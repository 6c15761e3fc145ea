/** Opens the store's file and translates SQLite's errors. */
import Database from 'better-sqlite3'
import { existsSync } from 'node:fs'
import { CodedError, toFailure, type Failure } from '../../../../shared/base/errors.ts'
import { LATEST_VERSION, migrate } from './migrations.ts'
import { refuseDuringRestore } from './store-path.ts'

export type Db = Database.Database

/**
 * Statements that are prepared when they are first used. Preparing all of a reader's took a third of the time it needs
 * to open a store, and most readers use few of them.
 */
export function lazyStatements<T extends Record<string, () => unknown>>(
  prepare: T,
): { readonly [K in keyof T]: ReturnType<T[K]> } {
  const statements = {}
  for (const [name, make] of Object.entries(prepare)) {
    Object.defineProperty(statements, name, {
      configurable: true,
      get(): unknown {
        const value = make()
        Object.defineProperty(statements, name, { value })
        return value
      },
    })
  }
  return statements as { readonly [K in keyof T]: ReturnType<T[K]> } // one for each name
}

/** "TDK1", the application id in SQLite's header. */
export const APPLICATION_ID = 0x54444b31

const code = (thrown: unknown): string => (thrown instanceof Database.SqliteError ? thrown.code : '')

/** Whether retrying later can help: the disk is full, failing, read-only or busy. */
export function isDiskError(thrown: unknown): boolean {
  return /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED|NOMEM|PROTOCOL)/.test(code(thrown))
}

/** Converts an error of SQLite to one with a code, a sentence and a next step. */
export function storeError(thrown: unknown, file: string): CodedError {
  if (thrown instanceof CodedError) return thrown
  const sqlite = code(thrown)
  const options = (hint: string) => ({ hint, cause: thrown })
  if (sqlite.startsWith('SQLITE_FULL')) {
    return new CodedError('disk-full', 'The disk that holds the store is full.', options('Free some space.'))
  }
  if (sqlite.startsWith('SQLITE_READONLY')) {
    return new CodedError(
      'disk-error',
      `Can’t write to the store ${file}.`,
      options('Make the file and its folder writable.'),
    )
  }
  if (sqlite.startsWith('SQLITE_CANTOPEN')) {
    return new CodedError(
      'disk-error',
      `Can’t open the store ${file}.`,
      options('Check that its folder exists and is writable, or choose another store.'),
    )
  }
  if (/^SQLITE_(CORRUPT|NOTADB|FORMAT)/.test(sqlite)) {
    return new CodedError(
      'store-damaged',
      `${file} isn’t a readable Tapedeck store.`,
      options('Run "tapedeck verify", restore the file from a backup, or choose another one.'),
    )
  }
  if (/^SQLITE_(BUSY|LOCKED)/.test(sqlite)) {
    return new CodedError(
      'store-locked',
      `Another program has locked the store ${file}.`,
      options('Close it, or choose another store.'),
    )
  }
  if (isDiskError(thrown)) {
    return new CodedError(
      'disk-error',
      `The disk that holds the store ${file} reported an error.`,
      options('Check the disk.'),
    )
  }
  return new CodedError('internal', 'The store failed unexpectedly.', options('The log pane has the details.'))
}

export const storeFailure = (thrown: unknown, file: string): Failure => toFailure(storeError(thrown, file))

/** Rejects a file made by a newer Tapedeck or another program, without touching it. */
function refuseForeign(file: string): void {
  // Opened through SQLite, not fs: closing a second descriptor of the file would drop this process's locks on it.
  const probe = new Database(file, { readonly: true, fileMustExist: true })
  try {
    const version = Number(probe.pragma('user_version', { simple: true }))
    const application = Number(probe.pragma('application_id', { simple: true }))
    const tables = probe.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()
    if (application !== APPLICATION_ID && !(application === 0 && version === 0 && tables === 0)) {
      throw new CodedError('store-damaged', `${file} isn’t a Tapedeck store.`, { hint: 'Choose another file.' })
    }
    // Tapedeck creates no triggers, views or virtual tables. One added by somebody else would run at our next commit.
    const hidden = probe
      .prepare(`SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%'`)
      .pluck()
      .get()
    if (hidden !== 0) {
      throw new CodedError(
        'store-damaged',
        `The store ${file} contains hidden commands (triggers or views) and wasn’t opened.`,
        {
          hint: 'Tapedeck never writes any. Restore the store from your own backup, or choose another one.',
        },
      )
    }
    if (version > LATEST_VERSION) {
      throw new CodedError(
        'store-newer',
        `The store ${file} was written by a newer Tapedeck (format ${version}; this one supports ${LATEST_VERSION}).`,
        {
          hint: 'Update Tapedeck, or choose another store. The file was left untouched.',
        },
      )
    }
  } finally {
    probe.close()
  }
}

/** Opens a store and prepares the connection, which is closed if that fails. Throws CodedError. */
function open(file: string, options: Database.Options, prepare: (db: Db) => void): Db {
  try {
    refuseDuringRestore(file)
    if (existsSync(file)) refuseForeign(file)
    else if (options.fileMustExist === true)
      throw new CodedError('not-found', `There is no store at ${file}.`, {
        hint: 'Record something first, or name another file.',
      })
    const db = new Database(file, options)
    try {
      prepare(db)
      return db
    } catch (thrown) {
      db.close()
      throw thrown
    }
  } catch (thrown) {
    throw storeError(thrown, file)
  }
}

/** Opens the store for the writer, creating or migrating it. The caller holds the lock. Throws CodedError. */
export const openForWriting = (file: string): Db =>
  open(file, {}, (db) => {
    db.pragma('secure_delete = ON')
    db.pragma('busy_timeout = 5000')
    migrate(db, APPLICATION_ID)
    db.pragma('journal_mode = WAL')
    // better-sqlite3 defaults to NORMAL under WAL, which doesn't make commits durable.
    db.pragma('synchronous = FULL')
    // The engine checkpoints earlier, after noting the commit. This only bounds a log that the engine can't follow.
    db.pragma('wal_autocheckpoint = 8000')
    db.pragma('journal_size_limit = 67108864')
  })

/** Opens the store for a reader, which never writes and never blocks the writer. Throws CodedError. */
export const openForReading = (file: string): Db =>
  open(file, { readonly: true, fileMustExist: true }, (db) => {
    db.pragma('busy_timeout = 5000')
    const version = Number(db.pragma('user_version', { simple: true }))
    if (version < LATEST_VERSION) {
      throw new CodedError('store-damaged', `The store ${file} has the older format ${version}.`, {
        hint: 'Start Tapedeck once to upgrade the store.',
      })
    }
    db.pragma('cache_size = -32000')
  })
