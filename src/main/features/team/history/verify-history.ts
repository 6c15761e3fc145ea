/**
 * Verifies a history: reads every part and frame, recomputes every chain, and compares blocks, entries, counts,
 * watermarks and close records. Writes nothing. Sessions that are being archived are verified up to where they were.
 */
import { setImmediate } from 'node:timers/promises'
import { CodedError } from '../../../../shared/base/errors.ts'
import { sessionId, type FeedId, type SessionId } from '../../../../shared/base/units.ts'
import type { Authorship, Problem, VerifyReport } from '../../../../shared/core/recording/session.ts'
import { Classifier } from '../../../core/store/format/classify.ts'
import { equalBytes } from '../../../core/store/format/ledger.ts'
import { mayShareSeries } from '../../../core/store/write/buckets.ts'
import { blockChecksumFields, summarizeBlock } from '../../../core/store/write/sealed-block.ts'
import { decodeFrame } from '../frame/decode.ts'
import type { ChainHeads, Frame } from '../frame/frame.ts'
import { verifyFrame } from '../frame/verify.ts'
import type { SessionEnd } from '../session-info.ts'
import { AuthorshipCheck, findUnproven, type StoredSignature, type TrustedKeys } from '../sign/authorship.ts'
import { findDifference } from './archive.ts'
import type { Database } from './database.ts'
import {
  loadConnections,
  loadHeadsBefore,
  loadParts,
  loadSignatures,
  loadTail,
  SESSION_COLUMNS,
  signedSession,
  type PartRow,
  type SessionColumns,
  type StoredConnection,
} from './load.ts'
import { loadBlocks, loadFrame, type CheckedBlock, type PartOf } from './parts.ts'

const MAX_PROBLEMS = 500
const TAIL_PAGE = 64

interface SessionRow extends SessionColumns {
  readonly id: number
  readonly day: string
  readonly last_seq: number
  readonly sealed_seq: number
  readonly messages: number
  readonly entries: number
  readonly ended: SessionEnd | null
  readonly complete: boolean
}

export interface VerifyHistoryOptions {
  /** Called with a fraction from 0 to 1. */
  readonly onProgress?: (done: number) => void
  readonly signal?: AbortSignal
  /** The keys of the team: then what they didn't sign is a problem. Null: every key will do, and none is needed. */
  readonly trusted?: TrustedKeys | null
}

/** Verifies one session, or all with null. Rejects with `cancelled`, or where the database can't be reached. */
export async function verifyHistory(
  db: Database,
  session: SessionId | null,
  { onProgress, signal, trusted = null }: VerifyHistoryOptions = {},
): Promise<VerifyReport> {
  const problems: Problem[] = []
  let unlisted = 0
  const report: Report = (of, kind, detail, feed = null) => {
    if (problems.length === MAX_PROBLEMS) unlisted += 1
    else problems.push({ session: of, kind, feed, atMs: null, detail })
  }
  const rows = await db.rows<SessionRow>(
    `SELECT id, day, last_seq, sealed_seq, messages, entries, ended, complete, ${SESSION_COLUMNS} FROM ${db.schema}.session
     WHERE NOT removed AND ($1::text IS NULL OR key = $1) ORDER BY started_ms, key`,
    [session],
  )
  if (session !== null && rows.length === 0) report(session, 'missing', 'no such session')
  let messages = 0
  const authors: Authorship[] = []
  for (const [i, row] of rows.entries()) {
    const signatures = await loadSignatures(db, sessionId(row.key))
    const check = new SessionCheck(db, row, report, signatures)
    await check.run((done) => {
      if (signal?.aborted === true) throw new CodedError('cancelled', 'The verification was canceled.')
      onProgress?.((i + done) / rows.length)
    })
    messages += check.messages
    const author = check.authorship(trusted)
    authors.push(author)
    const unproven = trusted === null ? null : findUnproven(author)
    if (unproven !== null) report(author.session, 'signature', unproven)
  }
  await checkStrays(db, session, rows, report)
  const more = unlisted > 0 ? { unlisted } : {}
  return { sessions: rows.length, messages, ok: problems.length === 0, problems, ...more, authors }
}

type Report = (session: SessionId, kind: Problem['kind'], detail: string, feed?: FeedId | null) => void

/** Blocks and entries that no session leads to. */
async function checkStrays(
  db: Database,
  session: SessionId | null,
  rows: readonly SessionRow[],
  report: Report,
): Promise<void> {
  for (const table of ['block', 'entry_block']) {
    const strays = await db.rows<{ session: number; part: number; day: string }>(
      `SELECT DISTINCT b.session, b.part, b.day FROM ${db.schema}.${table} b
       LEFT JOIN ${db.schema}.session s ON s.id = b.session
       LEFT JOIN ${db.schema}.part p ON p.session = b.session AND p.part = b.part
       WHERE (p.part IS NULL OR s.day IS DISTINCT FROM b.day) AND ($1::bigint IS NULL OR b.session = $1)`,
      [session === null ? null : (rows[0]?.id ?? 0)],
    )
    for (const { session: id, part, day } of strays) {
      const key = rows.find((row) => row.id === id)?.key ?? ''
      report(sessionId(key), 'structure', `${table} has rows of part ${part} on ${day} that belong to no part`)
    }
  }
}

/** Thrown to leave a session whose rest can't be verified. */
class Unreadable extends Error {}

class SessionCheck {
  readonly #db: Database
  readonly #row: SessionRow
  readonly #key: SessionId
  readonly #report: Report
  readonly #signatures: AuthorshipCheck
  readonly #classifier = new Classifier()
  #heads: ChainHeads = new Map()
  #seq = 0
  #entries = 0
  messages = 0

  constructor(db: Database, row: SessionRow, report: Report, signatures: readonly StoredSignature[]) {
    this.#db = db
    this.#row = row
    this.#key = sessionId(row.key)
    this.#report = report
    this.#signatures = new AuthorshipCheck(signedSession(db.team, row), signatures)
  }

  authorship(trusted: TrustedKeys | null): Authorship {
    return this.#signatures.authorship(trusted, this.#row.ended !== null)
  }

  async run(progress: (done: number) => void): Promise<void> {
    const { last_seq: upTo } = this.#row
    try {
      const connections = await loadConnections(this.#db, this.#db.schema, this.#row.id)
      while (this.#seq < upTo) {
        progress(this.#seq / upTo)
        await setImmediate()
        const [part] = await loadParts(this.#db, this.#row.id, this.#seq, 1)
        if (part === undefined) await this.#checkTail(upTo)
        else await this.#checkPart(part, connections)
      }
      await this.#finish()
    } catch (thrown) {
      if (thrown instanceof Unreadable) return
      if (!(thrown instanceof CodedError) || thrown.code !== 'store-damaged') throw thrown
      this.#problem('changed', thrown.message)
    } finally {
      for (const fault of this.#signatures.faults) this.#problem('signature', fault)
    }
  }

  #problem(kind: Problem['kind'], detail: string, feed?: FeedId): void {
    this.#report(this.#key, kind, detail, feed)
  }

  async #checkPart(row: PartRow, connections: ReadonlyMap<number, StoredConnection>): Promise<void> {
    const { part, first_seq: firstSeq, last_seq: lastSeq } = row
    if (firstSeq !== this.#seq + 1)
      this.#problem('missing', `part ${part} begins at seq ${firstSeq}, not ${this.#seq + 1}`)
    const of: PartOf = { id: this.#row.id, key: this.#key, day: this.#row.day }
    this.#seq = Math.max(lastSeq, this.#seq + 1)
    this.messages += row.messages
    this.#entries += row.entries
    try {
      const blocks = await loadBlocks(this.#db, of, part)
      this.#checkBlocks(part, blocks, connections)
      this.#verify(await loadFrame(this.#db, of, row, connections, this.#heads, blocks))
    } catch (thrown) {
      if (!(thrown instanceof CodedError) || thrown.code !== 'store-damaged') throw thrown
      this.#problem('changed', `part ${part}, seq ${firstSeq} to ${lastSeq}: ${thrown.message}`)
      // Later parts are compared with what this one says its heads were.
      this.#heads = await loadHeadsBefore(this.#db, this.#row.id, lastSeq)
      this.#signatures.skipTo(lastSeq, this.#heads)
    }
  }

  #checkBlocks(
    part: number,
    blocks: readonly CheckedBlock[],
    connections: ReadonlyMap<number, StoredConnection>,
  ): void {
    const named = new Map<string, Set<string>>()
    for (const { feed, instrument } of blocks) if (instrument !== '') addTo(named, feed, instrument)
    for (const { feed, instrument, row, messages: m, eventMs } of blocks) {
      const name = `the block of ${instrument || 'no instrument'} from seq ${row.minSeq} in part ${part}`
      const found = blockChecksumFields(summarizeBlock(m, eventMs))
      if (!blockChecksumFields(row).every((value, i) => value === found[i]))
        this.#problem('count', `the index of ${name} doesn’t match its messages`)
      const isShared = (flags: number): boolean =>
        instrument === '' && mayShareSeries(flags, named.get(feed)?.size ?? 0)
      for (let i = 0; i < m.count; i++) {
        const of = connections.get(m.conn[i])?.feed
        if (of === undefined || of === '' || of !== feed) {
          this.#problem('structure', `${name} has messages of another feed`)
          break
        }
        const placed = this.#classifier.classify(of, m.flags[i], m.bytes, m.offsets[i], m.offsets[i + 1])
        if (placed.series !== instrument && !isShared(m.flags[i])) {
          this.#problem('structure', `${name} has messages of ${placed.series || 'no instrument'}`, of)
          break
        }
      }
    }
  }

  /** Verifies a frame against the heads so far. Throws `store-damaged`. */
  #verify(frame: Frame): void {
    const verified = verifyFrame(frame, this.#heads)
    if (!verified.ok) throw new CodedError('store-damaged', verified.refusal.message)
    this.#heads = verified.value.heads
    this.#signatures.take(verified.value.flushes)
  }

  async #checkTail(upTo: number): Promise<void> {
    const before = this.#seq
    const page = await loadTail(this.#db, this.#row.id, before, TAIL_PAGE)
    for (const { first_seq: firstSeq, last_seq: lastSeq, data } of page) {
      if (this.#seq >= upTo) return
      if (firstSeq !== this.#seq + 1) break
      const decoded = decodeFrame(data)
      if (!decoded.ok || decoded.value.firstSeq !== firstSeq || decoded.value.lastSeq !== lastSeq)
        throw new CodedError('store-damaged', `the frame from seq ${firstSeq} can’t be read`)
      this.#verify(decoded.value)
      this.#seq = lastSeq
      this.messages += decoded.value.messages.count
      this.#entries += decoded.value.entries.length
    }
    if (this.#seq > before) return
    // Sealed since the parts were read?
    if ((await loadParts(this.#db, this.#row.id, this.#seq, 1)).length > 0) return
    this.#problem('missing', `seq ${this.#seq + 1} to ${(page[0]?.first_seq ?? upTo + 1) - 1} are missing`)
    throw new Unreadable()
  }

  /** Compares the session's own numbers with what was found, unless it has grown since it was read. */
  async #finish(): Promise<void> {
    const { id, last_seq: lastSeq, messages, entries, ended, complete } = this.#row
    const [now] = await this.#db.rows<{ last_seq: number }>(
      `SELECT last_seq FROM ${this.#db.schema}.session WHERE id = $1`,
      [id],
    )
    if (now === undefined || now.last_seq !== lastSeq) return
    this.#signatures.finish(ended?.lastSeq === this.#seq ? ended : null)
    if (this.#seq !== lastSeq) this.#problem('count', `it ends at seq ${this.#seq}, and its watermark is ${lastSeq}`)
    if (this.messages !== messages || this.#entries !== entries)
      this.#problem(
        'count',
        `it has ${this.messages} messages and ${this.#entries} entries instead of ${messages} and ${entries}`,
      )
    const connections = await loadConnections(this.#db, this.#db.schema, id)
    const heads = new Map(this.#heads)
    for (const [conn, { chain, announcedSeq }] of connections) {
      const head = heads.get(conn)
      if (head === undefined && announcedSeq > lastSeq) heads.set(conn, chain)
      else if (head === undefined || head.messages !== chain.messages || !equalBytes(head.head, chain.head))
        this.#problem('digest', `the head of connection ${conn} doesn’t match its messages`)
    }
    if (heads.size !== connections.size) this.#problem('structure', 'a connection is missing')
    if (ended === null) {
      if (complete) this.#problem('structure', 'it counts as complete without a close record')
      return
    }
    const found = { last_seq: this.#seq, messages: this.messages, entries: this.#entries }
    const differs = complete || this.#seq >= ended.lastSeq ? findDifference(found, heads, ended) : null
    if (differs !== null) this.#problem('digest', differs)
  }
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const known = sets.get(key)
  if (known === undefined) sets.set(key, new Set([value]))
  else known.add(value)
}
