/**
 * The store's writer without threads and timers: begin, commit, end, and background work in turns. Every method that
 * writes throws SQLite's errors, with nothing changed in the file or in memory.
 */
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { sourceKey, type FeedCounts, type GapCause, type Source } from '../../../../shared/core/recording/session.ts'
import type { ReplayBookmark } from '../../../../shared/features/replay/replay.ts'
import type { SessionId, UnixMs } from '../../../../shared/base/units.ts'
import { newColumns } from '../format/message-columns.ts'
import { HiddenRows } from '../write/soft-delete.ts'
import { emptyLog } from '../schema/checkpoint.ts'
import { Appender, type Appended } from '../write/commit.ts'
import { closingEntries } from '../write/crash-recovery.ts'
import { Library } from '../library/library.ts'
import { lockStore, type Lock } from '../schema/lock.ts'
import { OwnershipLost } from '../schema/ownership.ts'
import { deleteBookmark, insertBookmark } from '../library/bookmarks.ts'
import type { Batch } from '../types/messages.ts'
import type { NewBookmark, NewSnapshot } from '../types/replay.ts'
import type { StoreNotice } from '../types/writer.ts'
import { lastStoredSeq, loadOpenSessions, newSession, type OpenSession } from '../write/open-session.ts'
import { noticeMissingCommits, recoverLog } from '../wal/recover-log.ts'
import { BackgroundWork, type Work } from '../write/background-work.ts'
import { createCloseRecord, writeClose } from '../write/close-record.ts'
import { Transactions } from '../write/transactions.ts'
import { RollupWriter } from '../write/rollup-writer.ts'
import { Sealer } from '../write/sealer.ts'
import { SnapshotWriter } from '../write/snapshots.ts'
import { openForWriting, storeError, type Db } from '../schema/sqlite.ts'
import { hasZstd } from '../../../base/zstd.ts'
import type { BeginRecord } from '../schema/records.ts'

/**
 * When the journal is sealed. A block's overhead doesn't depend on its rows, so each of hundreds of instruments should
 * have dozens of messages first. Unsealed messages are just as durable and readable.
 */
export const SEAL_AFTER_MS = 30_000
const SEAL_AFTER_BYTES = 8 << 20
/** A journal of this size is sealed as fast as possible. */
const URGENT_SEAL_BYTES = 2 * SEAL_AFTER_BYTES
/** How long closing the store waits for readers, so that the file alone holds everything. */
const CLOSE_PATIENCE_MS = 1_000
const NOTHING = newColumns(0, 0)

export interface CommitResult {
  readonly session: SessionId
  readonly seq: number
  readonly messages: number
  readonly firstMonoNs: number
}

export class StoreEngine {
  /** The store's real path. */
  readonly file: string
  readonly #lock: Lock
  readonly #db: Db
  readonly #transactions: Transactions
  readonly #background: BackgroundWork
  /** Without zstd everything stays in the journal. A later start with zstd seals and closes it. */
  readonly #canSeal: boolean
  readonly #appender: Appender
  readonly #sealer: Sealer
  readonly #rollups: RollupWriter
  readonly #hidden: HiddenRows
  readonly #snapshots: SnapshotWriter
  /** Faults found when the store was opened. */
  readonly notices: readonly StoreNotice[]
  /** Why open sessions lack their end, unless the caller knows better. */
  readonly #causeOfLoss: GapCause
  /** The session that was closed cleanly although its close record is lost. */
  readonly #closedCleanly: string | null
  /** Replicas, imports, labels, erasing and compaction, during and after recording. */
  readonly library: Library
  /** Monotonic, because a wall clock that is set back must not delay background work. */
  readonly #nowMs: () => number
  /** Open sessions, oldest first. The last one may be the current one. */
  readonly #open: OpenSession[]
  #current: OpenSession | null = null
  #isKeepingUp = false
  #sizes = { atMs: -Infinity, storeBytes: 0, freeBytes: 0 }

  /** Takes the lock, opens or creates the store and migrates it. Throws CodedError. */
  constructor(file: string, nowMs: () => number = () => performance.now(), canSeal = hasZstd) {
    this.#canSeal = canSeal
    this.#nowMs = nowMs
    this.#lock = lockStore(file)
    this.file = this.#lock.file
    let opened: Db | null = null
    let openedTransactions: Transactions | null = null
    try {
      const recovered = recoverLog(this.file, Date.now())
      opened = openForWriting(this.file)
      this.#db = opened
      noticeMissingCommits(this.#db, this.file, recovered, Date.now())
      const { head, hasLoss, notices } = recovered
      this.notices = notices
      this.#causeOfLoss = hasLoss ? 'disk' : 'crash'
      this.#closedCleanly = hasLoss && head?.closed?.clean === true ? head.closed.session : null
      // If the bad commits stayed behind the good ones, they would look like another loss after the next crash.
      const mustRetry = recovered.isCorrupt && !emptyLog(this.#db, CLOSE_PATIENCE_MS)
      openedTransactions = new Transactions({
        db: this.#db,
        lock: this.#lock,
        recovered,
        nowMs,
        isUnchanged: () =>
          [...this.#open, ...this.library.replicas.states()].every(
            (rec) => lastStoredSeq(this.#db, rec.id) === rec.lastSeq,
          ),
      })
      if (mustRetry) openedTransactions.retryEmptyingLog()
      const transactions = (this.#transactions = openedTransactions)
      this.#background = new BackgroundWork({
        findDue: () => this.#findDue(),
        transaction: (run) => transactions.run(run),
        nowMs,
      })
      this.#appender = new Appender(this.#db)
      this.#sealer = new Sealer(this.#db, nowMs)
      this.#rollups = new RollupWriter(this.#db)
      // Without zstd their blocks are unreadable, so they wait, too.
      this.#open = canSeal ? loadOpenSessions(this.#db) : []
      this.#hidden = new HiddenRows(this.#db)
      this.#snapshots = new SnapshotWriter(this.#db)
      this.library = new Library({
        db: this.#db,
        file: this.file,
        appender: this.#appender,
        sealer: this.#sealer,
        rollups: this.#rollups,
        hidden: this.#hidden,
        canSeal,
        nowMs,
        transaction: (run) => transactions.run(run),
        runUnnoted: (run) => transactions.runUnnoted(run),
        note: (rec) => {
          transactions.note(rec)
          transactions.copyLogIfDue()
        },
        log: (kind, body) => transactions.log(kind, body),
        closeRecord: (rec) => createCloseRecord(this.#db, rec),
      })
    } catch (thrown) {
      // Nobody receives this engine, so nobody else can close what it opened. Each retry would leak again.
      try {
        openedTransactions?.close()
        opened?.close()
      } finally {
        this.#lock.release()
      }
      throw storeError(thrown, this.file)
    }
  }

  /** Sessions that their writer didn't close. */
  get unclosed(): readonly SessionId[] {
    return this.#open.filter((rec) => rec !== this.#current && rec.finish === null).map((rec) => rec.key)
  }

  /**
   * Opens a session. For sessions that an earlier process left open, it writes gaps from their last stored stamp to now
   * for every connected feed. Sealing them and writing their close records is background work, because messages are
   * waiting for the new session. Does nothing if the session is already current. `causes` gives known causes of the
   * gaps.
   */
  begin(key: SessionId, source: Source, startedMs: UnixMs, causes: ReadonlyMap<SessionId, GapCause> = new Map()): void {
    if (this.#current?.key === key) return
    this.#closeAll(this.#open, startedMs, causes)
    const id = this.#transactions.run(() => {
      const body: BeginRecord = { recording: key, source, startedMs }
      this.#transactions.log('begin', JSON.stringify(body))
      // Never a number that rows of an erased session still use.
      const fresh = this.#hidden.freshId('recorded')
      this.#db
        .prepare<[number, string, string, number]>(
          'INSERT INTO recording (id, key, source, started_ms, clean, sealed_seq) VALUES (?, ?, ?, ?, 0, 0)',
        )
        .run(fresh, key, sourceKey(source), startedMs)
      return fresh
    })
    this.#snapshots.forget()
    this.#current = newSession(id, key, sourceKey(source), startedMs)
    this.#open.push(this.#current)
  }

  /** Closes sessions that an earlier process left open. `untilMs`: end of their gaps, UTC ms. */
  recoverSessions(untilMs: UnixMs): void {
    this.#closeAll(
      this.#open.filter((rec) => rec !== this.#current),
      untilMs,
      new Map(),
    )
  }

  /** Makes batches of the current session durable in one transaction. Report it, then call `copyLogIfDue`. */
  commit(batches: readonly Batch[]): CommitResult {
    const rec = this.#current
    if (rec === null) throw new TypeError('nothing is being recorded')
    const append = (): Appended => this.#appender.write(rec, batches)
    const { ready } = this.#background
    let done: Appended
    if (ready === null) done = this.#transactions.runUnnoted(append)
    else {
      try {
        done = this.#transactions.runUnnoted(() => {
          ready()
          return append()
        })
        this.#background.markWritten()
      } catch (thrown) {
        if (thrown instanceof OwnershipLost) throw thrown
        // Received messages come first: background work may need more space than the disk has.
        done = this.#transactions.runUnnoted(append)
      }
    }
    this.#appender.accept(rec, done, this.#nowMs())
    this.#transactions.note(rec)
    return { session: rec.key, seq: done.lastSeq, messages: done.messages, firstMonoNs: done.firstMonoNs }
  }

  /** Copies the write-ahead log into the file if it is long, which takes longer than a commit. */
  copyLogIfDue(): void {
    this.#transactions.copyLogIfDue()
  }

  /**
   * Ends the current session. Sealing and the close record are background work. Returns its id; null if there is none.
   */
  end(endedMs: UnixMs, counts: readonly FeedCounts[]): SessionId | null {
    const rec = this.#current
    if (rec === null) return null
    rec.finish = { endedMs, counts, clean: true }
    this.#current = null
    return rec.key
  }

  /** Accepts a market snapshot. It is written as background work once its seq is durable. */
  snapshot(snapshot: NewSnapshot): void {
    this.#snapshots.offer(snapshot)
  }

  /** Throws `not-found` or `not-allowed`. */
  addBookmark(bookmark: NewBookmark): ReplayBookmark {
    return this.#transactions.run(() => insertBookmark(this.#db, bookmark))
  }

  /** Returns whether the bookmark existed. */
  removeBookmark(id: number): boolean {
    return this.#transactions.run(() => deleteBookmark(this.#db, id))
  }

  /** Whether a session has ended but its close record isn't written yet. */
  isFinishing(key: SessionId): boolean {
    return this.#canSeal && this.#open.some((rec) => rec.key === key && rec.finish !== null)
  }

  /** Bytes of the current session that are committed and not sealed. */
  get journalBytes(): number {
    return this.#current?.journalBytes ?? 0
  }

  /** Whether `turn` isn't urgent and can leave the processor to others. */
  get isLeisurely(): boolean {
    return this.#isKeepingUp && this.#current !== null && this.journalBytes < URGENT_SEAL_BYTES
  }

  /** Whether `turn` has work. */
  get hasWork(): boolean {
    return this.#background.hasWork
  }

  /** Does background work for about `budgetMs`. `waiting`: prepared writes wait briefly to join the next commit. */
  turn(budgetMs: number): 'more' | 'waiting' | 'idle' {
    return this.#background.turn(budgetMs, this.#current !== null)
  }

  /** Finishes all background work now. */
  drain(): void {
    while (this.hasWork) this.turn(Infinity)
  }

  /** Size of the store with its log, and free space on its disk, in bytes; at most a second old. */
  sizes(): { readonly storeBytes: number; readonly freeBytes: number } {
    const now = this.#nowMs()
    if (now - this.#sizes.atMs >= 1_000) {
      const size = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
      let freeBytes = 0
      try {
        const fs = statfsSync(dirname(this.file))
        freeBytes = fs.bavail * fs.bsize
      } catch {
        freeBytes = 0 // not every file system reports it; the store's own size is still known
      }
      this.#sizes = { atMs: now, storeBytes: size(this.file) + size(`${this.file}-wal`), freeBytes }
    }
    return this.#sizes
  }

  /**
   * Empties the write-ahead log, closes the file and releases the lock. The next begin finds a session that is still
   * open. Close readers first: while one has the store open, SQLite doesn't remove the log.
   */
  close(): void {
    try {
      this.#transactions.emptyLog(CLOSE_PATIENCE_MS)
      this.#transactions.close()
      this.#db.close()
    } finally {
      this.#lock.release()
    }
  }

  #findDue(): Work | null {
    this.#isKeepingUp = false
    if (!this.#canSeal) return this.library.replicas.due()
    const finishing = this.#open.find((rec) => rec.finish !== null)
    if (finishing !== undefined) return this.#finishWork(finishing)
    const rec = this.#current
    const due =
      rec !== null &&
      rec.journalBytes > 0 &&
      (rec.journalBytes >= SEAL_AFTER_BYTES || this.#nowMs() - rec.journalSinceMs >= SEAL_AFTER_MS)
    this.#isKeepingUp = due
    if (due) return this.#keepUp(rec)
    if (rec !== null && this.#snapshots.isDue(rec)) return this.#snapshots.write(rec)
    return this.library.due() ?? (this.#transactions.isEmptyingDue ? this.#emptyLogAgain() : null)
  }

  *#emptyLogAgain(): Work {
    this.#transactions.emptyLog(0)
  }

  *#keepUp(rec: OpenSession): Work {
    yield* this.#sealer.seal(rec)
    rec.journalSinceMs = this.#nowMs()
    yield* this.#sealer.merge(rec, false)
    yield* this.#rollups.write(rec, this.#nowMs(), false)
  }

  *#finishWork(rec: OpenSession): Work {
    yield* this.#snapshots.write(rec)
    while (yield* this.#sealer.seal(rec));
    yield* this.#sealer.merge(rec, true)
    yield* this.#rollups.write(rec, this.#nowMs(), true)
    yield () => writeClose(this.#db, rec, (kind, body) => this.#transactions.log(kind, body))
    this.#open.splice(this.#open.indexOf(rec), 1)
    this.#db.pragma('incremental_vacuum')
    this.#transactions.emptyLog(0)
  }

  #closeAll(open: readonly OpenSession[], untilMs: UnixMs, causes: ReadonlyMap<SessionId, GapCause>): void {
    // A copy, because closed sessions leave the list.
    for (const rec of [...open]) {
      if (rec.finish === null) this.#recoverSession(rec, causes.get(rec.key) ?? this.#causeOfLoss, untilMs)
    }
  }

  /**
   * Closes a session that a crash left open: gaps from its last stamp to `untilMs` (UTC ms), and later the close
   * record.
   */
  #recoverSession(rec: OpenSession, cause: GapCause, untilMs: UnixMs): void {
    const { entries, endedMs } = closingEntries(this.#db, rec, cause, untilMs)
    if (entries.length > 0) {
      const done = this.#transactions.run(() => this.#appender.write(rec, [{ messages: NOTHING, entries }]))
      this.#appender.accept(rec, done, this.#nowMs())
    }
    rec.finish = { endedMs, counts: [], clean: rec.key === this.#closedCleanly }
  }
}
