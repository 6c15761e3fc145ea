/** What a chart shows: what its settings ask for, as far as its instrument and its bars have it. Pure. */
import * as v from 'valibot'
import {
  CHART_STYLES,
  chartSettingsSchema,
  type ChartSettings,
  type ChartSpread,
  type ChartStyle,
} from '../../../../shared/features/chart/chart-settings.ts'
import { parseInstrument, type AssetClass, type InstrumentId } from '../../../../shared/base/units.ts'
import type { EventBarRule } from '../../../../shared/core/market/event-bars.ts'
import { hasBars, msOf, type BarSource, type Interval } from '../../../../shared/core/market/market.ts'

export interface ShownChart {
  readonly asset: AssetClass
  /** The ratio or difference shown instead of the instrument's own prices; null: none. */
  readonly spread: ChartSpread | null
  /** The symbols the chart is compared with, never itself. Their percent scale replaces the chosen one. */
  readonly compared: readonly InstrumentId[]
  /** Ticks and bars by trades can be shown. */
  readonly hasTrades: boolean
  /** Bars by trades; null: none. */
  readonly eventBars: EventBarRule | null
  readonly interval: Interval
  /** Single trades instead of bars. */
  readonly ticks: boolean
  /** Time-based bars of the instrument itself. */
  readonly isTimed: boolean
  /** The trades of each bar can be read by side and price. */
  readonly hasFlow: boolean
  /** The sources to choose from, the default first. */
  readonly sources: readonly BarSource[]
  /** What the bars are built from: of a spread, its first side. */
  readonly of: BarSource
  /** The same of both sides of a spread, each once. */
  readonly builtFrom: readonly BarSource[]
  /** The styles to choose from. */
  readonly styles: readonly ChartStyle[]
  readonly style: ChartStyle
  /** The least time between two bars, ms. */
  readonly stepMs: number
}

/**
 * The settings of a chart in its pane, with the interval that its color shares; null: none. Ticks and bars by trades
 * have no interval, so a chart keeps them.
 */
export function paneChartSettings(stored: unknown, shared: Interval | null): ChartSettings {
  const own = v.parse(chartSettingsSchema, stored)
  return shared === null ? own : { ...own, interval: shared }
}

/** The sources that bars of an asset class can be built from, the default first. */
const sourcesOf = (asset: AssetClass): readonly BarSource[] =>
  asset === 'forex' ? ['mid', 'bid', 'ask', 'service'] : ['trade', 'bid', 'ask', 'mid', 'service']

/** The source of a chart's bars: the chosen one, if it has bars of the interval. */
function builtFrom(chosen: BarSource | 'auto', asset: AssetClass, interval: Interval): BarSource {
  return chosen !== 'auto' && hasBars(chosen, interval) ? chosen : sourcesOf(asset)[0]
}

/** What a side of a spread is built from: the chosen quotes, or else trades, or mids where there are none. */
export function spreadSource(instrument: InstrumentId, chosen: BarSource | 'auto'): BarSource {
  if (chosen === 'bid' || chosen === 'ask' || chosen === 'mid') return chosen
  return parseInstrument(instrument)?.asset === 'forex' ? 'mid' : 'trade'
}

/** The style shown: single trades have no bodies, and only bars with order flow have a footprint. */
function styleOf(chosen: ChartStyle, ticks: boolean, hasFlow: boolean): ChartStyle {
  if (ticks) return chosen === 'area' ? 'area' : 'line'
  return chosen === 'footprint' && !hasFlow ? 'candles' : chosen
}

export function shownChart(settings: ChartSettings, instrument: InstrumentId): ShownChart {
  const asset = parseInstrument(instrument)?.asset ?? 'crypto'
  const { interval } = settings
  const spread = settings.spread?.of === instrument ? settings.spread : null
  const hasTrades = spread === null && asset !== 'forex'
  const eventBars = hasTrades ? settings.eventBars : null
  const ticks = settings.ticks && eventBars === null && hasTrades
  const isTimed = !ticks && eventBars === null && spread === null
  const hasFlow = isTimed && hasTrades
  const of =
    spread !== null
      ? spreadSource(instrument, settings.of)
      : eventBars !== null
        ? 'trade'
        : builtFrom(settings.of, asset, interval)
  return {
    asset,
    spread,
    compared: ticks || eventBars !== null ? [] : settings.compare.filter((one) => one !== instrument),
    hasTrades,
    eventBars,
    interval,
    ticks,
    isTimed,
    hasFlow,
    sources: sourcesOf(asset).filter((one) => spread === null || one !== 'service'),
    of,
    builtFrom: spread === null ? [of] : [...new Set([of, spreadSource(spread.with, of)])],
    styles: ticks ? ['line', 'area'] : CHART_STYLES.filter((style) => style !== 'footprint' || hasFlow),
    style: styleOf(settings.style, ticks, hasFlow),
    stepMs: ticks || eventBars !== null ? 1 : msOf(interval),
  }
}
