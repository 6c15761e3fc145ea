/**
 * Alerts and their history as text. Versioned, and each entry is validated alone, so a bad one doesn't affect the
 * others.
 */
import * as v from 'valibot'
import { finite, storedInstrument } from '../../../shared/base/schemas.ts'
import { countText } from '../../../shared/base/count-text.ts'
import {
  ALERTS_VERSION,
  alertSchema,
  conditionSchema,
  MAX_ALERTS,
  MAX_EVENTS,
  type Alert,
  type AlertEvent,
  type SuspensionCause,
} from '../../../shared/features/alerts/types.ts'
import { GAP_CAUSES } from '../../../shared/core/recording/session.ts'
import { FEED_IDS } from '../../../shared/base/units.ts'

/** The contents of a file. `damaged`: how many entries couldn't be read; null if none of it could. */
export interface Read<T> {
  readonly entries: readonly T[]
  readonly corrupt: number | null
  /** Written by a newer version of Tapedeck, so it must stay as it is. */
  readonly newer: boolean
}

const base = { id: finite, atMs: finite }
const ofAlert = {
  ...base,
  alert: v.string(),
  instrument: storedInstrument,
  condition: conditionSchema,
  note: v.string(),
}
const cause = v.picklist([...GAP_CAUSES, 'stale', 'unwanted'] as const satisfies readonly SuspensionCause[])
const eventSchema: v.GenericSchema<unknown, AlertEvent> = v.variant('is', [
  v.object({
    ...ofAlert,
    is: v.literal('fired'),
    eventMs: v.nullable(finite),
    value: finite,
    before: v.nullable(finite),
  }),
  v.object({ ...ofAlert, is: v.literal('unseen'), value: finite, before: finite }),
  v.object({ ...ofAlert, is: v.literal('expired') }),
  v.object({ ...ofAlert, is: v.literal('snoozed'), untilMs: v.nullable(finite) }),
  v.object({
    ...base,
    is: v.literal('blind'),
    feed: v.picklist(FEED_IDS),
    cause,
    instruments: v.array(storedInstrument),
    toMs: v.nullable(finite),
    alerts: finite,
  }),
])

function read<T>(text: string, schema: v.GenericSchema<unknown, T>, most: number): Read<T> {
  const nothing: Read<T> = { entries: [], corrupt: null, newer: false }
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch {
    return nothing
  }
  const whole = v.safeParse(v.object({ version: finite, entries: v.array(v.unknown()) }), file)
  if (!whole.success) return nothing
  const { version, entries } = whole.output
  if (version > ALERTS_VERSION) return { ...nothing, newer: true }
  const good: T[] = []
  for (const entry of entries) {
    const one = v.safeParse(schema, entry)
    if (one.success) good.push(one.output)
  }
  return { entries: good.slice(-most), corrupt: entries.length - good.length, newer: false }
}

const write = (entries: readonly unknown[]): string => `${JSON.stringify({ version: ALERTS_VERSION, entries })}\n`

export const readAlerts = (text: string): Read<Alert> => read(text, alertSchema, MAX_ALERTS)
export const writeAlerts = (alerts: readonly Alert[]): string => write(alerts)
export const readHistory = (text: string): Read<AlertEvent> => read(text, eventSchema, MAX_EVENTS)

/** Why a history that was read may miss events, as a sentence; null: it has all. `undefined`: its file can't be read. */
export function historyProblem(history: Read<AlertEvent> | undefined): string | null {
  if (history?.newer === true) return 'The history of alerts was written by a newer Tapedeck.'
  if (history === undefined || history.corrupt === null) return 'The history of alerts couldn’t be read.'
  return history.corrupt === 0
    ? null
    : `${countText(history.corrupt, 'event')} of the history of alerts couldn’t be read.`
}
export const writeHistory = (events: readonly AlertEvent[]): string => write(events)

const aliveSchema = v.object({ ms: finite, clean: v.boolean() })

/** When alerts were last evaluated, and whether that ended in order; null if unknown. */
export function readAlive(text: string | null): { readonly ms: number; readonly clean: boolean } | null {
  if (text === null) return null
  try {
    const one = v.safeParse(aliveSchema, JSON.parse(text))
    return one.success ? one.output : null
  } catch {
    return null
  }
}
