/** The writer's transactions: durable when they return, proven to be of the store's only writer, noted in the head. */
import type { Lock } from '../schema/lock.ts'
import { copyLog, emptyLog } from '../schema/checkpoint.ts'
import { Ownership } from '../schema/ownership.ts'
import { LOG_GENESIS, logHash } from '../format/ledger.ts'
import type { Db } from '../schema/sqlite.ts'
import { CommitHead } from '../wal/commit-head.ts'
import type { RecoveredLog } from '../wal/recover-log.ts'
import type { OpenSession } from './open-session.ts'

/** Pages in the write-ahead log that trigger a checkpoint (8 MB). */
const CHECKPOINT_FRAMES = 4_000
/** How often emptying the write-ahead log is retried while readers prevent it. */
const EMPTY_RETRY_MS = 1_000

export interface TransactionsOptions {
  readonly db: Db
  readonly lock: Lock
  readonly recovered: RecoveredLog
  readonly nowMs: () => number
  /** Whether every open session still ends where its writer stopped. */
  readonly isUnchanged: () => boolean
}

export class Transactions {
  readonly #db: Db
  readonly #ownership: Ownership
  readonly #head: CommitHead
  readonly #nowMs: () => number
  readonly #lastRow
  readonly #addRow
  /** Number of the last committed store log row. */
  #logged: number
  /** A transaction added to the log, or tried to. */
  #isLogChanged = false
  #isCopyDue = false
  /** When to retry emptying the write-ahead log, by `#nowMs`; null if there is nothing to retry. */
  #emptyLogAtMs: number | null = null

  /** Create it before reading anything that later transactions build on. */
  constructor({ db, lock, recovered, nowMs, isUnchanged }: TransactionsOptions) {
    this.#db = db
    this.#nowMs = nowMs
    this.#lastRow = db.prepare<[], { n: number; hash: Buffer }>('SELECT n, hash FROM store_log ORDER BY n DESC LIMIT 1')
    this.#addRow = db.prepare<[number, string, string, Uint8Array]>(
      'INSERT INTO store_log (n, kind, body, hash) VALUES (?, ?, ?, ?)',
    )
    this.#ownership = new Ownership(db, lock, () => lastLogged(db) === this.#logged && isUnchanged())
    this.#logged = lastLogged(db)
    this.#head = new CommitHead(lock.file, db, recovered.hasLoss ? null : recovered.head)
  }

  /** Runs one transaction. Throws OwnershipLost before `run` if another writer changed the store. */
  run<T>(run: () => T): T {
    const value = this.runUnnoted(run)
    this.note()
    this.copyLogIfDue()
    return value
  }

  /** Like `run`, but the caller notes the commit. */
  runUnnoted<T>(run: () => T): T {
    let logged = this.#logged
    const value = this.#db
      .transaction(() => {
        this.#ownership.check()
        const value = run()
        // Read back, because part of the log rows may have been rolled back within the transaction.
        if (this.#isLogChanged) logged = lastLogged(this.#db)
        return value
      })
      .immediate()
    this.#logged = logged
    this.#isLogChanged = false
    return value
  }

  /** Notes a commit, of a session or of something else. `copyLogIfDue` has to be called once it was reported. */
  note(rec?: OpenSession): void {
    const frames = this.#head.committed(rec === undefined ? undefined : { session: rec.id, seq: rec.lastSeq })
    this.#isCopyDue = frames >= CHECKPOINT_FRAMES
  }

  /** Copies a log that is long into the file. */
  copyLogIfDue(): void {
    if (!this.#isCopyDue) return
    this.#isCopyDue = false
    try {
      if (copyLog(this.#db)) this.#head.copiedToFile()
    } catch {
      // The commit itself is durable. The next one tries again.
    }
  }

  /** Adds a row to the store log. Call inside a transaction. */
  log(kind: 'begin' | 'close' | 'delete', body: string): void {
    this.#head.logChanges()
    const last = this.#lastRow.get()
    const n = (last?.n ?? 0) + 1
    this.#addRow.run(n, kind, body, logHash(last?.hash ?? LOG_GENESIS, n, kind, body))
    this.#isLogChanged = true
  }

  /** Makes the file alone hold every commit. A failure is retried later, because the commits are durable in the log. */
  emptyLog(patienceMs: number): void {
    let isEmpty = false
    try {
      isEmpty = emptyLog(this.#db, patienceMs)
      if (isEmpty) this.#head.emptied()
    } catch {
      // A full or failing disk.
    }
    if (isEmpty) this.#emptyLogAtMs = null
    else this.retryEmptyingLog()
  }

  retryEmptyingLog(): void {
    this.#emptyLogAtMs = this.#nowMs() + EMPTY_RETRY_MS
  }

  /** Whether it is time to try emptying the write-ahead log again. */
  get isEmptyingDue(): boolean {
    return this.#emptyLogAtMs !== null && this.#nowMs() >= this.#emptyLogAtMs
  }

  close(): void {
    this.#head.close()
  }
}

const lastLogged = (db: Db): number => Number(db.prepare('SELECT max(n) FROM store_log').pluck().get())
