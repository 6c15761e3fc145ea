/**
 * Streams over a hub: pulled, conflated, without a queue. A tick marks what it touched; rows, bars and
 * prints are made only when a window takes them, so a hidden or slow window costs next to nothing.
 */
import type { BarsValue, QuotesValue, TapeValue } from '../../../shared/core/views/contract.ts'
import { INTERVALS, type Bar, type BarSource, type Interval, type Print } from '../../../shared/core/market/market.ts'
import type { GapSpan, QuoteRow } from '../../../shared/core/status/status.ts'
import type { StreamSource } from '../../../shared/rpc/transport.ts'
import type { FeedId, InstrumentId } from '../../../shared/base/units.ts'
import type { Cell, CellWatcher } from './cell.ts'
import type { Hub } from './hub-port.ts'
import { seriesFeed } from './series-feed.ts'
import type { BarSeries, SeriesWatcher } from './series.ts'
import type { TapeWatcher } from './tape.ts'

/** What a stream asks of the store when it opens: the past up to the hub's present, of the same source. */
export interface Past {
  /** At most the newest `limit` bars of records received up to now. Never rejects: nothing known is []. */
  bars(id: InstrumentId, of: BarSource, interval: Interval, limit: number): Promise<PastBars>
  gaps(feed: FeedId, id: InstrumentId, fromMs: number): Promise<readonly GapSpan[]>
  prints(id: InstrumentId, limit: number): Promise<readonly Print[]>
}

export interface PastBars {
  readonly bars: readonly Bar[]
  /** Where what is stored cannot be read: bars that touch it are not complete. */
  readonly unreadable: readonly GapSpan[]
}

/** The past of a series or a tape is asked for once; who joins later waits for the same answer. */
const seeding = new WeakMap<object, Promise<void>>()
/** What of a series' past cannot be read. */
const unreadable = new WeakMap<BarSeries, readonly GapSpan[]>()

function seedOnce<T>(into: object, answer: Promise<T>, take: (past: T) => void): void {
  const asked = answer.then((past) => {
    // Another source began meanwhile: this answer is of the former one.
    if (seeding.get(into) === asked) take(past)
  })
  seeding.set(into, asked)
}

function seedBars(series: BarSeries, past: PastBars): void {
  // Of a bar that still forms, all that was stored may be lost.
  for (const { fromMs, toMs } of past.unreadable) series.hole({ fromMs, toMs }, 0)
  unreadable.set(series, past.unreadable)
  series.seed(past.bars)
}

/** Bars of a first value when the window does not say from when. */
const FIRST_BARS = 600
/** An older bar than the newest so many comes as a reset, not as an update; of short bars, one older than so long. */
const LATE_BARS = 50
const LATE_MS = 60_000

/** Rows of a set of instruments: all of them first, later those that changed. */
export function quotesStream(
  hub: Hub,
  ids: readonly InstrumentId[],
  wallMs: () => number,
  wake: () => void,
): StreamSource<QuotesValue> {
  const dirty = new Set<Cell>()
  const watcher: CellWatcher = {
    changed(cell) {
      if (dirty.size === 0) wake()
      dirty.add(cell)
    },
  }
  const wanted = [...new Set(ids)]
  const releases = wanted.map((id) => hub.watch(id, watcher))
  for (const id of wanted) dirty.add(hub.cell(id))
  let first = true
  return {
    take() {
      if (dirty.size === 0 && !first) return undefined
      first = false
      const nowMs = wallMs()
      const rows: QuoteRow[] = []
      for (const cell of dirty) rows.push(hub.row(cell, nowMs))
      dirty.clear()
      return { rows }
    },
    close() {
      for (const release of releases) release()
      dirty.clear()
    },
  }
}

export interface BarsStreamArgs {
  readonly instrument: InstrumentId
  readonly of: BarSource
  readonly interval: Interval
  readonly fromMs: number | null
}

/** Bars of one instrument: the stored past and the forming bar, joined; then what changes. */
export function barsStream(hub: Hub, past: Past, args: BarsStreamArgs, wake: () => void): StreamSource<BarsValue> {
  const { instrument, of, interval, fromMs } = args
  const cell = hub.cell(instrument)
  const feed = seriesFeed(cell.asset, of, interval)
  let dirtyFrom = Infinity
  let whole = true
  let gapsChanged = true
  let ready = false
  let closed = false
  let sentLast = -Infinity
  let oldGaps: readonly GapSpan[] = []

  const watcher: SeriesWatcher = {
    changed(start) {
      const first = dirtyFrom === Infinity
      if (start < dirtyFrom) dirtyFrom = start
      if (first && ready) wake()
    },
    reset() {
      whole = true
      if (ready) wake()
    },
  }
  const held = hub.watchBars(instrument, of, interval, watcher)
  const offGap = hub.onGap((changed) => {
    if (changed !== feed) return
    gapsChanged = true
    if (ready) wake()
  })
  const load = async (anew: boolean) => {
    ready = false
    const limit = fromMs === null ? FIRST_BARS : 5_000
    const series = held.value
    if (anew) seedOnce(series, past.bars(instrument, of, interval, limit), (bars) => seedBars(series, bars))
    const [gaps] = await Promise.all([
      past.gaps(feed, instrument, fromMs ?? -Infinity),
      seeding.get(series) ?? Promise.resolve(),
    ])
    if (closed) return
    oldGaps = gaps
    ready = true
    whole = true
    gapsChanged = true
    wake()
  }
  // Of several streams over a series that was cleared, the first asks for its new past.
  const offReset = hub.onReset(() => void load(first(held.value.watchers) === watcher))
  void load(held.fresh)

  const firstStart = () => {
    if (fromMs !== null) return fromMs
    const last = held.value.lastStart
    return Number.isNaN(last) ? -Infinity : last - FIRST_BARS * INTERVALS[interval] * 4
  }
  return {
    take() {
      if (!ready || (!whole && dirtyFrom === Infinity && !gapsChanged)) return undefined
      const late = dirtyFrom < sentLast - Math.max(LATE_MS, LATE_BARS * INTERVALS[interval])
      const reset = whole || late ? held.value.from(firstStart()) : null
      const updates = reset === null && dirtyFrom < Infinity ? held.value.from(dirtyFrom) : []
      const lost = unreadable.get(held.value) ?? []
      const gaps = gapsChanged ? [...oldGaps, ...lost, ...hub.gaps(feed, instrument)] : null
      sentLast = held.value.lastStart
      dirtyFrom = Infinity
      whole = false
      gapsChanged = false
      return { reset, updates, gaps, decimals: cell.decimals }
    },
    close() {
      closed = true
      held.release()
      offGap()
      offReset()
    },
  }
}

/** Prints of one instrument: the last ones first, then what was printed, newest kept where the window is slow. */
export function tapeStream(
  hub: Hub,
  past: Past,
  args: { readonly instrument: InstrumentId; readonly limit: number },
  wake: () => void,
): StreamSource<TapeValue> {
  const cell = hub.cell(args.instrument)
  let taken = 0
  let whole = true
  let ready = false
  let closed = false
  const watcher: TapeWatcher = {
    printed() {
      if (ready) wake()
    },
    reset() {
      whole = true
      if (ready) wake()
    },
  }
  const held = hub.watchTape(args.instrument, watcher)
  const load = async (anew: boolean) => {
    ready = false
    const tape = held.value
    if (anew) seedOnce(tape, past.prints(args.instrument, args.limit), (prints) => tape.seed(prints))
    await seeding.get(tape)
    if (closed) return
    ready = true
    whole = true
    wake()
  }
  const offReset = hub.onReset(() => void load(first(held.value.watchers) === watcher))
  void load(held.fresh)
  return {
    take() {
      const { pushed } = held.value
      if (!ready || (!whole && pushed === taken)) return undefined
      const reset = whole ? held.value.latest(args.limit) : null
      const prints = whole ? [] : held.value.since(taken, args.limit)
      const skipped = whole ? 0 : pushed - taken - prints.length
      whole = false
      taken = pushed
      return { reset, prints, skipped, decimals: cell.decimals }
    },
    close() {
      closed = true
      held.release()
      offReset()
    },
  }
}

function first<T>(set: ReadonlySet<T>): T | undefined {
  for (const one of set) return one
  return undefined
}
