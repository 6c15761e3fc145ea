/**
 * Evaluates alerts record by record. Pure: every time is an argument. Live, replay and a test on a session run the same
 * code. A record costs only the alerts of its instrument, and of price alerts only the nearest levels.
 *
 * Rules:
 * - Windows, rests and expiry use receive time. It never decreases unless the clock was set back by more than 5 s: then
 *   pending times keep their remaining duration and windows restart. Event time only decides whether a record is late:
 *   a late trade changes no price, a late quote changes nothing. An event time ahead of receipt is ignored; see
 *   `EventOrder`.
 * - A cross goes from strictly one side of a level to the level or beyond, between two accepted records of a chain.
 *   While a feed is suspended (stale, not connected, or with a gap for the symbol) its records don't count, and the
 *   first one afterwards starts a new chain, so an old price never makes a cross. If the price is on the other side by
 *   then, that is reported as `unseen`.
 * - Windows of moves and volumes restart after a suspension.
 * - A threshold of a move, spread or volume fires when it is first met, even by the first record, and again only after
 *   it wasn't met.
 */
import type { BarGrid } from '../../../core/market/bars.ts'
import type { Drawing } from '../../drawings/types.ts'
import type { Bar, BarSource, Interval } from '../../../core/market/market.ts'
import type { GapCause } from '../../../core/recording/session.ts'
import type { FeedState } from '../../../core/status/status.ts'
import { parseInstrument, type AssetClass, type FeedId, type InstrumentId } from '../../../base/units.ts'
import { Suspensions } from './suspensions.ts'
import { Firing } from './firing.ts'
import { EvaluationContext, SET_BACK_MS } from './context.ts'
import { drawingOf, Records, type BarNumbers, type QuoteNumbers, type TradeNumbers } from './records.ts'
import { feedOf, waitsFor, type TickFeeds } from './alert-state.ts'
import { Timed } from './timed.ts'
import type { EvaluatorListener } from './listener.ts'
import type { Alert, AlertState, SuspensionCause } from '../types.ts'
import { Watch } from './watch.ts'
import { Watches } from './watches.ts'

export interface EvaluatorOptions {
  readonly listener: EvaluatorListener
  readonly grid: (asset: AssetClass, interval: Interval) => BarGrid
  readonly isOpen: (asset: AssetClass, ms: number) => boolean
  /** The feeds that carry the trades and quotes of an asset class. */
  readonly feeds: (asset: AssetClass) => TickFeeds
  /** Nothing was watched since then; see `Coverage`. */
  readonly before?: { readonly cause: SuspensionCause; readonly fromMs: number } | null
}

const TICK_MS = 1_000

export class Evaluator {
  readonly #o: EvaluatorOptions
  readonly #context = new EvaluationContext()
  readonly #watches = new Watches()
  readonly #drawings = new Map<InstrumentId, ReadonlyMap<string, Drawing>>()
  readonly #suspensions: Suspensions
  readonly #firing: Firing
  readonly #timed: Timed
  readonly #records: Records

  constructor(options: EvaluatorOptions) {
    this.#o = options
    const { grid, isOpen, listener, feeds, before = null } = options
    const context = this.#context
    const watches = this.#watches
    this.#suspensions = new Suspensions({ context, watches, listener, feeds, before })
    this.#firing = new Firing({
      context,
      listener,
      attachOptions: { grid, wantsBars: (...bars) => listener.wantsBars(...bars) },
      onRemoved: (run) => {
        this.#timed.delete(run)
        if (run.watch.runs.size === 0) watches.delete(run.watch)
      },
    })
    this.#timed = new Timed({
      context,
      firing: this.#firing,
      isOpen,
      feedOf: (run) => feedOf(run, feeds(run.watch.asset)),
      downSince: (feed, instrument) => this.#suspensions.downSince(feed, instrument),
    })
    this.#records = new Records({ context, firing: this.#firing, listener, drawings: this.#drawings })
  }

  get size(): number {
    return this.#firing.size
  }
  instruments(): readonly InstrumentId[] {
    return this.#watches.ids()
  }

  /** Adds an alert, replacing one with the same id. It can fire from the next record on. */
  put(alert: Alert): void {
    this.remove(alert.id)
    this.#timed.add(this.#firing.put(alert, this.#watchFor(alert.instrument)))
  }

  remove(id: string): void {
    this.#firing.remove(id)
  }

  /** Keeps an alert from firing before a time (UTC ms). -Infinity ends the snooze. */
  snooze(id: string, untilMs: number): void {
    const run = this.#firing.run(id)
    if (run !== undefined) run.snoozedMs = untilMs
  }

  /** Replaces the drawings of an instrument. */
  setDrawings(instrument: InstrumentId, drawings: readonly Drawing[]): void {
    const before = this.#drawings.get(instrument)
    const now = new Map(drawings.map((one) => [one.id, one]))
    this.#drawings.set(instrument, now)
    const watch = this.#watches.get(instrument)
    if (watch === undefined) return
    for (const chain of Object.values(watch.chains)) {
      for (const one of chain.drawn) {
        const id = drawingOf(one.run.alert)
        // If the drawing moved, the price didn't cross it.
        if (before?.get(id) !== now.get(id)) one.distances = []
      }
    }
    this.#o.listener.changed(watch)
  }

  /** Sets the days (00:00 UTC) on which an instrument reports, from the latest calendar. */
  setReports(instrument: InstrumentId, days: readonly number[]): void {
    this.#timed.setReports(instrument, days)
  }

  /**
   * Adds the bars requested by `wantsBars`, oldest first; the list may be empty. `again` replaces bars that were given
   * before. Returns whether anything waits for such bars.
   */
  seed(instrument: InstrumentId, of: BarSource, interval: Interval, bars: readonly Bar[], again = false): boolean {
    const watch = this.#watches.get(instrument)
    const lines = watch?.bars.find((one) => one.of === of && one.interval === interval)
    if (watch === undefined || lines === undefined) return false
    if (again) lines.reopen()
    if (lines.isSeeded) return true
    lines.seed(bars)
    this.#o.listener.changed(watch)
    return true
  }

  /** The state of an alert, or undefined if it isn't watched. */
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
      const suspension = watch.suspensions.get(feedOf(run, this.#o.feeds(watch.asset)))
      if (suspension !== undefined) return { is: 'blind', sinceMs: suspension.fromMs, cause: suspension.cause }
      const waiting = waitsFor(run)
      if (waiting !== null) return { is: 'waiting', for: waiting }
    }
    if (run.isAwaitingReturn) return { is: 'resting', untilMs: null }
    return run.restUntilMs > this.#context.nowMs ? { is: 'resting', untilMs: run.restUntilMs } : { is: 'armed' }
  }

  /**
   * The watch of a feed's symbol, or null if nothing watches it. `slot`: the decoder's slot of the symbol, see
   * `Scratch.symbolPlace`; -1 if there is none.
   */
  watchOf(feed: FeedId, symbol: string, slot = -1): Watch | null {
    return this.#watches.find(feed, symbol, slot)
  }

  trade(watch: Watch, feed: FeedId, record: TradeNumbers, recvMs: number): void {
    this.advance(recvMs)
    this.#records.trade(watch, feed, record, recvMs)
  }

  quote(watch: Watch, feed: FeedId, record: QuoteNumbers, recvMs: number): void {
    this.advance(recvMs)
    this.#records.quote(watch, feed, record, recvMs)
  }

  /** Takes a bar sent by the service. It sets Last only where there is nothing better. */
  bar(watch: Watch, feed: FeedId, record: BarNumbers, recvMs: number): void {
    this.advance(recvMs)
    this.#records.bar(watch, feed, record, recvMs)
  }

  feedState(feed: FeedId, state: FeedState, nowMs: number): void {
    this.advance(nowMs)
    this.#suspensions.feedState(feed, state)
    this.#timed.feedChanged(feed)
  }

  gapOpened(feed: FeedId, cause: GapCause, symbols: readonly string[], fromMs: number): void {
    this.#suspensions.gapOpened(feed, cause, symbols, fromMs)
  }

  gapClosed(feed: FeedId, fromMs: number, toMs: number): void {
    this.#suspensions.gapClosed(feed, fromMs, toMs)
  }

  /** Forgets all data, because what follows comes from another source or point in time. */
  forget(): void {
    this.#suspensions.forget()
    for (const watch of this.#watches.all()) {
      watch.forget()
      for (const run of watch.runs) run.isReported = false
    }
    this.#context.nowMs = this.#context.tickMs = -Infinity
    this.#timed.forget()
    for (const watch of this.#watches.all()) {
      for (const { of, interval } of watch.bars) this.#o.listener.wantsBars(watch.id, of, interval)
      this.#o.listener.changed(watch)
    }
  }

  /** Moves time forward, for alerts that wait for time alone. Call about once a second. */
  advance(nowMs: number): void {
    const context = this.#context
    if (nowMs > context.nowMs && nowMs < context.tickMs) context.nowMs = nowMs
    else if (nowMs !== context.nowMs) this.#step(nowMs)
  }

  #step(nowMs: number): void {
    if (nowMs <= this.#context.nowMs) {
      if (nowMs >= this.#context.nowMs - SET_BACK_MS) return
      this.#setBack(nowMs)
    }
    this.#context.nowMs = nowMs
    if (nowMs < this.#context.tickMs) return
    this.#context.tickMs = Math.floor(nowMs / TICK_MS) * TICK_MS + TICK_MS
    this.#context.eventMs = NaN
    this.#firing.expireDue()
    this.#timed.check()
    for (const watch of this.#watches.all()) {
      for (const lines of watch.bars) lines.advance(nowMs, this.#firing.linesCrossed)
    }
  }

  /** The clock was set back. Without this, time would stop until the clock catches up. */
  #setBack(nowMs: number): void {
    const byMs = nowMs - this.#context.nowMs
    this.#context.tickMs = -Infinity
    this.#firing.moveRests(byMs)
    this.#timed.forget()
    this.#suspensions.setBack(nowMs, byMs)
    for (const watch of this.#watches.all()) watch.cutWindows()
  }

  #watchFor(id: InstrumentId): Watch {
    const known = this.#watches.get(id)
    if (known !== undefined) return known
    const made = new Watch(id, parseInstrument(id)?.asset ?? 'stocks')
    this.#watches.add(made)
    this.#suspensions.begin(made)
    return made
  }
}
