/** Reads what several parts of the history need: connections, heads, parts and the tail of a session. */
import { CodedError } from '../../../../shared/base/errors.ts'
import { isFeedId, sessionId, unixMs, type FeedId, type SessionId } from '../../../../shared/base/units.ts'
import type { ChainHead } from '../frame/frame.ts'
import type { SessionInfo } from '../session-info.ts'
import type { StoredSignature } from '../sign/authorship.ts'
import type { SignedSession } from '../sign/signature.ts'
import type { Database, Sql } from './database.ts'

export interface StoredConnection {
  readonly feed: FeedId | ''
  /** The first seq of the frame that announced it; after the last seq of the session if no frame did. */
  readonly announcedSeq: number
  /** At the last seq of the session. */
  readonly chain: ChainHead
}

/** The connections of a session; 0 is its entries. Throws `store-damaged`. */
export async function loadConnections(
  sql: Pick<Sql, 'rows'>,
  schema: string,
  id: number,
): Promise<Map<number, StoredConnection>> {
  const rows = await sql.rows<{ conn: number; feed: string; announced_seq: number; messages: number; head: Buffer }>(
    `SELECT conn, feed, announced_seq, messages, head FROM ${schema}.connection WHERE session = $1 ORDER BY conn`,
    [id],
  )
  return new Map(
    rows.map(({ conn, feed, announced_seq: announcedSeq, messages, head }) => {
      if (conn === 0 ? feed !== '' : !isFeedId(feed))
        throw new CodedError('store-damaged', `Connection ${conn} of session number ${id} has an unknown feed.`)
      return [conn, { feed: feed as FeedId | '', announcedSeq, chain: { head, messages } }] // checked above
    }),
  )
}

/** The heads of a session's chains after its last part that ends at or before `seq`. */
export async function loadHeadsBefore(db: Database, id: number, seq: number): Promise<Map<number, ChainHead>> {
  const rows = await db.rows<{ conn: number; messages: number; head: Buffer }>(
    `SELECT DISTINCT ON (c.conn) c.conn, c.messages, c.head FROM ${db.schema}.chain c
     JOIN ${db.schema}.part p USING (session, part)
     WHERE c.session = $1 AND p.last_seq <= $2 ORDER BY c.conn, c.part DESC`,
    [id, seq],
  )
  return new Map(rows.map(({ conn, messages, head }) => [conn, { messages, head }]))
}

export interface TailRow {
  readonly first_seq: number
  readonly last_seq: number
  readonly data: Buffer
}

/** The next frames of a session's tail that begin after a seq. */
export const loadTail = (db: Database, id: number, afterSeq: number, most: number): Promise<TailRow[]> =>
  db.rows<TailRow>(
    `SELECT first_seq, last_seq, data FROM ${db.schema}.tail
     WHERE session = $1 AND first_seq > $2 ORDER BY first_seq LIMIT $3`,
    [id, afterSeq, most],
  )

export interface PartRow {
  readonly part: number
  readonly first_seq: number
  readonly last_seq: number
  readonly messages: number
  readonly entries: number
  readonly flushes: Buffer
}

/** The next parts of a session that end after a seq, oldest first. */
export const loadParts = (db: Database, id: number, afterSeq: number, most: number): Promise<PartRow[]> =>
  db.rows<PartRow>(
    `SELECT part, first_seq, last_seq, messages, entries, flushes FROM ${db.schema}.part
     WHERE session = $1 AND last_seq > $2 ORDER BY part LIMIT $3`,
    [id, afterSeq, most],
  )

/** What the table `session` says about one, as its recorder described it. */
export interface SessionColumns {
  readonly key: string
  readonly shard: number
  readonly shards: number
  readonly recorder: string
  readonly source: SessionInfo['source']
  readonly started_ms: number
  readonly epoch: number
}
export const SESSION_COLUMNS = 'key, shard, shards, recorder, source, started_ms, epoch'

/** What the signatures of a stored session cover of its description. */
export const signedSession = (team: string, row: SessionColumns): SignedSession => {
  const { key, shard, shards, recorder, source, started_ms: startedMs, epoch } = row
  return { team, session: sessionId(key), shard, shards, recorder, source, startedMs: unixMs(startedMs), epoch }
}

/** The signatures of a session, oldest first. */
export const loadSignatures = async (db: Database, session: SessionId): Promise<StoredSignature[]> => {
  const rows = await db.rows<{ seq: number; signature: Buffer }>(
    `SELECT g.seq, g.signature FROM ${db.schema}.signature g JOIN ${db.schema}.session s ON s.id = g.session
     WHERE s.key = $1 ORDER BY g.seq`,
    [session],
  )
  return rows.map(({ seq, signature: bytes }) => ({ seq, bytes }))
}
