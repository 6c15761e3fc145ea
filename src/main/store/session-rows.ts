/** The list of sessions: fast however many there are, because closed ones keep their sums. */
import { GAP_CAUSES, isEdge, type Gap, type GapCause, type SessionRow } from '../../shared/recording.ts'
import { isFeedId, recordingId, unixMs } from '../../shared/units.ts'
import type { CloseRecord } from './engine.ts'
import type { LabelRow } from './labels.ts'
import type { RecordingRow } from './queries.ts'
import type { Db } from './sqlite.ts'
import { feedTotals } from './totals.ts'

/** What a row says of the gaps of its recording. */
type GapSum = Pick<SessionRow, 'gaps' | 'gapCount' | 'edges'>
const NO_GAPS: GapSum = { gaps: [], gapCount: 0, edges: 0 }
/** Gaps of a recording that a window's list tells of. */
const FEW = 8

/** Every gap, by recording. */
export function allGaps(gaps: readonly Gap[]): ReadonlyMap<string, GapSum> {
  return new Map(
    [...Map.groupBy(gaps, (gap) => gap.recording)].map(([recording, of]): [string, GapSum] => [
      recording,
      { gaps: of, gapCount: of.length, edges: of.reduce((n, gap) => (isEdge(gap) ? n + 1 : n), 0) },
    ]),
  )
}

/** How many gaps each recording has, and its first few that are no edges, without their symbols. */
export function briefGaps(db: Db): ReadonlyMap<string, GapSum> {
  interface Sum {
    key: string
    gaps: Gap[]
    gapCount: number
    edges: number
  }
  const sums = new Map<number, Sum>()
  const counts = db
    .prepare<[], { id: number; key: string; total: number; edges: number }>(
      `SELECT r.id, r.key, count(*) AS total, sum(g.cause IN ('connect', 'quit')) AS edges
       FROM gap g JOIN recording r ON r.id = g.recording GROUP BY g.recording`,
    )
    .all()
  for (const { id, key, total, edges } of counts) sums.set(id, { key, gaps: [], gapCount: total, edges })
  const real = db.prepare<
    [],
    {
      recording: number
      feed: string
      cause: string
      from_seq: number
      from_ms: number
      to_seq: number | null
      to_ms: number | null
    }
  >(
    `SELECT recording, feed, cause, from_seq, from_ms, to_seq, to_ms FROM gap
     WHERE cause NOT IN ('connect', 'quit') ORDER BY recording, from_seq`,
  )
  for (const row of real.iterate()) {
    const sum = sums.get(row.recording)
    if (sum === undefined || sum.gaps.length === FEW || !isFeedId(row.feed) || !isGapCause(row.cause)) continue
    sum.gaps.push({
      recording: recordingId(sum.key),
      feed: row.feed,
      symbols: [],
      cause: row.cause,
      fromMs: unixMs(row.from_ms),
      toMs: row.to_ms === null ? null : unixMs(Math.max(row.to_ms, row.from_ms)),
      fromSeq: row.from_seq,
      toSeq: row.to_seq,
    })
  }
  return new Map([...sums.values()].map(({ key, ...sum }) => [key, sum]))
}
const isGapCause = (text: string): text is GapCause => (GAP_CAUSES as readonly string[]).includes(text)

/** Recordings as they are listed; `written`: a writer holds the store. */
export function sessionRows(
  db: Db,
  rows: readonly RecordingRow[],
  gapsOf: ReadonlyMap<string, GapSum>,
  written: boolean,
): readonly SessionRow[] {
  const labels = new Map(
    db
      .prepare<[], LabelRow>('SELECT * FROM label')
      .all()
      .map((label) => [label.recording, label]),
  )
  const live = written ? rows.reduce((most, row) => Math.max(most, row.id), 0) : NaN
  return rows.map((row): SessionRow => {
    const key = recordingId(row.key)
    // written by the engine's close; null while open
    const closed = row.summary === null ? undefined : (JSON.parse(row.summary) as CloseRecord)
    const totals = closed ?? feedTotals(db, row.id)
    const mine = gapsOf.get(key) ?? NO_GAPS
    const label = labels.get(row.id)
    return {
      session: key,
      source: row.source,
      startedMs: unixMs(row.started_ms),
      endedMs: row.ended_ms === null ? null : unixMs(row.ended_ms),
      clean: row.clean !== 0,
      live: row.ended_ms === null && row.id === live,
      feeds: 'counts' in totals ? totals.counts : totals.feeds,
      symbols: totals.symbols,
      messages: totals.messages,
      bytes: totals.bytes,
      ...mine,
      name: label?.name ?? '',
      notes: label?.notes ?? '',
      tags: label === undefined ? [] : (JSON.parse(label.tags) as string[]), // written by Labels
      pinned: label?.pinned === 1,
      binnedMs: label === undefined || label.binned_ms === null ? null : unixMs(label.binned_ms),
      imported: row.id < 0,
    }
  })
}
