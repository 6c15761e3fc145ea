/**
 * Imports whole sessions next to the one being recorded. They are written like received data, but in small steps
 * between live commits, and stay hidden until they are complete.
 */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import { sourceKey } from '../../../../shared/core/recording/session.ts'
import type { Appended } from '../write/commit.ts'
import type { Labels } from './labels.ts'
import type { Batch } from '../types/messages.ts'
import type { ImportDetails, ImportOutcome } from '../types/library.ts'
import { batchBytes } from '../format/message-columns.ts'
import { newSession, type OpenSession } from '../write/open-session.ts'
import type { Work, WriteStep } from '../write/background-work.ts'
import { isDiskError, storeError } from '../schema/sqlite.ts'
import { epochPart, type BeginRecord, type CloseRecord } from '../schema/records.ts'
import type { WriteContext } from '../write/write-context.ts'

/** Bytes per transaction. It may share one with a live commit, which must not wait for it. */
const GROUP_BYTES = 512 << 10
const GROUP_BATCHES = 256
const SEAL_BYTES = 4 << 20

/** Where the result of a request goes, now or later. */
export interface Responder<T> {
  readonly done: (value: T) => void
  readonly failed: (thrown: unknown) => void
}

interface QueuedBatches extends Responder<void> {
  readonly batches: readonly Batch[]
}

interface Ending extends Responder<ImportOutcome> {
  /** The held imports that become visible with this one, in their order. Null: this one is held. */
  readonly publishes: readonly number[] | null
}

interface Import {
  readonly handle: number
  readonly about: ImportDetails
  readonly rec: OpenSession
  readonly waiting: QueuedBatches[]
  ending: Ending | null
  /** Set once it is complete; it is held until the session that publishes it is, too. */
  record: CloseRecord | null
  failure: CodedError | null
}

export class Imports {
  readonly #context: WriteContext
  readonly #labels: Labels
  readonly #addSession
  readonly #addBookmark
  readonly #imports = new Map<number, Import>()
  /** Called when an import ended, to clear what an incomplete one wrote. */
  readonly #onAbandoned: (id: number) => void

  constructor(context: WriteContext, labels: Labels, onAbandoned: (id: number) => void) {
    this.#context = context
    this.#labels = labels
    this.#onAbandoned = onAbandoned
    // Once: a file can have thousands of sessions, whose rows are added in one step.
    this.#addSession = context.db.prepare<[number, string, string, number, number, number, number, string]>(
      `INSERT INTO recording (id, key, source, started_ms, ended_ms, clean, sealed_seq, summary)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#addBookmark = context.db.prepare<[number, number, number | null, string]>(
      'INSERT INTO bookmark (recording, at_ms, seq, text) VALUES (?, ?, ?, ?)',
    )
  }

  /**
   * Begins an import. Returns the outcome if the store already holds the same session. Throws `not-allowed` if another
   * session has its id; that one is never overwritten.
   */
  begin(handle: number, about: ImportDetails): ImportOutcome | null {
    const { db, hidden } = this.#context
    const existing = db
      .prepare<[string], { summary: string | null }>('SELECT summary FROM recording WHERE key = ?')
      .get(about.id)
    if (existing !== undefined) {
      const closeRecord = existing.summary === null ? null : (JSON.parse(existing.summary) as CloseRecord) // written by the engine
      if (closeRecord !== null && about.heads !== undefined && equalHeads(closeRecord.heads, about.heads)) {
        return { session: about.id, messages: closeRecord.messages, already: true }
      }
      throw new CodedError('not-allowed', `The store already has a different session ${about.id}.`, {
        hint: 'Sessions are never overwritten. Import into another store with --store.',
      })
    }
    if (this.isImporting(about.id)) {
      throw new CodedError('busy', `Session ${about.id} is already being imported.`)
    }
    const rec = newSession(hidden.freshId('foreign'), about.id, sourceKey(about.source), about.startedMs)
    this.#imports.set(handle, { handle, about, rec, waiting: [], ending: null, record: null, failure: null })
    return null
  }

  /** Whether a session is being imported. */
  isImporting(session: SessionId): boolean {
    return [...this.#imports.values()].some(({ about }) => about.id === session)
  }

  append(handle: number, waiting: QueuedBatches): void {
    const one = this.#imports.get(handle)
    if (one === undefined) waiting.failed(gone())
    else if (one.failure !== null) waiting.failed(one.failure)
    else one.waiting.push(waiting)
  }

  end(handle: number, ending: Ending): void {
    const one = this.#imports.get(handle)
    if (one === undefined) ending.failed(gone())
    else if (one.failure !== null) ending.failed(one.failure)
    else one.ending = ending
  }

  /** Cancels an import. */
  abort(handle: number): void {
    const one = this.#imports.get(handle)
    if (one !== undefined) this.#fail(one, new CodedError('cancelled', 'The import was stopped. Nothing was imported.'))
  }

  abortAll(): void {
    for (const handle of [...this.#imports.keys()]) this.abort(handle)
  }

  /** The next step of work, if any. */
  due(): Work | null {
    for (const one of this.#imports.values()) {
      if (one.waiting.length > 0 || one.ending !== null) return this.#guarded(one)
    }
    return null
  }

  *#guarded(one: Import): Work {
    try {
      yield* one.waiting.length > 0 ? this.#appendGroup(one) : this.#finish(one)
    } catch (thrown) {
      this.#fail(one, storeError(thrown, this.#context.file))
    }
  }

  /**
   * Wraps a transaction of an import. An error in it, or in the commit that it is part of, ends the import and never delays
   * a live commit: nobody waits for room on a full disk until an import has been written.
   */
  #write(one: Import, run: () => void): WriteStep {
    return (failed) => {
      if (isDiskError(failed)) one.failure ??= storeError(failed, this.#context.file)
      if (one.failure !== null) return
      try {
        this.#context.db.transaction(run)()
      } catch (thrown) {
        one.failure = storeError(thrown, this.#context.file)
        if (isDiskError(thrown)) throw thrown
      }
    }
  }

  *#appendGroup(one: Import): Work {
    const { appender, sealer, rollups } = this.#context
    const group: Batch[] = []
    const taken: QueuedBatches[] = []
    let bytes = 0
    for (const waiting of one.waiting) {
      if (group.length > 0 && (bytes >= GROUP_BYTES || group.length >= GROUP_BATCHES)) break
      taken.push(waiting)
      group.push(...waiting.batches)
      for (const batch of waiting.batches) bytes += batchBytes(batch)
    }
    let done: Appended | undefined
    yield this.#write(one, () => {
      done = appender.write(one.rec, group)
    })
    if (one.failure !== null || done === undefined) return this.#fail(one, one.failure ?? gone())
    appender.accept(one.rec, done, this.#context.nowMs())
    one.waiting.splice(0, taken.length)
    for (const waiting of taken) waiting.done()
    if (one.rec.journalBytes < SEAL_BYTES) return
    yield* this.#runSteps(one, sealer.seal(one.rec))
    yield* this.#runSteps(one, sealer.merge(one.rec, false))
    yield* this.#runSteps(one, rollups.write(one.rec, this.#context.nowMs(), false))
  }

  *#finish(one: Import): Work {
    const { sealer, rollups } = this.#context
    const { rec, about } = one
    while (rec.journalBytes > 0 || rec.sealedSeq < rec.lastSeq) {
      const before = rec.sealedSeq
      yield* this.#runSteps(one, sealer.seal(rec))
      if (one.failure !== null || rec.sealedSeq === before) break
    }
    yield* this.#runSteps(one, sealer.merge(rec, true))
    yield* this.#runSteps(one, rollups.write(rec, this.#context.nowMs(), true))
    rec.finish = { endedMs: about.endedMs, counts: [], clean: about.clean }
    const publishes = one.ending?.publishes ?? null
    const published = publishes === null ? [] : [...publishes.map((handle) => this.#imports.get(handle)), one]
    yield this.#write(one, () => {
      one.record = this.#context.closeRecord(rec)
      if (about.heads !== undefined && !equalHeads(one.record.heads, about.heads)) throw differs()
      for (const part of published) this.#publish(part)
    })
    if (one.failure !== null || one.record === null) return this.#fail(one, one.failure ?? gone())
    for (const part of published) if (part !== undefined) this.#imports.delete(part.handle)
    one.ending?.done({ session: about.id, messages: one.record.messages, already: false })
    one.ending = null
  }

  /** Makes a complete import visible as a session. Throws `cancelled` if it was stopped. */
  #publish(one: Import | undefined): void {
    if (one === undefined || one.record === null || one.failure !== null) throw gone()
    const { about, rec, record } = one
    const { id: session, source, startedMs, epoch } = about
    const { log } = this.#context
    const begin: BeginRecord = { recording: session, source, startedMs, ...epochPart(epoch) }
    log('begin', JSON.stringify({ ...begin, imported: about.from }))
    const body = JSON.stringify(record)
    log('close', body)
    const { endedMs, clean } = record
    this.#addSession.run(rec.id, rec.key, rec.source, rec.startedMs, endedMs, clean ? 1 : 0, rec.sealedSeq, body)
    if (about.label !== undefined) this.#labels.set(rec.id, about.label)
    for (const { atMs, seq, text } of about.bookmarks ?? []) this.#addBookmark.run(rec.id, atMs, seq, text)
  }

  /** Runs work whose failing transactions end the import. */
  *#runSteps(one: Import, work: Generator<WriteStep | undefined, unknown, void>): Work {
    for (;;) {
      const step = work.next()
      if (step.done === true) return
      if (step.value === undefined) {
        yield
        continue
      }
      yield this.#write(one, step.value)
      if (one.failure !== null) throw one.failure
    }
  }

  #fail(one: Import, error: CodedError): void {
    one.failure = error
    this.#imports.delete(one.handle)
    for (const waiting of one.waiting.splice(0)) waiting.failed(error)
    one.ending?.failed(error)
    one.ending = null
    this.#onAbandoned(one.rec.id)
  }
}

/** Whether both have the same connections with the same heads, hex. */
export function equalHeads(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && a[name] === b[name])
}

const differs = (): CodedError =>
  new CodedError('store-damaged', 'The imported data doesn’t match its ledger head.', {
    hint: 'Nothing was imported. Save the session file again on the machine that recorded it.',
  })

const gone = (): CodedError => new CodedError('cancelled', 'The import was stopped. Nothing was imported.')
