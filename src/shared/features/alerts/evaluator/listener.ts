/** What the evaluator reports. */
import type { BarSource, Interval } from '../../../core/market/market.ts'
import type { InstrumentId } from '../../../base/units.ts'
import type { Suspension } from './coverage.ts'
import type { Alert } from '../types.ts'
import type { Watch } from './watch.ts'

/** An alert fired. Times in UTC ms. */
export interface Fired {
  readonly alert: Alert
  /** Receive time of the record, or the due time if no record was needed. */
  readonly atMs: number
  readonly eventMs: number | null
  readonly value: number
  readonly before: number | null
  /** What it fired for, if it fires once for each (the day of a report). */
  readonly of: string | null
  /** Which way the price went, if it has to return before the alert fires again. */
  readonly away: 'up' | 'down' | null
}

export interface EvaluatorListener {
  fired(fired: Fired): void
  /** The price returned, and the alert can fire again. */
  rearmed(alert: Alert): void
  /** The price was `before` when data stopped, and beyond the level, at `value`, when it resumed. */
  unseen(alert: Alert, atMs: number, value: number, before: number): void
  expired(alert: Alert, atMs: number): void
  /** Alerts were suspended (`toMs` null) or resumed. `suspension` is the same object both times. */
  suspended(suspension: Suspension, instruments: readonly InstrumentId[], alerts: number, toMs: number | null): void
  /** An indicator needs the earlier bars. Pass them to `seed`. */
  wantsBars(instrument: InstrumentId, of: BarSource, interval: Interval): void
  /** The state of an instrument's alerts changed. */
  changed(watch: Watch): void
}
