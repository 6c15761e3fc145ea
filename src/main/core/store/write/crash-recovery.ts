/** Crash recovery: decides which gaps a session gets that was never closed, and writes the entries for them. */
import type { GapCause, LedgerEntry } from '../../../../shared/core/recording/session.ts'
import { isFeedId, unixMs, type FeedId, type SessionId, type UnixMs } from '../../../../shared/base/units.ts'
import type { StoredEntry } from '../types/messages.ts'
import { earliestLost, SILENT_AT_MOST_MS } from '../../../../shared/core/recording/delay-window.ts'
import { findLastReceived } from '../format/last-received.ts'
import { loadOpenSessions, type OpenSession } from './open-session.ts'
import type { Db } from '../schema/sqlite.ts'

/** Gap causes that only `closingEntries` writes. */
const CRASH_CAUSES: readonly GapCause[] = ['crash', 'worker']

export interface Closing {
  readonly entries: readonly StoredEntry[]
  readonly endedMs: UnixMs
}

/**
 * The entries that close a session left open: a gap for each feed that was connected, up to `untilMs` or to the start
 * of the next session of its source. Empty if they were written before, because another crash can happen before the
 * close record is written.
 */
export function closingEntries(db: Db, rec: OpenSession, cause: GapCause, untilMs: UnixMs): Closing {
  const closedMs = findClosingTime(db, rec)
  if (closedMs !== null) return { entries: [], endedMs: closedMs }
  const from = unixMs(rec.lastWallMs)
  // The next one by number: if the clock was set back, it began before this one's last stamp.
  const next = db
    .prepare<[string, number], number>(
      'SELECT started_ms FROM recording WHERE source = ? AND id > ? ORDER BY id LIMIT 1',
    )
    .pluck()
    .get(rec.source, rec.id)
  const to = Math.max(from, Math.min(untilMs, next ?? Infinity))
  const { starts, openGaps, skew } = findLoss(db, rec)
  const entries: StoredEntry[] = []
  const add = (wallMs: number, entry: LedgerEntry): number => {
    const seq = rec.lastSeq + entries.length + 1
    entries.push({ seq, wallMs, monoNs: rec.lastMonoNs, entry })
    return seq
  }
  for (const gap of openGaps) add(from, { type: 'gap-close', feed: gap.feed, openedSeq: gap.seq })
  const opened = [...starts].map(([feed, fromMs]) => ({
    feed,
    openedSeq: add(from, { type: 'gap-open', feed, cause, symbols: [], fromMs, ...skew }),
  }))
  for (const { feed, openedSeq } of opened) add(to, { type: 'gap-close', feed, openedSeq })
  return { entries, endedMs: from }
}

/** What `closingEntries` writes for a session left open. */
interface Loss extends Pick<CrashState, 'openGaps' | 'skew'> {
  /** From when messages of each feed may be lost, UTC ms. */
  readonly starts: ReadonlyMap<FeedId, UnixMs>
}

function findLoss(db: Db, rec: OpenSession): Loss {
  const { connectedMs, openGaps, skew } = loadCrashState(db, rec)
  const starts = gapStarts(db, rec, connectedMs, skew.skewMs ?? 0)
  // A feed with an open gap and no connection lost nothing beyond that gap.
  for (const { feed } of openGaps) if (!starts.has(feed)) starts.set(feed, unixMs(rec.lastWallMs))
  return { starts, openGaps, skew }
}

/** From when messages of each feed of a session left open may be lost, UTC ms, as its gaps will say once it is closed. */
export function findLostFrom(db: Db, session: SessionId): ReadonlyMap<FeedId, UnixMs> {
  const rec = loadOpenSessions(db).find(({ key }) => key === session)
  return rec === undefined ? new Map() : findLoss(db, rec).starts
}

/**
 * The time from which messages of each feed may be lost. Its socket may have held unread frames, and a flush may have
 * been lost: those came after the last stored message and can be dated as far back as that one was.
 */
function gapStarts(
  db: Db,
  rec: OpenSession,
  connectedMs: ReadonlyMap<FeedId, number>,
  skewMs: number,
): Map<FeedId, UnixMs> {
  const feeds = [...connectedMs.keys()]
  const stored = findLastReceived(db, rec.id, feeds, rec.lastMonoNs)
  // Connections stay open over midnight, so a feed's last messages can be in the previous session.
  const before = stored.size < feeds.length ? findPredecessor(db, rec) : undefined
  const earlierReceived = before === undefined ? null : findLastReceived(db, before.id, feeds, before.monoNs)
  return new Map(
    [...connectedMs].map(([feed, sinceMs]) => {
      const last = stored.get(feed)
      if (last !== undefined) return [feed, unixMs(earliestLost(last, skewMs, rec.lastWallMs))]
      const rolled = sinceMs === rec.startedMs ? earlierReceived?.get(feed) : undefined
      const fromMs = rolled === undefined ? sinceMs : earliestLost(rolled, skewMs, rec.startedMs)
      return [feed, unixMs(Math.min(rec.lastWallMs, Math.max(fromMs, rec.lastWallMs - SILENT_AT_MOST_MS)))]
    }),
  )
}

/** The session that this one continues: of the same source, and ended at the instant this one began. */
function findPredecessor(db: Db, rec: OpenSession): { readonly id: number; readonly monoNs: number } | undefined {
  const id = db
    .prepare<[string, number, number], number>(
      'SELECT id FROM recording WHERE source = ? AND id < ? AND id > 0 AND ended_ms = ? ORDER BY id DESC LIMIT 1',
    )
    .pluck()
    .get(rec.source, rec.id, rec.startedMs)
  if (id === undefined) return undefined
  const monoNs = db
    .prepare<[number], number>('SELECT mono_ns FROM entry WHERE recording = ? ORDER BY seq DESC LIMIT 1')
    .pluck()
    .get(id)
  return { id, monoNs: monoNs ?? 0 }
}

interface CrashState {
  /** Feeds that were connected, and since when, UTC ms. */
  readonly connectedMs: ReadonlyMap<FeedId, number>
  readonly openGaps: readonly { readonly feed: FeedId; readonly seq: number }[]
  /** Measured last. */
  readonly skew: { readonly skewMs?: number }
}

function loadCrashState(db: Db, rec: OpenSession): CrashState {
  let skew = {}
  const conns = new Map<number, { readonly feed: FeedId; sinceMs: number }>()
  for (const [conn, { feed }] of rec.chains) if (feed !== '') conns.set(conn, { feed, sinceMs: rec.lastWallMs })
  const gaps = new Map<number, FeedId>()
  const rows = db.prepare<[number], { seq: number; wallMs: number; body: string }>(
    'SELECT seq, wall_ms AS wallMs, body FROM entry WHERE recording = ? ORDER BY seq',
  )
  for (const { seq, wallMs, body } of rows.iterate(rec.id)) {
    const entry = parseEntry(body)
    if (entry?.type === 'connecting') {
      const conn = conns.get(entry.conn)
      if (conn !== undefined) conn.sinceMs = Math.min(conn.sinceMs, wallMs)
    } else if (entry?.type === 'disconnected') conns.delete(entry.conn)
    else if (entry?.type === 'gap-open') {
      gaps.set(seq, entry.feed)
      if (entry.skewMs !== undefined) skew = { skewMs: entry.skewMs }
    } else if (entry?.type === 'gap-close') gaps.delete(entry.openedSeq)
  }
  const connectedMs = new Map<FeedId, number>()
  for (const { feed, sinceMs } of conns.values())
    connectedMs.set(feed, Math.min(connectedMs.get(feed) ?? Infinity, sinceMs))
  return { connectedMs, openGaps: [...gaps].map(([seq, feed]) => ({ feed, seq })), skew }
}

/** When a session ended according to its last entries, UTC ms; null if they don't say. */
function findClosingTime(db: Db, rec: OpenSession): UnixMs | null {
  const rows = db.prepare<[number], { seq: number; wallMs: number; body: string }>(
    'SELECT seq, wall_ms AS wallMs, body FROM entry WHERE recording = ? ORDER BY seq DESC',
  )
  let seq = rec.lastSeq
  for (const row of rows.iterate(rec.id)) {
    const entry = parseEntry(row.body)
    // Seqs between entries belong to messages.
    if (row.seq !== seq--) return null
    if (entry?.type === 'gap-open') return CRASH_CAUSES.includes(entry.cause) ? unixMs(row.wallMs) : null
    if (entry?.type !== 'gap-close') return null
  }
  return null
}

/** Null if the entry is corrupt. Recovery must not fail on it; verification reports it. */
function parseEntry(body: string): LedgerEntry | null {
  try {
    const entry = JSON.parse(body) as LedgerEntry | null // written from a LedgerEntry
    if (entry?.type !== 'gap-open') return entry
    // Only valid values may be copied into new entries.
    const { feed, fromMs, skewMs = 0 } = entry
    return isFeedId(feed) && Number.isFinite(fromMs) && Number.isFinite(skewMs) ? entry : null
  } catch {
    return null
  }
}
