/** What the evaluation of alerts tells. */
import type { BarSource, Interval } from '../../../core/market/market.ts'
import type { InstrumentId } from '../../../base/units.ts'
import type { Blind } from './coverage.ts'
import type { Alert } from '../types.ts'
import type { Watch } from './condition.ts'

/** An alert fired. Instants UTC ms. */
export interface Fired {
  readonly alert: Alert
  /** Receipt of the record, or the instant itself where none was needed. */
  readonly atMs: number
  readonly eventMs: number | null
  readonly value: number
  readonly before: number | null
  /** Of what it fired, where it fires once for each (the day of a report). */
  readonly of: string | null
  /** Which way the price went, where it must go back before the alert fires again. */
  readonly away: 'up' | 'down' | null
}

export interface EvaluatorListener {
  fired(fired: Fired): void
  /** The price went back: an alert that was away fires again. */
  back(alert: Alert): void
  /** The price was `before` when sight was lost, and on the other side of the level, at `value`, when it came back. */
  unseen(alert: Alert, atMs: number, value: number, before: number): void
  expired(alert: Alert, atMs: number): void
  /** Alerts lost sight (`toMs` null) or have it back; `blind` is the same object both times. */
  blind(blind: Blind, instruments: readonly InstrumentId[], alerts: number, toMs: number | null): void
  /** An indicator wants the bars before now: to be given to `seed`. */
  wantsBars(instrument: InstrumentId, of: BarSource, interval: Interval): void
  /** The state of alerts of an instrument is another one. */
  changed(watch: Watch): void
}
