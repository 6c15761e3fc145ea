/** Alerts are evaluated by the terminal on every record, even without a window. Windows only show and edit them. */
import * as v from 'valibot'
import { text } from '../../base/schemas.ts'
import { ALERT_ACTIONS, WINDOW_ACTIONS, type ActionState } from './actions.ts'
import { alertSchema, draftSchema, type Alert, type AlertDraft, type AlertEvent, type AlertRow } from './types.ts'
import type { JobId } from '../../core/jobs/jobs.ts'
import { call, limit, ms, none, view } from '../../rpc/contract.ts'

const id = text(40)
const ids = v.pipe(v.array(id), v.minLength(1), v.maxLength(20_000))
const draft: v.GenericSchema<unknown, AlertDraft> = draftSchema
const alert: v.GenericSchema<unknown, Alert> = alertSchema

/** A page of the history, newest first. */
export interface AlertHistory {
  readonly events: readonly AlertEvent[]
  readonly more: boolean
}

/** First all alerts, then what changed, what was removed and what happened since. */
export interface AlertsValue {
  readonly reset: boolean
  readonly alerts: readonly AlertRow[]
  readonly removed: readonly string[]
  /** Oldest first. In a replay: what would have fired. */
  readonly events: readonly AlertEvent[]
}

export const ALERT_CALLS = {
  /**
   * Adds an alert (`id` null) or changes one, which arms it again. Fails with `not-found`, with `too-large` beyond
   * 20,000 alerts, and with `disk-error` if it is active but couldn't be saved.
   */
  'alerts.save': call<AlertRow>()(v.strictObject({ id: v.nullable(id), alert: draft })),
  /** Restores deleted alerts unchanged. */
  'alerts.restore': call<null>()(
    v.strictObject({ alerts: v.pipe(v.array(alert), v.minLength(1), v.maxLength(5_000)) }),
  ),
  /** Turning an alert on arms it again, even if it had fired. Missing alerts are skipped, as in `remove`. */
  'alerts.enable': call<null>()(v.strictObject({ alerts: ids, on: v.boolean() })),
  /**
   * Snoozes alerts: they are armed, even those that had fired, but none fires before `untilMs`. Null ends the snooze.
   * Alerts that are missing, off or expired are skipped.
   */
  'alerts.snooze': call<null>()(v.strictObject({ alerts: ids, untilMs: v.nullable(ms) })),
  'alerts.remove': call<null>()(v.strictObject({ alerts: ids })),
  /** Events of one alert, or of all (null), before an event (null: from the newest). */
  'alerts.history': call<AlertHistory>()(
    v.strictObject({ alert: v.nullable(id), before: v.nullable(limit(2 ** 31)), limit: limit(500) }),
  ),
  'alerts.clearHistory': call<null>()(none),
  /** How the actions outside of Tapedeck are set up and doing. */
  'alerts.actions': call<readonly ActionState[]>()(none),
  /**
   * Sets an action up; an empty address turns it off. `secret`: null removes it, absent keeps it. Fails with `bad-url`,
   * `insecure-url` and `keychain`.
   */
  'alerts.setAction': call<null>()(
    v.strictObject({
      action: v.picklist(WINDOW_ACTIONS),
      address: text(2_048),
      secret: v.optional(v.nullable(v.pipe(text(4_096), v.minLength(1)))),
    }),
  ),
  /** Runs an action once, now. Fails with what went wrong. */
  'alerts.testAction': call<null>()(v.strictObject({ action: v.picklist(ALERT_ACTIONS) })),
  /**
   * Starts a job of kind `alert` that runs an alert over [fromMs, toMs) of a session (null: from its start, to its
   * end). The result is an `AlertTest`. Nothing is notified. Fails with `not-found`.
   */
  'alerts.test': call<JobId>()(
    v.strictObject({ alert: draft, session: text(64), fromMs: v.nullable(ms), toMs: v.nullable(ms) }),
  ),
} as const

export const ALERT_STREAMS = {
  /** In a replay: the alerts' states, and what would have fired since the view was opened. */
  alerts: call<AlertsValue>()(v.strictObject({ view })),
} as const
