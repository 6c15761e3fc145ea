/**
 * Stores verified frames. The last check of exactly once is here: one transaction locks the session, drops what is
 * there, verifies the rest against the stored heads, and moves `last_seq` only from what it was.
 */
import { createHash } from 'node:crypto'
import { CodedError } from '../../../../shared/base/errors.ts'
import { FEED_IDS, sessionId, type FeedId, type SessionId } from '../../../../shared/base/units.ts'
import { genesis } from '../../../core/store/format/ledger.ts'
import type { Watermark } from '../checksum.ts'
import type { ChainHead, ChainHeads } from '../frame/frame.ts'
import type { Refusal } from '../frame/refusal.ts'
import type { VerifiedFrame } from '../frame/verify.ts'
import type { SessionEnd, SessionInfo } from '../session-info.ts'
import { findForgedEnd } from '../sign/forgery.ts'
import { acceptFrames, nothingAccepted, type Accepted, type StoreOutcome } from './tail/accept.ts'
import { SESSION_COLUMNS, signedSession, type SessionColumns } from './load.ts'
import { insertRows, type Database, type Sql, type SqlValue } from './database.ts'
import { checkVersion } from './schema.ts'
import { copyToTail } from './tail/copy-to-tail.ts'

export interface SessionProgress {
  readonly lastSeq: number
  readonly sealedSeq: number
  readonly tailBytes: number
  /** Null while it is being recorded. */
  readonly end: SessionEnd | null
  /** Its last message is stored and its heads equal those of its close record. */
  readonly complete: boolean
}

/** Writes what is decoded from a frame elsewhere in the same transaction. */
export type FrameSink = (sql: Sql, id: number, day: string, flushes: VerifiedFrame['flushes']) => Promise<void>

export interface ArchiveOptions {
  readonly onFrames?: FrameSink | undefined
  /** Called before a transaction commits, for fault injection. */
  readonly beforeCommit?: ((sql: Sql) => Promise<void>) | undefined
}

interface LockedSession extends SessionColumns {
  readonly id: number
  readonly day: string
  readonly last_seq: number
}

/** What a session's connections looked like at `lastSeq`. */
interface KnownHeads {
  readonly lastSeq: number
  readonly heads: ChainHeads
}

/** Sessions whose heads are kept in memory; more are read again. */
const KNOWN_SESSIONS = 64

export class Archive {
  readonly #db: Database
  readonly #options: ArchiveOptions
  readonly #known = new Map<SessionId, KnownHeads>()

  constructor(db: Database, options: ArchiveOptions = {}) {
    this.#db = db
    this.#options = options
  }

  /** Describes a session, or records its end. Refuses with `store-damaged` what contradicts what is stored. */
  async putSession(info: SessionInfo): Promise<void> {
    const { schema } = this.#db
    const { session, shard, shards, recorder, source, startedMs, epoch, end } = info
    await this.#db.run(
      `INSERT INTO ${schema}.session (key, day, shard, shards, recorder, source, started_ms, epoch)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (key) DO NOTHING`,
      [session, dayOf(startedMs), shard, shards, recorder, JSON.stringify(source), startedMs, epoch],
    )
    if (end !== null)
      await this.#db.run(`UPDATE ${schema}.session SET ended = $2 WHERE key = $1 AND ended IS NULL`, [
        session,
        JSON.stringify(end),
      ])
    const [row] = await this.#db.rows<{ shard: number; started_ms: number; ended: SessionEnd | null }>(
      `SELECT shard, started_ms, ended FROM ${schema}.session WHERE key = $1`,
      [session],
    )
    if (row.shard === shard && row.started_ms === startedMs && (end === null || isSameEnd(row.ended, end))) return
    throw new CodedError('store-damaged', `Session ${session} was announced with two different descriptions.`, {
      hint: 'Check that its shard has one recorder, and that nobody else writes to the team’s buckets.',
    })
  }

  /** How far a session is; null if nobody has described it. */
  async progress(session: SessionId): Promise<SessionProgress | null> {
    const [row] = await this.#db.rows<{
      last_seq: number
      sealed_seq: number
      tail_bytes: number
      ended: SessionEnd | null
      complete: boolean
    }>(`SELECT last_seq, sealed_seq, tail_bytes, ended, complete FROM ${this.#db.schema}.session WHERE key = $1`, [
      session,
    ])
    if (row === undefined) return null
    const { last_seq: lastSeq, sealed_seq: sealedSeq, tail_bytes: tailBytes, ended: end, complete } = row
    return { lastSeq, sealedSeq, tailBytes, end, complete }
  }

  /** Sessions that are complete and sealed: nothing is left to do for them. */
  async sealedSessions(): Promise<SessionId[]> {
    const rows = await this.#db.rows<{ key: string }>(
      `SELECT key FROM ${this.#db.schema}.session WHERE complete AND sealed_seq = last_seq`,
    )
    return rows.map(({ key }) => sessionId(key))
  }

  /** How far each session of a shard is. */
  async watermarks(shard: number): Promise<Map<SessionId, Watermark>> {
    const rows = await this.#db.rows<{ key: string; last_seq: number; complete: boolean }>(
      `SELECT key, last_seq, complete FROM ${this.#db.schema}.session WHERE shard = $1`,
      [shard],
    )
    return new Map(rows.map(({ key, last_seq: lastSeq, complete }) => [sessionId(key), { lastSeq, isComplete: complete }])) // oxfmt-ignore
  }

  /** Sessions of which more may come, also those of which nothing came yet. */
  async unfinished(): Promise<SessionId[]> {
    const rows = await this.#db.rows<{ key: string }>(
      `SELECT key FROM ${this.#db.schema}.session WHERE NOT complete AND NOT removed`,
    )
    return rows.map(({ key }) => sessionId(key))
  }

  /** Sessions of a shard of which more may come, by start. */
  async openSessions(shard: number): Promise<SessionId[]> {
    const rows = await this.#db.rows<{ key: string }>(
      `SELECT key FROM ${this.#db.schema}.session WHERE shard = $1 AND NOT complete ORDER BY started_ms, key`,
      [shard],
    )
    return rows.map(({ key }) => sessionId(key))
  }

  /**
   * Stores whole frames of one session in seq order; those that are there already are skipped. `shard`: the one they
   * arrived in. Recorders may publish to their own shard only, so frames of another shard's session are refused.
   */
  async store(session: SessionId, frames: readonly Uint8Array[], shard?: number): Promise<StoreOutcome> {
    let known: KnownHeads | null = null
    const outcome = await this.#db.transaction(async (sql): Promise<StoreOutcome> => {
      const row = await this.#lock(sql, session)
      if (row === null) return { is: 'unknown' }
      if (shard !== undefined && row.shard !== shard) {
        const message = `It is of shard ${row.shard} and arrived in shard ${shard}.`
        const frame = frames[0] ?? new Uint8Array(0)
        return { is: 'refused', lastSeq: 0, refusal: { code: 'malformed', message }, frame }
      }
      const heads = await this.#headsAt(sql, session, row)
      const accepted = nothingAccepted(row.last_seq, heads, this.#options.onFrames !== undefined)
      if (frames.length > 0)
        await copyToTail(
          sql,
          this.#db.schema,
          row.id,
          acceptFrames(signedSession(this.#db.team, row), frames, accepted),
        )
      if (accepted.frames.length > 0) await this.#write(sql, row, heads, accepted)
      await this.#options.beforeCommit?.(sql)
      known = { lastSeq: accepted.lastSeq, heads: accepted.heads }
      return accepted.stop ?? { is: 'stored', lastSeq: accepted.lastSeq }
    })
    this.#remember(session, known)
    return outcome
  }

  /** Sets a frame aside that can't be stored, for people to look at. */
  async quarantine(session: SessionId, shard: number, refusal: Refusal, frame: Uint8Array): Promise<void> {
    await this.#db.run(
      `INSERT INTO ${this.#db.schema}.quarantine (session, shard, code, reason, sha256, data)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
      [session, shard, refusal.code, refusal.message, createHash('sha256').update(frame).digest(), frame],
    )
  }

  /**
   * Compares an ended session whose last message is stored with its close record, and marks it as complete. Returns
   * what differs, or null.
   */
  async complete(session: SessionId): Promise<string | null> {
    const { schema } = this.#db
    return this.#db.transaction(async (sql) => {
      const [row] = await sql.rows<
        SessionColumns & {
          id: number
          last_seq: number
          messages: number
          entries: number
          ended: SessionEnd | null
        }
      >(
        `SELECT id, last_seq, messages, entries, ended, ${SESSION_COLUMNS}
         FROM ${schema}.session WHERE key = $1 FOR UPDATE`,
        [session],
      )
      if (row === undefined || row.ended === null || row.last_seq < row.ended.lastSeq) return null
      const { ended } = row
      const heads = await readHeads(sql, schema, row.id)
      // A connection without messages travels with no frame. Its head still says which feed it was.
      for (const [conn, head] of Object.entries(ended.heads)) {
        if (heads.has(Number(conn))) continue
        const feed = findSilentFeed(session, Number(conn), head)
        if (feed === null) return `the feed of connection ${conn} is unknown`
        await sql.run(
          `INSERT INTO ${schema}.connection (session, conn, feed, announced_seq, messages, head) VALUES ($1, $2, $3, $4, 0, $5)`,
          [row.id, Number(conn), feed, ended.lastSeq + 1, Buffer.from(head, 'hex')],
        )
        heads.set(Number(conn), { head: Buffer.from(head, 'hex'), messages: 0 })
      }
      const differs =
        findDifference(row, heads, ended) ?? findForgedEnd(signedSession(this.#db.team, row), ended, heads)
      if (differs === null) await sql.run(`UPDATE ${schema}.session SET complete = true WHERE id = $1`, [row.id])
      return differs
    })
  }

  async #lock(sql: Sql, session: SessionId): Promise<LockedSession | null> {
    const { schema } = this.#db
    const [row] = await sql.rows<LockedSession & { readonly version: number }>(
      `SELECT id, day, last_seq, (SELECT version FROM ${schema}.meta) AS version, ${SESSION_COLUMNS}
       FROM ${schema}.session WHERE key = $1 FOR UPDATE`,
      [session],
    )
    if (row === undefined) return null
    // Owners may update a history while archivers run.
    checkVersion(row.version, this.#db)
    return row
  }

  async #headsAt(sql: Sql, session: SessionId, row: LockedSession): Promise<ChainHeads> {
    const known = this.#known.get(session)
    if (known !== undefined && known.lastSeq === row.last_seq) return known.heads
    return readHeads(sql, this.#db.schema, row.id)
  }

  #remember(session: SessionId, known: KnownHeads | null): void {
    this.#known.delete(session)
    if (known === null) return
    this.#known.set(session, known)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= KNOWN_SESSIONS) break
      this.#known.delete(oldest)
    }
  }

  async #write(sql: Sql, row: LockedSession, before: ChainHeads, accepted: Accepted): Promise<void> {
    const { schema } = this.#db
    const { frames, flushes, heads, lastSeq, bytes, messages, entries } = accepted
    const announced = frames.flatMap(({ firstSeq, connections }) =>
      connections
        .filter(({ conn }) => !before.has(conn))
        .map(({ conn, feed }): SqlValue[] => {
          const { head, messages: count } = headOf(heads, conn)
          return [row.id, conn, feed, firstSeq, count, head]
        }),
    )
    if (!before.has(0)) {
      const { head } = headOf(heads, 0)
      announced.push([row.id, 0, '', 1, 0, head])
    }
    const columns = ['session', 'conn', 'feed', 'announced_seq', 'messages', 'head']
    await insertRows(sql, `${schema}.connection`, columns, announced)
    const moved = [...heads].filter(([conn, { head }]) => before.has(conn) && before.get(conn)?.head !== head)
    if (moved.length > 0)
      await sql.run(
        `UPDATE ${schema}.connection c SET head = decode(n.head, 'hex'), messages = n.messages
         FROM unnest($2::bigint[], $3::bigint[], $4::text[]) AS n (conn, messages, head)
         WHERE c.session = $1 AND c.conn = n.conn`,
        [
          row.id,
          moved.map(([conn]) => conn),
          moved.map(([, chain]) => chain.messages),
          moved.map(([, chain]) => Buffer.from(chain.head).toString('hex')),
        ],
      )
    for (const { lastSeq: seq, signature } of frames)
      if (signature !== null)
        await sql.run(
          `INSERT INTO ${schema}.signature (session, seq, signature) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
          [row.id, seq, signature],
        )
    for (const of of flushes ?? []) await this.#options.onFrames?.(sql, row.id, row.day, of)
    const written = await sql.run(
      `UPDATE ${schema}.session SET last_seq = $3, messages = messages + $4, entries = entries + $5,
       tail_bytes = tail_bytes + $6 WHERE id = $1 AND last_seq = $2`,
      [row.id, row.last_seq, lastSeq, messages, entries, bytes],
    )
    if (written !== 1) throw new CodedError('busy', 'Another archiver stored the same messages.')
  }
}

function headOf(heads: ChainHeads, conn: number): ChainHead {
  const head = heads.get(conn)
  if (head === undefined) throw new TypeError(`connection ${conn} has no head`) // verifying gave it one
  return head
}

/** The heads of a session at its last seq. */
async function readHeads(sql: Sql, schema: string, id: number): Promise<Map<number, ChainHead>> {
  const rows = await sql.rows<{ conn: number; messages: number; head: Buffer }>(
    `SELECT conn, messages, head FROM ${schema}.connection WHERE session = $1`,
    [id],
  )
  return new Map(rows.map(({ conn, messages, head }) => [conn, { messages, head }]))
}

/** The feed of a connection without messages, from its head: '' for the entries; null if it had messages. */
function findSilentFeed(session: SessionId, conn: number, head: string): FeedId | '' | null {
  const feeds = conn === 0 ? (['' as const] as const) : FEED_IDS
  return feeds.find((feed) => Buffer.from(genesis(session, conn, feed)).toString('hex') === head) ?? null
}

/** What of a session differs from its close record, or null. */
export function findDifference(
  stored: { readonly last_seq: number; readonly messages: number; readonly entries: number },
  heads: ChainHeads,
  end: SessionEnd,
): string | null {
  if (stored.last_seq !== end.lastSeq) return `it ends at seq ${stored.last_seq} instead of ${end.lastSeq}`
  if (stored.messages !== end.messages) return `it has ${stored.messages} messages instead of ${end.messages}`
  if (stored.entries !== end.entries) return `it has ${stored.entries} entries instead of ${end.entries}`
  for (const [conn, { head }] of heads)
    if (Buffer.from(head).toString('hex') !== end.heads[String(conn)])
      return `the head of connection ${conn} doesn’t match the close record`
  return Object.keys(end.heads).length === heads.size ? null : 'the close record lists other connections'
}

function isSameEnd(a: SessionEnd | null, b: SessionEnd): boolean {
  if (a === null || a.lastSeq !== b.lastSeq || a.endedMs !== b.endedMs) return false
  const names = Object.keys(b.heads)
  return names.length === Object.keys(a.heads).length && names.every((name) => a.heads[name] === b.heads[name])
}

/** The UTC day of a time, `YYYY-MM-DD`. A session lies within the day of its start. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
