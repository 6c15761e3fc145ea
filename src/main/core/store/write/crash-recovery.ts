/** Crash recovery: which gaps a recording gets that nobody closed, and the entries that say so. */
import type { GapCause, LedgerEntry } from '../../../../shared/core/recording/recording.ts'
import { isFeedId, unixMs, type FeedId, type UnixMs } from '../../../../shared/base/units.ts'
import type { StoredEntry } from '../types/store.ts'
import { earliestLost, SILENT_AT_MOST_MS } from '../../../../shared/core/recording/delay-window.ts'
import { findLastReceived } from '../format/last-received.ts'
import type { RecordingState } from './recording-state.ts'
import type { Db } from '../schema/sqlite.ts'

/** Causes of gaps that only `closingEntries` writes. */
const CRASH_CAUSES: readonly GapCause[] = ['crash', 'worker']

export interface Closing {
  readonly entries: readonly StoredEntry[]
  readonly endedMs: UnixMs
}

/**
 * The entries that close a recording nobody closed: for each feed that was open a gap to `untilMs`, or to when the next
 * recording of its source began. None where they stand already, as the close record comes later and another crash may
 * come before it.
 */
export function closingEntries(db: Db, rec: RecordingState, cause: GapCause, untilMs: UnixMs): Closing {
  const closedMs = findClosingTime(db, rec)
  if (closedMs !== null) return { entries: [], endedMs: closedMs }
  const from = unixMs(rec.lastWallMs)
  // The next by its number: where the clock was set back between them, it began before this one's last stamp.
  const next = db
    .prepare<[string, number], number>(
      'SELECT started_ms FROM recording WHERE source = ? AND id > ? ORDER BY id LIMIT 1',
    )
    .pluck()
    .get(rec.source, rec.id)
  const to = Math.max(from, Math.min(untilMs, next ?? Infinity))
  const { connectedMs, openGaps, skew } = loadCrashState(db, rec)
  const starts = gapStarts(db, rec, connectedMs, skew.skewMs ?? 0)
  const entries: StoredEntry[] = []
  const add = (wallMs: number, entry: LedgerEntry): number => {
    const seq = rec.lastSeq + entries.length + 1
    entries.push({ seq, wallMs, monoNs: rec.lastMonoNs, entry })
    return seq
  }
  for (const gap of openGaps) add(from, { type: 'gap-close', feed: gap.feed, openedSeq: gap.seq })
  // A feed with an open gap and no connection lacks nothing but what that gap tells.
  for (const { feed } of openGaps) if (!starts.has(feed)) starts.set(feed, from)
  const opened = [...starts].map(([feed, fromMs]) => ({
    feed,
    openedSeq: add(from, { type: 'gap-open', feed, cause, symbols: [], fromMs, ...skew }),
  }))
  for (const { feed, openedSeq } of opened) add(to, { type: 'gap-close', feed, openedSeq })
  return { entries, endedMs: from }
}

/**
 * From when on messages of each feed may be lost. A feed's socket may have held frames that nobody had read, and a flush
 * may have died on its way: they came after the last one stored, and are dated as far back as that one was.
 */
function gapStarts(
  db: Db,
  rec: RecordingState,
  connectedMs: ReadonlyMap<FeedId, number>,
  skewMs: number,
): Map<FeedId, UnixMs> {
  const feeds = [...connectedMs.keys()]
  const stored = findLastReceived(db, rec.id, feeds, rec.lastMonoNs)
  // Connections are kept over midnight: what a feed brought last is in the recording before.
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

/** The recording that this one continues: of the same source, ended in the instant in which it began. */
function findPredecessor(db: Db, rec: RecordingState): { readonly id: number; readonly monoNs: number } | undefined {
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
  /** Feeds that had a connection, and since when, UTC ms. */
  readonly connectedMs: ReadonlyMap<FeedId, number>
  readonly openGaps: readonly { readonly feed: FeedId; readonly seq: number }[]
  /** Measured last. */
  readonly skew: { readonly skewMs?: number }
}

function loadCrashState(db: Db, rec: RecordingState): CrashState {
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

/** When a recording ended whose last entries say so, UTC ms; null: they do not. */
function findClosingTime(db: Db, rec: RecordingState): UnixMs | null {
  const rows = db.prepare<[number], { seq: number; wallMs: number; body: string }>(
    'SELECT seq, wall_ms AS wallMs, body FROM entry WHERE recording = ? ORDER BY seq DESC',
  )
  let seq = rec.lastSeq
  for (const row of rows.iterate(rec.id)) {
    const entry = parseEntry(row.body)
    // What is not an entry is a message.
    if (row.seq !== seq--) return null
    if (entry?.type === 'gap-open') return CRASH_CAUSES.includes(entry.cause) ? unixMs(row.wallMs) : null
    if (entry?.type !== 'gap-close') return null
  }
  return null
}

/** Null: it is damaged, which must not keep anybody from recording; verification names it. */
function parseEntry(body: string): LedgerEntry | null {
  try {
    const entry = JSON.parse(body) as LedgerEntry | null // written from a LedgerEntry
    if (entry?.type !== 'gap-open') return entry
    // What is taken over into new entries must be what they may hold.
    const { feed, fromMs, skewMs = 0 } = entry
    return isFeedId(feed) && Number.isFinite(fromMs) && Number.isFinite(skewMs) ? entry : null
  } catch {
    return null
  }
}
