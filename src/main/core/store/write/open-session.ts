/** What the writer holds in memory of an open session, and how it is loaded after a restart. */
import type { StoredSession } from '../schema/records.ts'
import type { Db } from '../schema/sqlite.ts'
import {
  barSources,
  Classifier,
  hasRollups,
  applyToBars,
  type MinuteBars,
  type SeriesName,
} from '../format/classify.ts'
import { Journal } from '../format/journal.ts'
import { tryRead } from '../types/corruption.ts'
import { genesis, unpackRuns } from '../format/ledger.ts'
import { openBlock } from '../blocks/open.ts'
import { stampOfLast, newerStamp, type Stamp } from '../format/last-received.ts'
import { isTeamKey, STORED_ONLY, type FeedCounts } from '../../../../shared/core/recording/session.ts'
import { isFeedId, sessionId, type FeedId, type SessionId } from '../../../../shared/base/units.ts'

/**
 * Rows per block: large enough that opening a block is a small part of reading it, small enough that a reader of
 * hundreds of series stays small.
 */
export const BLOCK_ROWS = 8192
/** Maximum message bytes of one block. A block of large messages holds fewer rows. */
export const BLOCK_BYTES = 8 << 20

export interface BlockRef {
  readonly id: number
  readonly count: number
}

export interface Series {
  /** 0 until its row is committed. */
  id: number
  readonly feed: FeedId
  readonly name: SeriesName
  readonly symbols: Set<string>
  /** Blocks after the last full one, oldest first, to be merged. */
  tail: BlockRef[]
  /** Bars of sealed messages that aren't in rollup rows yet. */
  minutes: MinuteBars
  rolledAtMs: number
  /** Sealed messages without rollup rows are unreadable. Rollups of later ones would hide that they are missing. */
  hasLostRollups: boolean
}

export interface Chain {
  readonly feed: FeedId | ''
  head: Uint8Array
  /** The open chain row of sealed leaves. */
  part: number
  runs: [size: number, repeats: number][]
}

export interface Finish {
  readonly endedMs: number
  readonly counts: readonly FeedCounts[]
  readonly clean: boolean
}

export interface OpenSession {
  readonly id: number
  readonly key: SessionId
  readonly source: string
  readonly startedMs: number
  /** By connection; 0 is the entries. */
  readonly chains: Map<number, Chain>
  readonly series: Map<string, Series>
  lastSeq: number
  /** Stamps of the last message or entry. After a clock was set back they aren't the latest. */
  lastWallMs: number
  lastMonoNs: number
  sealedSeq: number
  /** Unsealed flushes: their bytes, and when the oldest was committed. */
  journalBytes: number
  journalSinceMs: number
  finish: Finish | null
}

export function newSession(id: number, key: SessionId, source: string, startedMs: number): OpenSession {
  return {
    id,
    key,
    source,
    startedMs,
    chains: new Map([[0, newChain(key, 0, '')]]),
    series: new Map(),
    lastSeq: 0,
    lastWallMs: startedMs,
    lastMonoNs: 0,
    sealedSeq: 0,
    journalBytes: 0,
    journalSinceMs: 0,
    finish: null,
  }
}

export function newChain(key: SessionId, conn: number, feed: FeedId | ''): Chain {
  return { feed, head: genesis(key, conn, feed), part: 0, runs: [] }
}

export const seriesKey = (feed: FeedId, name: SeriesName): string => `${feed} ${name}`

type OpenRow = Pick<StoredSession, 'id' | 'key' | 'source' | 'started_ms' | 'sealed_seq'>

/** Sessions recorded here that a crash left open, oldest first. Open replicas aren't among them: they are resumed. */
export function loadOpenSessions(db: Db): OpenSession[] {
  const rows = db
    .prepare<[], OpenRow>(
      'SELECT id, key, source, started_ms, sealed_seq FROM recording WHERE ended_ms IS NULL ORDER BY id',
    )
    .all()
  return rows.filter(({ source }) => !isTeamKey(source)).map((row) => loadSession(db, row))
}

/** Seq of the last stored message or entry of an open session; null if it isn't open. */
export function lastStoredSeq(db: Db, id: number): number | null {
  const entry = db
    .prepare<[number], number>(
      `SELECT ifnull((SELECT max(seq) FROM entry WHERE recording = recording.id), 0)
       FROM recording WHERE id = ? AND ended_ms IS NULL`,
    )
    .pluck()
    .get(id)
  return entry === undefined ? null : Math.max(entry, new Journal(db).lastSeq(id))
}

/** Loads an open session. Reads its journal and the blocks without rollups. */
export function loadSession(db: Db, row: OpenRow): OpenSession {
  const rec = newSession(row.id, sessionId(row.key), row.source, row.started_ms)
  rec.sealedSeq = rec.lastSeq = row.sealed_seq
  loadChains(db, rec)
  const sealed = loadSeries(db, rec)
  const unsealed = loadJournal(db, rec)
  const entry = db
    .prepare<[number], Stamp>(
      'SELECT seq, wall_ms AS wallMs, mono_ns AS monoNs FROM entry WHERE recording = ? ORDER BY seq DESC LIMIT 1',
    )
    .get(rec.id)
  rec.lastSeq = Math.max(rec.lastSeq, entry?.seq ?? 0)
  const last = newerStamp(sealed, unsealed, entry)
  if (last !== undefined) {
    rec.lastWallMs = last.wallMs
    rec.lastMonoNs = last.monoNs
  }
  return rec
}

function loadChains(db: Db, rec: OpenSession): void {
  const conns = db.prepare<[number], { conn: number; feed: string }>(
    'SELECT conn, feed FROM connection WHERE recording = ?',
  )
  for (const { conn, feed } of conns.all(rec.id)) {
    if (isFeedId(feed)) rec.chains.set(conn, newChain(rec.key, conn, feed))
  }
  const parts = db.prepare<[number], { conn: number; part: number; flushes: Buffer; head: Buffer }>(
    'SELECT conn, part, flushes, head FROM chain WHERE recording = ? ORDER BY conn, part',
  )
  for (const { conn, part, flushes, head } of parts.all(rec.id)) {
    const chain = rec.chains.get(conn)
    if (chain === undefined) continue
    chain.head = head
    chain.part = part
    chain.runs = unpackRuns(flushes)
  }
}

/** Loads the series. Returns the stamp of the last sealed message. */
function loadSeries(db: Db, rec: OpenSession): Stamp | undefined {
  const rows = db.prepare<
    [number],
    { id: number; feed: string; instrument: string; symbols: string; rolled_seq: number }
  >('SELECT id, feed, instrument, symbols, rolled_seq FROM series WHERE recording = ?')
  const blocks = db.prepare<[number], { id: number; count: number; max_seq: number }>(
    'SELECT id, count, max_seq FROM block WHERE series = ? ORDER BY min_seq',
  )
  const unrolled = db.prepare<[number, number], { data: Buffer }>(
    'SELECT data FROM block WHERE series = ? AND max_seq > ? ORDER BY min_seq',
  )
  const data = db.prepare<[number], Buffer>('SELECT data FROM block WHERE id = ?').pluck()
  const newest: { readonly id: number; readonly max_seq: number }[] = []
  const classifier = new Classifier()
  for (const row of rows.all(rec.id)) {
    const { feed } = row
    if (!isFeedId(feed)) continue
    const name = row.instrument as SeriesName // written from a SeriesName
    const refs = blocks.all(row.id)
    newest.push(...refs.slice(-1))
    const series: Series = {
      id: row.id,
      feed,
      name,
      symbols: new Set(JSON.parse(row.symbols) as string[]), // written from a Set<string>
      tail: refs.slice(refs.findLastIndex((b) => b.count >= BLOCK_ROWS) + 1),
      minutes: new Map(),
      rolledAtMs: 0,
      hasLostRollups: false,
    }
    rec.series.set(seriesKey(feed, name), series)
    const add = (data: Buffer): void => {
      const block = openBlock(data)
      if (name === '' || !hasRollups(feed)) return
      const { seq, flags, recvMs } = block
      for (let i = 0; i < block.count; i++) {
        if (seq[i] <= row.rolled_seq || (flags[i] & STORED_ONLY) !== 0) continue
        const raw = block.raw(i)
        const placed = classifier.classify(feed, flags[i], raw, 0, raw.length)
        const ms = Number.isNaN(placed.eventMs) ? recvMs[i] : placed.eventMs
        applyToBars(series.minutes, barSources(feed), seq[i], ms, placed.record)
      }
    }
    for (const { data } of unrolled.iterate(row.id, row.rolled_seq)) {
      if (!tryRead(() => add(data))) series.hasLostRollups = true
    }
  }
  let found: Stamp | undefined
  for (const { id } of newest.sort((a, b) => b.max_seq - a.max_seq)) {
    const bytes = data.get(id)
    if (bytes !== undefined && tryRead(() => (found = stampOfLast(openBlock(bytes))))) break
  }
  return found
}

/** Loads the unsealed flushes. Returns the stamp of the last readable message. */
function loadJournal(db: Db, rec: OpenSession): Stamp | undefined {
  let found: Stamp | undefined
  const journal = new Journal(db)
  rec.lastSeq = journal.lastSeq(rec.id)
  for (const flush of journal.from(rec.id, rec.sealedSeq + 1)) {
    rec.journalBytes += flush.data.length
    const blob = flush.read()
    if (blob === null) continue
    const { leaves, messages } = blob
    for (const leaf of leaves) {
      const chain = rec.chains.get(leaf.conn)
      if (chain !== undefined) chain.head = leaf.head
    }
    found = stampOfLast(messages) ?? found
  }
  return found
}
