/**
 * Reads committed flushes of a session in order, from the journal as they were written, and from blocks regrouped by the
 * flush sizes of their chains. Every leaf is recomputed. Keeps its position, so that reading on from there is cheap;
 * starting inside the sealed part hashes everything before it again.
 */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { FeedId, SessionId } from '../../../../shared/base/units.ts'
import { entryRow, equalBytes, genesis, unpackRuns } from '../format/ledger.ts'
import { LeafHasher } from '../format/leaves.ts'
import { Regroup } from '../format/regroup.ts'
import type { ReplaySql } from '../read/replay-sql.ts'
import { connectionFeeds } from '../schema/connection-feeds.ts'
import { VERIFY_HINT } from '../types/corruption.ts'
import type { ChainHeads, CommittedFlush, FlushPage, FlushQuery, Leaf } from '../types/flushes.ts'
import type { Batch, StoredEntry } from '../types/messages.ts'
import { ReplayCursor } from './replay-cursor.ts'

/** Sessions whose position is kept. */
const MAX_SESSIONS = 4
/** Batches of blocks read in one call, so that other readers get their turn. */
const MAX_STEPS = 8

/** A page, or a pause in looking for it: call again. */
export interface FlushStep extends FlushPage {
  readonly isPaused: boolean
}

export class FlushReader {
  readonly #sql: ReplaySql
  readonly #feeds: (session: number) => ReadonlyMap<number, FeedId>
  readonly #chains
  readonly #open = new Map<SessionId, SessionFlushes>()

  constructor(sql: ReplaySql) {
    this.#sql = sql
    this.#feeds = connectionFeeds(sql.db)
    this.#chains = sql.db.prepare<[number], ChainRow>(
      'SELECT conn, flushes, head FROM chain WHERE recording = ? ORDER BY conn, part',
    )
  }

  /** Throws `not-found`, `bad-arguments` for a seq that isn't the end of a flush, and `store-damaged`. */
  read(query: FlushQuery): FlushStep {
    const { session, afterSeq } = query
    let flushes = this.#open.get(session)
    this.#open.delete(session)
    const isOnItsWay = flushes?.target === afterSeq && flushes.seq < afterSeq
    if (flushes === undefined || (flushes.seq !== afterSeq && !isOnItsWay)) flushes = this.#start(session, afterSeq)
    const step = flushes.read(query)
    this.#open.set(session, flushes)
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= MAX_SESSIONS) break
      this.#open.delete(oldest)
    }
    return step
  }

  #start(session: SessionId, afterSeq: number): SessionFlushes {
    const { id } = this.#sql.session(session)
    return new SessionFlushes(
      {
        sql: this.#sql,
        id,
        key: session,
        feeds: () => this.#feeds(id),
        chains: () => this.#chains.all(id),
      },
      afterSeq,
    )
  }
}

interface ChainRow {
  readonly conn: number
  readonly flushes: Buffer
  readonly head: Buffer
}

interface SessionSource {
  readonly sql: ReplaySql
  readonly id: number
  readonly key: SessionId
  readonly feeds: () => ReadonlyMap<number, FeedId>
  readonly chains: () => readonly ChainRow[]
}

interface Chain {
  head: Uint8Array
  /** Messages, or entries of connection 0. */
  count: number
}

/** The sealed part when reading of it began. */
interface Sealed {
  readonly batches: Generator<Batch | null, void, void>
  readonly upTo: number
  /** Stored heads at `upTo`. */
  readonly heads: ReadonlyMap<number, Uint8Array>
}

class SessionFlushes {
  /** The end of the last flush that was read. */
  seq = 0
  /** Where the caller wants to be. */
  readonly target: number
  readonly #of: SessionSource
  /** By announced connection. */
  readonly #chains = new Map<number, Chain>()
  readonly #hasher = new LeafHasher()
  #feeds: ReadonlyMap<number, FeedId> = new Map()
  #sealed: Sealed | null = null

  constructor(of: SessionSource, target: number) {
    this.#of = of
    this.target = target
    this.#chains.set(0, { head: genesis(of.key, 0, ''), count: 0 })
    of.sql.read(() => this.#jump())
  }

  /** Starts at the end of the sealed part if the target is behind it. */
  #jump(): void {
    const { sql, id, chains } = this.#of
    const sealed = sql.journal.sealedSeq(id)
    if (sealed === 0 || this.target < sealed) return
    const entries = sql.entries(id, 0, sealed)
    const rows = chains()
    this.#announce([...rows.map(({ conn }) => conn), ...entries.map(connectionOf)])
    for (const { conn, flushes, head } of rows) {
      const chain = this.#chains.get(conn)
      if (chain === undefined) throw this.#corrupt('a connection')
      chain.head = new Uint8Array(head)
      for (const [size, repeats] of unpackRuns(flushes)) chain.count += size * repeats
    }
    this.seq = sealed
  }

  read({ afterSeq, maxBytes, withHeads = false }: FlushQuery): FlushStep {
    let steps = 0
    const flushes: CommittedFlush[] = []
    let heads = withHeads && this.seq === afterSeq ? this.#heads() : null
    let bytes = 0
    const take = (flush: CommittedFlush, lastSeq: number): void => {
      if (this.seq < afterSeq && lastSeq > afterSeq) throw notAnEnd(afterSeq)
      this.seq = lastSeq
      if (lastSeq > afterSeq) {
        flushes.push(flush)
        bytes += flush.batch.messages.bytes.length + 1
      } else if (lastSeq === afterSeq && withHeads) heads = this.#heads()
    }
    while ((bytes < maxBytes || this.seq < afterSeq) && steps < MAX_STEPS) {
      const sealed = this.#openSealed()
      if (sealed === null) {
        const before = this.seq
        const isSealed = this.#readJournal(take, () => bytes >= maxBytes && this.seq >= afterSeq)
        if (this.seq === before && !isSealed) break
        continue
      }
      const next = sealed.batches.next()
      if (next.done === true) this.#finishSealed(sealed)
      else if (next.value === null) steps++
      else {
        const batch = this.#withConnections(next.value)
        take({ batch, leaves: this.#advance(batch) }, lastSeqOf(batch))
      }
    }
    const isPaused = flushes.length === 0 && steps === MAX_STEPS
    if (!isPaused && this.seq < afterSeq) throw this.#ahead(afterSeq)
    return { flushes, heads, isPaused }
  }

  #heads(): ChainHeads {
    return new Map(
      [...this.#chains].map(([conn, { head, count }]) => [conn, { head, messages: conn === 0 ? 0 : count }]),
    )
  }

  /** The sealed part if reading stands in it. What is sealed while it is read belongs to the next one. */
  #openSealed(): Sealed | null {
    if (this.#sealed !== null) return this.#sealed
    const { sql, id, key, chains } = this.#of
    return sql.read(() => {
      const upTo = sql.journal.sealedSeq(id)
      if (this.seq >= upTo) return null
      this.#feeds = this.#of.feeds()
      const rows = chains()
      const runs = [...Map.groupBy(rows, ({ conn }) => conn)].map(([conn, of]) => ({
        conn,
        runs: Uint32Array.from(of.flatMap(({ flushes }) => unpackRuns(flushes).flat())),
      }))
      const regroup = new Regroup({
        connections: this.#feeds.keys(),
        chains: runs,
        canSkip: false,
        after: { seq: this.seq, counts: new Map([...this.#chains].map(([conn, { count }]) => [conn, count])) },
        corrupt: (what) => this.#corrupt(what),
      })
      const cursor = new ReplayCursor(sql, { session: key, afterSeq: this.seq, upToSeq: upTo })
      const heads = new Map(rows.map(({ conn, head }) => [conn, new Uint8Array(head)]))
      return (this.#sealed = { batches: batches(cursor, regroup), upTo, heads })
    })
  }

  #finishSealed({ upTo, heads }: Sealed): void {
    this.#sealed = null
    if (this.seq !== upTo) throw this.#corrupt('the end of its sealed part')
    for (const [conn, head] of heads) {
      const chain = this.#chains.get(conn)
      if (chain === undefined || !equalBytes(chain.head, head)) throw this.#corrupt('a hash chain')
    }
  }

  /** Returns whether what comes next was sealed in the meantime, so that it has to be read from blocks. */
  #readJournal(take: (flush: CommittedFlush, lastSeq: number) => void, isFull: () => boolean): boolean {
    const { sql, id } = this.#of
    return sql.read(() => {
      sql.requireStored(this.#of)
      if (this.seq < sql.journal.sealedSeq(id)) return true
      this.#feeds = this.#of.feeds()
      for (const flush of sql.journal.from(id, this.seq + 1)) {
        if (isFull()) break
        const blob = flush.read()
        if (blob === null) throw sql.corruptFlushes.refusal(id, [flush.firstSeq, flush.lastSeq])
        if (flush.firstSeq !== this.seq + 1) throw this.#corrupt('the order of its flushes')
        const entries = sql.entries(id, this.seq, flush.lastSeq)
        // A view would carry the whole row along to another thread.
        const messages = { ...blob.messages, bytes: new Uint8Array(blob.messages.bytes) }
        const batch = this.#withConnections({ messages, entries })
        const leaves = this.#advance(batch)
        if (!isSame(leaves, blob.leaves)) throw this.#corrupt('a hash chain')
        take({ batch, leaves }, flush.lastSeq)
      }
      return false
    })
  }

  /** Announces connections with the first flush that has messages or entries of them. */
  #withConnections(batch: Batch): Batch {
    const { messages, entries } = batch
    const used = [...messages.conn.subarray(0, messages.count), ...entries.map(connectionOf)]
    const connections = this.#announce(used)
    return connections.length === 0 ? batch : { ...batch, connections }
  }

  /** Connections are numbered in the order in which they are opened, so those before a used one exist, too. */
  #announce(used: readonly number[]): { conn: number; feed: FeedId }[] {
    let most = 0
    for (const conn of used) if (conn > most && !this.#chains.has(conn)) most = conn
    if (most === 0) return []
    if (!this.#feeds.has(most)) this.#feeds = this.#of.feeds()
    const announced = [...this.#feeds]
      .filter(([conn]) => conn <= most && !this.#chains.has(conn))
      .map(([conn, feed]) => ({ conn, feed }))
    for (const { conn, feed } of announced)
      this.#chains.set(conn, { head: genesis(this.#of.key, conn, feed), count: 0 })
    return announced
  }

  #advance({ messages, entries }: Batch): Leaf[] {
    const chainOf = (conn: number): Chain => {
      const chain = this.#chains.get(conn)
      if (chain === undefined) throw this.#corrupt('a connection')
      return chain
    }
    const leaves = this.#hasher.leaves(messages, entries.map(entryRow), (conn) => chainOf(conn).head)
    for (const { conn, count, head } of leaves) {
      const chain = chainOf(conn)
      chain.head = head
      chain.count += count
    }
    return leaves
  }

  #corrupt(what: string): CodedError {
    return new CodedError('store-damaged', `Session ${this.#of.key} is corrupt in the store: ${what} doesn’t match.`, {
      hint: VERIFY_HINT,
    })
  }

  #ahead(seq: number): CodedError {
    const { key } = this.#of
    return new CodedError('store-damaged', `Session ${key} ends at ${this.seq} in the store, before ${seq}.`, {
      hint: 'The store was restored from an older copy, or lost its last messages.',
    })
  }
}

/** Null: rows were read, and no flush is complete yet. */
function* batches(cursor: ReplayCursor, regroup: Regroup): Generator<Batch | null, void, void> {
  for (let rows = cursor.next(); rows !== null; rows = cursor.next()) {
    yield* regroup.take(rows, rows.entries)
    yield null
  }
}

const connectionOf = ({ entry }: StoredEntry): number => ('conn' in entry ? entry.conn : 0)

const lastSeqOf = ({ messages, entries }: Batch): number =>
  Math.max(messages.count === 0 ? 0 : messages.seq[messages.count - 1], entries.at(-1)?.seq ?? 0)

const isSame = (a: readonly Leaf[], b: readonly Leaf[]): boolean =>
  a.length === b.length && a.every((leaf, i) => leaf.conn === b[i].conn && equalBytes(leaf.head, b[i].head))

const notAnEnd = (seq: number): CodedError => new CodedError('bad-arguments', `Seq ${seq} isn’t the end of a flush.`)
