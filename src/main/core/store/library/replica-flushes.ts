/** Checks flushes that are added to a replica, and reads how far a replica is. */
import { CodedError } from '../../../../shared/base/errors.ts'
import type { SessionId } from '../../../../shared/base/units.ts'
import { Journal } from '../format/journal.ts'
import { unpackRuns } from '../format/ledger.ts'
import type { CloseRecord } from '../schema/records.ts'
import type { Db } from '../schema/sqlite.ts'
import type { Batch } from '../types/messages.ts'
import type { ReplicaPosition } from '../types/replica.ts'

/**
 * Checks that a flush continues a replica: each seq once and in order, and each connection's messages too. Puts the new
 * message counts into `counts` and returns the last seq. Throws `store-damaged`.
 */
export function checkOrder(
  key: SessionId,
  { messages: m, entries }: Batch,
  afterSeq: number,
  counts: Map<number, number>,
  countBefore: (conn: number) => number,
): number {
  const countOf = (conn: number): number => counts.get(conn) ?? countBefore(conn)
  let seq = afterSeq
  let next = 0
  for (let i = 0; i <= m.count; i++) {
    while (next < entries.length && (i === m.count || entries[next].seq < m.seq[i])) {
      if (entries[next++].seq !== ++seq) throw skips(key, afterSeq)
    }
    if (i === m.count) break
    const connSeq = countOf(m.conn[i]) + 1
    if (m.seq[i] !== ++seq || m.connSeq[i] !== connSeq) throw skips(key, afterSeq)
    counts.set(m.conn[i], connSeq)
  }
  if (entries.length > 0) counts.set(0, countOf(0) + entries.length)
  return seq
}

/** Stored messages by connection (0: entries). Counts no flush of the journal that is corrupt. */
export function countStored(db: Db, id: number, sealedSeq: number): Map<number, number> {
  const counts = new Map<number, number>()
  const add = (conn: number, count: number): void => void counts.set(conn, (counts.get(conn) ?? 0) + count)
  const parts = db.prepare<[number], { conn: number; flushes: Buffer }>(
    'SELECT conn, flushes FROM chain WHERE recording = ?',
  )
  for (const { conn, flushes } of parts.all(id))
    for (const [size, repeats] of unpackRuns(flushes)) add(conn, size * repeats)
  for (const flush of new Journal(db).from(id, sealedSeq + 1))
    for (const { conn, count } of flush.read()?.leaves ?? []) add(conn, count)
  return counts
}

export function completePosition(db: Db, id: number, summary: string): ReplicaPosition {
  const { lastSeq, heads } = JSON.parse(summary) as CloseRecord // written by the engine
  const counts = countStored(db, id, lastSeq)
  const ends = Object.entries(heads).map(([conn, head]) => {
    return [
      Number(conn),
      { head: Uint8Array.from(Buffer.from(head, 'hex')), messages: counts.get(Number(conn)) ?? 0 },
    ] as const
  })
  return { lastSeq, heads: new Map(ends), isComplete: true }
}

export const notOpen = (id: SessionId): CodedError =>
  new CodedError('not-found', `The replica of session ${id} isn’t open.`, { hint: 'Open it again.' })

const skips = (id: SessionId, after: number): CodedError =>
  new CodedError('store-damaged', `The next messages of session ${id} don’t continue its replica after seq ${after}.`, {
    hint: 'Nothing was stored. Read on from the replica’s last seq.',
  })

export const differs = (id: SessionId, cause?: unknown): CodedError =>
  new CodedError('store-damaged', `The messages of session ${id} don’t match its ledger heads.`, {
    hint: 'Nothing was stored. Verify the session where it was recorded.',
    ...(cause === undefined ? {} : { cause }),
  })
