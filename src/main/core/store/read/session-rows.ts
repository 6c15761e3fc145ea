/** Builds the list of sessions, quickly for any number of them, because totals of closed sessions are cached. */
import { readFindings } from '../library/findings.ts'
import { isEdge, isGapCause, isTeamKey, type Gap, type SessionRow } from '../../../../shared/core/recording/session.ts'
import { isFeedId, sessionId, unixMs } from '../../../../shared/base/units.ts'
import type { Catalog, ClosedSessionCache } from './catalog.ts'
import { lazyStatements, type Db } from '../schema/sqlite.ts'
import { endOfGap } from '../format/clock-shifts.ts'
import { feedTotals, JournalTotals } from '../format/totals.ts'
import { epochPart, type CloseRecord, type LabelRow, type StoredSession } from '../schema/records.ts'

type GapSummary = Pick<SessionRow, 'gaps' | 'gapCount' | 'edges'>
const NO_GAPS: GapSummary = { gaps: [], gapCount: 0, edges: 0 }
/** Gaps per session in a brief list. */
const BRIEF_GAPS = 8

/** Every gap, by session. */
export function summarizeGaps(gaps: readonly Gap[]): ReadonlyMap<string, GapSummary> {
  return new Map(
    [...Map.groupBy(gaps, (gap) => gap.session)].map(([session, of]): [string, GapSummary] => [
      session,
      { gaps: of, gapCount: of.length, edges: of.reduce((n, gap) => (isEdge(gap) ? n + 1 : n), 0) },
    ]),
  )
}

/** A session ends at the next midnight UTC, so a replica that is still open this long after its start was abandoned. */
const LONGEST_MS = 2 * 86_400_000

/** Which sessions of a store that is being written are still recorded: the newest one if it is open, and open replicas. */
export function findLive(rows: readonly StoredSession[], nowMs: number): ReadonlySet<number> {
  const newest = rows.reduce((most, { id }) => Math.max(most, id), 0)
  const open = rows.filter(({ id, source, started_ms: startedMs, ended_ms: endedMs }) => {
    if (endedMs !== null) return false
    return id === newest || (isTeamKey(source) && nowMs - startedMs < LONGEST_MS)
  })
  return new Set(open.map(({ id }) => id))
}

interface BriefGapRow {
  readonly recording: number
  readonly feed: string
  readonly cause: string
  readonly from_seq: number
  readonly from_ms: number
  readonly to_seq: number | null
  readonly to_ms: number | null
}

/** The part of a row that is read once after a session was closed. */
type Closed = Pick<SessionRow, 'feeds' | 'symbols' | 'messages' | 'bytes'>

export class SessionList {
  readonly #db: Db
  readonly #catalog: Catalog
  readonly #sums: ClosedSessionCache<Closed>
  readonly #briefs: ClosedSessionCache<GapSummary>
  readonly #sql
  readonly #journal: JournalTotals

  constructor(db: Db, catalog: Catalog) {
    this.#db = db
    this.#catalog = catalog
    this.#journal = new JournalTotals(db)
    this.#sums = catalog.createCache()
    this.#briefs = catalog.createCache()
    const columns = 'recording, feed, cause, from_seq, from_ms, to_seq, to_ms'
    this.#sql = lazyStatements({
      gaps: () => db.prepare<[number], BriefGapRow>(`SELECT ${columns} FROM gap WHERE recording = ? ORDER BY from_seq`),
      allGaps: () => db.prepare<[], BriefGapRow>(`SELECT ${columns} FROM gap ORDER BY recording, from_seq`),
      labels: () => db.prepare<[], LabelRow>('SELECT * FROM label'),
      // Up to the watermark, only corrupt rows remain in the journal.
      corrupt: () =>
        db
          .prepare<[], number>(
            `SELECT id FROM recording AS r WHERE EXISTS (
             SELECT 1 FROM journal WHERE recording = r.id AND first_seq <= r.sealed_seq AND torn <> 0)`,
          )
          .pluck(),
    })
  }

  /**
   * Lists sessions. `live`: numbers of those that are still recorded. `gapsOf` null: only gap counts, and the first few
   * gaps that aren't edges, without symbols.
   */
  list(
    rows: readonly StoredSession[],
    gapsOf: ReadonlyMap<string, GapSummary> | null,
    live: ReadonlySet<number>,
  ): readonly SessionRow[] {
    const labels = new Map(this.#sql.labels.all().map((label) => [label.recording, label]))
    const corrupt = new Set(this.#sql.corrupt.all())
    const findings = readFindings(this.#db.name)
    // One query for all is cheaper than thousands of single ones, and closed sessions are queried once.
    let all: ReadonlyMap<number, readonly BriefGapRow[]> | null = null
    const brief = (row: StoredSession): GapSummary => {
      if (row.summary === null) return this.#brief(row, this.#sql.gaps.iterate(row.id))
      all ??= Map.groupBy(this.#sql.allGaps.iterate(), (gap) => gap.recording)
      return this.#brief(row, all.get(row.id) ?? [])
    }
    return rows.map((row): SessionRow => {
      const key = sessionId(row.key)
      const { feeds, symbols, messages, bytes } = this.#sums.of(row, () => this.#totals(row))
      const rowGaps = gapsOf === null ? this.#briefs.of(row, () => brief(row)) : (gapsOf.get(key) ?? NO_GAPS)
      const label = labels.get(row.id)
      return {
        session: key,
        source: row.source,
        startedMs: unixMs(row.started_ms),
        endedMs: row.ended_ms === null ? null : unixMs(row.ended_ms),
        clean: row.clean !== 0,
        isCorrupt: corrupt.has(row.id) || findings.has(key),
        live: live.has(row.id),
        feeds,
        symbols,
        messages,
        bytes,
        ...rowGaps,
        name: label?.name ?? '',
        notes: label?.notes ?? '',
        tags: label === undefined ? [] : (JSON.parse(label.tags) as string[]), // written by Labels
        pinned: label?.pinned === 1,
        binnedMs: label === undefined || label.binned_ms === null ? null : unixMs(label.binned_ms),
        imported: row.id < 0 && !isTeamKey(row.source),
        ...epochPart(this.#catalog.epochOf(row)),
      }
    })
  }

  #totals(row: StoredSession): Closed {
    if (row.summary === null) return feedTotals(this.#db, row.id, this.#journal)
    const { counts, symbols, messages, bytes } = JSON.parse(row.summary) as CloseRecord // written by the engine's close
    return { feeds: counts, symbols, messages, bytes }
  }

  #brief(row: StoredSession, rows: Iterable<BriefGapRow>): GapSummary {
    const gaps: Gap[] = []
    let gapCount = 0
    let edges = 0
    const shifts = this.#catalog.clockShifts(row)
    for (const one of rows) {
      const { feed, cause, from_seq, from_ms, to_seq } = one
      if (!isFeedId(feed) || !isGapCause(cause)) continue
      gapCount += 1
      if (isEdge({ cause })) edges += 1
      else if (gaps.length < BRIEF_GAPS) {
        const toMs = endOfGap(one, shifts)
        gaps.push({
          session: sessionId(row.key),
          feed,
          symbols: [],
          cause,
          fromMs: unixMs(from_ms),
          toMs: toMs === null ? null : unixMs(toMs),
          fromSeq: from_seq,
          toSeq: to_seq,
        })
      }
    }
    return { gaps, gapCount, edges }
  }
}
