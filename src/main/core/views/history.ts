/** Stored bars, gaps and prints of a view's source, up to the view's current time. */
import type { BarsPage, PrintsPage, PrintsPlace } from '../../../shared/core/views/contract.ts'
import type { Interval, BarSource, Print } from '../../../shared/core/market/market.ts'
import type { Span } from '../../../shared/base/spans.ts'
import type { Gap } from '../../../shared/core/recording/session.ts'
import type { GapSpan } from '../../../shared/core/status/status.ts'
import { unixMs, type FeedId, type InstrumentId } from '../../../shared/base/units.ts'
import type { CellSeed } from '../market/cell.ts'
import type { SettledFlow } from '../market/flow/flow-follower.ts'
import type { FlowMessages } from '../market/flow-sink.ts'
import type { HistoryBars } from '../market/streams.ts'
import { readSeed } from './cell-seed.ts'
import { StoredFlow } from './stored-flow.ts'
import { readNewestPrints, readPrintsBefore } from './stored-prints.ts'
import { isGapOf, StoredView, type StoredViewOptions } from './stored-view.ts'

export interface ViewHistory {
  /**
   * The readable bars, with gaps where stored messages are corrupt. Empty if the store can't be read at all; `failed`
   * is called with the error.
   */
  bars(id: InstrumentId, of: BarSource, interval: Interval, limit: number): Promise<HistoryBars>
  /** Like `bars`, but rejects if the store can't be read at all. */
  readableBars(id: InstrumentId, of: BarSource, interval: Interval, limit: number): Promise<HistoryBars>
  /** Like `bars`, but rejects if any of them can't be read. */
  barsOrThrow(id: InstrumentId, of: BarSource, interval: Interval, limit: number): Promise<BarsPage['bars']>
  gaps(feed: FeedId, id: InstrumentId, fromMs: number, toMs?: number): Promise<readonly GapSpan[]>
  /** Every gap of the source that may touch [fromMs, toMs), UTC ms, as known at the view's time. Rejects like the reader. */
  sourceGaps(fromMs: number, toMs: number): Promise<readonly Gap[]>
  prints(id: InstrumentId, limit: number): Promise<readonly Print[]>
  /**
   * Passes on an instrument's stored trades and quotes from `fromMs` (receive time, UTC ms), and the earlier ones that
   * their sides depend on, up to `toMs` or to what the hub has now. Corrupt data counts as the end of a session. Resolves
   * with the spans of receive time that couldn't be read, UTC ms.
   */
  flow(id: InstrumentId, fromMs: number, sink: FlowMessages, toMs?: number): Promise<readonly Span[]>
  /** Names the stored messages of spans that are over; see `FlowHistory`. */
  settled(): Promise<SettledFlow>
  /**
   * A page of prints of one session of this source, before a given place; null: the newest prints. Rejects if the
   * store can't be read, and with `not-found` if the place belongs to another source.
   */
  printsBefore(id: InstrumentId, before: PrintsPlace | null, limit: number): Promise<PrintsPage>
  /** Data from before this start: day, reference price and sparkline of an instrument; null if there is none. */
  seed(id: InstrumentId): Promise<CellSeed | null>
}

export function createViewHistory(options: StoredViewOptions): ViewHistory {
  const view = new StoredView(options)
  const flow = new StoredFlow(view)
  const readableBars: ViewHistory['readableBars'] = async (instrument, of, interval, limit) => {
    const page = await view.newestBars({ instrument, of, interval, limit, skipCorrupt: true })
    return { bars: page.bars, gaps: gapsUpTo(page.gaps, view.wallMs()) }
  }
  return {
    bars: (...asked) => view.guarded('bars', { bars: [], gaps: [] }, () => readableBars(...asked)),
    readableBars,
    barsOrThrow: async (instrument, of, interval, limit) =>
      (await view.newestBars({ instrument, of, interval, limit })).bars,
    gaps: (feed, id, fromMs, toMs) => view.guarded('gaps', [], () => readGaps(view, feed, id, fromMs, toMs)),
    sourceGaps: async (fromMs, toMs) =>
      view.visibleGaps(await view.reader.gaps({ source: view.source(), fromMs, toMs, skipCorrupt: true })),
    // Only from the open sessions, because the tape shows today's times. Most instruments are in one of them.
    prints: (id, limit) => view.guarded('prints', [], () => readNewestPrints(view, id, limit)),
    flow: (...asked) => flow.read(...asked),
    settled: () => view.guarded('sessions', { firstMs: 0, nameOf: () => Promise.resolve(null) }, () => flow.settled()),
    printsBefore: (id, before, limit) => readPrintsBefore(view, id, before, limit),
    seed: (id) => view.guarded('an instrument', null, () => readSeed(view, id)),
  }
}

async function readGaps(
  view: StoredView,
  feed: FeedId,
  id: InstrumentId,
  fromMs: number,
  toMs: number | undefined,
): Promise<GapSpan[]> {
  const from = Number.isFinite(fromMs) ? { fromMs } : {}
  const to = toMs === undefined ? {} : { toMs }
  const now = toMs === undefined ? await view.upToNow() : view.present()
  const found = await view.reader.gaps({ feed, source: view.source(), ...from, ...to, skipCorrupt: true })
  const gaps = view.visibleGaps(found)
  // The hub has the gaps of the open sessions, with their ends.
  return (toMs === undefined ? gaps.filter((gap) => !now.has(gap.session)) : gaps)
    .filter((gap) => isGapOf(gap, id))
    .map((gap) => ({ feed: gap.feed, cause: gap.cause, fromMs: gap.fromMs, toMs: gap.toMs }))
}

/** Gaps up to `nowMs`, UTC. */
export const gapsUpTo = (gaps: readonly GapSpan[], nowMs: number): readonly GapSpan[] =>
  gaps.flatMap((gap) => (gap.fromMs > nowMs ? [] : [{ ...gap, toMs: unixMs(Math.min(gap.toMs ?? Infinity, nowMs)) }]))
