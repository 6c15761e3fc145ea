/** The close record of a session: what its writer counted, and the heads of its chains. */
import { feedTotals } from '../format/totals.ts'
import type { CloseRecord } from '../schema/records.ts'
import type { Db } from '../schema/sqlite.ts'
import type { OpenSession } from './open-session.ts'

/** Creates the close record of an ended session whose rows are all sealed. */
export function createCloseRecord(db: Db, rec: OpenSession): CloseRecord {
  const { finish } = rec
  if (finish === null) throw new TypeError(`${rec.key} is not ended`)
  const stored = feedTotals(db, rec.id)
  const reported = new Map(finish.counts.map((c) => [c.feed, c]))
  const counts = stored.feeds.map((c) => ({ ...c, received: reported.get(c.feed)?.received ?? c.stored }))
  for (const c of finish.counts) if (!stored.feeds.some(({ feed }) => feed === c.feed)) counts.push({ ...c, stored: 0 })
  const heads: Record<string, string> = {}
  for (const [conn, chain] of rec.chains) heads[conn] = Buffer.from(chain.head).toString('hex')
  return {
    recording: rec.key,
    endedMs: finish.endedMs,
    clean: finish.clean,
    lastSeq: rec.lastSeq,
    messages: stored.messages,
    entries: Number(db.prepare<[number], number>('SELECT count(*) FROM entry WHERE recording = ?').pluck().get(rec.id)),
    counts,
    heads,
    symbols: stored.symbols,
    bytes: stored.bytes,
  }
}

/** Closes a session in the store log and in its row. Call inside a transaction. */
export function writeClose(db: Db, rec: OpenSession, log: (kind: 'close', body: string) => void): void {
  const record = createCloseRecord(db, rec)
  const body = JSON.stringify(record)
  log('close', body)
  db.prepare<[number, number, string, number]>(
    'UPDATE recording SET ended_ms = ?, clean = ?, summary = ? WHERE id = ?',
  ).run(record.endedMs, record.clean ? 1 : 0, body, rec.id)
}
