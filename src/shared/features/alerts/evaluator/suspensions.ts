/** Suspends the alerts of instruments that don't receive a feed, and reports each suspension once for all of them. */
import type { GapCause } from '../../../core/recording/session.ts'
import type { FeedState } from '../../../core/status/status.ts'
import { feedAsset, instrumentId, type AssetClass, type FeedId, type InstrumentId } from '../../../base/units.ts'
import type { EvaluationContext } from './context.ts'
import { Coverage, type Suspension } from './coverage.ts'
import type { TickFeeds } from './alert-state.ts'
import type { EvaluatorListener } from './listener.ts'
import type { SuspensionCause } from '../types.ts'
import type { Watch } from './watch.ts'
import type { Watches } from './watches.ts'

export interface SuspensionsOptions {
  readonly context: EvaluationContext
  readonly watches: Watches
  readonly listener: EvaluatorListener
  readonly feeds: (asset: AssetClass) => TickFeeds
  /** Nothing was watched since then; see `Coverage`. */
  readonly before: { readonly cause: SuspensionCause; readonly fromMs: number } | null
}

export class Suspensions {
  readonly #o: SuspensionsOptions
  #coverage: Coverage

  constructor(options: SuspensionsOptions) {
    this.#o = options
    this.#coverage = new Coverage(options.before)
  }

  /** See `Coverage.downSince`. */
  downSince(feed: FeedId, instrument: InstrumentId): number {
    return this.#coverage.downSince(feed, instrument)
  }

  feedState(feed: FeedId, state: FeedState): void {
    const { nowMs } = this.#o.context
    this.#coverage.state(feed, state, nowMs)
    this.#update(feed, nowMs)
  }

  gapOpened(feed: FeedId, cause: GapCause, symbols: readonly string[], fromMs: number): void {
    const all = symbols.length === 0
    const which = all ? null : new Set(symbols.map((symbol) => instrumentId(feedAsset(feed), symbol)))
    this.#coverage.gapOpened(feed, cause, which, fromMs)
    this.#update(feed, this.#o.context.nowMs)
  }

  gapClosed(feed: FeedId, fromMs: number, toMs: number): void {
    this.#coverage.gapClosed(feed, fromMs)
    this.#update(feed, toMs)
  }

  /** Another market starts with no known outages, so current suspensions end. */
  forget(): void {
    const { watches, context } = this.#o
    const open = new Set([...watches.all()].flatMap(({ suspensions }) => [...suspensions.values()]))
    this.#coverage = new Coverage()
    for (const feed of new Set([...open].map((suspension) => suspension.feed))) this.#update(feed, context.nowMs)
  }

  /** The clock was set back by `byMs` to `nowMs`. Suspensions that started later started by the old clock. */
  setBack(nowMs: number, byMs: number): void {
    this.#coverage.setBack(nowMs, byMs)
    for (const suspension of new Set([...this.#o.watches.all()].flatMap((watch) => [...watch.suspensions.values()]))) {
      if (suspension.fromMs > nowMs) suspension.fromMs += byMs
    }
  }

  /** Applies current suspensions to a new watch. They were reported for others already, or aren't worth reporting. */
  begin(made: Watch): void {
    const { watches, feeds } = this.#o
    const { trade, quote } = feeds(made.asset)
    for (const feed of trade === null ? [quote] : [trade, quote]) {
      const now = this.#coverage.suspensionOf(feed, made.id)
      if (now === null) continue
      // Share the object, so that the end is reported once.
      const others = [...watches.all()].flatMap((one) => one.suspensions.get(feed) ?? [])
      const same = others.find(({ cause, fromMs }) => cause === now.cause && fromMs === now.fromMs)
      made.suspensions.set(feed, same ?? { feed, cause: now.cause, fromMs: now.fromMs })
    }
  }

  /** Recomputes which instruments a feed suspends. Those that resume do so at `nowMs`. */
  #update(feed: FeedId, nowMs: number): void {
    const { watches, listener } = this.#o
    const asset = feedAsset(feed)
    const lost = new Map<string, { readonly suspension: Suspension; readonly watches: Watch[] }>()
    const back = new Map<Suspension, Watch[]>()
    for (const watch of watches.all()) {
      if (watch.asset !== asset) continue
      const now = this.#coverage.suspensionOf(feed, watch.id)
      const before = watch.suspensions.get(feed)
      if (now === null) {
        if (before === undefined) continue
        watch.suspensions.delete(feed)
        back.set(before, [...(back.get(before) ?? []), watch])
      } else if (before === undefined) {
        const key = `${now.cause} ${now.fromMs}`
        const group = lost.get(key) ?? { suspension: { feed, cause: now.cause, fromMs: now.fromMs }, watches: [] }
        lost.set(key, group)
        group.watches.push(watch)
        watch.suspensions.set(feed, group.suspension)
        this.#cut(watch, feed)
      } else if (before.cause === 'drop' && now.cause !== 'drop') {
        before.cause = now.cause
        before.fromMs = Math.min(before.fromMs, now.fromMs)
      } else continue
      listener.changed(watch)
    }
    const report = (suspension: Suspension, those: readonly Watch[], toMs: number | null) =>
      listener.suspended(
        suspension,
        those.map(({ id }) => id),
        those.reduce((sum, { runs }) => sum + runs.size, 0),
        toMs,
      )
    for (const { suspension, watches: those } of lost.values()) report(suspension, those, null)
    for (const [suspension, those] of back) report(suspension, those, Math.max(nowMs, suspension.fromMs))
  }

  /** Starts new chains for everything that comes from a feed. */
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
