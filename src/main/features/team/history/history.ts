/** A team's history as terminals and commands read it. */
import { CodedError } from '../../../../shared/base/errors.ts'
import { sessionId, unixMs, type SessionId, type UnixMs } from '../../../../shared/base/units.ts'
import { newColumns } from '../../../core/store/format/message-columns.ts'
import type { Batch } from '../../../core/store/types/messages.ts'
import { decodeFrame } from '../frame/decode.ts'
import type { ChainHeads, CommittedFlush, Connection, Frame } from '../frame/frame.ts'
import { verifyFrame } from '../frame/verify.ts'
import type { TeamName } from '../names.ts'
import { decodeSessionInfo, encodeSessionInfo, type SessionInfo } from '../session-info.ts'
import { readId } from '../history-claim.ts'
import { connectDatabase, type Database } from './database.ts'
import type { StoredSignature } from '../sign/authorship.ts'
import {
  loadConnections,
  loadHeadsBefore,
  loadParts,
  loadSignatures,
  loadTail,
  type SessionColumns,
  type StoredConnection,
  SESSION_COLUMNS,
} from './load.ts'
import { loadFrame, type PartOf } from './parts.ts'
import { checkSchema } from './schema.ts'
import type { HistoryTarget } from './target.ts'

export interface HistorySession extends SessionInfo {
  /** Everything up to this seq is in the history. */
  readonly lastSeq: number
  readonly messages: number
  readonly entries: number
  /** It has ended, and everything that was recorded is in the history. */
  readonly isComplete: boolean
  /** Its blocks were detached to make room; only its description is left. */
  readonly isRemoved: boolean
}

export interface SessionRange {
  /** Only sessions that ended at or after this time, or haven't ended. */
  readonly fromMs?: UnixMs
  /** Only sessions that began before this time. */
  readonly toMs?: UnixMs
}

export interface History {
  readonly team: TeamName
  /** The database, as shown. */
  readonly place: string
  /** Differs from that of every other database. */
  id(): Promise<string>
  /** By start. */
  sessions(range?: SessionRange): Promise<readonly HistorySession[]>
  /** Null if the history doesn't have it. */
  session(id: SessionId): Promise<HistorySession | null>
  /**
   * The flushes of a session after `afterSeq`, the end of a flush, as their recorder committed them: up to what the
   * history had when reading began, or more. Each is compared with the stored chains. A connection is announced with
   * or before its first message, and the last flush may hold nothing but announcements. Rejects with `not-found`, and
   * with `store-damaged` if blocks don't match their chains or `afterSeq` isn't the end of a flush.
   */
  flushes(session: SessionId, afterSeq: number): AsyncIterable<readonly CommittedFlush[]>
  /** The recorder's signatures of a session, oldest first; that of its end is with the end. */
  signatures(session: SessionId): Promise<readonly StoredSignature[]>
  /** Frames in quarantine, by shard. */
  quarantined(): Promise<ReadonlyMap<number, number>>
  close(): Promise<void>
}

/** Opens a team's history. Refuses a missing, older or newer schema. */
export async function openHistory(target: HistoryTarget, team: TeamName): Promise<History> {
  const db = await connectDatabase(target, team)
  try {
    await checkSchema(db)
  } catch (thrown) {
    await db.close()
    throw thrown
  }
  return historyOf(db)
}

export function historyOf(db: Database): History {
  return {
    team: db.team,
    place: db.place,
    id: () => readId(db),
    sessions: async ({ fromMs, toMs } = {}) =>
      (await loadSessions(db, 'started_ms < $1', [toMs ?? Number.MAX_VALUE])).filter(
        ({ end }) => fromMs === undefined || end === null || end.endedMs >= fromMs,
      ),
    session: async (id) => (await loadSessions(db, 'key = $1', [id]))[0] ?? null,
    flushes: (session, afterSeq) => readFlushes(db, session, afterSeq),
    signatures: (session) => loadSignatures(db, session),
    quarantined: () => countQuarantined(db),
    close: () => db.close(),
  }
}

export async function countQuarantined(db: Database): Promise<ReadonlyMap<number, number>> {
  const rows = await db.rows<{ readonly shard: number; readonly frames: number }>(
    `SELECT shard, count(*) AS frames FROM ${db.schema}.quarantine GROUP BY shard`,
  )
  return new Map(rows.map(({ shard, frames }) => [shard, frames]))
}

interface StoredSession extends SessionColumns {
  readonly last_seq: number
  readonly messages: number
  readonly entries: number
  readonly ended: SessionInfo['end']
  readonly complete: boolean
  readonly removed: boolean
}

/** Leaves out sessions whose description a newer Tapedeck wrote. */
async function loadSessions(
  db: Database,
  where: string,
  values: readonly (string | number)[],
): Promise<HistorySession[]> {
  const rows = await db.rows<StoredSession>(
    `SELECT ${SESSION_COLUMNS}, last_seq, messages, entries, ended, complete, removed
     FROM ${db.schema}.session WHERE ${where} ORDER BY started_ms, key`,
    values,
  )
  return rows.flatMap((row) => {
    const { shard, shards, recorder, source, epoch, messages, entries } = row
    const info = decodeSessionInfo(
      encodeSessionInfo({
        session: sessionId(row.key),
        shard,
        shards,
        recorder,
        source,
        startedMs: unixMs(row.started_ms),
        epoch,
        end: row.ended,
      }),
    )
    if (info === null) return []
    return [{ ...info, lastSeq: row.last_seq, messages, entries, isComplete: row.complete, isRemoved: row.removed }]
  })
}

/** Frames of the tail read at a time. */
const TAIL_PAGE = 64
/** Reads in a row that find nothing where something must be, before the history counts as corrupt. */
const MOST_MISSES = 3

interface ReadSession {
  readonly id: number
  readonly day: string
  readonly last_seq: number
  readonly sealed_seq: number
  readonly complete: boolean
  readonly removed: boolean
}

async function findSession(db: Database, session: SessionId): Promise<ReadSession> {
  const [row] = await db.rows<ReadSession>(
    `SELECT id, day, last_seq, sealed_seq, complete, removed FROM ${db.schema}.session WHERE key = $1`,
    [session],
  )
  if (row === undefined || row.removed)
    throw new CodedError('not-found', `The history of team ${db.team} doesn’t have session ${session}.`)
  return row
}

/** Chains up to a seq. */
interface Place {
  readonly seq: number
  readonly heads: ChainHeads
}

/** Flushes that were read together, and the chains after them. */
interface Segment extends Place {
  readonly flushes: readonly CommittedFlush[]
}

async function* readFlushes(
  db: Database,
  session: SessionId,
  afterSeq: number,
): AsyncGenerator<readonly CommittedFlush[]> {
  const { last_seq: upTo, complete } = await findSession(db, session)
  let at = afterSeq
  let place: Place | null = null
  let misses = 0
  while (at < upTo) {
    const segment: Segment | null = await readSegment(db, session, at, place)
    if (segment === null) {
      // What was in the tail may be in a part by now, which is read next.
      if (++misses === MOST_MISSES) throw corrupt(session, `Seq ${at + 1} is missing.`)
      continue
    }
    misses = 0
    place = segment
    const connections = await loadConnections(db, db.schema, (await findSession(db, session)).id)
    const flushes = takeAfter(session, segment.flushes, at, announced(connections, at, segment.seq))
    at = Math.max(at, segment.seq)
    if (flushes.length > 0) yield flushes
  }
  if (!complete) return
  const silent = announced(await loadConnections(db, db.schema, (await findSession(db, session)).id), upTo, Infinity)
  if (silent.length > 0) yield [{ batch: { messages: newColumns(0, 0), entries: [], connections: silent }, leaves: [] }]
}

/** Reads the part that holds what follows `at`, or else a page of the tail; null if neither has it. */
async function readSegment(db: Database, session: SessionId, at: number, place: Place | null): Promise<Segment | null> {
  const row = await findSession(db, session)
  const headsAt = async (seq: number): Promise<ChainHeads> =>
    place?.seq === seq ? place.heads : loadHeadsBefore(db, row.id, seq)
  const [part] = await loadParts(db, row.id, at, 1)
  if (part !== undefined) {
    const before = await headsAt(part.first_seq - 1)
    const of: PartOf = { id: row.id, key: session, day: row.day }
    const frame = await loadFrame(db, of, part, await loadConnections(db, db.schema, row.id), before)
    return verifySegment(session, frame, before)
  }
  const start: Place =
    place !== null && place.seq >= row.sealed_seq
      ? place
      : { seq: row.sealed_seq, heads: await headsAt(row.sealed_seq) }
  const page = await loadTail(db, row.id, start.seq, TAIL_PAGE)
  let { seq, heads } = start
  const flushes: CommittedFlush[] = []
  for (const { first_seq: firstSeq, data } of page) {
    if (firstSeq !== seq + 1) break
    const decoded = decodeFrame(data)
    if (!decoded.ok) throw corrupt(session, decoded.refusal.message)
    const segment = verifySegment(session, decoded.value, heads)
    for (const flush of segment.flushes) flushes.push(flush)
    ;({ seq, heads } = segment)
  }
  return seq === start.seq ? null : { seq, heads, flushes }
}

function verifySegment(session: SessionId, frame: Frame, before: ChainHeads): Segment {
  const verified = verifyFrame(frame, before)
  if (!verified.ok) throw corrupt(session, verified.refusal.message)
  return { seq: frame.lastSeq, heads: verified.value.heads, flushes: verified.value.flushes }
}

/** Connections announced after one seq and up to another. */
const announced = (connections: ReadonlyMap<number, StoredConnection>, after: number, upTo: number): Connection[] =>
  [...connections].flatMap(([conn, { feed, announcedSeq }]) =>
    feed !== '' && announcedSeq > after && announcedSeq <= upTo ? [{ conn, feed }] : [],
  )

/** The flushes after a seq; the first announces `connections`. */
function takeAfter(
  session: SessionId,
  flushes: readonly CommittedFlush[],
  afterSeq: number,
  connections: readonly Connection[],
): CommittedFlush[] {
  const taken = flushes
    .filter(({ batch }) => firstSeqOf(batch) > afterSeq)
    .map((flush, i) => ({ ...flush, batch: { ...flush.batch, connections: i === 0 ? connections : [] } }))
  const [first] = taken
  if (first !== undefined && firstSeqOf(first.batch) !== afterSeq + 1)
    throw corrupt(session, `No flush ends at seq ${afterSeq}.`)
  return taken
}

const firstSeqOf = ({ messages, entries }: Batch): number =>
  Math.min(messages.seq[0] ?? Infinity, entries[0]?.seq ?? Infinity)

const corrupt = (session: SessionId, why: string): CodedError =>
  new CodedError('store-damaged', `Session ${session} is corrupt in the history. ${why}`, {
    hint: 'Run tapedeck verify --history to see what else is.',
  })
