/** The list of sessions: fast however many there are, because closed ones keep their sums. */
import { isEdge, type Gap, type SessionRow } from '../../shared/recording.ts'
import { recordingId, unixMs } from '../../shared/units.ts'
import type { CloseRecord } from './engine.ts'
import type { LabelRow } from './labels.ts'
import type { RecordingRow } from './queries.ts'
import type { Db } from './sqlite.ts'
import { feedTotals } from './totals.ts'

/** Recordings as they are listed; `written`: a writer holds the store. */
export function sessionRows(
  db: Db,
  rows: readonly RecordingRow[],
  gaps: readonly Gap[],
  written: boolean,
): readonly SessionRow[] {
  const gapsOf = Map.groupBy(gaps, (gap) => gap.recording)
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
    const mine = gapsOf.get(key) ?? []
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
      gaps: mine,
      edges: mine.reduce((n, gap) => (isEdge(gap) ? n + 1 : n), 0),
      name: label?.name ?? '',
      notes: label?.notes ?? '',
      tags: label === undefined ? [] : (JSON.parse(label.tags) as string[]), // written by Labels
      pinned: label?.pinned === 1,
      binnedMs: label === undefined || label.binned_ms === null ? null : unixMs(label.binned_ms),
      imported: row.id < 0,
    }
  })
}
