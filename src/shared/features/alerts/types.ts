/**
 * What an alert is: its condition, how often it fires and what it does then. One schema for the file, the contract and
 * the window.
 */
import { interval } from '../../core/market/contract.ts'
import { WEEK_MS } from '../../base/durations.ts'
import * as v from 'valibot'
import { finite, instrument, text } from '../../base/schemas.ts'
import { ALERT_ACTIONS } from './actions.ts'
import { MAX_INPUTS } from '../../core/market/formula/compile.ts'
import { MAX_FORMULA } from '../../core/market/formula/syntax.ts'
import { PRICES } from '../../core/market/indicators/row.ts'
import { INDICATORS, withFollowers } from '../../core/market/indicators/table.ts'
import { formulaSpec, unwatchable } from './formula-line.ts'
import type { GapCause } from '../../core/recording/session.ts'
import type { FeedId, InstrumentId } from '../../base/units.ts'

/** Version of the alerts file. 2 added `away`, 3 added `snoozedMs`, 4 added `action`, 5 added lines of formulas. */
export const ALERTS_VERSION = 5
export const MAX_ALERTS = 20_000
/** The most events in the history. */
export const MAX_EVENTS = 2_000
/** The longest window of a move or volume, and the shortest rest of a repeating alert, ms. */
export const LONGEST_WITHIN_MS = 86_400_000
export const MIN_MS = 1_000

/** The price an alert watches. Last comes from trades, or from the middle of bid and ask if there is no trade feed. */
export const ALERT_PRICES = ['last', 'bid', 'ask', 'mid'] as const
export type AlertPrice = (typeof ALERT_PRICES)[number]
export const ALERT_DIRECTIONS = ['up', 'down', 'either'] as const
export type AlertDirection = (typeof ALERT_DIRECTIONS)[number]
export const ALERT_SOUNDS = ['none', 'chime', 'bell', 'knock'] as const
export type AlertSound = (typeof ALERT_SOUNDS)[number]

const above = v.pipe(v.number(), v.finite(), v.gtValue(0))
const whole = (least: number, most: number) => v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most))
const of = v.picklist(ALERT_PRICES)
const direction = v.picklist(ALERT_DIRECTIONS)
const withinMs = whole(MIN_MS, LONGEST_WITHIN_MS)

export type AlertIndicatorId = keyof typeof INDICATORS
const indicatorId = v.custom<AlertIndicatorId>(
  (x) => typeof x === 'string' && Object.values(INDICATORS).some(({ id, needsSides }) => id === x && !needsSides),
  'an indicator',
)
const priceName = v.custom<keyof typeof PRICES>(
  (x) => typeof x === 'string' && Object.hasOwn(PRICES, x),
  'a price of a bar',
)

/** One line of an indicator: its parameters in order, and which of its outputs. */
const indicatorLine = v.pipe(
  v.strictObject({
    id: indicatorId,
    values: v.pipe(v.array(finite), v.maxLength(8)),
    price: priceName,
    output: whole(0, 7),
  }),
  v.transform((line) => ({ ...line, values: [...withFollowers(INDICATORS[line.id], line.values)] })),
  v.check(({ id, values, output }) => {
    const { parameters, outputs } = INDICATORS[id]
    return (
      values.length === parameters.length &&
      output < outputs.length &&
      values.every((value, i) => value >= parameters[i].least && value <= parameters[i].most)
    )
  }, 'parameters as the indicator takes them'),
)

/** One line of a custom formula: the values of its settings in order, and which of its outputs. */
const formulaLine = v.pipe(
  v.strictObject({
    id: v.literal('formula'),
    name: text(60),
    text: text(MAX_FORMULA),
    values: v.pipe(v.array(finite), v.maxLength(MAX_INPUTS)),
    output: whole(0, 7),
  }),
  v.check(({ text, values, output }) => {
    const spec = formulaSpec(text)
    return (
      spec !== null &&
      values.length === spec.parameters.length &&
      output < spec.outputs.length &&
      values.every((value, i) => value >= spec.parameters[i].least && value <= spec.parameters[i].most) &&
      unwatchable(text, values) === null
    )
  }, 'a formula that alerts can watch'),
)
export type FormulaLine = v.InferOutput<typeof formulaLine>
const alertLine = v.union([indicatorLine, formulaLine])
export type AlertLine = v.InferOutput<typeof alertLine>

export const conditionSchema = v.variant('is', [
  /**
   * The price goes from strictly one side of the level to the level or beyond, between two accepted records of an
   * unbroken chain. `level` in the service's prices.
   */
  v.strictObject({ is: v.literal('price'), of, level: above, direction }),
  /** The price is at least `percent` from its lowest (up) or highest (down) of the last `withinMs`. */
  v.strictObject({ is: v.literal('move'), of, percent: v.pipe(above, v.maxValue(100_000)), withinMs, direction }),
  /** Ask minus bid, as a price or in percent of their middle, is at least `above`. */
  v.strictObject({ is: v.literal('spread'), above, unit: v.picklist(['price', 'percent']) }),
  /** The volume of the last `withinMs` is at least `above`. */
  v.strictObject({ is: v.literal('volume'), above, withinMs }),
  /** A line crosses another line or a level: at the close of each bar, or also within the forming bar. */
  v.strictObject({
    is: v.literal('indicator'),
    of: v.picklist(['trade', 'bid', 'ask', 'mid']),
    interval,
    line: alertLine,
    against: v.variant('is', [
      v.strictObject({ is: v.literal('level'), level: finite }),
      v.strictObject({ is: v.literal('price') }),
      v.strictObject({ is: v.literal('line'), line: alertLine }),
    ]),
    direction,
    on: v.picklist(['close', 'record']),
  }),
  /**
   * The price crosses a line of a drawing of this instrument at its position at that time. Lines are straight on
   * `scale` (linear if absent), over all hours (if absent) or only while the market is open.
   */
  v.strictObject({
    is: v.literal('drawing'),
    of,
    drawing: text(40),
    direction,
    scale: v.optional(v.picklist(['linear', 'log'])),
    hours: v.optional(v.picklist(['all', 'open'])),
  }),
  /** The feed of its price has been stale or disconnected for `afterMs` while the market is open. */
  v.strictObject({ is: v.literal('stale'), afterMs: whole(0, LONGEST_WITHIN_MS) }),
  /** The latest calendar lists a report within `days`. */
  v.strictObject({ is: v.literal('earnings'), days: whole(0, 60) }),
])
export type AlertCondition = v.InferOutput<typeof conditionSchema>
export type AlertKind = AlertCondition['is']
/** Every kind, in the order of their schemas. */
export const ALERT_KINDS: readonly AlertKind[] = conditionSchema.options.map(({ entries }) => entries.is.literal)

/** The fields that the user sets. */
const draftFields = {
  instrument,
  condition: conditionSchema,
  /**
   * Null: fires once. Otherwise it fires again, after `restMs` at the earliest; a price alert also needs the price to
   * go back by `backPercent` of the level.
   */
  repeat: v.nullable(
    v.strictObject({ restMs: whole(MIN_MS, WEEK_MS), backPercent: v.pipe(finite, v.minValue(0), v.maxValue(50)) }),
  ),
  /** UTC ms. It doesn't fire from that millisecond on. Null: never expires. */
  expiresMs: v.nullable(finite),
  note: text(500),
  sound: v.picklist(ALERT_SOUNDS),
  /** Shows a system notification. */
  system: v.boolean(),
  /** Writes a line to the log. */
  log: v.boolean(),
  /** Flashes the watchlist row and the window's title. */
  flash: v.boolean(),
  /** What it does outside of Tapedeck. Absent: nothing. */
  action: v.optional(v.picklist(ALERT_ACTIONS)),
  enabled: v.boolean(),
}
export const draftSchema = v.strictObject(draftFields)
export type AlertDraft = v.InferOutput<typeof draftSchema>

/** The part of an alert that the user edits. */
export function draftOf(alert: AlertDraft): AlertDraft {
  const { instrument, condition, repeat, expiresMs, note, sound, system, log, flash, enabled, action } = alert
  return { instrument, condition, repeat, expiresMs, note, sound, system, log, flash, enabled, action }
}

export const alertSchema = v.strictObject({
  ...draftFields,
  id: v.pipe(text(40), v.minLength(1)),
  /** The market it was made on. Prices of the demo market mean nothing on a real one. */
  market: v.picklist(['demo', 'service']),
  createdMs: finite,
  /** How often it fired, and when (UTC ms) and for what (the day of a report) it last did. */
  fired: whole(0, 1e12),
  firedMs: v.nullable(finite),
  firedOf: v.nullable(text(40)),
  /** True after an alert that fires once has fired. */
  done: v.boolean(),
  /**
   * Which way the price went when it fired, while it has to return before it can fire again. Otherwise null or absent.
   */
  away: v.optional(v.nullable(v.picklist(['up', 'down']))),
  /** It doesn't fire before this time (UTC ms). Null, absent or past: not snoozed. */
  snoozedMs: v.optional(v.nullable(finite)),
})
export type Alert = v.InferOutput<typeof alertSchema>

/** Why no data was received. `stale`: the feed was silent longer than usual. `unwanted`: nothing subscribed to it. */
export type SuspensionCause = GapCause | 'stale' | 'unwanted'

/** The current state of an alert. Times in UTC ms. */
export type AlertState =
  | { readonly is: 'armed' }
  /** Nothing received yet, too few bars for an indicator, or no report date known. */
  | { readonly is: 'waiting'; readonly for: 'record' | 'bars' | 'date' }
  | { readonly is: 'blind'; readonly sinceMs: number; readonly cause: SuspensionCause }
  /** It fired and can fire again at `untilMs`, or, if null, once the price has returned. */
  | { readonly is: 'resting'; readonly untilMs: number | null }
  | { readonly is: 'snoozed'; readonly untilMs: number }
  | { readonly is: 'fired' }
  | { readonly is: 'expired' }
  | { readonly is: 'off' }
  /** Made on another market than the current one. */
  | { readonly is: 'elsewhere' }
  /** Its drawing was deleted. */
  | { readonly is: 'broken' }

export interface AlertRow extends Alert {
  readonly state: AlertState
}

interface EventBase {
  /** Increases; unique within a history. */
  readonly id: number
  /** UTC ms. For a firing: the record's receive time. */
  readonly atMs: number
}
interface OfAlert extends EventBase {
  readonly alert: string
  readonly instrument: InstrumentId
  readonly condition: AlertCondition
  readonly note: string
}
/** One line of the history. */
export type AlertEvent =
  | (OfAlert & {
      readonly is: 'fired'
      /** The service's time; null if the record had none or there was no record. */
      readonly eventMs: number | null
      /** The value now and before: a price, a percentage, a volume, milliseconds, or a day (UTC ms). */
      readonly value: number
      readonly before: number | null
    })
  /** The price was beyond the level when data resumed; when it crossed is unknown. */
  | (OfAlert & { readonly is: 'unseen'; readonly value: number; readonly before: number })
  | (OfAlert & { readonly is: 'expired' })
  /** Snoozed until then; null if the snooze was ended. */
  | (OfAlert & { readonly is: 'snoozed'; readonly untilMs: number | null })
  /** Alerts on these instruments were suspended because of the feed; `toMs` null: they still are. */
  | (EventBase & {
      readonly is: 'blind'
      readonly feed: FeedId
      readonly cause: SuspensionCause
      readonly instruments: readonly InstrumentId[]
      readonly toMs: number | null
      readonly alerts: number
    })
