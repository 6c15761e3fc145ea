/**
 * What a chart shows and how: one object per chart, saved with its pane. An invalid field falls back alone, so a bad
 * file never empties a chart.
 */
import * as v from 'valibot'
import { storedInstrument, text } from '../../base/schemas.ts'
import { MAX_FORMULA } from '../../core/market/formula/syntax.ts'
import { PRICE_NAMES } from '../../core/market/indicators/row.ts'
import { eventBarRule, interval } from '../../core/market/contract.ts'
import { SPREAD_OPERATORS } from '../../core/market/spread.ts'
import { CHART_INDICATOR_IDS } from '../../core/market/indicators/table.ts'

/** How bars are drawn. Heikin-Ashi bars are derived and were never traded. A footprint needs trades. */
export const CHART_STYLES = ['candles', 'hollow', 'bars', 'line', 'area', 'heikin-ashi', 'footprint'] as const
export type ChartStyle = (typeof CHART_STYLES)[number]

/** What the cells of a footprint show: sold and bought volume, their difference, or their sum. */
export const FOOTPRINT_CONTENTS = ['bid-ask', 'delta', 'total'] as const
export type FootprintContent = (typeof FOOTPRINT_CONTENTS)[number]

/** Price axis. Percent is relative to the first visible bar. */
export const CHART_SCALES = ['linear', 'log', 'percent'] as const
export type ChartScale = (typeof CHART_SCALES)[number]

/** The most symbols to compare, and the most indicators per chart. */
export const MAX_COMPARED = 5
export const MAX_INDICATORS = 24

/** Everything a chart can draw over or below its bars. */
export const STUDY_KINDS = [...CHART_INDICATOR_IDS, 'volume-profile', 'formula'] as const
export type StudyKind = (typeof STUDY_KINDS)[number]

/** The valid items of a list, up to `most`. Items from another version don't invalidate the others. */
function those<T extends v.GenericSchema>(schema: T, most: number) {
  return v.pipe(
    v.array(v.unknown()),
    v.transform((list): v.InferOutput<T>[] =>
      list
        .flatMap((one) => {
          const result = v.safeParse(schema, one)
          return result.success ? [result.output] : []
        })
        .slice(0, most),
    ),
  )
}

/** One indicator on a chart. `id` distinguishes several of one kind. */
const chartIndicatorSchema = v.object({
  id: v.pipe(text(40), v.minLength(1)),
  kind: v.picklist(STUDY_KINDS),
  /** By parameter key. Missing parameters have their defaults. */
  values: v.fallback(v.record(text(32), v.pipe(v.number(), v.finite())), {}),
  /** The price it is computed from, if it can choose. */
  price: v.fallback(v.picklist(PRICE_NAMES), 'close'),
  /** CSS colors by output. Empty or missing: the theme's palette. */
  colours: v.fallback(v.pipe(v.array(text(32)), v.maxLength(8)), []),
  /** Over the prices, in its own pane, or the default of its kind. */
  pane: v.fallback(v.picklist(['auto', 'price', 'own']), 'auto'),
  hidden: v.fallback(v.boolean(), false),
  /** Of a `formula`: its name, its text, and a later text that has an error yet and isn't drawn. */
  formula: v.optional(v.object({ name: text(60), text: text(MAX_FORMULA), draft: v.optional(text(MAX_FORMULA)) })),
})
export type ChartIndicator = v.InferOutput<typeof chartIndicatorSchema>

/** A named set of indicators that can be added to any chart. */
export const chartTemplateSchema = v.object({
  name: v.pipe(text(60), v.minLength(1)),
  indicators: those(chartIndicatorSchema, MAX_INDICATORS),
})
export type ChartTemplate = v.InferOutput<typeof chartTemplateSchema>

const footprintSchema = v.object({
  content: v.fallback(v.picklist(FOOTPRINT_CONTENTS), 'bid-ask'),
  /** Ticks of 10^-decimals in a row; null: chosen by the bars in view. */
  group: v.fallback(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1e12))), null),
  /** How many times the volume diagonally opposite makes an imbalance. */
  ratio: v.fallback(v.pipe(v.number(), v.minValue(1), v.maxValue(100)), 3),
  /** Whether volume against none is an imbalance. */
  againstZero: v.fallback(v.boolean(), false),
})
export type FootprintSettings = v.InferOutput<typeof footprintSchema>

/** The ratio or difference of a chart's instrument and another one. It applies while the chart shows `of`. */
const chartSpreadSchema = v.object({
  of: storedInstrument,
  with: storedInstrument,
  /** The symbol of the other one. */
  label: text(40),
  operator: v.picklist(SPREAD_OPERATORS),
})
export type ChartSpread = v.InferOutput<typeof chartSpreadSchema>

/** Everything a chart remembers except the instrument, which comes from its link group. */
export const chartSettingsSchema = v.object({
  interval: v.fallback(
    interval,
    // Seconds, because a first start has no history: a minute chart would be one candle.
    '1s',
  ),
  /** Single trades instead of bars. */
  ticks: v.fallback(v.boolean(), false),
  of: v.fallback(v.picklist(['auto', 'trade', 'bid', 'ask', 'mid', 'service']), 'auto'),
  style: v.fallback(v.picklist(CHART_STYLES), 'candles'),
  /** Earnings and news on the chart of a stock. */
  events: v.fallback(v.boolean(), false),
  spread: v.fallback(v.nullable(chartSpreadSchema), null),
  /** Bars by trades instead of bars of an interval; null: none. */
  eventBars: v.fallback(v.nullable(eventBarRule), null),
  scale: v.fallback(v.picklist(CHART_SCALES), 'linear'),
  /** Inverts the price axis. */
  inverted: v.fallback(v.boolean(), false),
  /** A volume pane, if bars have volume. */
  volume: v.fallback(v.boolean(), true),
  indicators: v.fallback(those(chartIndicatorSchema, MAX_INDICATORS), []),
  /** Instruments in percent from the left edge, next to the chart's own. */
  compare: v.fallback(those(storedInstrument, MAX_COMPARED), []),
  /** Lines at the best bid and ask. */
  bidAsk: v.fallback(v.boolean(), false),
  /** How long bid and ask stood at each price of each bar, and how long their middle did in view. */
  quoteMap: v.fallback(v.boolean(), false),
  timeAtPrice: v.fallback(v.boolean(), false),
  /** Shades the hours outside of the main session and marks session boundaries. */
  sessions: v.fallback(v.boolean(), true),
  /** Lines where days begin in the chart's time zone. */
  days: v.fallback(v.boolean(), true),
  /** The last values of indicators, next to the axes. */
  values: v.fallback(v.boolean(), true),
  /** Time until the bar closes, next to the last price. */
  countdown: v.fallback(v.boolean(), true),
  footprint: v.fallback(footprintSchema, v.parse(footprintSchema, {})),
  /** IANA zone, `local`, `exchange` or `UTC`. Null: the window's zone. */
  zone: v.fallback(v.nullable(text(64)), null),
})
export type ChartSettings = v.InferOutput<typeof chartSettingsSchema>

export const DEFAULT_CHART_SETTINGS: ChartSettings = v.parse(chartSettingsSchema, {})
