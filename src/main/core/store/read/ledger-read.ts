/** Reads what a session file needs of a session's ledger. */
import { CodedError } from '../../../../shared/base/errors.ts'
import { isFeedId, unixMs, type SessionId } from '../../../../shared/base/units.ts'
import { unpackRuns } from '../format/ledger.ts'
import type { ChainRuns, SessionLedger } from '../types/library.ts'
import type { StoreQueries } from './queries.ts'
import type { BeginRecord, CloseRecord, LabelRow } from '../schema/records.ts'

/** Reads in one transaction. Throws `not-found`, or `not-allowed` while the session is open. */
export function readLedger(queries: StoreQueries, key: SessionId): SessionLedger {
  const { db } = queries
  return db
    .transaction((): SessionLedger => {
      const row = queries.storedSessions().find((one) => one.key === key)
      if (row === undefined) throw new CodedError('not-found', `There is no session ${key}.`)
      if (row.summary === null) {
        throw new CodedError('not-allowed', 'A session can be saved as a file once it has ended.', {
          hint: 'Stop recording first, or wait until the day is over.',
        })
      }
      const close = JSON.parse(row.summary) as CloseRecord // written by the engine
      const log = db
        .prepare<[string], string>("SELECT body FROM store_log WHERE kind = 'begin' AND body LIKE ? ORDER BY n DESC")
        .pluck()
        .get(`{"recording":"${key}"%`)
      const begin = JSON.parse(log ?? '{}') as BeginRecord // written by the engine
      const store = db.prepare<[], Buffer>('SELECT hash FROM store_log ORDER BY n LIMIT 1').pluck().get()
      const connections = db
        .prepare<[number], { conn: number; feed: string }>(
          'SELECT conn, feed FROM connection WHERE recording = ? ORDER BY conn',
        )
        .all(row.id)
      const parts = db
        .prepare<[number], { conn: number; flushes: Buffer }>(
          'SELECT conn, flushes FROM chain WHERE recording = ? ORDER BY conn, part',
        )
        .all(row.id)
      const chains = [...Map.groupBy(parts, (part) => part.conn)].map(([conn, of]): ChainRuns => ({
        conn,
        runs: Uint32Array.from(of.flatMap(({ flushes }) => unpackRuns(flushes).flat())),
      }))
      const label = db.prepare<[number], LabelRow>('SELECT * FROM label WHERE recording = ?').get(row.id)
      return {
        session: key,
        source: begin.source,
        startedMs: unixMs(row.started_ms),
        endedMs: unixMs(close.endedMs),
        clean: close.clean,
        store: store?.toString('hex') ?? '',
        messages: close.messages,
        entries: close.entries,
        lastSeq: close.lastSeq,
        connections: connections.flatMap(({ conn, feed }) => (isFeedId(feed) ? [{ conn, feed }] : [])),
        chains,
        heads: close.heads,
        ledgerHead: queries.ledgerHead([key]),
        label: {
          name: label?.name ?? '',
          notes: label?.notes ?? '',
          tags: label === undefined ? [] : (JSON.parse(label.tags) as string[]), // written by Labels
          pinned: label?.pinned === 1,
        },
      }
    })
    .deferred()
}
