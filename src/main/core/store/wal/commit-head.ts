/** Follows the commits of the writer and notes each in the store's head. What goes wrong here never stops a recording. */
import { closeSync, openSync } from 'node:fs'
import { HeadFile, type Head } from './store-head.ts'
import { findErasure, logFile, readLog } from './log-check.ts'
import type { Db } from '../schema/sqlite.ts'
import { readLogEnd, type LogPosition } from './wal.ts'

export class CommitHead {
  readonly #store: string
  /** Frames in the write-ahead log up to the last commit; changes nothing. */
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

  /** `before`: what the store's head said when it was opened; null: nothing that holds. Notes the store as it is now. */
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

  /** To be called within a transaction that adds to the store log. */
  logChanges(): void {
    this.#isLogOld = true
  }

  /** After a commit is durable. Returns the frames that the write-ahead log now holds. */
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

  /** After a checkpoint that left nothing to copy. */
  copiedToFile(): void {
    this.#isInFile = true
    this.#quietly(() => this.#write(false))
  }

  /** After the log was emptied. */
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
    // It may be the one that was written last that was erased, and its number may be used again.
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

  /** A head that can't be written stays as it is: it lags, which is no fault. */
  #quietly(run: () => void): void {
    try {
      run()
    } catch {
      // A full disk, or a folder that may not be written: the store's own writes say so.
    }
  }
}
