/** Alerts that wait for time alone: feeds that are silent, and reports ahead. */
import type { AssetClass, FeedId, InstrumentId } from '../../../base/units.ts'
import type { Firing } from './firing.ts'
import type { Moment } from './instant.ts'
import type { Run } from './condition.ts'

const DAY_MS = 86_400_000

export interface TimedOptions {
  readonly moment: Moment
  readonly firing: Firing
  readonly isOpen: (asset: AssetClass, ms: number) => boolean
  /** The feed that an alert's records come from. */
  readonly feedOf: (run: Run) => FeedId
  /** See `Sight.downSince`. */
  readonly downSince: (feed: FeedId, instrument: InstrumentId) => number
}

export class Timed {
  readonly #o: TimedOptions
  readonly #runs = new Set<Run>()
  readonly #reports = new Map<InstrumentId, readonly number[]>()
  /** When all were looked at last. */
  #lookedMs = -Infinity

  constructor(options: TimedOptions) {
    this.#o = options
  }

  /** Takes an alert where it is one of these. */
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

  /** The time moved on to the moment's. */
  look(): void {
    for (const run of [...this.#runs]) {
      const { condition } = run.alert
      if (condition.is === 'stale') this.#stale(run, condition.afterMs)
      else if (condition.is === 'earnings') this.#report(run, condition.days)
    }
    this.#lookedMs = this.#o.moment.nowMs
  }

  /** The state of a feed is another one. */
  feedChanged(feed: FeedId): void {
    for (const run of [...this.#runs]) {
      const { condition } = run.alert
      if (condition.is === 'stale' && this.#o.feedOf(run) === feed) this.#stale(run, condition.afterMs)
    }
  }

  /** Time begins anew. */
  forget(): void {
    this.#lookedMs = -Infinity
  }

  #stale(run: Run, afterMs: number): void {
    const { moment, firing, feedOf, downSince, isOpen } = this.#o
    const sinceMs = downSince(feedOf(run), run.watch.id)
    if (Number.isNaN(sinceMs)) {
      run.told = false
      return
    }
    // One that is still going on then is told when it wakes.
    if (moment.nowMs < run.snoozedMs) return
    // Hours in which nothing trades are silent by their nature.
    if (run.told || moment.nowMs < sinceMs + afterMs || !isOpen(run.watch.asset, moment.nowMs)) return
    run.told = true
    moment.eventMs = NaN
    // Where nothing moved the time meanwhile, as in a recording, it was due before now.
    const now = moment.nowMs
    moment.nowMs = Math.min(now, Math.max(sinceMs + afterMs, run.snoozedMs, this.#lookedMs))
    firing.fire(run, moment.nowMs - sinceMs, null)
    moment.nowMs = now
  }

  #report(run: Run, days: number): void {
    const { moment, firing } = this.#o
    const now = moment.nowMs
    const due = (this.#reports.get(run.alert.instrument) ?? []).filter(
      (day) => now >= day - days * DAY_MS && now < day + DAY_MS,
    )
    const [day] = due.toSorted((a, b) => a - b)
    if (day === undefined) return
    const of = new Date(day).toISOString().slice(0, 10)
    if (run.firedOf === of) return
    moment.eventMs = NaN
    firing.fire(run, day, null, of)
  }
}
