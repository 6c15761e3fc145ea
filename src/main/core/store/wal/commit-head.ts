/** Records each commit in the store's head. Faults here never stop a recording. */
import { closeSync, openSync } from 'node:fs'
import { HeadFile, type Head } from './store-head.ts'
import { findErasure, logFile, readLog } from './log-check.ts'
import type { Db } from '../schema/sqlite.ts'
import { readLogEnd, type LogPosition } from './wal.ts'

export class CommitHead {
  readonly #store: string
  /** Frames in the write-ahead log up to the last commit. Changes nothing. */
  readonly #frames
  readonly #newest
  readonly #erasedSince
  #file: HeadFile | null = null
  #wal: number | undefined
  #position: LogPosition | null = null
  #isInFile = false
  #log: Head['log'] = null
  #closed: Head['closed'] = null
  #last: Head['last'] = null
  #isLogOld = true

  /**
   * Writes the store's current state to its head. `before`: the head as it was when the store was opened; null if there
   * was none to trust.
   */
  constructor(store: string, db: Db, before: Head | null = null) {
    this.#store = store
    this.#last = before?.last ?? null
    this.#log = before?.log ?? null
    this.#frames = db.prepare<[], { log: number }>('PRAGMA wal_checkpoint(NOOP)')
    this.#erasedSince = findErasure(db)
    this.#newest = db.prepare<[], { n: number; kind: string; body: string; hash: Buffer }>(
      'SELECT n, kind, body, hash FROM store_log ORDER BY n DESC LIMIT 1',
    )
    this.committed()
  }

  /** Call within a transaction that adds to the store log. */
  logChanges(): void {
    this.#isLogOld = true
  }

  /** Call after a commit is durable. Returns the number of frames in the write-ahead log. */
  committed(last: Head['last'] = this.#last): number {
    this.#last = last
    this.#quietly(() => {
      this.#wal ??= openSync(logFile(this.#store), 'r')
      const end = readLogEnd(readLog(this.#wal), this.#frames.get()?.log ?? 0)
      if (end?.frames !== this.#position?.frames || end?.salt1 !== this.#position?.salt1) this.#isInFile = false
      this.#position = end
      if (this.#isLogOld) this.#readLog()
      this.#write(false)
    })
    return this.#position?.frames ?? 0
  }

  /** Call after a checkpoint that copied everything. */
  copiedToFile(): void {
    this.#isInFile = true
    this.#quietly(() => this.#write(false))
  }

  /** Call after the log was emptied. */
  emptied(): void {
    this.#position = null
    this.#isInFile = true
    this.#quietly(() => this.#write(true))
  }

  close(): void {
    this.#quietly(() => {
      if (this.#wal !== undefined) closeSync(this.#wal)
    })
    this.#quietly(() => this.#file?.close())
  }

  #readLog(): void {
    const row = this.#newest.get()
    // The erased session may be the last one written, and its number may be reused.
    if (this.#erasedSince.get(this.#log?.n ?? 0) !== undefined) this.#last = null
    this.#log = row === undefined ? null : { n: row.n, hash: row.hash }
    this.#closed = null
    if (row?.kind === 'close') {
      const { recording, clean } = JSON.parse(row.body) as { readonly recording: string; readonly clean: boolean } // written by the engine
      this.#closed = { session: recording, clean }
    }
    this.#isLogOld = false
  }

  #write(isDurable: boolean): void {
    this.#file ??= new HeadFile(this.#store)
    this.#file.write(
      { position: this.#position, isInFile: this.#isInFile, log: this.#log, last: this.#last, closed: this.#closed },
      isDurable,
    )
  }

  /** Runs a write of the head. If it fails, the head lags behind, which is allowed. */
  #quietly(run: () => void): void {
    try {
      run()
    } catch {
      // A full or read-only disk: the store's own writes report it.
    }
  }
}
