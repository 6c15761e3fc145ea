/**
 * Answers queries for pages of bars, in one snapshot. Sessions of one source follow each other. Nothing after `upTo` is
 * read.
 */
import type { Span } from '../../../../shared/base/spans.ts'
import type Database from 'better-sqlite3'
import { HOUR_MS, MINUTE_MS } from '../../../../shared/base/durations.ts'
import { toBar, touchesGap, type BarGrid, type BarState } from '../../../../shared/core/market/bars.ts'
import { gridOf } from '../../../../shared/core/market/calendar.ts'
import { CodedError } from '../../../../shared/base/errors.ts'
import {
  INTERVAL_EXAMPLES,
  isInterval,
  msOf,
  type BarSource,
  serviceBarFeed,
} from '../../../../shared/core/market/market.ts'
import { shareSince } from '../../../../shared/core/recording/merged-sessions.ts'
import { overlapOf } from '../../../../shared/features/sessions/overlaps.ts'
import {
  feedAsset,
  parseInstrument,
  sessionId,
  type AssetClass,
  type FeedId,
  type InstrumentId,
} from '../../../../shared/base/units.ts'
import { FEEDS, TICK_FEEDS } from '../../../../service/feeds.ts'
import { Classifier } from '../format/classify.ts'
import { CorruptData } from '../types/corruption.ts'
import { GapIntervalReader, intersectGaps, type SkewedGap } from './gap-intervals.ts'
import { JournalIndex } from './journal-index.ts'
import type { BarPage, BarQuery, SeqLimits } from '../types/bars.ts'
import type { StoredSession } from '../schema/records.ts'
import type { StoreQueries } from './queries.ts'
import { StoredBarBuilder, type BarSeries, type Part } from './stored-bars.ts'
import { lazyStatements } from '../schema/sqlite.ts'

/** Offset between sessions, so that bars across a midnight rollover keep the order of their seqs. */
const SEQ_STEP = 2 ** 40
/** The shortest span that a page of sub-minute bars reads first, ms. */
const MIN_SPAN_MS = 5 * MINUTE_MS
const NO_LIMITS: SeqLimits = new Map()

/** The feed whose records build bars of a kind; undefined if there is none, or none that short. */
export function feedOfBars(asset: AssetClass, of: BarSource, intervalMs: number): FeedId | undefined {
  if (of === 'service') return serviceBarFeed(asset, intervalMs)
  return TICK_FEEDS[asset].find((feed) => FEEDS[feed].kind === (of === 'trade' ? 'trade' : 'quote'))
}

/**
 * The feed that a query for service bars names. Throws `bad-arguments` if that feed's bars can't build the interval.
 */
function parseServiceFeed({ feed, of, interval }: BarQuery, asset: AssetClass): FeedId | undefined {
  if (feed === undefined) return undefined
  const { barMs } = FEEDS[feed]
  if (of === 'service' && feedAsset(feed) === asset && barMs !== null && msOf(interval) % barMs === 0) return feed
  throw new CodedError('bad-arguments', `${feed} has no ${interval} bars from ${of}.`)
}

/** Inputs of a search for a page of bars. `least` and `most`: its first and last record, UTC ms. */
interface Search extends TimeRange, BarSeries {
  readonly query: BarQuery
}

/** UTC ms. */
interface TimeRange {
  readonly least: number
  readonly most: number
}

/** From the block index, UTC ms; null if there are no blocks. */
interface BlockTimes {
  readonly least: number | null
  readonly most: number | null
}

/** A page of bars, oldest first. `atMs`: where the search began, UTC ms, used for a page without bars. */
interface FoundBars {
  readonly states: readonly BarState[]
  readonly more: boolean
  readonly atMs: number
}

/** Answers bar queries. Call within a read transaction. */
export class BarReader {
  readonly #queries: StoreQueries
  readonly #journal: JournalIndex
  readonly #sql
  readonly #gapReader: GapIntervalReader
  readonly #builder: StoredBarBuilder

  constructor(queries: StoreQueries) {
    this.#queries = queries
    const { db } = queries
    const classifier = new Classifier()
    this.#journal = new JournalIndex(db, classifier)
    this.#builder = new StoredBarBuilder(db, this.#journal, classifier)
    this.#gapReader = new GapIntervalReader(queries, this.#journal)
    this.#sql = lazyStatements({
      before: () =>
        db.prepare<[number, number, number], BlockTimes>(
          `SELECT max(min_ms) AS least, max(max_ms) AS most FROM block INDEXED BY block_order
         WHERE series = ? AND min_seq <= ? AND min_ms < ?`,
        ),
      after: () =>
        db.prepare<[number, number, number], BlockTimes>(
          `SELECT min(min_ms) AS least, min(max_ms) AS most FROM block INDEXED BY block_order
         WHERE series = ? AND min_seq <= ? AND max_ms >= ?`,
        ),
    })
  }

  /** Throws `bad-arguments` for an unknown interval. */
  bars(query: BarQuery): BarPage {
    // An interval such as '1d' instead of '1D' has no length, so the search below would never end.
    if (!isInterval(query.interval))
      throw new CodedError('bad-arguments', `Unknown interval ${query.interval}.`, {
        hint: `Use a length such as ${INTERVAL_EXAMPLES}.`,
      })
    const asset = parseInstrument(query.instrument)?.asset
    const intervalMs = msOf(query.interval)
    const feed =
      asset === undefined ? undefined : (parseServiceFeed(query, asset) ?? feedOfBars(asset, query.of, intervalMs))
    if (asset === undefined || feed === undefined) return { bars: [], more: false, gaps: [] }
    const parts = this.#parts(query, feed)
    const overlaps = parts.flatMap(({ overlap }) => overlap ?? [])
    const reported = overlaps.length === 0 ? {} : { overlaps }
    const grid = gridOf(asset, query.interval)
    const { least, most } = this.#span(parts, feed, query.instrument)
    if (least > most || most < (query.fromMs ?? -Infinity)) return { bars: [], more: least <= most, gaps: [] }
    const corrupt = new CorruptData(feed, query.skipCorrupt === true)
    const { instrument, of } = query
    const search: Search = { query, feed, instrument, of, intervalMs, parts, grid, corrupt, least, most }
    const { states, more, atMs } = query.afterMs === undefined ? this.#before(search) : this.#after(search)
    const queriedSpan = { fromMs: states[0]?.startMs ?? atMs, toMs: states.at(-1)?.endMs ?? atMs }
    const unreceived = this.#unreceived(search, queriedSpan)
    const { gaps, rebuilt } = corrupt
    const gapIntervals = [...unreceived, ...gaps]
    return {
      bars: states.map((state) => toBar(marked(state, gapIntervals))),
      more,
      ...reported,
      gaps,
      ...(rebuilt.length === 0 ? {} : { rebuilt }),
    }
  }

  /** The newest bars before `beforeMs`. Reads longer and longer spans until the page is full. */
  #before(search: Search): FoundBars {
    const { query, grid, least, most } = search
    const before = query.beforeMs ?? Infinity
    const newest = Math.min(before - 1e-3, most)
    let end = endAfter(grid, newest)
    const first = query.fromMs ?? -Infinity
    const oldest = Math.max(least, first)
    let span = firstSpan(search)
    let from = alignDown(grid, Math.max(first, newest - span))
    for (;;) {
      const lower = Math.max(from, first)
      const states = this.#builder.build(search, from, end).filter((b) => b.startMs >= lower && b.startMs < before)
      if (states.length > query.limit || from <= oldest) {
        const page = states.slice(Math.max(0, states.length - query.limit))
        return { states: page, more: states.length > page.length || least < first, atMs: newest }
      }
      if (states.length === 0) end = from
      span *= 4
      // Over a night or a weekend, jump by the index. Blocks that were read before cost nothing more.
      const bounds = this.#recordedBefore(search, from)
      from = alignDown(grid, Math.max(oldest, Math.min(Math.min(from, bounds.most) - span, bounds.least)))
    }
  }

  /** The oldest bars after `afterMs`, found in the same way. */
  #after(search: Search): FoundBars {
    const { query, grid, least, most } = search
    const after = Math.max(query.afterMs ?? -Infinity, (query.fromMs ?? -Infinity) - 1e-3)
    const before = query.beforeMs ?? Infinity
    const newest = Math.min(before - 1e-3, most)
    if (after >= newest) return { states: [], more: false, atMs: newest }
    let from = after < least ? alignDown(grid, least) : barEnd(grid, after)
    let span = firstSpan(search)
    let end = endAfter(grid, Math.min(newest, from + span))
    for (;;) {
      // Blocks reach past `end`, where bars aren't complete yet.
      const upper = Math.min(end, before)
      const states = this.#builder.build(search, from, end).filter((b) => b.startMs > after && b.startMs < upper)
      if (states.length > query.limit || end > newest) {
        const page = states.slice(0, query.limit)
        return { states: page, more: states.length > page.length, atMs: from }
      }
      if (states.length === 0) from = end
      span *= 4
      const bounds = this.#recordedAfter(search, end)
      end = endAfter(grid, Math.min(newest, Math.max(Math.max(end, bounds.least) + span, bounds.most)))
    }
  }

  #parts(query: BarQuery, feed: FeedId): Part[] {
    const turns = this.#queries.inTurn(
      this.#queries.selectSessions({ source: query.source, sessions: query.sessions }),
      feed,
    )
    const { upTo = NO_LIMITS } = query
    const limitOf = ({ key }: StoredSession): number | undefined => upTo.get(sessionId(key))
    /** By source, the index of its last session with a limit. */
    const lastAt = new Map<string, number>()
    for (const [i, { of }] of turns.entries()) if (limitOf(of.row) !== undefined) lastAt.set(of.source, i)
    if (upTo.size > 0 && lastAt.size === 0) return []
    const read = turns.flatMap((turn, i) =>
      i > (lastAt.get(turn.of.source) ?? Infinity) ? [] : [{ turn, base: i * SEQ_STEP }],
    )
    const { merged } = this.#queries
    const sessions = merged.limited(
      read.map(({ turn: { of } }) => ({ row: of.row, limit: limitOf(of.row) ?? Infinity })),
    )
    const overlapping = merged.find(sessions)
    const parts = read.map(({ turn, base }, i): Part => {
      const { row } = turn.of
      const group = overlapping.get(row.id) ?? null
      return {
        row,
        sealed: this.#queries.catalog.series(row, feed, query.instrument),
        limit: sessions[i].limit,
        share: group?.share(row.id, feed, query.instrument) ?? shareSince(turn.notBeforeMs),
        overlapping: group,
        overlap: turn.of.receives ? overlapOf(turn, ({ row }) => sessionId(row.key)) : null,
        base,
      }
    })
    return this.#withRecords(parts, feed, query.instrument)
  }

  /** Of a team's shards, those that have records of an instrument. Times when another shard was away don't matter. */
  #withRecords(parts: Part[], feed: FeedId, instrument: InstrumentId): Part[] {
    const shards = Map.groupBy(parts, ({ row }) => row.source)
    if (shards.size <= 1) return parts
    const hasRecords = (part: Part): boolean => {
      let found = (part.sealed?.leastMs ?? Infinity) < Infinity
      if (!found) this.#journal.times(part, feed, instrument, () => void (found = true))
      return found
    }
    const kept = new Set([...shards].flatMap(([source, of]) => (of.some(hasRecords) ? [source] : [])))
    return parts.filter(({ row }) => kept.has(row.source))
  }

  /** The intervals without reception. Of a team's shards, one that received is enough. */
  #unreceived({ parts, feed, instrument, grid, corrupt }: BarSeries, span: Span): readonly SkewedGap[] {
    return [...Map.groupBy(parts, ({ row }) => row.source).values()]
      .map((ofSource): readonly SkewedGap[] => {
        const gaps = this.#gapReader.of(ofSource, feed, instrument, span, corrupt)
        const aheadMs = this.#gapReader.findAheadMs(ofSource)
        const isAhead = aheadMs !== null && aheadMs < span.toMs
        return isAhead ? [...gaps, { fromMs: barEnd(grid, aheadMs), toMs: null }] : gaps
      })
      .reduce(intersectGaps)
  }

  #span(parts: readonly Part[], feed: FeedId, instrument: InstrumentId): { least: number; most: number } {
    let least = Infinity
    let most = -Infinity
    for (const part of parts) {
      least = Math.min(least, part.sealed?.leastMs ?? Infinity)
      most = Math.max(most, part.sealed?.mostMs ?? -Infinity)
      this.#journal.times(part, feed, instrument, (_seq, ms) => {
        least = Math.min(least, ms)
        most = Math.max(most, ms)
      })
    }
    return { least, most }
  }

  /** Bounds of the records before `ms`, from the index: none is later than `most`, and one is at or after `least`. */
  #recordedBefore(search: Search, ms: number): TimeRange {
    return this.#nearest(search, this.#sql.before, ms, Math.max, -Infinity, (at) => at < ms)
  }

  /**
   * Bounds of the records from `ms` on, from the index: none is earlier than `least`, and one is at or before `most`.
   */
  #recordedAfter(search: Search, ms: number): TimeRange {
    return this.#nearest(search, this.#sql.after, ms, Math.min, Infinity, (at) => at >= ms)
  }

  #nearest(
    { query, feed, parts }: Search,
    sql: Database.Statement<[number, number, number], BlockTimes>,
    ms: number,
    nearer: (a: number, b: number) => number,
    none: number,
    isBeyond: (atMs: number) => boolean,
  ): TimeRange {
    let least = none
    let most = none
    for (const part of parts) {
      const blocks = part.sealed === null ? undefined : sql.get(part.sealed.id, part.limit, ms)
      least = nearer(least, blocks?.least ?? none)
      most = nearer(most, blocks?.most ?? none)
      this.#journal.times(part, feed, query.instrument, (_seq, at) => {
        if (!isBeyond(at)) return
        least = nearer(least, at)
        most = nearer(most, at)
      })
    }
    return { least, most }
  }
}

/** The span that a search reads first, ms: slightly more than a full page of bars. */
const firstSpan = ({ query, intervalMs }: Search): number =>
  Math.max(intervalMs >= MINUTE_MS ? HOUR_MS : MIN_SPAN_MS, intervalMs * query.limit * 1.5)

function marked(state: BarState, gapIntervals: readonly SkewedGap[]): BarState {
  const { startMs, endMs } = state
  const touchedSpan = gapIntervals.some((interval) => touchesGap(startMs, endMs, interval, interval.skewMs))
  return touchedSpan ? { ...state, complete: false } : state
}

/** End of the bar at an instant. An instant outside of all bars is its own boundary. */
function barEnd(grid: BarGrid, ms: number): number {
  const start = grid.startOf(ms)
  return Number.isNaN(start) ? ms : grid.endOf(start)
}

/** Like `barEnd`, and always after the instant. */
function endAfter(grid: BarGrid, ms: number): number {
  const end = barEnd(grid, ms)
  return end > ms ? end : ms + 1e-3
}

/** Start of the bar at an instant. An instant outside of all bars is its own boundary. */
function alignDown(grid: BarGrid, ms: number): number {
  const start = grid.startOf(ms)
  return Number.isNaN(start) ? ms : start
}
