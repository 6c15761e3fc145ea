/** Work on sessions other than the one being recorded: replicas, import, label, erase, compact. */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import { isTeamKey } from '../../../../shared/core/recording/session.ts'
import { Compaction, type CompactResult } from '../write/compact.ts'
import { forgetFindings } from './findings.ts'
import { refuseHeld } from './holds.ts'
import { Imports, type Responder } from './import.ts'
import { Labels } from './labels.ts'
import { Replicas } from './replicas.ts'
import type { Batch } from '../types/messages.ts'
import type { ImportDetails, ImportOutcome, LabelChange } from '../types/library.ts'
import type { ReplicaDetails, ReplicaPosition } from '../types/replica.ts'
import type { Work } from '../write/background-work.ts'
import type { WriteContext } from '../write/write-context.ts'
import type { CloseRecord, StoredSession } from '../schema/records.ts'

export interface CompactControl extends Responder<CompactResult> {
  /** Gets a fraction from 0 to 1. */
  readonly progress: (done: number) => void
  readonly isCanceled: () => boolean
}

export class Library {
  readonly #context: WriteContext
  readonly #labels: Labels
  readonly #imports: Imports
  readonly replicas: Replicas
  /** Numbers of rows without a session, to be cleared. */
  readonly #hidden: number[]
  #compaction: { readonly control: CompactControl; readonly run: Compaction; readonly pieces: Iterator<Work> } | null =
    null

  constructor(context: WriteContext) {
    this.#context = context
    this.#labels = new Labels(context.db)
    this.#hidden = context.hidden.find()
    this.#imports = new Imports(context, this.#labels, (id) => this.#hidden.push(id))
    this.replicas = new Replicas(context)
  }

  /** Begins an import; see `Imports.begin`. */
  beginImport(handle: number, about: ImportDetails): ImportOutcome | null {
    this.#requireZstd()
    return this.#imports.begin(handle, about)
  }

  /** Opens or resumes a replica; see `Replicas.open`. */
  openReplica(about: ReplicaDetails): ReplicaPosition {
    if (this.#imports.isImporting(about.id)) throw new CodedError('busy', `Session ${about.id} is being imported.`)
    return this.replicas.open(about)
  }

  appendImport(handle: number, batches: readonly Batch[], responder: Responder<void>): void {
    this.#imports.append(handle, { batches, ...responder })
  }

  /** Ends an import; see `WriterMethods.endImport`. */
  endImport(handle: number, publishes: readonly number[] | null, responder: Responder<ImportOutcome>): void {
    this.#imports.end(handle, { publishes, ...responder })
  }

  abortImport(handle: number): void {
    this.#imports.abort(handle)
  }

  /** Changes all labels or none. Throws `not-found` or `not-allowed`. */
  label(labels: readonly LabelChange[]): void {
    this.#context.transaction(() => {
      for (const { session, patch, binnedMs } of labels)
        this.#labels.set(this.#requireChangeable(session, binnedMs), patch, binnedMs)
    })
  }

  /** Compacts the store in steps. Throws `busy` while it is being compacted. */
  compact(control: CompactControl): void {
    this.#requireZstd()
    if (this.#compaction !== null) throw new CodedError('busy', 'The store is already being compacted.')
    const run = new Compaction(this.#context, control.progress)
    this.#compaction = { control, run, pieces: run.pieces() }
  }

  /**
   * Erases closed sessions and replicas permanently. Tombstones are written at once; rows are deleted in small steps. Throws
   * `not-found` or `not-allowed`, with none erased.
   */
  erase(sessions: readonly SessionId[]): void {
    const { db, log, file } = this.#context
    refuseHeld(file, sessions)
    const ids = this.#context.transaction(() =>
      sessions.map((key) => {
        const row = db.prepare<[string], StoredSession>('SELECT * FROM recording WHERE key = ?').get(key)
        if (row === undefined) throw new CodedError('not-found', `There is no session ${key}.`)
        const { messages, heads } = this.#endOf(row)
        log('delete', JSON.stringify({ recording: key, messages, heads }))
        db.prepare<[number]>('DELETE FROM recording WHERE id = ?').run(row.id)
        return row.id
      }),
    )
    forgetFindings(file, sessions)
    for (const session of sessions) this.replicas.forget(session)
    this.#hidden.push(...ids)
  }

  /** Throws `not-allowed` for a session that is being recorded here. */
  #endOf(row: StoredSession): Pick<CloseRecord, 'messages' | 'heads'> {
    if (row.summary !== null) return JSON.parse(row.summary) as CloseRecord // written by the engine
    if (!isTeamKey(row.source)) throw new CodedError('not-allowed', `Session ${row.key} isn’t closed yet.`)
    return this.replicas.endOf(row)
  }

  /** The next step of work, if any. Each is short, so that received messages are sealed in between. */
  due(): Work | null {
    return this.replicas.due() ?? this.#imports.due() ?? this.#clear() ?? this.#compact()
  }

  /** Call before the store closes. Imports end without a trace, and unfinished clearing continues at the next start. */
  stop(): void {
    this.#imports.abortAll()
    this.replicas.stop()
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
    const { control, run, pieces } = this.#compaction
    const over = (): null => {
      this.#compaction = null
      this.#context.db.pragma('wal_checkpoint(PASSIVE)')
      return null
    }
    try {
      const next = run.isStopped || control.isCanceled() ? undefined : pieces.next()
      if (next !== undefined && next.done !== true) return next.value
      over()
      control.done(run.result)
    } catch (thrown) {
      over()
      control.failed(thrown)
    }
    return null
  }

  /** The session's number. Throws `not-allowed` if a session that is being recorded here would be binned. */
  #requireChangeable(session: SessionId, binnedMs: number | null | undefined): number {
    const id = this.#labels.find(session)
    if (typeof binnedMs !== 'number') return id
    const row = this.#context.db
      .prepare<[number], Pick<StoredSession, 'summary' | 'source'>>(
        'SELECT summary, source FROM recording WHERE id = ?',
      )
      .get(id)
    // A replica whose recorder never ends it must not stay forever.
    if (row?.summary === null && !isTeamKey(row.source))
      throw new CodedError('not-allowed', 'A session that isn’t closed yet can’t be deleted.')
    return id
  }

  #requireZstd(): void {
    if (this.#context.canSeal) return
    throw new CodedError('not-allowed', "Sessions can't be imported or compacted by a Node without zstd.", {
      hint: 'Update Tapedeck, or run it on Node 24.',
    })
  }
}
