/** Which watches do not see a feed now: they are cut from what came before, and that is told once for all of them. */
import type { GapCause } from '../../../core/recording/recording.ts'
import type { FeedState } from '../../../core/status/status.ts'
import { feedAsset, instrumentId, type AssetClass, type FeedId, type InstrumentId } from '../../../base/units.ts'
import type { Moment } from './instant.ts'
import { Sight, type Blind } from './coverage.ts'
import type { TickFeeds } from './alert-state.ts'
import type { EvaluatorListener } from './last-value.ts'
import type { BlindCause } from '../types.ts'
import type { Watch } from './condition.ts'
import type { Watches } from './conditions.ts'

export interface BlindnessOptions {
  readonly moment: Moment
  readonly watches: Watches
  readonly listener: EvaluatorListener
  readonly feeds: (asset: AssetClass) => TickFeeds
  /** Nothing was watched since then: see `Sight`. */
  readonly before: { readonly cause: BlindCause; readonly fromMs: number } | null
}

export class Blindness {
  readonly #o: BlindnessOptions
  #sight: Sight

  constructor(options: BlindnessOptions) {
    this.#o = options
    this.#sight = new Sight(options.before)
  }

  /** See `Sight.downSince`. */
  downSince(feed: FeedId, instrument: InstrumentId): number {
    return this.#sight.downSince(feed, instrument)
  }

  feedState(feed: FeedId, state: FeedState): void {
    const { nowMs } = this.#o.moment
    this.#sight.state(feed, state, nowMs)
    this.#look(feed, nowMs)
  }

  gapOpened(feed: FeedId, cause: GapCause, symbols: readonly string[], fromMs: number): void {
    const all = symbols.length === 0
    const which = all ? null : new Set(symbols.map((symbol) => instrumentId(feedAsset(feed), symbol)))
    this.#sight.gapOpened(feed, cause, which, fromMs)
    this.#look(feed, this.#o.moment.nowMs)
  }

  gapClosed(feed: FeedId, fromMs: number, toMs: number): void {
    this.#sight.gapClosed(feed, fromMs)
    this.#look(feed, toMs)
  }

  /** Of another market nothing is known yet; what was not seen of this one is over. */
  forget(): void {
    const { watches, moment } = this.#o
    const open = new Set([...watches.all()].flatMap(({ blind }) => [...blind.values()]))
    this.#sight = new Sight()
    for (const feed of new Set([...open].map((blind) => blind.feed))) this.#look(feed, moment.nowMs)
  }

  /** The clock was set back by `byMs` to `nowMs`: what began later than that began by the former clock. */
  setBack(nowMs: number, byMs: number): void {
    this.#sight.setBack(nowMs, byMs)
    for (const blind of new Set([...this.#o.watches.all()].flatMap((watch) => [...watch.blind.values()]))) {
      if (blind.fromMs > nowMs) blind.fromMs += byMs
    }
  }

  /** What a new watch does not see from its beginning: told of others before, or not worth it. */
  begin(made: Watch): void {
    const { watches, feeds } = this.#o
    const { trade, quote } = feeds(made.asset)
    for (const feed of trade === null ? [quote] : [trade, quote]) {
      const now = this.#sight.blind(feed, made.id)
      if (now === null) continue
      // One stretch for all that share it, so that it is told once.
      const others = [...watches.all()].flatMap((one) => one.blind.get(feed) ?? [])
      const same = others.find(({ cause, fromMs }) => cause === now.cause && fromMs === now.fromMs)
      made.blind.set(feed, same ?? { feed, cause: now.cause, fromMs: now.fromMs })
    }
  }

  /** Looks anew at what is seen of a feed; what is back is so since `nowMs`. */
  #look(feed: FeedId, nowMs: number): void {
    const { watches, listener } = this.#o
    const asset = feedAsset(feed)
    const lost = new Map<string, { readonly blind: Blind; readonly watches: Watch[] }>()
    const back = new Map<Blind, Watch[]>()
    for (const watch of watches.all()) {
      if (watch.asset !== asset) continue
      const now = this.#sight.blind(feed, watch.id)
      const before = watch.blind.get(feed)
      if (now === null) {
        if (before === undefined) continue
        watch.blind.delete(feed)
        back.set(before, [...(back.get(before) ?? []), watch])
      } else if (before === undefined) {
        const key = `${now.cause} ${now.fromMs}`
        const group = lost.get(key) ?? { blind: { feed, cause: now.cause, fromMs: now.fromMs }, watches: [] }
        lost.set(key, group)
        group.watches.push(watch)
        watch.blind.set(feed, group.blind)
        this.#cut(watch, feed)
      } else if (before.cause === 'drop' && now.cause !== 'drop') {
        before.cause = now.cause
        before.fromMs = Math.min(before.fromMs, now.fromMs)
      } else continue
      listener.changed(watch)
    }
    const tell = (blind: Blind, those: readonly Watch[], toMs: number | null) =>
      listener.blind(
        blind,
        those.map(({ id }) => id),
        those.reduce((sum, { runs }) => sum + runs.size, 0),
        toMs,
      )
    for (const { blind, watches: those } of lost.values()) tell(blind, those, null)
    for (const [blind, those] of back) tell(blind, those, Math.max(nowMs, blind.fromMs))
  }

  /** What comes on a feed does not follow what came. */
  #cut(watch: Watch, feed: FeedId): void {
    const { trade, quote } = this.#o.feeds(watch.asset)
    if (feed === (watch.lastFeed ?? trade ?? quote)) {
      watch.cutPrice('last', false)
      watch.order.restart()
    }
    if (feed === quote) {
      for (const side of ['bid', 'ask', 'mid'] as const) {
        watch.cutPrice(side, false)
        watch.cutBars(side)
      }
      watch.cutSpread()
      watch.quotes.restart()
    }
    if (feed !== trade) return
    watch.cutVolume()
    watch.cutBars('trade')
  }
}
