/** Reads what the store has on a view's instruments over a span: bars, and what was received. */
import { gridOf, sessionState } from '../../../shared/core/market/calendar.ts'
import { msOf, type BarSource } from '../../../shared/core/market/market.ts'
import { mergeSpans, type Span } from '../../../shared/base/spans.ts'
import {
  feedAsset,
  FEED_IDS,
  parseInstrument,
  type AssetClass,
  type FeedId,
  type InstrumentId,
} from '../../../shared/base/units.ts'
import type { CoveredSession } from '../../../shared/features/evidence/session-spans.ts'
import { Reception } from '../../../shared/features/screener/reception.ts'
import { SCREEN_SPANS, type ScreenSpan } from '../../../shared/features/screener/screen.ts'
import {
  coverageOf,
  spanStats,
  type SpanCoverage,
  type SpanStats,
} from '../../../shared/features/screener/span-stats.ts'
import { TICK_FEEDS } from '../../../service/feeds.ts'
import { seriesFeed } from '../../core/market/series.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import type { View } from '../../core/views/views.ts'

/** What the store has of an instrument over a span. */
export interface StoredFacts {
  readonly symbol: string
  readonly stats: SpanStats | null
  readonly coverage: SpanCoverage
}

/** Instruments with the symbol that the service used last. */
export type Instruments = ReadonlyMap<InstrumentId, string>

const ASSETS = [...new Set(FEED_IDS.map(feedAsset))]

/** The instruments of a view's source in the store, including those that the view's clock hasn't reached yet. */
export async function storedInstruments(
  reader: Pick<StoreReader, 'instruments'>,
  source: string,
): Promise<Instruments> {
  const feeds = ASSETS.flatMap((asset): readonly FeedId[] => TICK_FEEDS[asset])
  const found = await Promise.all(feeds.map((feed) => reader.instruments({ feed, source })))
  return new Map(found.flat().map(({ instrument, symbols }) => [instrument, symbols.at(-1) ?? instrument]))
}

/** Where a span that ends at `nowMs` begins, UTC ms. */
export const spanStart = (span: ScreenSpan, nowMs: number): number => nowMs - SCREEN_SPANS[span].ms

/** The market hours of an asset class in [fromMs, toMs), with those before and after a stock's session. */
export function tradingSpans(asset: AssetClass, fromMs: number, toMs: number): readonly Span[] {
  // Every market opens and closes on a half hour.
  const grid = gridOf(asset, '30m')
  const spans: Span[] = []
  for (let at = fromMs; at < toMs;) {
    const end = grid.endOf(grid.startOf(at))
    if (sessionState(asset, at) !== 'closed') spans.push({ fromMs: at, toMs: Math.min(end, toMs) })
    at = end
  }
  return mergeSpans(spans)
}

/** Reads the facts of instruments over a span that ends at `nowMs`. */
export class SpanReader {
  readonly #view: Pick<View, 'history'>
  readonly #span: ScreenSpan
  readonly #reception: Reception
  readonly #fromMs: number
  readonly #nowMs: number
  readonly #trading = new Map<AssetClass, readonly Span[]>()

  /** `sessions`: those that touch the span, as known at `nowMs`, UTC ms. */
  constructor(view: Pick<View, 'history'>, span: ScreenSpan, nowMs: number, sessions: readonly CoveredSession[]) {
    this.#view = view
    this.#span = span
    this.#reception = new Reception(sessions, nowMs)
    this.#nowMs = nowMs
    this.#fromMs = spanStart(span, nowMs)
  }

  /** Rejects if the store can't be read. */
  async read(instrument: InstrumentId): Promise<Omit<StoredFacts, 'symbol'>> {
    const { interval, ms } = SCREEN_SPANS[this.#span]
    const { asset, key } = parseInstrument(instrument) ?? { asset: 'stocks', key: '' }
    // One more bar because the span rarely begins with a bar, and another one for the price before the span.
    const limit = Math.ceil(ms / msOf(interval)) + 2
    const { history } = this.#view
    let of: BarSource = asset === 'forex' ? 'mid' : 'trade'
    let page = await history.readableBars(instrument, of, interval, limit)
    // The instrument was quoted but not traded, unless there are trades that can't be read.
    if (of === 'trade' && page.bars.length === 0 && page.gaps.length === 0) {
      of = 'mid'
      page = await history.readableBars(instrument, of, interval, limit)
    }
    const { subscribed, gaps } = this.#reception.of(seriesFeed(asset, of, interval), key)
    const corrupt = page.gaps.map(({ fromMs, toMs }) => ({ fromMs, toMs: toMs ?? this.#nowMs }))
    return {
      stats: spanStats(page.bars, this.#fromMs, this.#nowMs + 1),
      coverage: coverageOf(this.#tradingOf(asset), { subscribed, gaps: [...gaps, ...corrupt] }),
    }
  }

  #tradingOf(asset: AssetClass): readonly Span[] {
    const known = this.#trading.get(asset) ?? tradingSpans(asset, this.#fromMs, this.#nowMs)
    this.#trading.set(asset, known)
    return known
  }
}
