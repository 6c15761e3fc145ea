/** The gaps of every feed since the hub began. */
import type { GapCause } from '../../../shared/core/recording/session.ts'
import type { GapSpan } from '../../../shared/core/status/status.ts'
import {
  FEED_IDS,
  feedAsset,
  instrumentId,
  type FeedId,
  type InstrumentId,
  type UnixMs,
} from '../../../shared/base/units.ts'
import type { MarketContext } from './hub-types.ts'
import type { BarSeries, SeriesGap } from './series.ts'

/** An empty set of instruments means the entire feed. */
interface HubGap extends SeriesGap {
  readonly cause: GapCause
  readonly fromMs: UnixMs
  toMs: UnixMs | null
  readonly instruments: ReadonlySet<InstrumentId>
  /** Service clock minus the clock that its times are by, ms; undefined: as known when a series is added. */
  readonly skewMs: number | undefined
}

/** Most gaps of a feed. Beyond it, the oldest closed ones are dropped; open ones stay. */
const MAX_GAPS = 500

const concerns = (gap: HubGap, id: InstrumentId) => gap.instruments.size === 0 || gap.instruments.has(id)

export class HubGaps {
  readonly #of = new Map<FeedId, HubGap[]>(FEED_IDS.map((feed) => [feed, []]))
  /** Service clock minus local clock, ms: gaps without a skew of their own are widened by it. */
  #skewMs = 0

  setSkew(ms: number): void {
    this.#skewMs = ms
  }

  /**
   * Adds a gap to its feed, and to each series of `into` that it affects. Call in the order of their starts. No symbols: the
   * entire feed.
   */
  add({ feed, cause, symbols, fromMs, toMs, skewMs }: MarketContext['gaps'][number], into: Iterable<BarSeries>): void {
    const instruments = new Set(symbols.map((symbol) => instrumentId(feedAsset(feed), symbol)))
    const gap: HubGap = { cause, fromMs, toMs, instruments, skewMs }
    const list = this.#of.get(feed)!
    list.push(gap)
    const oldest = list.length > MAX_GAPS ? list.findIndex((one) => one.toMs !== null) : -1
    if (oldest >= 0) list.splice(oldest, 1)
    for (const series of into) this.#addTo(series, gap)
  }

  close(feed: FeedId, fromMs: UnixMs, toMs: UnixMs): void {
    for (const gap of this.#of.get(feed)!) {
      if (gap.fromMs === fromMs && gap.toMs === null) gap.toMs = toMs
    }
  }

  /** Adds the existing gaps to a new series. */
  addTo(feed: FeedId, series: BarSeries): void {
    for (const gap of this.#of.get(feed)!) this.#addTo(series, gap)
  }

  /** The gaps that affect an instrument, oldest first, out of the feed's last 500 and those still open. */
  spans(feed: FeedId, id: InstrumentId): readonly GapSpan[] {
    return this.#of
      .get(feed)!
      .filter((gap) => concerns(gap, id))
      .map(({ cause, fromMs, toMs }) => ({ feed, cause, fromMs, toMs }))
  }

  clear(): void {
    for (const list of this.#of.values()) list.length = 0
  }

  #addTo(series: BarSeries, gap: HubGap): void {
    if (concerns(gap, series.instrument)) series.addGap(gap, Math.abs(gap.skewMs ?? this.#skewMs))
  }
}
