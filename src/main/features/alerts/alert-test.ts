/** Runs an alert over a recorded session with the live evaluator, to see when it would have fired. */
import { setImmediate as turn } from 'node:timers/promises'
import { Evaluator } from '../../../shared/features/alerts/evaluator/evaluator.ts'
import { SEED_BARS } from '../../../shared/features/alerts/evaluator/bar-lines.ts'
import { MAX_LISTED, type AlertTest, type WouldFire } from '../../../shared/features/alerts/test-report.ts'
import type { Alert, AlertDraft } from '../../../shared/features/alerts/types.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import type { Drawing } from '../../../shared/features/drawings/types.ts'
import { msOf, type BarSource, type Interval } from '../../../shared/core/market/market.ts'
import { parseInstrument, sessionId, unixMs, type InstrumentId } from '../../../shared/base/units.ts'
import type { Suspension } from '../../../shared/features/alerts/evaluator/coverage.ts'
import { MIN_REPORTED_MS } from './alert-events.ts'
import { alertSink } from './record-sink.ts'
import { Cursor } from '../../core/playback/cursor.ts'
import { NO_LIMITS, PlaybackState } from '../../core/playback/playback-state.ts'
import { sinkOnly } from '../../core/market/market.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { ALERT_CALENDAR } from './alert-calendar.ts'
import { loadParts } from '../../core/playback/replay-parts.ts'

export interface AlertTestOptions {
  readonly reader: StoreReader
  readonly draft: AlertDraft
  readonly session: string
  /** Replay times, [from, to), UTC ms. Null means from the start, or to the end. */
  readonly fromMs: number | null
  readonly toMs: number | null
  readonly drawings: (instrument: InstrumentId) => readonly Drawing[]
  /** The longest it runs before it yields, ms, and a monotonic clock, ms. */
  readonly turnMs: number
  readonly realMs: () => number
  readonly signal: AbortSignal
  /** A fraction from 0 to 1, and the number of messages so far. */
  readonly progress: (done: number, messages: number) => void
}

/**
 * The alert as if made before the session and never fired, even if it is off. An alert that fires once repeats here, so
 * that a cross before the range doesn't end it.
 */
function asTested(draft: AlertDraft): Alert {
  return {
    ...draft,
    repeat: draft.repeat ?? { restMs: 0, backPercent: 0 },
    enabled: true,
    id: 'test',
    market: 'demo',
    createdMs: 0,
    fired: 0,
    firedMs: null,
    firedOf: null,
    done: false,
  }
}

/** How long before the range to start, so that windows and chains are filled, ms. */
function leadMs({ condition }: AlertDraft): number {
  switch (condition.is) {
    case 'move':
    case 'volume':
      return condition.withinMs
    case 'stale':
      return condition.afterMs + 120_000
    case 'indicator':
      return Math.max(2 * msOf(condition.interval), 1_000)
    case 'price':
    case 'spread':
    case 'drawing':
    case 'earnings':
      return 60_000
  }
}

/**
 * Rejects with `not-found` if there is no such session, with `not-allowed` for conditions that no session records, and
 * with `cancelled` soon after the signal.
 */
export async function testAlert(options: AlertTestOptions): Promise<AlertTest> {
  const { reader, draft, signal, progress } = options
  if (draft.condition.is === 'earnings') {
    throw new CodedError(
      'not-allowed',
      'A session doesn’t contain the earnings calendar, so this alert can’t be tested on one.',
      {
        hint: 'Test an alert on a price, spread, volume, indicator or drawing.',
      },
    )
  }
  const { source, parts } = await loadParts(reader, [options.session])
  const [part] = parts
  const fromMs = Math.max(part.fromMs, options.fromMs ?? -Infinity)
  const toMs = Math.min(part.toMs, options.toMs ?? Infinity)
  const session = sessionId(options.session)
  const { instrument, condition } = draft
  const asset = parseInstrument(instrument)?.asset ?? 'stocks'
  const grid = condition.is === 'indicator' ? ALERT_CALENDAR.grid(asset, condition.interval) : null
  const aheadMs = fromMs - leadMs(draft)
  // Start at the edge of a bar: later bars are received in full, earlier ones come from the store.
  const edgeMs = grid?.startOf(aheadMs) ?? NaN
  const begin = await reader.findPosition({ session, ms: Number.isNaN(edgeMs) ? aheadMs : edgeMs - 1 })

  const listed: WouldFire[] = []
  const suspensions: Suspension[] = []
  const ends = new Map<Suspension, number>()
  const counts = { fired: 0, unseen: 0 }
  /** When an alert that fires once did. */
  let overMs = Infinity
  const add = (one: WouldFire): void => {
    if (one.atMs < fromMs || one.atMs >= toMs || overMs < Infinity) return
    if (one.is === 'fired' && draft.repeat === null) overMs = one.atMs
    counts[one.is] += 1
    if (listed.length < MAX_LISTED) listed.push(one)
  }
  let seq = 0
  let bars: { readonly of: BarSource; readonly interval: Interval } | null = null
  const evaluator = new Evaluator({
    ...ALERT_CALENDAR,
    listener: {
      fired: ({ atMs, eventMs, value, before }) =>
        add({ is: 'fired', session, atMs, eventMs, seq: eventMs === null ? 0 : seq, value, before }),
      unseen: (_, atMs, value, before) => add({ is: 'unseen', session, atMs, eventMs: null, seq, value, before }),
      rearmed: () => undefined,
      expired: () => undefined,
      suspended(suspension, _instruments, _alerts, endMs) {
        if (endMs === null) suspensions.push(suspension)
        else ends.set(suspension, endMs)
      },
      wantsBars(_, of, interval) {
        bars = { of, interval }
      },
      changed: () => undefined,
    },
  })
  evaluator.setDrawings(instrument, options.drawings(instrument))
  evaluator.put(asTested(draft))
  if (bars !== null) {
    const { of, interval }: { readonly of: BarSource; readonly interval: Interval } = bars
    const beforeMs =
      begin === null || Number.isNaN(edgeMs)
        ? ALERT_CALENDAR.grid(asset, interval).startOf(begin?.ms ?? part.fromMs)
        : edgeMs
    const page = await reader.bars({ instrument, of, interval, source, beforeMs, limit: SEED_BARS })
    evaluator.seed(instrument, of, interval, page.bars)
  }

  const sink = alertSink(evaluator, (now) => {
    seq = now
  })
  const market = sinkOnly({ ...sink, acknowledged: () => undefined })
  const at = { seq: begin?.seq ?? 0, timeMs: begin?.ms ?? part.fromMs }
  const cursor = new Cursor(reader, session, at.seq, part.lastSeq, { reusesBatches: true, prefersRecords: true })
  const state = new PlaybackState(market, part, cursor, at)
  try {
    if (at.seq > 0) {
      state.catchUp(await reader.entries({ session }))
      const { feedStates, gaps } = state.tracker.marketContext()
      for (const [feed, state, seen] of feedStates) sink.feedState(feed, state, unixMs(at.timeMs), seen)
      for (const gap of gaps) {
        if (gap.toMs === null) sink.gapOpened(gap.feed, gap.cause, gap.symbols, gap.fromMs)
      }
    }
    for (;;) {
      if (signal.aborted) throw new CodedError('cancelled', 'The test was canceled.')
      const until = options.realMs() + options.turnMs
      const went = state.advance({ ...NO_LIMITS, upToMs: toMs, isTimeUp: () => options.realMs() >= until })
      if (cursor.failure !== null) throw cursor.failure
      progress(Math.min(1, Math.max(0, (state.timeMs - at.timeMs) / Math.max(1, toMs - at.timeMs))), state.messages)
      if (went === 'end' || went === 'reached') break
      if (went === 'pending') await cursor.waitForNext()
      else await turn()
    }
    evaluator.advance(toMs)
  } finally {
    cursor.close()
  }
  return {
    ...counts,
    listed,
    blind: suspensions
      .map((one) => ({ ...one, toMs: ends.get(one) ?? null }))
      .filter((one) => one.fromMs < Math.min(toMs, overMs) && (one.toMs ?? Infinity) > fromMs)
      // Every new symbol takes a moment to connect.
      .filter((one) => one.cause !== 'connect' || (one.toMs ?? toMs) - one.fromMs >= MIN_REPORTED_MS),
    fromMs,
    toMs,
    messages: state.messages,
  }
}
