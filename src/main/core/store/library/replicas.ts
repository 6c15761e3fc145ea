/**
 * Replicas: sessions that another machine records, written flush by flush next to the session being recorded here.
 * They stay open over restarts and resume at their last durable seq.
 */
import { CodedError } from '../../../../shared/base/errors.ts'
import { sessionId, type FeedId, type SessionId } from '../../../../shared/base/units.ts'
import { isTeamKey, isWholeTeam, sourceKey } from '../../../../shared/core/recording/session.ts'
import { batchBytes } from '../format/message-columns.ts'
import { feedTotals } from '../format/totals.ts'
import { epochPart, type BeginRecord, type CloseRecord, type StoredSession } from '../schema/records.ts'
import { isDiskError } from '../schema/sqlite.ts'
import type { Batch } from '../types/messages.ts'
import type { ReplicaDetails, ReplicaEnd, ReplicaPosition } from '../types/replica.ts'
import type { Work } from '../write/background-work.ts'
import { writeClose } from '../write/close-record.ts'
import type { Appended } from '../write/commit.ts'
import { loadSession, newSession, type OpenSession } from '../write/open-session.ts'
import type { WriteContext } from '../write/write-context.ts'
import { equalHeads, type Responder } from './import.ts'
import { checkOrder, completePosition, countStored, differs, notOpen } from './replica-flushes.ts'

/** Bytes of flushes per transaction, which a live commit may have to wait for. */
const GROUP_BYTES = 512 << 10
/** When a journal is sealed, as for the session being recorded. */
const SEAL_AFTER_MS = 30_000
const SEAL_AFTER_BYTES = 8 << 20
/** While this much of a replica isn't sealed, its next flushes wait. */
const MAX_JOURNAL_BYTES = 4 * SEAL_AFTER_BYTES

interface QueuedAppend extends Responder<void> {
  readonly batches: readonly Batch[]
  readonly heads: Readonly<Record<string, string>>
  readonly bytes: number
}

interface Replica {
  readonly rec: OpenSession
  /** Messages by connection (0: entries). */
  readonly counts: Map<number, number>
  readonly waiting: QueuedAppend[]
  ending: (Responder<void> & { readonly end: ReplicaEnd }) | null
}

/** Flushes to apply in memory once they are durable. */
interface Draft {
  readonly done: Appended
  readonly counts: ReadonlyMap<number, number>
}

interface Outcome {
  readonly replica: Replica
  readonly append: QueuedAppend
  readonly result: Draft | CodedError
}

export class Replicas {
  readonly #context: WriteContext
  readonly #open = new Map<SessionId, Replica>()
  readonly #row

  constructor(context: WriteContext) {
    this.#context = context
    this.#row = context.db.prepare<[string], StoredSession>('SELECT * FROM recording WHERE key = ?')
  }

  /** What the store must still hold, as long as nobody else writes to it. */
  states(): readonly OpenSession[] {
    return [...this.#open.values()].map(({ rec }) => rec)
  }

  /** Opens or resumes a replica; see `StoreReplicas.open`. */
  open(about: ReplicaDetails): ReplicaPosition {
    const { id, source, startedMs, from } = about
    const key = sourceKey(source)
    if (!isTeamKey(key) || isWholeTeam(key)) throw new TypeError(`a replica is of a team's shard, not of ${key}`)
    const row = this.#row.get(id)
    if (row !== undefined && (row.source !== key || row.started_ms !== startedMs)) {
      throw new CodedError('not-allowed', `The store already has a different session ${id}.`, {
        hint: 'Sessions are never overwritten. Use another store with --store.',
      })
    }
    if (row !== undefined && row.summary !== null) return completePosition(this.#context.db, row.id, row.summary)
    let replica = this.#open.get(id)
    if (replica === undefined) {
      const rec = row === undefined ? this.#begin(about, key, from) : loadSession(this.#context.db, row)
      replica = { rec, counts: countStored(this.#context.db, rec.id, rec.sealedSeq), waiting: [], ending: null }
      this.#open.set(id, replica)
    }
    const { rec, counts } = replica
    const heads = [...rec.chains].map(([conn, { head }]) => [conn, { head, messages: counts.get(conn) ?? 0 }] as const)
    return { lastSeq: rec.lastSeq, heads: new Map(heads), isComplete: false }
  }

  #begin({ id, source, startedMs, epoch }: ReplicaDetails, key: string, from: string): OpenSession {
    const { db, hidden, log, transaction } = this.#context
    const fresh = hidden.freshId('foreign')
    transaction(() => {
      const body: BeginRecord = { recording: id, source, startedMs, ...epochPart(epoch) }
      log('begin', JSON.stringify({ ...body, replica: from }))
      db.prepare<[number, string, string, number]>(
        'INSERT INTO recording (id, key, source, started_ms, clean, sealed_seq) VALUES (?, ?, ?, ?, 0, 0)',
      ).run(fresh, id, key, startedMs)
    })
    return newSession(fresh, id, key, startedMs)
  }

  /** Queues flushes; see `StoreReplicas.append`. */
  append(
    id: SessionId,
    batches: readonly Batch[],
    heads: Readonly<Record<string, string>>,
    responder: Responder<void>,
  ): void {
    const replica = this.#open.get(id)
    if (replica === undefined) return responder.failed(notOpen(id))
    if (replica.ending !== null) return responder.failed(new CodedError('not-allowed', `Session ${id} has ended.`))
    const bytes = batches.reduce((sum, batch) => sum + batchBytes(batch), 0)
    replica.waiting.push({ batches, heads, bytes, ...responder })
  }

  /** Queues the end; see `StoreReplicas.end`. */
  end(id: SessionId, end: ReplicaEnd, responder: Responder<void>): void {
    const replica = this.#open.get(id)
    if (replica === undefined) {
      const summary = this.#row.get(id)?.summary ?? null
      if (summary === null) return responder.failed(notOpen(id))
      const { heads } = JSON.parse(summary) as CloseRecord // written by the engine
      return equalHeads(heads, end.heads) ? responder.done() : responder.failed(differs(id))
    }
    if (replica.ending !== null) return responder.failed(new CodedError('busy', `Session ${id} is already ending.`))
    replica.ending = { end, ...responder }
  }

  /** What an open replica holds. */
  endOf(row: StoredSession): Pick<CloseRecord, 'messages' | 'heads'> {
    const { db } = this.#context
    const rec = this.#open.get(sessionId(row.key))?.rec ?? loadSession(db, row)
    return { messages: feedTotals(db, row.id).messages, heads: headsOf(rec) }
  }

  /** Call when a session was erased. */
  forget(id: SessionId): void {
    const replica = this.#open.get(id)
    if (replica !== undefined) this.#release(replica, new CodedError('not-found', `Session ${id} was deleted.`))
  }

  /** Rejects what waits. Replicas stay open in the store. */
  stop(): void {
    for (const replica of [...this.#open.values()])
      this.#release(replica, new CodedError('cancelled', 'The store was closed.'))
  }

  #release({ rec, waiting, ending }: Replica, error: CodedError): void {
    this.#open.delete(rec.key)
    for (const append of waiting.splice(0)) append.failed(error)
    ending?.failed(error)
  }

  /** Commits the oldest waiting flushes in one transaction of bounded size. Returns whether more can be committed. */
  commit(): boolean {
    const group = this.#nextGroup()
    if (group.length === 0) return false
    const { appender, runUnnoted, note, nowMs } = this.#context
    const outcomes = runUnnoted(() => this.#write(group))
    /** The last draft of each replica, which includes those before it. */
    const drafts = new Map<Replica, Draft>()
    for (const { replica, append, result } of outcomes) {
      replica.waiting.splice(replica.waiting.indexOf(append), 1)
      // The others go first in the next group.
      this.#open.delete(replica.rec.key)
      this.#open.set(replica.rec.key, replica)
      if (!(result instanceof CodedError)) drafts.set(replica, result)
    }
    for (const [{ rec, counts }, { done, counts: after }] of drafts) {
      appender.accept(rec, done, nowMs())
      for (const [conn, count] of after) counts.set(conn, count)
      note(rec)
    }
    for (const { append, result } of outcomes) {
      if (result instanceof CodedError) append.failed(result)
      else append.done()
    }
    return this.#nextGroup().length > 0
  }

  #nextGroup(): readonly { readonly replica: Replica; readonly append: QueuedAppend }[] {
    const group = []
    let bytes = 0
    for (const replica of this.#open.values()) {
      if (this.#context.canSeal && replica.rec.journalBytes >= MAX_JOURNAL_BYTES) continue
      for (const append of replica.waiting) {
        if (group.length > 0 && bytes + append.bytes > GROUP_BYTES) break
        group.push({ replica, append })
        bytes += append.bytes
      }
    }
    return group
  }

  /** Writes each append or nothing of it. After a failed one, the next ones of its replica wait for the next group. */
  #write(group: readonly { readonly replica: Replica; readonly append: QueuedAppend }[]): Outcome[] {
    const drafts = new Map<Replica, Draft>()
    const failed = new Set<Replica>()
    const outcomes: Outcome[] = []
    for (const { replica, append } of group) {
      if (failed.has(replica)) continue
      try {
        const write = (): Draft => this.#writeAppend(replica, append, drafts.get(replica))
        const result = this.#context.db.transaction(write)()
        drafts.set(replica, result)
        outcomes.push({ replica, append, result })
      } catch (thrown) {
        if (isDiskError(thrown)) throw thrown
        failed.add(replica)
        const result = thrown instanceof CodedError ? thrown : differs(replica.rec.key, thrown)
        outcomes.push({ replica, append, result })
      }
    }
    return outcomes
  }

  #writeAppend({ rec, counts }: Replica, { batches, heads }: QueuedAppend, base: Draft | undefined): Draft {
    const after = new Map(base?.counts)
    let lastSeq = base?.done.lastSeq ?? rec.lastSeq
    const announced = new Map<number, FeedId>()
    const fresh = batches.map((batch) => {
      lastSeq = checkOrder(rec.key, batch, lastSeq, after, (conn) => counts.get(conn) ?? 0)
      const connections = batch.connections?.filter(({ conn, feed }) => {
        const known = announced.get(conn) ?? (base?.done.chains.get(conn) ?? rec.chains.get(conn))?.feed
        if (known !== undefined && known !== feed) throw differs(rec.key)
        announced.set(conn, feed)
        return known === undefined
      })
      return connections === undefined ? batch : { ...batch, connections }
    })
    const done = this.#context.appender.write(rec, fresh, base?.done)
    const headOf = (conn: number): Uint8Array | undefined => (done.chains.get(conn) ?? rec.chains.get(conn))?.head
    for (const [conn, count] of after) {
      const before = base?.counts.get(conn) ?? counts.get(conn) ?? 0
      if (count !== before && !Object.hasOwn(heads, conn)) throw differs(rec.key)
    }
    for (const [conn, expected] of Object.entries(heads)) {
      const head = headOf(Number(conn))
      if (head === undefined || hex(head) !== expected) throw differs(rec.key)
    }
    return { done, counts: after }
  }

  /** The next step of sealing or closing, if any. */
  due(): Work | null {
    if (!this.#context.canSeal) {
      for (const replica of this.#open.values()) if (isReadyToEnd(replica)) this.#endUnsealed(replica)
      return null
    }
    let fullest: Replica | null = null
    for (const replica of this.#open.values()) {
      if (isReadyToEnd(replica) && this.#mayEnd(replica)) return this.#finish(replica)
      const { journalBytes, journalSinceMs } = replica.rec
      const isDue =
        journalBytes >= SEAL_AFTER_BYTES ||
        (journalBytes > 0 && this.#context.nowMs() - journalSinceMs >= SEAL_AFTER_MS)
      if (isDue && journalBytes > (fullest?.rec.journalBytes ?? 0)) fullest = replica
    }
    return fullest === null ? null : this.#keepUp(fullest.rec)
  }

  *#keepUp(rec: OpenSession): Work {
    const { sealer, rollups, nowMs } = this.#context
    // If nothing could be sealed, waiting for it would block the replica forever.
    if (!(yield* sealer.seal(rec))) rec.journalBytes = 0
    rec.journalSinceMs = nowMs()
    yield* sealer.merge(rec, false)
    yield* rollups.write(rec, nowMs(), false)
  }

  /** Returns whether every head equals that of the original; otherwise rejects the end. */
  #mayEnd(replica: Replica): boolean {
    const { rec, ending } = replica
    if (ending === null || equalHeads(headsOf(rec), ending.end.heads)) return true
    replica.ending = null
    ending.failed(differs(rec.key))
    return false
  }

  *#finish(replica: Replica): Work {
    const { db, sealer, rollups, nowMs, log } = this.#context
    const { rec, ending } = replica
    if (ending === null) return
    const { endedMs, clean } = ending.end
    while (yield* sealer.seal(rec));
    yield* sealer.merge(rec, true)
    yield* rollups.write(rec, nowMs(), true)
    rec.finish = { endedMs, counts: [], clean }
    yield () => {
      if (this.#open.has(rec.key)) writeClose(db, rec, log)
    }
    if (this.#open.delete(rec.key)) ending.done()
  }

  /** Without zstd nothing can be sealed, so the replica stays open. A later start with zstd closes it. */
  #endUnsealed(replica: Replica): void {
    if (!this.#mayEnd(replica)) return
    replica.ending?.done()
    replica.ending = null
  }
}

const isReadyToEnd = ({ waiting, ending }: Replica): boolean => ending !== null && waiting.length === 0

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const headsOf = (rec: OpenSession): Record<string, string> =>
  Object.fromEntries([...rec.chains].map(([conn, { head }]) => [conn, hex(head)]))
