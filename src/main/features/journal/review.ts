/** Builds the review of a time range of a source from stored messages, up to a position. */
import { TICK_FEEDS, FEEDS } from '../../../service/feeds.ts'
import { MAX_EVENTS, type Alert, type AlertEvent } from '../../../shared/features/alerts/types.ts'
import { measureLabel, conditionLabel, PLAIN_NUMBERS } from '../../../shared/features/alerts/labels.ts'
import { isWithin, type Note } from '../../../shared/features/journal/note.ts'
import {
  BURST_BARS,
  MAX_FIRED,
  MAX_GAPS,
  MAX_MOVES,
  type CorruptSpan,
  type FiredAlert,
  type Move,
  type Review,
} from '../../../shared/features/journal/review.ts'
import { msOf, type Bar, type Interval } from '../../../shared/core/market/market.ts'
import { isEdge, matchesSource, type Gap, type SessionRow } from '../../../shared/core/recording/session.ts'
import { commonSpans, mergeSpans, spansMs, withoutSpans, type Span } from '../../../shared/base/spans.ts'
import type { GapSpan } from '../../../shared/core/status/status.ts'
import { ASSET_CLASSES, type InstrumentId, type SessionId } from '../../../shared/base/units.ts'
import type { BarPage, BarQuery, SeqLimits } from '../../core/store/types/bars.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'

export interface ReviewQuery {
  readonly source: string
  /** Only these sessions; absent: every one of the source. */
  readonly sessions?: readonly SessionId[]
  /** [fromMs, toMs), UTC ms. */
  readonly fromMs: number
  readonly toMs: number
  /** The last visible entry of each session that has later ones, so that a replay can't look ahead. */
  readonly upTo?: SeqLimits | undefined
  /** Now by the market's clock, UTC ms. Nothing later is stored. */
  readonly nowMs: number
  /** The gaps of the source that may touch the range. Edges of sessions are left out here. */
  readonly gaps: readonly Gap[]
  readonly alerts: AlertEvents
  readonly notes: readonly Note[]
}

/** Events of the alerts on a source, in any order, and why some may be missing; null: none are. */
interface AlertEvents {
  readonly events: readonly AlertEvent[]
  readonly problem: string | null
}

/** Bars that are read at a time. A range of more minutes is reviewed with hourly bars. */
const PAGE_BARS = 2_000

/** Skips corrupt data and lists it. Rejects with any other error of the store reader. */
export async function buildReview(reader: StoreReader, query: ReviewQuery): Promise<Review> {
  const { source, fromMs, toMs } = query
  const rows = (await reader.sessions(true)).filter(
    (row) =>
      row.binnedMs === null &&
      matchesSource(row.source, source) &&
      (query.sessions === undefined || query.sessions.includes(row.session)) &&
      query.upTo?.get(row.session) !== 0 &&
      row.startedMs < toMs &&
      (row.endedMs === null || row.endedMs >= fromMs),
  )
  const sessions = rows.map((row) => row.session)
  const interval: Interval = toMs - fromMs <= (PAGE_BARS - 1) * 60_000 ? '1m' : '1h'
  const { moves, corrupt } = await movesOf(reader, query, sessions, interval)
  const gaps = query.gaps.filter((gap) => !isEdge(gap) && touches(gap, fromMs, toMs))
  // A replay can't know yet when a gap ends that is open at its clock.
  const known = gaps.map((gap) => ({ ...gap, toMs: gap.toMs !== null && gap.toMs <= query.nowMs ? gap.toMs : null }))
  const missing = gapSpans(gaps, { fromMs, toMs })
  const lengthOf = (gap: { readonly fromMs: number; readonly toMs: number | null }) =>
    (gap.toMs ?? query.nowMs) - gap.fromMs
  const fired = query.alerts.events.flatMap((event) => firedOf(event, fromMs, toMs)).toSorted((a, b) => a.atMs - b.atMs)
  // A range that cuts a block is counted as if the block's messages were spread evenly.
  const cut = rows.filter((row) => row.startedMs < fromMs || (row.endedMs ?? query.nowMs) >= toMs)
  const counts =
    cut.length === 0 ? [] : await reader.activity({ sessions: cut.map((row) => row.session), fromMs, toMs, buckets: 1 })
  const whole = rows.filter((row) => !cut.includes(row)).map((row) => row.messages)
  return {
    source,
    fromMs,
    toMs,
    sessions,
    messages: [...whole, ...counts].reduce((sum, one) => sum + one, 0),
    messagesEstimated: cut.length > 0,
    instruments: moves.length,
    barMs: msOf(interval),
    moves: moves.toSorted((a, b) => Math.abs(b.change) - Math.abs(a.change)).slice(0, MAX_MOVES),
    corrupt,
    gaps: known
      .toSorted((a, b) => lengthOf(b) - lengthOf(a))
      .slice(0, MAX_GAPS)
      .map(({ feed, cause, symbols, fromMs, toMs }) => ({ feed, cause, symbols, fromMs, toMs })),
    gapCount: gaps.length,
    gapMs: spansMs(missing),
    outsideMs: spansMs(withoutSpans(await outsideSpans(reader, rows, query), missing)),
    alerts: fired.slice(-MAX_FIRED),
    alertCount: fired.length,
    alertsProblem: query.alerts.problem,
    notes: query.notes.filter((note) => isWithin(note, fromMs, toMs)),
  }
}

const touches = (gap: Gap, fromMs: number, toMs: number): boolean =>
  gap.fromMs < toMs && (gap.toMs === null || gap.toMs > fromMs)

/** The parts of gaps within a range. An open one counts up to the end of the range. */
const gapSpans = (gaps: readonly Gap[], within: Span): readonly Span[] =>
  commonSpans(
    gaps.map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs ?? within.toMs })),
    [within],
  )

/**
 * The parts of a range that have passed but are in none of the sessions. Where a team's shards have sessions of their
 * own, a part that one of the shards lacks counts.
 */
async function outsideSpans(
  reader: StoreReader,
  rows: readonly SessionRow[],
  { fromMs, toMs, nowMs }: ReviewQuery,
): Promise<readonly Span[]> {
  const passed = { fromMs, toMs: Math.min(toMs, Math.ceil(nowMs) + 1) }
  if (rows.length === 0) return mergeSpans([passed])
  const spans = await Promise.all(
    rows.map(async ({ session, source, startedMs, endedMs, live }) => {
      // A session that crashed has no end before the next one begins.
      const last = live || endedMs !== null ? null : await reader.findPosition({ session, ms: Number.MAX_SAFE_INTEGER })
      const end = live ? Infinity : (endedMs ?? last?.ms ?? startedMs)
      return { source, fromMs: startedMs, toMs: end + 1 }
    }),
  )
  return mergeSpans(
    [...Map.groupBy(spans, ({ source }) => source).values()].flatMap((one) => withoutSpans([passed], one)),
  )
}

/**
 * The events that belong to a source. Prices of the demo market mean nothing on a real one, and no alert watches an
 * import. The market of a deleted alert is no longer known, so its events count for both.
 */
export function alertsOf(
  source: string,
  { events, problem, fromMs }: AlertEvents & { readonly fromMs: number },
  alerts: readonly Pick<Alert, 'id' | 'market'>[],
): AlertEvents {
  if (source.startsWith('import:')) return { events: [], problem: null }
  const market = source === 'demo' ? 'demo' : 'service'
  const others = new Set(alerts.filter((one) => one.market !== market).map(({ id }) => id))
  const isCut = events.length >= MAX_EVENTS && events.every(({ atMs }) => atMs > fromMs)
  return {
    events: events.filter((event) => !('alert' in event) || !others.has(event.alert)),
    problem: problem ?? (isCut ? `The history of alerts holds only the last ${MAX_EVENTS} events.` : null),
  }
}

function firedOf(event: AlertEvent, fromMs: number, toMs: number): readonly FiredAlert[] {
  if (event.is !== 'fired' || event.atMs < fromMs || event.atMs >= toMs) return []
  const { atMs, instrument, condition, note, value } = event
  const text = conditionLabel(condition, PLAIN_NUMBERS)
  return [{ atMs, instrument, text, note, value: measureLabel(condition, value, PLAIN_NUMBERS) }]
}

async function movesOf(
  reader: StoreReader,
  query: ReviewQuery,
  sessions: readonly SessionId[],
  interval: Interval,
): Promise<Pick<Review, 'moves' | 'corrupt'>> {
  const moves: Move[] = []
  const corrupt: CorruptSpan[] = []
  if (sessions.length === 0) return { moves, corrupt }
  for (const asset of ASSET_CLASSES) {
    const done = new Set<InstrumentId>()
    // Trades come before quotes, which count only where there are no trades.
    for (const feed of TICK_FEEDS[asset]) {
      const of = FEEDS[feed].kind === 'trade' ? 'trade' : 'mid'
      for (const { instrument, symbols } of await reader.instruments({ feed, sessions })) {
        if (done.has(instrument)) continue
        const symbol = symbols.at(-1) ?? instrument
        const { bars, gaps } = await barsOf(reader, query, { instrument, of, interval, sessions })
        const unread = commonSpans(
          gaps.map((gap) => ({ fromMs: gap.fromMs, toMs: gap.toMs ?? query.toMs })),
          [{ fromMs: query.fromMs, toMs: query.toMs }],
        )
        corrupt.push(...unread.map((span) => ({ symbol, feed, ...span })))
        const move = moveOf(bars, { instrument, symbol, of })
        if (move !== null) moves.push(move)
        // Quotes don't stand in for trades that are stored, but corrupt.
        if (move !== null || unread.length > 0) done.add(instrument)
      }
    }
  }
  return { moves, corrupt }
}

/**
 * All bars of the range, oldest first, and what of it is corrupt. Bars are whole: the first may begin before the range, and
 * the last may end after it.
 */
async function barsOf(
  reader: StoreReader,
  { source, fromMs, toMs, upTo }: ReviewQuery,
  of: Pick<BarQuery, 'instrument' | 'of' | 'interval' | 'sessions'>,
): Promise<Pick<BarPage, 'bars' | 'gaps'>> {
  const pages: (readonly Bar[])[] = []
  const corrupt: GapSpan[] = []
  const first = Math.floor(fromMs / msOf(of.interval)) * msOf(of.interval)
  for (let beforeMs = toMs; beforeMs > first;) {
    const query = { ...of, source, beforeMs, fromMs: first, limit: PAGE_BARS, upTo, skipCorrupt: true }
    const { bars, more, gaps } = await reader.bars(query)
    pages.push(bars)
    corrupt.push(...gaps)
    if (!more || bars.length === 0) break
    beforeMs = bars[0].startMs
  }
  return { bars: pages.reverse().flat(), gaps: corrupt }
}

/** The move over bars, oldest first; null without any. */
export function moveOf(bars: readonly Bar[], of: Pick<Move, 'instrument' | 'symbol' | 'of'>): Move | null {
  const priced = bars.filter((bar) => Number.isFinite(bar.open) && Number.isFinite(bar.close) && bar.open > 0)
  const [first] = priced
  const last = priced.at(-1)
  if (first === undefined || last === undefined) return null
  let [high, low] = [first, first]
  let burst = 0
  let burstMs: number = first.startMs
  for (const [i, bar] of priced.entries()) {
    if (bar.high > high.high) high = bar
    if (bar.low < low.low) low = bar
    // The bars within the span; a quiet instrument has none for some of it.
    const spanMs = (bar.endMs - bar.startMs) * BURST_BARS
    const start = priced
      .slice(Math.max(0, i - BURST_BARS + 1), i + 1)
      .find((one) => one.startMs > bar.endMs - spanMs - 1)
    const change = bar.close / (start ?? bar).open - 1
    if (Math.abs(change) > Math.abs(burst)) {
      burst = change
      burstMs = (start ?? bar).startMs
    }
  }
  return {
    ...of,
    first: first.open,
    last: last.close,
    change: last.close / first.open - 1,
    high: high.high,
    low: low.low,
    highMs: high.startMs,
    lowMs: low.startMs,
    burst,
    burstMs,
    incomplete: priced.some((bar) => !bar.complete),
  }
}
