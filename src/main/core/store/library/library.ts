/** Work on sessions other than the one being recorded: import, label, erase, compact. */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { RecordingId } from '../../../../shared/base/units.ts'
import { Compaction } from '../write/compact.ts'
import { Imports } from './import.ts'
import { Labels } from './labels.ts'
import type { LibraryReply, LibraryRequest } from '../types/writer-protocol.ts'
import type { Work } from '../write/sealer.ts'
import { storeFailure } from '../schema/sqlite.ts'
import type { WriteContext } from '../write/write-context.ts'
import type { CloseRecord } from '../schema/records.ts'

export class Library {
  readonly #context: WriteContext
  readonly #labels: Labels
  readonly #imports: Imports
  /** Numbers of rows without a session, to be cleared. */
  readonly #hidden: number[]
  #compaction: { readonly call: number; readonly run: Compaction; readonly pieces: Iterator<Work> } | null = null
  #reply: (reply: LibraryReply) => void = () => undefined

  constructor(context: WriteContext) {
    this.#context = context
    this.#labels = new Labels(context.db)
    this.#hidden = context.hidden.find()
    this.#imports = new Imports(context, this.#labels, (id) => this.#hidden.push(id))
  }

  /** Sets the receiver of replies. */
  listen(reply: (reply: LibraryReply) => void): void {
    this.#reply = reply
  }

  /** Handles a request. Failures are replies, never thrown. */
  handle(request: LibraryRequest): void {
    const { call } = request
    const done = (value?: unknown): void => this.#reply({ is: 'done', call, value })
    const failed = (thrown: unknown): void =>
      this.#reply({ is: 'failed', call, failure: storeFailure(thrown, this.#context.file) })
    try {
      switch (request.is) {
        case 'import-begin':
          this.#requireZstd()
          return done(this.#imports.begin(call, request.about))
        case 'import-append':
          return this.#imports.append(request.handle, { batches: request.batches, done, failed })
        case 'import-end':
          return this.#imports.end(request.handle, { done, failed })
        case 'import-abort':
          return done(this.#imports.abort(request.handle))
        case 'label':
          return done(
            this.#transaction(() => {
              for (const { session, patch, binnedMs } of request.labels)
                this.#labels.set(this.#requireChangeable(session, binnedMs), patch, binnedMs)
            }),
          )
        case 'erase':
          return done(this.erase(request.sessions))
        case 'compact': {
          this.#requireZstd()
          if (this.#compaction !== null) throw new CodedError('busy', 'The store is already being compacted.')
          const run = new Compaction(this.#context, (part) => this.#reply({ is: 'progress', call, done: part }))
          this.#compaction = { call, run, pieces: run.pieces() }
          return
        }
        case 'compact-stop':
          this.#compaction?.run.stop()
          return done()
      }
    } catch (thrown) {
      failed(thrown)
    }
  }

  /**
   * Erases closed sessions permanently. Tombstones are written at once; rows are deleted in small steps. Throws
   * `not-found` or `not-allowed`, with none erased.
   */
  erase(sessions: readonly RecordingId[]): void {
    const { db, log } = this.#context
    const ids = this.#transaction(() =>
      sessions.map((key) => {
        const row = db
          .prepare<[string], { id: number; summary: string | null }>('SELECT id, summary FROM recording WHERE key = ?')
          .get(key)
        if (row === undefined) throw new CodedError('not-found', `There is no session ${key}.`)
        if (row.summary === null) throw new CodedError('not-allowed', `Session ${key} isn’t closed yet.`)
        const { messages, heads } = JSON.parse(row.summary) as CloseRecord // written by the engine
        log('delete', JSON.stringify({ recording: key, messages, heads }))
        db.prepare<[number]>('DELETE FROM recording WHERE id = ?').run(row.id)
        return row.id
      }),
    )
    this.#hidden.push(...ids)
  }

  /** The next step of work, if any. Each is short, so that received messages are sealed in between. */
  due(): Work | null {
    return this.#imports.due() ?? this.#clear() ?? this.#compact()
  }

  /** Call before the store closes. Imports end without a trace, and unfinished clearing continues at the next start. */
  stop(): void {
    this.#imports.abortAll()
    this.#hidden.length = 0
    this.#compaction?.run.stop()
  }

  #clear(): Work | null {
    const id = this.#hidden[0]
    if (id === undefined) return null
    const work = this.#context.hidden.clear(id)
    const hidden = this.#hidden
    return (function* () {
      yield* work
      if (hidden[0] === id) hidden.shift()
    })()
  }

  #compact(): Work | null {
    if (this.#compaction === null) return null
    const { call, run, pieces } = this.#compaction
    const over = (): null => {
      this.#compaction = null
      this.#context.db.pragma('wal_checkpoint(PASSIVE)')
      return null
    }
    try {
      const next = run.stopped ? undefined : pieces.next()
      if (next !== undefined && next.done !== true) return next.value
      over()
      this.#reply({ is: 'done', call, value: run.result })
    } catch (thrown) {
      over()
      this.#reply({ is: 'failed', call, failure: storeFailure(thrown, this.#context.file) })
    }
    return null
  }

  /** The session's number. Throws `not-allowed` if a session that is being recorded would be binned. */
  #requireChangeable(session: RecordingId, binnedMs: number | null | undefined): number {
    const id = this.#labels.find(session)
    if (typeof binnedMs !== 'number') return id
    const summary = this.#context.db
      .prepare<[number], string | null>('SELECT summary FROM recording WHERE id = ?')
      .pluck()
      .get(id)
    if (summary === null) throw new CodedError('not-allowed', 'A session that isn’t closed yet can’t be deleted.')
    return id
  }

  #requireZstd(): void {
    if (this.#context.canSeal) return
    throw new CodedError('not-allowed', "Sessions can't be imported or compacted by a Node without zstd.", {
      hint: 'Update Tapedeck, or run it on Node 24.',
    })
  }

  #transaction<T>(run: () => T): T {
    return this.#context.transaction(run)
  }
}
