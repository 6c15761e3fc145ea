/**
 * Bars of what is stored: rollups where they serve, blocks and the journal for the rest, all of one
 * snapshot. Recordings of one source follow each other; nothing after `maxSeq` is looked at.
 */
import {
  createBarBuilder,
  fixedGrid,
  toBar,
  touchesHole,
  type BarBuilder,
  type BarGrid,
  type BarState,
  type Hole,
} from '../../shared/bars.ts'
import { gridOf } from '../../shared/calendar.ts'
import { CodedError } from '../../shared/errors.ts'
import { INTERVAL_LABELS, INTERVALS, type BarSource } from '../../shared/market.ts'
import { overlapOf, type Overlap } from '../../shared/overlaps.ts'
import type { LedgerEntry } from '../../shared/recording.ts'
import {
  feedAsset,
  instrumentKey,
  parseInstrument,
  recordingId,
  type AssetClass,
  type FeedId,
  type InstrumentId,
} from '../../shared/units.ts'
import { FEEDS, serviceBarFeed, TICK_FEEDS } from '../../service/feeds.ts'
import { barsOfBlock } from './block-bars.ts'
import { BlockScratch } from './blocks/scratch.ts'
import { openBlock } from './blocks/open.ts'
import { Kept, MOST_INSTRUMENTS, type SeriesExtent } from './catalog.ts'
import { applyRecord, Classifier, HOUR, isRolled, MINUTE } from './classify.ts'
import { JournalIndex } from './journal-index.ts'
import type { BarPage, BarQuery } from './port.ts'
import type { StoreQueries } from './queries.ts'
import { decodeHour, joinBar, type HourBars } from './rollup.ts'
import type { RecordingRow } from './records.ts'

/** Seqs of later recordings stand above those of earlier ones, so that bars across a roll keep their order. */
const RECORDING_STEP = 2 ** 40
/** How far event times may lie from their receipt: recordings further from a page than this have no hole in it. */
const LATEST_MS = 6 * HOUR
/** The least time that a page of bars below a minute looks at first, ms. */
const SHORT_SPAN = 5 * MINUTE
const minuteGrid = fixedGrid(MINUTE)

/** The feed whose records build bars of a kind; undefined: there are none of it, or none so short. */
export function feedOfBars(asset: AssetClass, of: BarSource, intervalMs: number): FeedId | undefined {
  if (of === 'service') return serviceBarFeed(asset, intervalMs)
  return TICK_FEEDS[asset].find((feed) => FEEDS[feed].kind === (of === 'trade' ? 'trade' : 'quote'))
}

/** One recording's share of a series. */
interface Part {
  readonly row: RecordingRow
  /** Null: nothing of it is sealed. */
  readonly sealed: SeriesExtent | null
  /** Nothing after this seq. */
  readonly limit: number
  /** Rows received before this are an earlier recording's. */
  readonly notBeforeMs: number
  readonly overlap: Overlap | null
  readonly base: number
}

/** An interval without reception and by how much the clocks of service and computer differed. */
interface SkewedHole extends Hole {
  readonly skewMs?: number
}

/** Answers a BarQuery; to be called within a read transaction. */
export class BarReader {
  readonly #queries: StoreQueries
  readonly #classifier = new Classifier()
  readonly #scratch = new BlockScratch()
  readonly #journal: JournalIndex
  readonly #sql
  readonly #holesOf = new Map<string, Kept<SkewedHole[]>>()
  #holesVersion = -1

  constructor(queries: StoreQueries) {
    this.#queries = queries
    const { db } = queries
    this.#journal = new JournalIndex(db, this.#classifier)
    this.#sql = {
      hours: db.prepare<[number, number, number], { hour_ms: number; data: Buffer }>(
        'SELECT hour_ms, data FROM rollup WHERE series = ? AND hour_ms > ? AND hour_ms < ? ORDER BY hour_ms',
      ),
      blocks: db
        .prepare<[number, number, number, number, number], Buffer>(
          `SELECT data FROM block WHERE id IN (
             SELECT id FROM block INDEXED BY block_order
             WHERE series = ? AND max_seq > ? AND min_seq <= ? AND max_ms >= ? AND min_ms < ?)
           ORDER BY min_seq`,
        )
        .pluck(),
      before: db.prepare<[number, number, number], { least: number | null; most: number | null }>(
        `SELECT max(min_ms) AS least, max(max_ms) AS most FROM block INDEXED BY block_order
         WHERE series = ? AND min_seq <= ? AND min_ms < ?`,
      ),
      acks: db.prepare<[number, number], { wall_ms: number; body: string }>(
        `SELECT wall_ms, body FROM entry WHERE recording = ? AND seq <= ?
         AND (body LIKE '{"type":"acknowledged"%' OR body LIKE '{"type":"released"%') ORDER BY seq`,
      ),
    }
  }

  /** Throws `bad-arguments` where there is no such interval. */
  bars(query: BarQuery): BarPage {
    // What is written '1d' for '1D' has no length: no search would ever reach an end.
    if (!Object.hasOwn(INTERVALS, query.interval))
      throw new CodedError('bad-arguments', `There is no interval ${query.interval}.`, {
        hint: `It is one of ${INTERVAL_LABELS.join(', ')}.`,
      })
    const asset = parseInstrument(query.instrument)?.asset
    const intervalMs = INTERVALS[query.interval]
    const feed = asset === undefined ? undefined : feedOfBars(asset, query.of, intervalMs)
    if (asset === undefined || feed === undefined) return { bars: [], more: false }
    const parts = this.#parts(query, feed)
    const overlaps = parts.flatMap(({ overlap }) => overlap ?? [])
    const told = overlaps.length === 0 ? {} : { overlaps }
    const grid = gridOf(asset, query.interval)
    const { least, most } = this.#span(parts, feed, query.instrument)
    if (least > most || most < (query.fromMs ?? -Infinity)) return { bars: [], more: least <= most }
    const before = query.beforeMs ?? Infinity
    const newest = Math.min(before - 1e-3, most)
    const start = grid.startOf(newest)
    let end = Number.isNaN(start) ? newest + 1e-3 : grid.endOf(start)
    const first = query.fromMs ?? -Infinity
    const oldest = Math.max(least, first)
    let span = Math.max(intervalMs >= MINUTE ? HOUR : SHORT_SPAN, intervalMs * query.limit * 1.5)
    let from = alignDown(grid, Math.max(first, newest - span))
    for (;;) {
      const lower = Math.max(from, first)
      const states = this.#build(parts, feed, query, grid, from, end).filter(
        (b) => b.startMs >= lower && b.startMs < before,
      )
      if (states.length > query.limit || from <= oldest) {
        const page = states.slice(Math.max(0, states.length - query.limit))
        const shown = { fromMs: page[0]?.startMs ?? newest, toMs: page.at(-1)?.endMs ?? newest }
        const holes = this.#holes(parts, feed, query.instrument, shown)
        const more = states.length > page.length || least < first
        return { bars: page.map((state) => toBar(marked(state, holes))), more, ...told }
      }
      if (states.length === 0) end = from
      span *= 4
      // Over a night or a weekend the index leads; what is in a block with what was read costs no more.
      const there = this.#before(parts, feed, query.instrument, from)
      from = alignDown(grid, Math.max(oldest, Math.min(Math.min(from, there.most) - span, there.least)))
    }
  }

  #parts(query: BarQuery, feed: FeedId): Part[] {
    const turns = this.#queries.inTurn(
      this.#queries.chosen({ source: query.source, recordings: query.recordings }),
      feed,
    )
    const at = query.maxSeq === undefined ? -1 : turns.findIndex(({ of }) => of.row.key === query.maxSeq?.recording)
    if (query.maxSeq !== undefined && at < 0) return []
    return (at < 0 ? turns : turns.slice(0, at + 1)).map((turn, i) => {
      const { row } = turn.of
      return {
        row,
        sealed: this.#queries.catalog.series(row, feed, query.instrument),
        limit: i === at ? query.maxSeq!.seq : Infinity, // at >= 0 only with maxSeq
        notBeforeMs: turn.notBeforeMs,
        overlap: turn.of.receives ? overlapOf(turn, ({ row }) => recordingId(row.key)) : null,
        base: i * RECORDING_STEP,
      }
    })
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

  /** What the index knows of records before an instant: none is later than `most`, and one is not before `least`. */
  #before(
    parts: readonly Part[],
    feed: FeedId,
    instrument: InstrumentId,
    ms: number,
  ): { readonly least: number; readonly most: number } {
    let least = -Infinity
    let most = -Infinity
    for (const part of parts) {
      const blocks = part.sealed === null ? undefined : this.#sql.before.get(part.sealed.id, part.limit, ms)
      least = Math.max(least, blocks?.least ?? -Infinity)
      most = Math.max(most, blocks?.most ?? -Infinity)
      this.#journal.times(part, feed, instrument, (_seq, at) => {
        if (at >= ms) return
        least = Math.max(least, at)
        most = Math.max(most, at)
      })
    }
    return { least, most }
  }

  /** Bars of [from, to) on `grid`, oldest first; `complete` is not decided yet. */
  #build(
    parts: readonly Part[],
    feed: FeedId,
    query: BarQuery,
    grid: BarGrid,
    from: number,
    to: number,
  ): readonly BarState[] {
    const { of } = query
    const rolled = isRolled(feed) && INTERVALS[query.interval] >= MINUTE
    const minutes: HourBars = new Map()
    const direct = createBarBuilder({ grid })
    for (const part of parts) {
      const builder = rolled || of === 'service' ? createBarBuilder({ grid: rolled ? minuteGrid : grid }) : direct
      const { sealed } = part
      // An hour's rollup holds what its blocks hold: of thousands of recordings few have anything of a page.
      if (sealed !== null && sealed.mostMs >= from - HOUR && sealed.leastMs < to + HOUR) {
        if (rolled) this.#rolled(part, sealed, of, from, to, minutes)
        this.#blockRows(part, sealed.id, of, rolled ? sealed.rolledSeq : 0, from, to, builder)
      }
      this.#journal.records(part, feed, query.instrument, (seq, ms) => {
        applyRecord(builder, of, seq + part.base, ms, this.#classifier.placed.record)
      })
      if (builder !== direct) for (const state of builder.states()) joinBar(minutes, of, state)
    }
    if (!rolled && of !== 'service') return direct.states()
    for (const state of minutes.get(of)?.values() ?? []) {
      if (state.startMs >= from && state.startMs < to) direct.merge(state)
    }
    return direct.states()
  }

  /** Rollup rows of [from, to); minutes that reach past the limit are built again from what came before it. */
  #rolled(part: Part, sealed: SeriesExtent, of: BarSource, from: number, to: number, into: HourBars): void {
    const again: number[] = []
    for (const { hour_ms, data } of this.#sql.hours.iterate(sealed.id, from - HOUR, to)) {
      for (const bar of decodeHour(hour_ms, data).get(of)?.values() ?? []) {
        if (bar.startMs < from || bar.startMs >= to) continue
        if (bar.lastSeq > part.limit || part.notBeforeMs > -Infinity) again.push(bar.startMs)
        else joinBar(into, of, shifted(bar, part.base))
      }
    }
    if (again.length === 0) return
    const builder = createBarBuilder({ grid: minuteGrid })
    const limited = { ...part, limit: Math.min(part.limit, sealed.rolledSeq) }
    this.#blockRows(limited, sealed.id, of, 0, Math.min(...again), Math.max(...again) + MINUTE, builder)
    const wanted = new Set(again)
    for (const state of builder.states()) if (wanted.has(state.startMs)) joinBar(into, of, state)
  }

  /** Rows of sealed blocks with a seq in (after, limit] that may lie in [from, to). */
  #blockRows(
    part: Part,
    series: number,
    of: BarSource,
    after: number,
    from: number,
    to: number,
    builder: BarBuilder,
  ): void {
    const limit = Math.min(part.limit, part.row.sealed_seq)
    for (const data of this.#sql.blocks.iterate(series, after, limit, from, to)) {
      barsOfBlock(this.#classifier, openBlock(data, this.#scratch), of, part, after, limit, builder)
    }
  }

  /** Where reception was missing: gaps, the time between recordings, and before a subscription stood. */
  #holes(
    parts: readonly Part[],
    feed: FeedId,
    instrument: InstrumentId,
    shown: { readonly fromMs: number; readonly toMs: number },
  ): SkewedHole[] {
    const key = parseInstrument(instrument)?.key
    const asset = feedAsset(feed)
    const mine = (symbols: readonly string[]): boolean => symbols.some((symbol) => instrumentKey(asset, symbol) === key)
    const holes: SkewedHole[] = []
    const kept = this.#keptHoles(`${feed} ${instrument}`)
    let ended = -Infinity
    let before = 0
    for (const { row, limit } of parts) {
      // As of a seq it is not known when the recording ends, nor what opens or closes later.
      const end = limit < Infinity ? null : row.ended_ms
      const edge = ended === -Infinity ? row.started_ms - 1 : ended
      if (edge < row.started_ms && row.started_ms >= shown.fromMs && edge <= shown.toMs)
        holes.push({ fromMs: edge, toMs: row.started_ms })
      // Of two made here the later ends later, also where the clock was set back between them.
      ended = row.id > 0 && before > 0 ? (end ?? Infinity) : Math.max(ended, end ?? Infinity)
      before = row.id
      // A page costs the same, however many days were recorded.
      const near = LATEST_MS + (this.#queries.catalog.gaps(row)?.skewMs ?? 0)
      if ((end ?? Infinity) < shown.fromMs - near || row.started_ms > shown.toMs + near) continue
      const read = (): SkewedHole[] => this.#holesIn(row, limit, end, feed, mine)
      holes.push(...(limit < Infinity ? read() : kept.of(row, read)))
    }
    // After the last recording nothing is received any more; while it lasts, `ended` is without end.
    if (ended < Infinity) holes.push({ fromMs: ended, toMs: ended + 1 })
    return holes
  }

  /** Holes of closed recordings, each whole; what was missing at the end of one lasts until another begins. */
  #keptHoles(name: string): Kept<SkewedHole[]> {
    const { version } = this.#queries.catalog
    if (version !== this.#holesVersion || this.#holesOf.size >= MOST_INSTRUMENTS) this.#holesOf.clear()
    this.#holesVersion = version
    let kept = this.#holesOf.get(name)
    if (kept === undefined) this.#holesOf.set(name, (kept = new Kept()))
    return kept
  }

  /** Where a recording was not received up to a seq: its gaps, and the time in which the instrument was not asked for. */
  #holesIn(
    row: RecordingRow,
    limit: number,
    end: number | null,
    feed: FeedId,
    mine: (symbols: readonly string[]) => boolean,
  ): SkewedHole[] {
    const holes: SkewedHole[] = []
    for (const gap of this.#queries.gaps({ feed, recording: recordingId(row.key) })) {
      if (gap.symbols.length > 0 && !mine(gap.symbols)) continue
      const { fromMs, fromSeq, toSeq, skewMs = 0 } = gap
      if (fromSeq > limit) continue
      const toMs = limit < Infinity && (toSeq ?? Infinity) > limit ? null : (gap.toMs ?? end)
      holes.push({ fromMs, toMs, skewMs: Math.abs(skewMs) })
    }
    let out: number | null = row.started_ms
    let wasIn = false
    for (const { wall_ms, body } of this.#sql.acks.iterate(row.id, Math.min(limit, Number.MAX_SAFE_INTEGER))) {
      const entry = JSON.parse(body) as LedgerEntry // written from a LedgerEntry
      if ((entry.type !== 'acknowledged' && entry.type !== 'released') || entry.feed !== feed || !mine(entry.symbols))
        continue
      if (entry.type === 'released') out ??= wall_ms
      else {
        if (out !== null && wall_ms > out) holes.push({ fromMs: out, toMs: wall_ms })
        out = null
        wasIn = true
      }
    }
    // Released for good. Where no acknowledgement is known at all, there is nothing to conclude from.
    if (wasIn && out !== null) holes.push({ fromMs: out, toMs: end })
    return holes
  }
}

const shifted = (bar: BarState, base: number): BarState =>
  base === 0
    ? bar
    : {
        ...bar,
        openSeq: bar.openSeq + base,
        closeSeq: bar.closeSeq + base,
        firstSeq: bar.firstSeq + base,
        lastSeq: bar.lastSeq + base,
      }

function marked(state: BarState, holes: readonly SkewedHole[]): BarState {
  const { startMs, endMs } = state
  const touched = holes.some((hole) => touchesHole(startMs, endMs, hole, hole.skewMs))
  return touched ? { ...state, complete: false } : state
}

/** The start of the bar at an instant; an instant in no bar is a boundary itself. */
function alignDown(grid: BarGrid, ms: number): number {
  const start = grid.startOf(ms)
  return Number.isNaN(start) ? ms : start
}
