/** Alerts that wait for time alone: stale feeds and upcoming reports. */
import { DAY_MS } from '../../../base/durations.ts'
import type { AssetClass, FeedId, InstrumentId } from '../../../base/units.ts'
import type { Firing } from './firing.ts'
import type { EvaluationContext } from './context.ts'
import type { Run } from './watch.ts'

export interface TimedOptions {
  readonly context: EvaluationContext
  readonly firing: Firing
  readonly isOpen: (asset: AssetClass, ms: number) => boolean
  /** The feed that an alert's records come from. */
  readonly feedOf: (run: Run) => FeedId
  /** See `Coverage.downSince`. */
  readonly downSince: (feed: FeedId, instrument: InstrumentId) => number
}

export class Timed {
  readonly #o: TimedOptions
  readonly #runs = new Set<Run>()
  readonly #reports = new Map<InstrumentId, readonly number[]>()
  /** When all of them were last checked. */
  #checkedMs = -Infinity

  constructor(options: TimedOptions) {
    this.#o = options
  }

  /** Adds an alert if it is one of these. */
  add(run: Run): void {
    if (run.alert.condition.is === 'stale' || run.alert.condition.is === 'earnings') this.#runs.add(run)
  }
  delete(run: Run): void {
    this.#runs.delete(run)
  }

  setReports(instrument: InstrumentId, days: readonly number[]): void {
    this.#reports.set(instrument, days)
  }
  knowsReports(instrument: InstrumentId): boolean {
    return this.#reports.has(instrument)
  }

  /** Checks all of them at the current time. */
  check(): void {
    for (const run of [...this.#runs]) {
      const { condition } = run.alert
      if (condition.is === 'stale') this.#stale(run, condition.afterMs)
      else if (condition.is === 'earnings') this.#report(run, condition.days)
    }
    this.#checkedMs = this.#o.context.nowMs
  }

  /** Checks the alerts of a feed whose state changed. */
  feedChanged(feed: FeedId): void {
    for (const run of [...this.#runs]) {
      const { condition } = run.alert
      if (condition.is === 'stale' && this.#o.feedOf(run) === feed) this.#stale(run, condition.afterMs)
    }
  }

  /** Forgets the time of the last check. */
  forget(): void {
    this.#checkedMs = -Infinity
  }

  #stale(run: Run, afterMs: number): void {
    const { context, firing, feedOf, downSince, isOpen } = this.#o
    const sinceMs = downSince(feedOf(run), run.watch.id)
    if (Number.isNaN(sinceMs)) {
      run.isReported = false
      return
    }
    // An outage that continues is reported when the snooze ends.
    if (context.nowMs < run.snoozedMs) return
    // Silence is normal while the market is closed.
    if (run.isReported || context.nowMs < sinceMs + afterMs || !isOpen(run.watch.asset, context.nowMs)) return
    run.isReported = true
    context.eventMs = NaN
    // If time didn't move meanwhile, as in a session, it was due earlier.
    const now = context.nowMs
    context.nowMs = Math.min(now, Math.max(sinceMs + afterMs, run.snoozedMs, this.#checkedMs))
    firing.fire(run, context.nowMs - sinceMs, null)
    context.nowMs = now
  }

  #report(run: Run, days: number): void {
    const { context, firing } = this.#o
    const now = context.nowMs
    const due = (this.#reports.get(run.alert.instrument) ?? []).filter(
      (day) => now >= day - days * DAY_MS && now < day + DAY_MS,
    )
    const [day] = due.toSorted((a, b) => a - b)
    if (day === undefined) return
    const of = new Date(day).toISOString().slice(0, 10)
    if (run.firedOf === of) return
    context.eventMs = NaN
    firing.fire(run, day, null, of)
  }
}
