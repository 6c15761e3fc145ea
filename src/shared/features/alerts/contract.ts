/** Alerts: watched by the terminal on every record, also without a window; a window only shows and edits them. */
import * as v from 'valibot'
import { alertSchema, draftSchema, type Alert, type AlertDraft, type AlertEvent, type AlertRow } from './types.ts'
import type { JobId } from '../../core/jobs/jobs.ts'
import { call, limit, ms, none, text, view } from '../../rpc/contract.ts'

const id = text(40)
const ids = v.pipe(v.array(id), v.minLength(1), v.maxLength(20_000))
const draft: v.GenericSchema<unknown, AlertDraft> = draftSchema
const alert: v.GenericSchema<unknown, Alert> = alertSchema

/** A page of the history, newest first. */
export interface AlertHistory {
  readonly events: readonly AlertEvent[]
  readonly more: boolean
}

/** First value: all alerts. Later: those that changed, those that are gone, and what happened since. */
export interface AlertsValue {
  readonly reset: boolean
  readonly alerts: readonly AlertRow[]
  readonly removed: readonly string[]
  /** Oldest first; of a replay: what would have fired. */
  readonly events: readonly AlertEvent[]
}

export const ALERT_CALLS = {
  /**
   * A new alert (`id` null) or another wording of one, which is armed anew. Fails with `not-found`, with
   * `too-large` beyond 20,000 alerts, and with `disk-error` where it is watched but could not be kept.
   */
  'alerts.save': call<AlertRow>()(v.strictObject({ id: v.nullable(id), alert: draft })),
  /** Puts back what was removed, as it was. */
  'alerts.restore': call<null>()(
    v.strictObject({ alerts: v.pipe(v.array(alert), v.minLength(1), v.maxLength(5_000)) }),
  ),
  /** On: armed anew, also one that had fired. Those that are gone are passed over, as in `remove`. */
  'alerts.enable': call<null>()(v.strictObject({ alerts: ids, on: v.boolean() })),
  /**
   * Puts alerts off: armed, also those that had fired, but none fires before `untilMs`; null: they may again at once.
   * Those that are gone, off or expired are passed over.
   */
  'alerts.snooze': call<null>()(v.strictObject({ alerts: ids, untilMs: v.nullable(ms) })),
  'alerts.remove': call<null>()(v.strictObject({ alerts: ids })),
  /** Of one alert, or of all (null), before an event (null: the newest). */
  'alerts.history': call<AlertHistory>()(
    v.strictObject({ alert: v.nullable(id), before: v.nullable(limit(2 ** 31)), limit: limit(500) }),
  ),
  'alerts.clearHistory': call<null>()(none),
  /**
   * Runs an alert over [fromMs, toMs) of a session (null: from its start, to its end) as a job of kind `alert`,
   * whose result is an `AlertTest`. Nothing is notified. Fails with `not-found`.
   */
  'alerts.test': call<JobId>()(
    v.strictObject({ alert: draft, session: text(64), fromMs: v.nullable(ms), toMs: v.nullable(ms) }),
  ),
} as const

export const ALERT_STREAMS = {
  /** Of a replay: where the alerts would stand, and what would have fired, since the view was opened. */
  alerts: call<AlertsValue>()(v.strictObject({ view })),
} as const
