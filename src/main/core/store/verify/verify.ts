/**
 * Verifies a store: reads everything, recomputes the ledger and reports every difference. Writes nothing. Each row of
 * each table is covered by a hash, a checksum, or by being rebuilt from rows that are.
 */
import { toFailure } from '../../../../shared/base/errors.ts'
import { sourceKey, type Problem, type VerifyReport } from '../../../../shared/core/recording/session.ts'
import { sessionId, type SessionId } from '../../../../shared/base/units.ts'
import { LOG_GENESIS, logHash, equalBytes } from '../format/ledger.ts'
import type { DigestFolds } from '../types/reader.ts'
import type { StoreQueries } from '../read/queries.ts'
import type { Db } from '../schema/sqlite.ts'
import { ErasedDuringCheck, type Report } from './checked-session.ts'
import { StoredSessionCheck } from './stored-session-check.ts'
import { checkLogFile } from './verify-log.ts'
import { checkStructure, type StructureOptions } from './verify-structure.ts'
import type { BeginRecord, CloseRecord, StoredSession } from '../schema/records.ts'

/** Maximum problems listed in a report; more are counted. */
const MAX_PROBLEMS = 500

const STORE = sessionId('')
/** The structure check's share of the progress. */
const STRUCTURE_SHARE = 0.1

/** Called with a fraction from 0 to 1 and the messages checked so far. If it throws, the verification ends. */
export type VerifyProgress = (done: number, messages: number) => void

/** Verifies one session, or all with null. Throws only what `onProgress` throws. */
export function verifyStore(
  queries: StoreQueries,
  session: SessionId | null,
  onProgress: VerifyProgress = () => undefined,
  folds?: DigestFolds,
  structure: StructureOptions = {},
): VerifyReport {
  const problems: Problem[] = []
  let unlisted = 0
  const report: Report = (of, kind, detail, where = {}) => {
    if (problems.length === MAX_PROBLEMS) unlisted += 1
    else problems.push({ session: of, kind, feed: where.feed ?? null, atMs: where.atMs ?? null, detail })
  }
  let sessions = 0
  let messages = 0
  const { db } = queries
  let stopped: { readonly by: unknown } | null = null
  const progress: VerifyProgress = (done, count) => {
    try {
      onProgress(done, count)
    } catch (thrown) {
      stopped = { by: thrown }
      throw thrown
    }
  }
  try {
    progress(0, 0)
    checkLogFile(db, () => queries.isWritten(), report)
    checkStructure(db, report, (done) => progress(done * STRUCTURE_SHARE, 0), structure)
    const checked = (done: number): number => STRUCTURE_SHARE + done * (1 - STRUCTURE_SHARE)
    const log = db.transaction(() => checkLog(db, queries.storedSessions(), report)).deferred()
    const rows = queries.storedSessions().filter((row) => session === null || row.key === session)
    const named = session === null ? undefined : log.get(session)
    // A session erased after the log was read is no difference.
    if (session !== null && rows.length === 0 && (named === undefined || named.deleted))
      report(session, 'missing', 'no such session')
    const begin = (id: number, key: string): StoredSessionCheck | null => {
      // Read again: a live session has grown since the list was read, one may be deleted, and its number may be reused.
      const row = queries.storedSessions().find((one) => one.id === id && one.key === key)
      if (row === undefined) {
        if (!isErased(db, key))
          report(sessionId(key), 'missing', 'the session is missing, and the store log has no record of its deletion')
        return null
      }
      // What was closed since the log was read is compared with its close record, too.
      return new StoredSessionCheck(queries, row, { close: log.get(key)?.close ?? closeOf(db, key), report, folds })
    }
    for (const [i, { id, key }] of rows.entries()) {
      try {
        const check = db.transaction(() => begin(id, key)).deferred()
        if (check !== null) {
          messages += check.run((part, count) => progress(checked((i + part) / rows.length), messages + count))
          sessions++
        }
      } catch (thrown) {
        if (stopped !== null) break
        if (thrown instanceof ErasedDuringCheck) {
          if (!isErased(db, key))
            report(sessionId(key), 'missing', 'the session is missing, and the store log has no record of its deletion')
          continue
        }
        sessions++
        report(sessionId(key), 'structure', `the session can’t be read: ${describe(thrown)}`)
      }
      progress(checked((i + 1) / rows.length), messages)
    }
  } catch (thrown) {
    if (stopped === null) report(session ?? STORE, 'structure', `the store can’t be read: ${describe(thrown)}`)
  }
  if (stopped !== null) throw (stopped as { readonly by: unknown }).by // set in a callback, which the compiler cannot see
  return { sessions, messages, ok: problems.length === 0, problems, ...(unlisted > 0 ? { unlisted } : {}) }
}

function describe(thrown: unknown): string {
  const { message, detail } = toFailure(thrown)
  return detail ?? message
}

/** Whether the store log now records that a session was erased. */
function isErased(db: Db, key: string): boolean {
  return lastOf(db, ['delete'], key) !== undefined
}

/** A session's close record in the store log now; null if there is none, or if the session began again since. */
function closeOf(db: Db, key: string): CloseRecord | null {
  const row = lastOf(db, ['begin', 'close'], key)
  return row?.kind === 'close' ? (JSON.parse(row.body) as CloseRecord) : null // written by the engine
}

function lastOf(
  db: Db,
  kinds: readonly ('begin' | 'close' | 'delete')[],
  key: string,
): { readonly kind: string; readonly body: string } | undefined {
  return db
    .prepare<[string, string], { kind: string; body: string }>(
      `SELECT kind, body FROM store_log WHERE kind IN (SELECT value FROM json_each(?))
       AND CASE WHEN json_valid(body) THEN json_extract(body, '$.recording') END = ? ORDER BY n DESC LIMIT 1`,
    )
    .get(JSON.stringify(kinds), key)
}

interface LogEntry {
  readonly begin: BeginRecord
  close: CloseRecord | null
  deleted: boolean
}

/** Checks the store log's hash chain and returns the sessions it lists. */
function checkLog(db: Db, rows: readonly StoredSession[], report: Report): Map<string, LogEntry> {
  const known = new Map<string, LogEntry>()
  let previous = LOG_GENESIS
  let expected = 1
  const log = db.prepare<[], { n: number; kind: string; body: string; hash: Buffer }>(
    'SELECT n, kind, body, hash FROM store_log ORDER BY n',
  )
  for (const { n, kind, body, hash } of log.iterate()) {
    if (n !== expected++) report(STORE, 'missing', `row ${expected - 1} of the store log is missing`)
    if (!equalBytes(logHash(previous, n, kind, body), hash))
      report(STORE, 'changed', `row ${n} of the store log fails its hash`)
    previous = hash
    expected = n + 1
    try {
      // checked by the hash above: written by the engine
      const record = JSON.parse(body) as BeginRecord & CloseRecord
      if (kind === 'begin') known.set(record.recording, { begin: record, close: null, deleted: false })
      else if (kind === 'close') known.get(record.recording)!.close = record
      else known.get(record.recording)!.deleted = true
    } catch {
      report(STORE, 'changed', `row ${n} of the store log can’t be read`)
    }
  }
  for (const [key, { begin, close, deleted }] of known) {
    const row = rows.find((r) => r.key === key)
    const at = sessionId(key)
    if (deleted) {
      if (row !== undefined) report(at, 'structure', 'the session was deleted but is still stored')
      continue
    }
    if (row === undefined) report(at, 'missing', 'the session is in the store log but isn’t stored')
    else if (
      row.source !== sourceKey(begin.source) ||
      row.started_ms !== begin.startedMs ||
      row.ended_ms !== (close?.endedMs ?? null) ||
      row.clean !== (close?.clean === true ? 1 : 0) ||
      row.summary !== (close === null ? null : JSON.stringify(close))
    ) {
      report(at, 'changed', 'the session’s row doesn’t match the store log')
    }
  }
  for (const row of rows)
    if (!known.has(row.key)) report(sessionId(row.key), 'structure', 'the session isn’t in the store log')
  return known
}
