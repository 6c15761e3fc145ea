/**
 * What an alert is: what it waits for, how often it says so, and what it does then. One schema for the
 * file, the contract and the window.
 */
import * as v from 'valibot'
import { INDICATORS, PRICES, withFollowers } from '../../core/market/indicators/table.ts'
import { INTERVAL_LABELS, type Interval } from '../../core/market/market.ts'
import type { GapCause } from '../../core/recording/recording.ts'
import { parseInstrument, type FeedId, type InstrumentId } from '../../base/units.ts'

/** Of the file of alerts; 2: with `away`; 3: with `snoozedMs`. */
export const ALERTS_VERSION = 3
/** So many alerts are kept. */
export const MOST_ALERTS = 20_000
/** So many events of the history are kept. */
export const MOST_EVENTS = 2_000
/** Longest stretch that a move or a volume is measured over, and shortest rest of one that repeats, ms. */
export const LONGEST_WITHIN_MS = 86_400_000
export const LEAST_MS = 1_000
const WEEK_MS = 604_800_000

/** Which price is meant. Last is of trades; without a trade feed it is the middle of bid and ask, as everywhere. */
export const ALERT_PRICES = ['last', 'bid', 'ask', 'mid'] as const
export type AlertPrice = (typeof ALERT_PRICES)[number]
export const ALERT_DIRECTIONS = ['up', 'down', 'either'] as const
export type AlertDirection = (typeof ALERT_DIRECTIONS)[number]
export const ALERT_SOUNDS = ['none', 'chime', 'bell', 'knock'] as const
export type AlertSound = (typeof ALERT_SOUNDS)[number]

const text = (most: number) => v.pipe(v.string(), v.maxLength(most))
const finite = v.pipe(v.number(), v.finite())
const above = v.pipe(v.number(), v.finite(), v.gtValue(0))
const whole = (least: number, most: number) => v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most))
const of = v.picklist(ALERT_PRICES)
const direction = v.picklist(ALERT_DIRECTIONS)
const withinMs = whole(LEAST_MS, LONGEST_WITHIN_MS)
const instrument = v.custom<InstrumentId>(
  (x) => typeof x === 'string' && x.length <= 80 && parseInstrument(x) !== undefined,
  'an instrument such as "crypto:BTCUSD"',
)
const interval = v.custom<Interval>((x) => (INTERVAL_LABELS as readonly unknown[]).includes(x), 'an interval')

/** Indicators that an alert can watch. */
export type AlertIndicatorId = keyof typeof INDICATORS
const indicatorId = v.custom<AlertIndicatorId>(
  (x) => typeof x === 'string' && Object.hasOwn(INDICATORS, x),
  'an indicator',
)
const priceName = v.custom<keyof typeof PRICES>(
  (x) => typeof x === 'string' && Object.hasOwn(PRICES, x),
  'a price of a bar',
)

/** One line of an indicator: its parameters in their order, and which of its outputs. */
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
export type IndicatorLine = v.InferOutput<typeof indicatorLine>

export const conditionSchema = v.variant('is', [
  /**
   * The price goes from strictly one side of the level to it or beyond, between two accepted records of one
   * unbroken chain. `level` as the service quotes prices.
   */
  v.strictObject({ is: v.literal('price'), of, level: above, direction }),
  /** The price stands so many percent from its least (up) or greatest (down) of the last `withinMs`. */
  v.strictObject({ is: v.literal('move'), of, percent: v.pipe(above, v.maxValue(100_000)), withinMs, direction }),
  /** Ask less bid, in price or in percent of their middle, is so much or more. */
  v.strictObject({ is: v.literal('spread'), above, unit: v.picklist(['price', 'percent']) }),
  /** So much or more was traded in the last `withinMs`. */
  v.strictObject({ is: v.literal('volume'), above, withinMs }),
  /** A line crosses another one or a level: at the close of each bar, or within the forming one too. */
  v.strictObject({
    is: v.literal('indicator'),
    of: v.picklist(['trade', 'bid', 'ask', 'mid']),
    interval,
    line: indicatorLine,
    against: v.variant('is', [
      v.strictObject({ is: v.literal('level'), level: finite }),
      v.strictObject({ is: v.literal('price') }),
      v.strictObject({ is: v.literal('line'), line: indicatorLine }),
    ]),
    direction,
    on: v.picklist(['close', 'record']),
  }),
  /**
   * The price crosses any line of a drawing of this instrument, each taken where it stands at that instant: straight
   * on a scale (not told: linear) and over all hours (not told) or over those in which its market is open.
   */
  v.strictObject({
    is: v.literal('drawing'),
    of,
    drawing: text(40),
    direction,
    scale: v.optional(v.picklist(['linear', 'log'])),
    hours: v.optional(v.picklist(['all', 'open'])),
  }),
  /** The feed that its price comes from is stale or not connected for so long while the market is open. */
  v.strictObject({ is: v.literal('stale'), afterMs: whole(0, LONGEST_WITHIN_MS) }),
  /** The calendar that was fetched last names a report within so many days. */
  v.strictObject({ is: v.literal('earnings'), days: whole(0, 60) }),
])
export type AlertCondition = v.InferOutput<typeof conditionSchema>
export type AlertKind = AlertCondition['is']
export const ALERT_KINDS = [
  'price',
  'move',
  'spread',
  'volume',
  'indicator',
  'drawing',
  'stale',
  'earnings',
] as const satisfies readonly AlertKind[]

/** What a user says of an alert. */
const wish = {
  instrument,
  condition: conditionSchema,
  /**
   * Null: once. Else it fires again: not before `restMs` have gone by, and a price also only after it went
   * `backPercent` of the level to the other side.
   */
  repeat: v.nullable(
    v.strictObject({ restMs: whole(LEAST_MS, WEEK_MS), backPercent: v.pipe(finite, v.minValue(0), v.maxValue(50)) }),
  ),
  /** UTC ms; from that very millisecond on it does not fire. Null: never. */
  expiresMs: v.nullable(finite),
  note: text(500),
  sound: v.picklist(ALERT_SOUNDS),
  /** A notification of the system. */
  system: v.boolean(),
  /** A line in the log. */
  log: v.boolean(),
  /** The row of the watchlist and the title of the window flash. */
  flash: v.boolean(),
  enabled: v.boolean(),
}
export const draftSchema = v.strictObject(wish)
export type AlertDraft = v.InferOutput<typeof draftSchema>

export const alertSchema = v.strictObject({
  ...wish,
  id: v.pipe(text(40), v.minLength(1)),
  /** Where it was made: prices of the demo market mean nothing on a real one. */
  market: v.picklist(['demo', 'service']),
  createdMs: finite,
  /** How often it fired, and last when (UTC ms) and of what (the day of a report). */
  fired: whole(0, 1e12),
  firedMs: v.nullable(finite),
  firedOf: v.nullable(text(40)),
  /** Of those that fire once. */
  done: v.boolean(),
  /** Which way the price went when it fired, while it has to go back before it fires again. Null, or not told: it need not. */
  away: v.optional(v.nullable(v.picklist(['up', 'down']))),
  /** It does not fire before this instant of the clock (UTC ms). Null, not told, or gone by: it is not snoozed. */
  snoozedMs: v.optional(v.nullable(finite)),
})
export type Alert = v.InferOutput<typeof alertSchema>

/** Why data were not seen; `stale`: the feed was silent past its usual pace; `unwanted`: nothing asked for it. */
export type BlindCause = GapCause | 'stale' | 'unwanted'

/** Where an alert stands now. Times UTC ms. */
export type AlertState =
  | { readonly is: 'armed' }
  /** Nothing was received yet, an indicator has too few bars, or no report is known. */
  | { readonly is: 'waiting'; readonly for: 'record' | 'bars' | 'date' }
  | { readonly is: 'blind'; readonly sinceMs: number; readonly cause: BlindCause }
  /** It fired and may again from then on; null: when the price has gone back. */
  | { readonly is: 'resting'; readonly untilMs: number | null }
  /** Put off by hand. */
  | { readonly is: 'snoozed'; readonly untilMs: number }
  | { readonly is: 'fired' }
  | { readonly is: 'expired' }
  | { readonly is: 'off' }
  /** Made on another market than the one that is watched. */
  | { readonly is: 'elsewhere' }
  /** Its drawing is gone. */
  | { readonly is: 'broken' }

export interface AlertRow extends Alert {
  readonly state: AlertState
}

interface EventBase {
  /** Grows; unique in a history. */
  readonly id: number
  /** UTC ms. Of what fired: receipt of the record. */
  readonly atMs: number
}
interface OfAlert extends EventBase {
  readonly alert: string
  readonly instrument: InstrumentId
  /** What it waited for, as it was then. */
  readonly condition: AlertCondition
  readonly note: string
}
/** One line of the history. */
export type AlertEvent =
  | (OfAlert & {
      readonly is: 'fired'
      /** By the service's clock; null: the record had no time, or it was no record. */
      readonly eventMs: number | null
      /** What was measured, and what before it: a price, a percentage, a volume, milliseconds, a day (UTC ms). */
      readonly value: number
      readonly before: number | null
    })
  /** The price stood on the other side of the level when data came back: nobody saw when it crossed. */
  | (OfAlert & { readonly is: 'unseen'; readonly value: number; readonly before: number })
  | (OfAlert & { readonly is: 'expired' })
  /** It was put off until then; null: it was woken. */
  | (OfAlert & { readonly is: 'snoozed'; readonly untilMs: number | null })
  /** Alerts on these instruments saw nothing of the feed; `toMs` null: they still do not. */
  | (EventBase & {
      readonly is: 'blind'
      readonly feed: FeedId
      readonly cause: BlindCause
      readonly instruments: readonly InstrumentId[]
      readonly toMs: number | null
      /** How many alerts. */
      readonly alerts: number
    })
