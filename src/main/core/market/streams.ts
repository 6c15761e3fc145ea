/**
 * Streams over a hub: pulled and conflated, without a queue. A tick only marks what changed; rows, bars and prints are
 * built when a window takes them, so a hidden or slow window costs next to nothing.
 */
import type { BarsValue, QuotesValue, TapeValue } from '../../../shared/core/views/contract.ts'
import { msOf, type Bar, type BarSource, type Interval, type Print } from '../../../shared/core/market/market.ts'
import type { GapSpan, QuoteRow } from '../../../shared/core/status/status.ts'
import type { StreamSource } from '../../../shared/rpc/transport.ts'
import type { FeedId, InstrumentId, UnixMs } from '../../../shared/base/units.ts'
import type { Cell, CellWatcher } from './cell.ts'
import type { Hub } from './hub-types.ts'
import { seriesFeed, type BarSeries, type SeriesWatcher } from './series.ts'
import type { TapeWatcher } from './tape.ts'

/** Stored data that a stream reads when it opens: from the same source, up to the hub's current time. */
export interface StreamHistory {
  /** The newest bars, at most `limit`, from records received so far. Never rejects; [] if there are none. */
  bars(id: InstrumentId, of: BarSource, interval: Interval, limit: number): Promise<HistoryBars>
  gaps(feed: FeedId, id: InstrumentId, fromMs: number): Promise<readonly GapSpan[]>
  prints(id: InstrumentId, limit: number): Promise<readonly Print[]>
}

export interface HistoryBars {
  readonly bars: readonly Bar[]
  /** Gaps found during the read, where stored messages are corrupt: bars that touch them are incomplete. */
  readonly gaps: readonly GapSpan[]
}

/**
 * Reads in progress. The history of a series or tape is read once; streams that join later wait for the same read.
 * Resolves to the gaps that the read found.
 */
const seeding = new WeakMap<object, Promise<readonly GapSpan[]>>()

function seedOnce<T>(target: object, reading: Promise<T>, take: (history: T) => readonly GapSpan[]): void {
  const seeded: Promise<readonly GapSpan[]> = reading.then((history) =>
    // Drop this history if it is from a previous source.
    seeding.get(target) === seeded ? take(history) : [],
  )
  seeding.set(target, seeded)
}

function seedBars(series: BarSeries, { bars, gaps }: HistoryBars): readonly GapSpan[] {
  // All stored messages of a forming bar may be corrupt, so its gap is added even without a stored bar.
  for (const gap of gaps) series.addGap(gap, 0)
  series.seed(bars)
  return gaps
}

/**
 * Stored gaps that were open when recording began again, as ended then: a read of the store may come before the new
 * session is in it.
 */
export const endedAt = (gaps: readonly GapSpan[], atMs: UnixMs | null): readonly GapSpan[] =>
  atMs === null ? gaps : gaps.map((gap) => (gap.toMs === null && gap.fromMs <= atMs ? { ...gap, toMs: atMs } : gap))

/** Bars of the first value when the window gives no start. */
const FIRST_BARS = 600
/** A change older than this many bars and this many ms is sent as a reset instead of an update. */
const LATE_BARS = 50
const LATE_MS = 60_000

/**
 * Rows of a set of instruments: first all of them, then only those that changed. `wallMs`: the view's clock, UTC ms.
 */
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
  const instruments = [...new Set(ids)]
  const releases = instruments.map((id) => hub.watch(id, watcher))
  for (const id of instruments) dirty.add(hub.cell(id))
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

/** Bars of one instrument: first stored and forming ones as one list, then only those that change. */
export function barsStream(
  hub: Hub,
  history: StreamHistory,
  args: BarsStreamArgs,
  wake: () => void,
): StreamSource<BarsValue> {
  const { instrument, of, interval, fromMs } = args
  const cell = hub.cell(instrument)
  const feed = seriesFeed(cell.asset, of, interval)
  let dirtyFrom = Infinity
  let whole = true
  let gapsChanged = true
  let ready = false
  let closed = false
  let sentLast = -Infinity
  let storedGaps: readonly GapSpan[] = []
  /** Those that reading the bars found: what is corrupt. */
  let foundGaps: readonly GapSpan[] = []
  /** When recording last began again, UTC ms. */
  let endedMs: UnixMs | null = null
  /** Counts reads. One that ends after a later one began knows another time or source. */
  let reads = 0

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
  const watched = hub.watchBars(instrument, of, interval, watcher)
  const offGap = hub.onGap((changed) => {
    if (changed !== feed) return
    gapsChanged = true
    if (ready) wake()
  })
  const load = async (mustSeed: boolean) => {
    const mine = ++reads
    ready = false
    const limit = fromMs === null ? FIRST_BARS : 5_000
    const series = watched.value
    if (mustSeed) seedOnce(series, history.bars(instrument, of, interval, limit), (bars) => seedBars(series, bars))
    const [gaps, found] = await Promise.all([
      history.gaps(feed, instrument, fromMs ?? -Infinity),
      seeding.get(series) ?? [],
    ])
    if (closed || mine !== reads) return
    foundGaps = found
    storedGaps = endedAt(gaps, endedMs)
    ready = true
    whole = true
    gapsChanged = true
    wake()
  }
  // If several streams watch a series that was cleared, only the first reads its new history.
  const offReset = hub.onReset(() => void load(first(watched.value.watchers) === watcher))
  void load(watched.isNew)
  const offStored = hub.onStoredGapsEnded((atMs) => {
    const mine = reads
    endedMs = atMs
    storedGaps = endedAt(storedGaps, atMs)
    gapsChanged = true
    if (ready) wake()
    // The session that ended may have gaps that this stream doesn't know yet.
    void history.gaps(feed, instrument, fromMs ?? -Infinity).then((gaps) => {
      if (closed || mine !== reads) return
      storedGaps = endedAt(gaps, atMs)
      gapsChanged = true
      if (ready) wake()
    })
  })

  const firstStart = () => {
    if (fromMs !== null) return fromMs
    const last = watched.value.lastStart
    return Number.isNaN(last) ? -Infinity : last - FIRST_BARS * msOf(interval) * 4
  }
  return {
    take() {
      if (!ready || (!whole && dirtyFrom === Infinity && !gapsChanged)) return undefined
      const late = dirtyFrom < sentLast - Math.max(LATE_MS, LATE_BARS * msOf(interval))
      const reset = whole || late ? watched.value.from(firstStart()) : null
      const updates = reset === null && dirtyFrom < Infinity ? watched.value.from(dirtyFrom) : []
      const gaps = gapsChanged ? [...storedGaps, ...foundGaps, ...hub.gaps(feed, instrument)] : null
      sentLast = watched.value.lastStart
      dirtyFrom = Infinity
      whole = false
      gapsChanged = false
      return { reset, updates, gaps, decimals: cell.decimals }
    },
    close() {
      closed = true
      watched.release()
      offGap()
      offReset()
      offStored()
    },
  }
}

/**
 * Prints of one instrument: first the latest, then new ones. A slow window gets the newest and the number it missed.
 */
export function tapeStream(
  hub: Hub,
  history: StreamHistory,
  args: { readonly instrument: InstrumentId; readonly limit: number },
  wake: () => void,
): StreamSource<TapeValue> {
  const cell = hub.cell(args.instrument)
  let taken = 0
  let whole = true
  let ready = false
  /** The hub was cleared, and the window doesn't know it yet. */
  let isCleared = false
  let closed = false
  let reads = 0
  const watcher: TapeWatcher = {
    printed() {
      if (ready) wake()
    },
    reset() {
      whole = true
      if (ready) wake()
    },
  }
  const watched = hub.watchTape(args.instrument, watcher)
  const load = async (mustSeed: boolean) => {
    const mine = ++reads
    ready = false
    const tape = watched.value
    if (mustSeed)
      seedOnce(tape, history.prints(args.instrument, args.limit), (prints) => {
        tape.seed(prints)
        return []
      })
    await seeding.get(tape)
    if (closed || mine !== reads) return
    ready = true
    whole = true
    wake()
  }
  const offReset = hub.onReset(() => {
    void load(first(watched.value.watchers) === watcher)
    isCleared = true
    wake()
  })
  void load(watched.isNew)
  return {
    take() {
      if (isCleared && !ready) {
        isCleared = false
        return { reset: null, reading: true, prints: [], skipped: 0, decimals: cell.decimals }
      }
      const { pushed } = watched.value
      if (!ready || (!whole && pushed === taken)) return undefined
      const reset = whole ? watched.value.latest(args.limit) : null
      const prints = whole ? [] : watched.value.since(taken, args.limit)
      const skipped = whole ? 0 : pushed - taken - prints.length
      whole = isCleared = false
      taken = pushed
      return { reset, prints, skipped, decimals: cell.decimals }
    },
    close() {
      closed = true
      watched.release()
      offReset()
    },
  }
}

function first<T>(set: ReadonlySet<T>): T | undefined {
  for (const one of set) return one
  return undefined
}
