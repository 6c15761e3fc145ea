/** What the parts of a chart are called. */
import { CHART_STYLES, type ChartStyle } from '../../../shared/chart-settings.ts'
import type { BarSource } from '../../../shared/market.ts'
import { say } from '../../messages/catalogue.ts'

export const OF_LABEL: Readonly<Record<BarSource, string>> = {
  trade: say('chart.trades'),
  bid: say('chart.bid'),
  ask: say('chart.ask'),
  mid: say('chart.mid'),
  service: say('chart.service-bars'),
}

export const STYLE_LABEL: Readonly<Record<ChartStyle, string>> = {
  candles: say('chart.candles'),
  hollow: say('chart.hollow-candles'),
  bars: say('chart.ohlc-bars'),
  line: say('chart.line'),
  area: say('chart.area'),
  'heikin-ashi': say('chart.heikin-ashi'),
}

/** The styles there are: single prints have no bodies. */
export const stylesOf = (ticks: boolean): readonly ChartStyle[] => (ticks ? ['line', 'area'] : CHART_STYLES)
