/**
 * Alerts as the API returns and takes them. The fields of version 1 are those of the window, in camel case and
 * milliseconds. Beside them stand the same values as the rest of the API writes them: snake case, ISO 8601, seconds.
 */
import { withSchema } from '../../base/json-schema.ts'
import type { AlertCondition, AlertEvent, AlertRow } from '../../../shared/features/alerts/types.ts'
import { isObject } from '../../../service/control.ts'

type Json = Readonly<Record<string, unknown>>

const iso = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined || !(Math.abs(ms) <= 8.64e15) ? null : new Date(ms).toISOString()

function conditionJson(condition: AlertCondition): Json {
  return {
    ...condition,
    ...('withinMs' in condition ? { within_seconds: condition.withinMs / 1_000 } : {}),
    ...('afterMs' in condition ? { after_seconds: condition.afterMs / 1_000 } : {}),
  }
}

export const alertJson = (alert: AlertRow): object => {
  const { condition, repeat, expiresMs, createdMs, firedMs, firedOf, snoozedMs, state } = alert
  return withSchema('saved-alert', {
    ...alert,
    condition: conditionJson(condition),
    repeat:
      repeat === null ? null : { ...repeat, rest_seconds: repeat.restMs / 1_000, back_percent: repeat.backPercent },
    expires: iso(expiresMs),
    created: iso(createdMs),
    last_fired: iso(firedMs),
    fired_of: firedOf,
    snoozed_until: iso(snoozedMs),
    state: {
      ...state,
      ...('sinceMs' in state ? { since: iso(state.sinceMs) } : {}),
      ...('untilMs' in state ? { until: iso(state.untilMs) } : {}),
    },
  })
}

/** A line of the history. */
export const alertEventJson = (event: AlertEvent): object => ({
  ...event,
  at: iso(event.atMs),
  ...('condition' in event ? { condition: conditionJson(event.condition) } : {}),
  ...('eventMs' in event ? { event: iso(event.eventMs) } : {}),
  ...('untilMs' in event ? { until: iso(event.untilMs) } : {}),
  ...('toMs' in event ? { to: iso(event.toMs) } : {}),
})

/**
 * A draft as it was sent, with the names that its schema knows. A value that was sent by both names stays, and so does
 * what isn't valid: the schema says what is wrong with it.
 */
export function readNames(body: unknown): unknown {
  if (!isObject(body)) return body
  const draft = renamed(body, 'expires', 'expiresMs', (x) => (x === null ? null : epochMs(x)))
  const { repeat, condition } = draft
  return {
    // An alert that says nothing of an end has none.
    expiresMs: null,
    ...draft,
    ...(isObject(repeat)
      ? {
          repeat: renamed(
            renamed(repeat, 'rest_seconds', 'restMs', thousandfold),
            'back_percent',
            'backPercent',
            (x) => x,
          ),
        }
      : {}),
    ...(isObject(condition)
      ? {
          condition: renamed(
            renamed(condition, 'within_seconds', 'withinMs', thousandfold),
            'after_seconds',
            'afterMs',
            thousandfold,
          ),
        }
      : {}),
  }
}

function renamed(of: Json, name: string, known: string, read: (x: unknown) => unknown): Json {
  if (!Object.hasOwn(of, name)) return of
  const { [name]: value, ...others } = of
  return Object.hasOwn(others, known) ? others : { ...others, [known]: read(value) }
}

const thousandfold = (x: unknown): unknown => (typeof x === 'number' ? Math.round(x * 1_000) : x)

/** Only whole instants with a zone: an alert must not expire at another time than it was meant to. */
function epochMs(x: unknown): number {
  const [text, day] = /^(\d{4}-\d\d-\d\d)T.*(?:Z|[+-]\d\d:\d\d)$/.exec(typeof x === 'string' ? x : '') ?? []
  // Date takes a day that the month doesn't have for one of the next month.
  return text !== undefined && new Date(day).toJSON()?.startsWith(day) ? Date.parse(text) : NaN
}
