/**
 * What a chart shows and how: one object per chart, saved with its pane. An invalid field falls back alone, so a bad
 * file never empties a chart.
 */
import * as v from 'valibot'
import { CHART_INDICATOR_IDS, PRICE_NAMES } from '../../core/market/indicators/table.ts'
import { INTERVAL_LABELS, type Interval } from '../../core/market/market.ts'
import { parseInstrument, type InstrumentId } from '../../base/units.ts'

/** How bars are drawn. Heikin-Ashi bars are derived and were never traded. */
export const CHART_STYLES = ['candles', 'hollow', 'bars', 'line', 'area', 'heikin-ashi'] as const
export type ChartStyle = (typeof CHART_STYLES)[number]

/** Price axis. Percent is relative to the first visible bar. */
export const CHART_SCALES = ['linear', 'log', 'percent'] as const
export type ChartScale = (typeof CHART_SCALES)[number]

/** The most symbols to compare, and the most indicators per chart. */
export const MAX_COMPARED = 5
export const MAX_INDICATORS = 24

/** Everything a chart can draw over or below its bars. */
export const STUDY_KINDS = [...CHART_INDICATOR_IDS, 'volume-profile'] as const
export type StudyKind = (typeof STUDY_KINDS)[number]

const text = (most: number) => v.pipe(v.string(), v.maxLength(most))
// parseInstrument accepts exactly the texts that are instruments.
const instrument = v.custom<InstrumentId>((x) => typeof x === 'string' && parseInstrument(x) !== undefined)

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
export const chartIndicatorSchema = v.object({
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
})
export type ChartIndicator = v.InferOutput<typeof chartIndicatorSchema>

/** A named set of indicators that can be added to any chart. */
export const chartTemplateSchema = v.object({
  name: v.pipe(text(60), v.minLength(1)),
  indicators: those(chartIndicatorSchema, MAX_INDICATORS),
})
export type ChartTemplate = v.InferOutput<typeof chartTemplateSchema>

/** Fields that are also stored with the pane while there is one chart; see `chartOptionsSchema`. */
const asked = {
  interval: v.fallback(
    v.custom<Interval>((x) => (INTERVAL_LABELS as readonly unknown[]).includes(x)),
    // Seconds, because a first start has no history: a minute chart would be one candle.
    '1s',
  ),
  /** Single trades instead of bars. */
  ticks: v.fallback(v.boolean(), false),
  of: v.fallback(v.picklist(['auto', 'trade', 'bid', 'ask', 'mid', 'service']), 'auto'),
  style: v.fallback(v.picklist(CHART_STYLES), 'candles'),
  /** Earnings and news on the chart of a stock. */
  events: v.fallback(v.boolean(), false),
}

const options = {
  scale: v.fallback(v.picklist(CHART_SCALES), 'linear'),
  /** Inverts the price axis. */
  inverted: v.fallback(v.boolean(), false),
  /** A volume pane, if bars have volume. */
  volume: v.fallback(v.boolean(), true),
  indicators: v.fallback(those(chartIndicatorSchema, MAX_INDICATORS), []),
  /** Instruments in percent from the left edge, next to the chart's own. */
  compare: v.fallback(those(instrument, MAX_COMPARED), []),
  /** Lines at the best bid and ask. */
  bidAsk: v.fallback(v.boolean(), false),
  /** Shades the hours outside of the main session and marks session boundaries. */
  sessions: v.fallback(v.boolean(), true),
  /** Lines where days begin in the chart's time zone. */
  days: v.fallback(v.boolean(), true),
  /** Time until the bar closes, next to the last price. */
  countdown: v.fallback(v.boolean(), true),
  /** IANA zone, `local`, `exchange` or `UTC`. Null: the window's zone. */
  zone: v.fallback(v.nullable(text(64)), null),
}

/** The settings of a chart that the workspace doesn't also store as fields. */
export const chartOptionsSchema = v.object(options)
export type ChartOptions = v.InferOutput<typeof chartOptionsSchema>

/** Everything a chart remembers except the instrument, which comes from its link group. */
export const chartSettingsSchema = v.object({ ...asked, ...options })
export type ChartSettings = v.InferOutput<typeof chartSettingsSchema>

export const DEFAULT_CHART_OPTIONS: ChartOptions = v.parse(chartOptionsSchema, {})
export const DEFAULT_CHART_SETTINGS: ChartSettings = v.parse(chartSettingsSchema, {})
