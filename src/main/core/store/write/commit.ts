/** Writes flushes: journal, entries, gaps and leaves of one transaction. */
import type { LedgerEntry } from '../../../../shared/core/recording/session.ts'
import type { Db } from '../schema/sqlite.ts'
import { JournalEncoder, journalCrc } from '../format/journal.ts'
import { entryRow } from '../format/ledger.ts'
import { LeafHasher } from '../format/leaves.ts'
import type { Batch, MessageColumns, StoredEntry } from '../types/messages.ts'
import { stampOfLast, newerStamp } from '../format/last-received.ts'
import { newChain, type Chain, type OpenSession } from './open-session.ts'

/** Changes to apply in memory once the transaction is durable. */
export interface Appended {
  readonly chains: ReadonlyMap<number, Chain>
  readonly lastSeq: number
  readonly lastWallMs: number
  readonly lastMonoNs: number
  readonly bytes: number
  readonly messages: number
  readonly firstMonoNs: number
}

const NOTHING_WRITTEN = { bytes: 0, messages: 0, firstMonoNs: Infinity }

/** Prepared statements of the flush path. */
export class Appender {
  readonly #journal
  readonly #entry
  readonly #connection
  readonly #openGap
  readonly #closeGap
  readonly #hasher = new LeafHasher()
  readonly #encoder = new JournalEncoder()

  constructor(db: Db) {
    this.#journal = db.prepare<[number, number, number, number, Uint8Array]>(
      'INSERT INTO journal (recording, first_seq, last_seq, torn, crc, data) VALUES (?, ?, ?, 0, ?, ?)',
    )
    this.#entry = db.prepare<[number, number, number, number, string]>(
      'INSERT INTO entry (recording, seq, wall_ms, mono_ns, body) VALUES (?, ?, ?, ?, ?)',
    )
    this.#connection = db.prepare<[number, number, string]>(
      'INSERT INTO connection (recording, conn, feed) VALUES (?, ?, ?)',
    )
    this.#openGap = db.prepare<[number, number, string, string, string, number, number | null]>(
      'INSERT INTO gap (recording, from_seq, feed, cause, symbols, from_ms, skew_ms) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    this.#closeGap = db.prepare<[number, number, number, number]>(
      'UPDATE gap SET to_ms = ?, to_seq = ? WHERE recording = ? AND from_seq = ? AND to_seq IS NULL',
    )
  }

  /**
   * Writes batches inside the caller's transaction. `rec` doesn't change before `accept`. `base`: what was written
   * before in the same transaction; the result includes it.
   */
  write(rec: OpenSession, batches: readonly Batch[], base?: Appended): Appended {
    const chains = new Map(base?.chains)
    let { lastSeq, lastWallMs, lastMonoNs } = base ?? rec
    let { bytes, messages, firstMonoNs } = base ?? NOTHING_WRITTEN
    const chainOf = (conn: number): Chain => {
      const chain = chains.get(conn) ?? rec.chains.get(conn)
      if (chain === undefined) throw new TypeError(`connection ${conn} of ${rec.key} was never announced`)
      return chain
    }
    for (const batch of batches) {
      for (const { conn, feed } of batch.connections ?? []) {
        this.#connection.run(rec.id, conn, feed)
        chains.set(conn, newChain(rec.key, conn, feed))
      }
      const { messages: m, entries } = batch
      const rows = entries.map(entryRow)
      const leaves = this.#hasher.leaves(m, rows, (conn) => chainOf(conn).head)
      for (const { conn, head } of leaves) chains.set(conn, { ...chainOf(conn), head })
      if (m.count > 0) {
        firstMonoNs = Math.min(firstMonoNs, m.monoNs[0])
        messages += m.count
      }
      for (const row of rows) this.#entry.run(rec.id, row.seq, row.wallMs, row.monoNs, row.body)
      for (const e of entries) this.#gap(rec.id, e.seq, e.wallMs, e.entry)
      if (leaves.length === 0) continue
      const { first, last } = seqRange(m, entries)
      // An import of a part of a session keeps the seqs of the whole, so they can skip.
      const part = rec.source.startsWith('import:') && first > lastSeq
      if (first !== lastSeq + 1 && !part)
        throw new TypeError(`a flush of ${rec.key} starts at ${first} after ${lastSeq}`)
      const data = this.#encoder.encode(leaves, m)
      this.#journal.run(rec.id, first, last, journalCrc(rec.id, first, last, data), data)
      bytes += data.length
      lastSeq = last
      const stamp = newerStamp(stampOfLast(m), entries.at(-1))
      if (stamp !== undefined) ({ wallMs: lastWallMs, monoNs: lastMonoNs } = stamp)
    }
    return { chains, lastSeq, lastWallMs, lastMonoNs, bytes, messages, firstMonoNs }
  }

  /** Applies the changes after the transaction is durable. */
  accept(rec: OpenSession, done: Appended, nowMs: number): void {
    for (const [conn, { feed, head }] of done.chains) {
      const chain = rec.chains.get(conn)
      if (chain === undefined) rec.chains.set(conn, { ...newChain(rec.key, conn, feed), head })
      else chain.head = head
    }
    rec.lastSeq = done.lastSeq
    rec.lastWallMs = done.lastWallMs
    rec.lastMonoNs = done.lastMonoNs
    if (rec.journalBytes === 0) rec.journalSinceMs = nowMs
    rec.journalBytes += done.bytes
  }

  #gap(session: number, seq: number, wallMs: number, entry: LedgerEntry): void {
    if (entry.type === 'gap-open') {
      const { feed, cause, symbols, fromMs, skewMs = null } = entry
      this.#openGap.run(session, seq, feed, cause, JSON.stringify(symbols), fromMs, skewMs)
    } else if (entry.type === 'gap-close') this.#closeGap.run(wallMs, seq, session, entry.openedSeq)
  }
}

function seqRange(m: MessageColumns, entries: readonly StoredEntry[]): { first: number; last: number } {
  const firstEntry = entries[0]?.seq ?? Infinity
  const lastEntry = entries.at(-1)?.seq ?? 0
  return m.count === 0
    ? { first: firstEntry, last: lastEntry }
    : { first: Math.min(firstEntry, m.seq[0]), last: Math.max(lastEntry, m.seq[m.count - 1]) }
}
