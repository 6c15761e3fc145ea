/** What a death left open: which gaps it leaves, and the entries that say so. */
import type { GapCause, LedgerEntry } from '../../shared/recording.ts'
import { isFeedId, unixMs, type FeedId, type UnixMs } from '../../shared/units.ts'
import type { StoredEntry } from './port.ts'
import type { RecordingState } from './recording-state.ts'
import type { Db } from './sqlite.ts'

/** Causes of gaps that only `closingEntries` writes. */
const DEATHS: readonly GapCause[] = ['crash', 'worker']

export interface Closing {
  readonly entries: readonly StoredEntry[]
  readonly endedMs: UnixMs
}

/**
 * The entries that close a recording which nobody closed: a gap for each feed that was open, from its last stored stamp
 * to `untilMs`, or to when the next recording of its source began. None where they stand already, as the close record
 * comes later and another death may come before it.
 */
export function closingEntries(db: Db, rec: RecordingState, cause: GapCause, untilMs: UnixMs): Closing {
  const closedMs = closedAlready(db, rec)
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
  const { feeds, openGaps, skew } = stateAtDeath(db, rec)
  const entries: StoredEntry[] = []
  const add = (wallMs: number, entry: LedgerEntry): number => {
    const seq = rec.lastSeq + entries.length + 1
    entries.push({ seq, wallMs, monoNs: rec.lastMonoNs, entry })
    return seq
  }
  for (const gap of openGaps) add(from, { type: 'gap-close', feed: gap.feed, openedSeq: gap.seq })
  const opened = feeds.map((feed) => ({
    feed,
    openedSeq: add(from, { type: 'gap-open', feed, cause, symbols: [], fromMs: from, ...skew }),
  }))
  for (const { feed, openedSeq } of opened) add(to, { type: 'gap-close', feed, openedSeq })
  return { entries, endedMs: from }
}

interface AtDeath {
  /** Feeds that had a connection or an open gap. */
  readonly feeds: readonly FeedId[]
  readonly openGaps: readonly { readonly feed: FeedId; readonly seq: number }[]
  /** Measured last. */
  readonly skew: { readonly skewMs?: number }
}

function stateAtDeath(db: Db, rec: RecordingState): AtDeath {
  let skew = {}
  const conns = new Map<number, FeedId>()
  for (const [conn, { feed }] of rec.chains) if (feed !== '') conns.set(conn, feed)
  const gaps = new Map<number, FeedId>()
  const rows = db.prepare<[number], { seq: number; body: string }>(
    'SELECT seq, body FROM entry WHERE recording = ? ORDER BY seq',
  )
  for (const { seq, body } of rows.iterate(rec.id)) {
    const entry = entryOf(body)
    if (entry?.type === 'disconnected') conns.delete(entry.conn)
    else if (entry?.type === 'gap-open') {
      gaps.set(seq, entry.feed)
      if (entry.skewMs !== undefined) skew = { skewMs: entry.skewMs }
    } else if (entry?.type === 'gap-close') gaps.delete(entry.openedSeq)
  }
  return {
    feeds: [...new Set([...conns.values(), ...gaps.values()])],
    openGaps: [...gaps].map(([seq, feed]) => ({ feed, seq })),
    skew,
  }
}

/** When a recording ended whose last entries say so, UTC ms; null: they do not. */
function closedAlready(db: Db, rec: RecordingState): UnixMs | null {
  const rows = db.prepare<[number], { seq: number; body: string }>(
    'SELECT seq, body FROM entry WHERE recording = ? ORDER BY seq DESC',
  )
  let seq = rec.lastSeq
  for (const row of rows.iterate(rec.id)) {
    const entry = entryOf(row.body)
    // What is not an entry is a message.
    if (row.seq !== seq--) return null
    if (entry?.type === 'gap-open') return DEATHS.includes(entry.cause) ? entry.fromMs : null
    if (entry?.type !== 'gap-close') return null
  }
  return null
}

/** Null: it is damaged, which must not keep anybody from recording; verification names it. */
function entryOf(body: string): LedgerEntry | null {
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
