/**
 * What one chart shows and how: one object for each chart, kept with its pane. A field that is not valid
 * falls back alone, so that nothing a file says empties a chart.
 */
import * as v from 'valibot'
import { CHART_INDICATOR_IDS, PRICE_NAMES } from '../../core/market/indicators/table.ts'
import { INTERVAL_LABELS, type Interval } from '../../core/market/market.ts'
import { parseInstrument, type InstrumentId } from '../../base/units.ts'

/** How bars are drawn. Heikin-Ashi bars are derived, never what was traded. */
export const CHART_STYLES = ['candles', 'hollow', 'bars', 'line', 'area', 'heikin-ashi'] as const
export type ChartStyle = (typeof CHART_STYLES)[number]

/** Of the price axis; percent counts from the first bar in view. */
export const CHART_SCALES = ['linear', 'log', 'percent'] as const
export type ChartScale = (typeof CHART_SCALES)[number]

/** Charts compare with so many symbols, and have so many indicators. */
export const MOST_COMPARED = 5
export const MOST_INDICATORS = 24

/** What a chart can draw over or under its bars. */
export const STUDY_KINDS = [...CHART_INDICATOR_IDS, 'volume-profile'] as const
export type StudyKind = (typeof STUDY_KINDS)[number]

const text = (most: number) => v.pipe(v.string(), v.maxLength(most))
// parseInstrument accepts exactly the texts that are instruments
const instrument = v.custom<InstrumentId>((x) => typeof x === 'string' && parseInstrument(x) !== undefined)

/** Those of a list that are valid, up to so many: one from another version does not take the others with it. */
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

/** One indicator on a chart: several of one kind are told apart by `id`. */
export const chartIndicatorSchema = v.object({
  id: v.pipe(text(40), v.minLength(1)),
  kind: v.picklist(STUDY_KINDS),
  /** By the keys of its parameters; what is absent is as usual. */
  values: v.fallback(v.record(text(32), v.pipe(v.number(), v.finite())), {}),
  /** The price it works on, for those that can choose. */
  price: v.fallback(v.picklist(PRICE_NAMES), 'close'),
  /** CSS colours by output; an empty text or none: from the palette of the theme. */
  colours: v.fallback(v.pipe(v.array(text(32)), v.maxLength(8)), []),
  /** Over the prices, in a pane of its own, or where its kind belongs. */
  pane: v.fallback(v.picklist(['auto', 'price', 'own']), 'auto'),
  hidden: v.fallback(v.boolean(), false),
})
export type ChartIndicator = v.InferOutput<typeof chartIndicatorSchema>

/** A set of indicators under a name, to be put on any chart. */
export const chartTemplateSchema = v.object({
  name: v.pipe(text(60), v.minLength(1)),
  indicators: those(chartIndicatorSchema, MOST_INDICATORS),
})
export type ChartTemplate = v.InferOutput<typeof chartTemplateSchema>

/** Fields that are kept beside the chart's others while there is one chart; see `chartOptionsSchema`. */
const asked = {
  interval: v.fallback(
    v.custom<Interval>((x) => (INTERVAL_LABELS as readonly unknown[]).includes(x)),
    // Seconds, because a first start has no history: a chart of minutes would be one candle.
    '1s',
  ),
  /** Single prints instead of bars. */
  ticks: v.fallback(v.boolean(), false),
  of: v.fallback(v.picklist(['auto', 'trade', 'bid', 'ask', 'mid', 'service']), 'auto'),
  style: v.fallback(v.picklist(CHART_STYLES), 'candles'),
  /** Earnings and news stand on the chart of a stock. */
  events: v.fallback(v.boolean(), false),
}

const options = {
  scale: v.fallback(v.picklist(CHART_SCALES), 'linear'),
  /** The price axis upside down. */
  inverted: v.fallback(v.boolean(), false),
  /** A pane of volume where bars have one. */
  volume: v.fallback(v.boolean(), true),
  indicators: v.fallback(those(chartIndicatorSchema, MOST_INDICATORS), []),
  /** Instruments in percent from the left edge, beside the chart's own. */
  compare: v.fallback(those(instrument, MOST_COMPARED), []),
  /** Lines at the best bid and ask. */
  bidAsk: v.fallback(v.boolean(), false),
  /** Hours outside of the main session are shaded, sessions bounded. */
  sessions: v.fallback(v.boolean(), true),
  /** Lines where days begin, in the zone of the chart. */
  days: v.fallback(v.boolean(), true),
  /** Time until the bar closes, at the last price. */
  countdown: v.fallback(v.boolean(), true),
  /** IANA zone, `local`, `exchange` or `UTC`; null: as the window. */
  zone: v.fallback(v.nullable(text(64)), null),
}

/** The part of a chart's settings that is not also a field of its own of the workspace. */
export const chartOptionsSchema = v.object(options)
export type ChartOptions = v.InferOutput<typeof chartOptionsSchema>

/** Everything that one chart remembers, but for the instrument, which its link group gives. */
export const chartSettingsSchema = v.object({ ...asked, ...options })
export type ChartSettings = v.InferOutput<typeof chartSettingsSchema>

export const DEFAULT_CHART_OPTIONS: ChartOptions = v.parse(chartOptionsSchema, {})
export const DEFAULT_CHART_SETTINGS: ChartSettings = v.parse(chartSettingsSchema, {})
