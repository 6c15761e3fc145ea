/**
 * Alerts against the market, record by record: pure, with every instant an argument. Live and a recording
 * that is tested run the same code over the same calls. A record costs only the alerts of its instrument,
 * and of those that wait for a price only the nearest.
 *
 * What is settled here:
 * - Time is that of receipt: of windows, rests and expiry. It never decreases but where the clock was set back by
 *   more than 5 s: then what was to happen in so long still is, and windows begin anew. The event time decides
 *   only whether a record is late: a late trade changes no price, a late quote nothing. One that is dated ahead of
 *   its receipt is not believed: see `EventOrder`.
 * - A cross goes from strictly one side of a level to it or beyond, between two accepted records of a chain.
 *   While a feed is blind (stale, not connected, a gap of its symbol) its records count for nothing, and the
 *   first one after it begins a new chain: no cross is made of an old price. That the price stands on the other
 *   side then is told as `unseen`.
 * - Windows of moves and volumes begin anew after a blind stretch.
 * - What counts as "so much or more" (move, spread, volume) fires when that becomes true, also at the first
 *   record, and again only after it was not.
 */
import type { BarGrid } from '../../../core/market/bars.ts'
import type { Drawing } from '../../drawings/types.ts'
import type { Bar, BarSource, Interval } from '../../../core/market/market.ts'
import type { GapCause } from '../../../core/recording/recording.ts'
import type { FeedState } from '../../../core/status/status.ts'
import { parseInstrument, type AssetClass, type FeedId, type InstrumentId } from '../../../base/units.ts'
import { Blindness } from './suspension.ts'
import { Firing } from './firing.ts'
import { Moment, SET_BACK_MS } from './instant.ts'
import { drawingOf, Records, type BarNumbers, type QuoteNumbers, type TradeNumbers } from './records.ts'
import { feedOf, waitsFor, type TickFeeds } from './alert-state.ts'
import { Timed } from './timed.ts'
import type { EvaluatorListener } from './last-value.ts'
import type { Alert, AlertState, BlindCause } from '../types.ts'
import { Watch } from './condition.ts'
import { Watches } from './conditions.ts'

export interface EvaluatorOptions {
  readonly listener: EvaluatorListener
  readonly grid: (asset: AssetClass, interval: Interval) => BarGrid
  readonly isOpen: (asset: AssetClass, ms: number) => boolean
  /** Feeds that trades and quotes of an asset class come from. */
  readonly feeds: (asset: AssetClass) => TickFeeds
  /** Nothing was watched since then: see `Sight`. */
  readonly before?: { readonly cause: BlindCause; readonly fromMs: number } | null
}

const TICK_MS = 1_000

export class Evaluator {
  readonly #o: EvaluatorOptions
  readonly #moment = new Moment()
  readonly #watches = new Watches()
  readonly #drawings = new Map<InstrumentId, ReadonlyMap<string, Drawing>>()
  readonly #blindness: Blindness
  readonly #firing: Firing
  readonly #timed: Timed
  readonly #records: Records

  constructor(options: EvaluatorOptions) {
    this.#o = options
    const { grid, isOpen, listener, feeds, before = null } = options
    const moment = this.#moment
    const watches = this.#watches
    this.#blindness = new Blindness({ moment, watches, listener, feeds, before })
    this.#firing = new Firing({
      moment,
      listener,
      places: { grid, wantsBars: (...bars) => listener.wantsBars(...bars) },
      gone: (run) => {
        this.#timed.delete(run)
        if (run.watch.runs.size === 0) watches.delete(run.watch)
      },
    })
    this.#timed = new Timed({
      moment,
      firing: this.#firing,
      isOpen,
      feedOf: (run) => feedOf(run, feeds(run.watch.asset)),
      downSince: (feed, instrument) => this.#blindness.downSince(feed, instrument),
    })
    this.#records = new Records({ moment, firing: this.#firing, listener, drawings: this.#drawings })
  }

  get size(): number {
    return this.#firing.size
  }
  instruments(): readonly InstrumentId[] {
    return this.#watches.ids()
  }

  // -- alerts --

  /** Watches an alert, in place of one of the same id. It may fire from the next record on. */
  put(alert: Alert): void {
    this.remove(alert.id)
    this.#timed.add(this.#firing.put(alert, this.#watchFor(alert.instrument)))
  }

  remove(id: string): void {
    this.#firing.remove(id)
  }

  /** Lets an alert that is watched not fire before an instant (UTC ms); -Infinity: it may at once. */
  snooze(id: string, untilMs: number): void {
    const run = this.#firing.run(id)
    if (run !== undefined) run.snoozedMs = untilMs
  }

  /** The drawings of an instrument as they are now. */
  setDrawings(instrument: InstrumentId, drawings: readonly Drawing[]): void {
    const before = this.#drawings.get(instrument)
    const now = new Map(drawings.map((one) => [one.id, one]))
    this.#drawings.set(instrument, now)
    const watch = this.#watches.get(instrument)
    if (watch === undefined) return
    for (const chain of Object.values(watch.chains)) {
      for (const one of chain.drawn) {
        const id = drawingOf(one.run.alert)
        // Where it was moved, it moved and not the price.
        if (before?.get(id) !== now.get(id)) one.apart = []
      }
    }
    this.#o.listener.changed(watch)
  }

  /** Days (00:00 UTC) on which an instrument reports, as the calendar that was fetched last says. */
  setReports(instrument: InstrumentId, days: readonly number[]): void {
    this.#timed.setReports(instrument, days)
  }

  /**
   * The bars that `wantsBars` asked for, oldest first; none are right, too. `again`: in place of those that were given.
   * Answers whether anything waits for such bars.
   */
  seed(instrument: InstrumentId, of: BarSource, interval: Interval, bars: readonly Bar[], again = false): boolean {
    const watch = this.#watches.get(instrument)
    const lines = watch?.bars.find((one) => one.of === of && one.interval === interval)
    if (watch === undefined || lines === undefined) return false
    if (again) lines.reopen()
    if (lines.seeded) return true
    lines.seed(bars)
    this.#o.listener.changed(watch)
    return true
  }

  /** Where an alert that is watched stands; undefined: it is not. */
  state(id: string): AlertState | undefined {
    const run = this.#firing.run(id)
    if (run === undefined) return undefined
    const { alert, watch } = run
    const { condition } = alert
    if (condition.is === 'drawing' && this.#drawings.get(watch.id)?.has(condition.drawing) === false) {
      return { is: 'broken' }
    }
    if (condition.is === 'earnings') {
      if (!this.#timed.knowsReports(alert.instrument)) return { is: 'waiting', for: 'date' }
    } else if (condition.is !== 'stale') {
      const blind = watch.blind.get(feedOf(run, this.#o.feeds(watch.asset)))
      if (blind !== undefined) return { is: 'blind', sinceMs: blind.fromMs, cause: blind.cause }
      const waiting = waitsFor(run)
      if (waiting !== null) return { is: 'waiting', for: waiting }
    }
    if (run.away) return { is: 'resting', untilMs: null }
    return run.restUntilMs > this.#moment.nowMs ? { is: 'resting', untilMs: run.restUntilMs } : { is: 'armed' }
  }

  // -- the market --

  /**
   * What is watched under a spelling of a feed; null: nothing. `place`: where the decoder keeps the spelling, see
   * `Scratch.symbolPlace`; -1: nowhere.
   */
  watchOf(feed: FeedId, symbol: string, place = -1): Watch | null {
    return this.#watches.of(feed, symbol, place)
  }

  trade(watch: Watch, feed: FeedId, record: TradeNumbers, recvMs: number): void {
    this.advance(recvMs)
    this.#records.trade(watch, feed, record, recvMs)
  }

  quote(watch: Watch, feed: FeedId, record: QuoteNumbers, recvMs: number): void {
    this.advance(recvMs)
    this.#records.quote(watch, feed, record, recvMs)
  }

  /** A bar that the service sent: Last, where nothing better is. */
  bar(watch: Watch, feed: FeedId, record: BarNumbers, recvMs: number): void {
    this.advance(recvMs)
    this.#records.bar(watch, feed, record, recvMs)
  }

  feedState(feed: FeedId, state: FeedState, nowMs: number): void {
    this.advance(nowMs)
    this.#blindness.feedState(feed, state)
    this.#timed.feedChanged(feed)
  }

  gapOpened(feed: FeedId, cause: GapCause, symbols: readonly string[], fromMs: number): void {
    this.#blindness.gapOpened(feed, cause, symbols, fromMs)
  }

  gapClosed(feed: FeedId, fromMs: number, toMs: number): void {
    this.#blindness.gapClosed(feed, fromMs, toMs)
  }

  /** What follows is of another source or another place: nothing of what was seen counts any more. */
  forget(): void {
    this.#blindness.forget()
    for (const watch of this.#watches.all()) {
      watch.forget()
      for (const run of watch.runs) run.told = false
    }
    this.#moment.nowMs = this.#moment.tickMs = -Infinity
    this.#timed.forget()
    for (const watch of this.#watches.all()) {
      for (const { of, interval } of watch.bars) this.#o.listener.wantsBars(watch.id, of, interval)
      this.#o.listener.changed(watch)
    }
  }

  /** The time moved on: what waits for time alone. Call about once a second. */
  advance(nowMs: number): void {
    const moment = this.#moment
    if (nowMs > moment.nowMs && nowMs < moment.tickMs) moment.nowMs = nowMs
    else if (nowMs !== moment.nowMs) this.#step(nowMs)
  }

  #step(nowMs: number): void {
    if (nowMs <= this.#moment.nowMs) {
      if (nowMs >= this.#moment.nowMs - SET_BACK_MS) return
      this.#setBack(nowMs)
    }
    this.#moment.nowMs = nowMs
    if (nowMs < this.#moment.tickMs) return
    this.#moment.tickMs = Math.floor(nowMs / TICK_MS) * TICK_MS + TICK_MS
    this.#moment.eventMs = NaN
    this.#firing.expireDue()
    this.#timed.look()
    for (const watch of this.#watches.all()) {
      for (const lines of watch.bars) lines.advance(nowMs, this.#firing.linesCrossed)
    }
  }

  /** The clock was set back: without this, time would stand still until it is what it was. */
  #setBack(nowMs: number): void {
    const byMs = nowMs - this.#moment.nowMs
    this.#moment.tickMs = -Infinity
    this.#firing.moveRests(byMs)
    this.#timed.forget()
    this.#blindness.setBack(nowMs, byMs)
    for (const watch of this.#watches.all()) watch.cutWindows()
  }

  #watchFor(id: InstrumentId): Watch {
    const known = this.#watches.get(id)
    if (known !== undefined) return known
    const made = new Watch(id, parseInstrument(id)?.asset ?? 'stocks')
    this.#watches.add(made)
    this.#blindness.begin(made)
    return made
  }
}
