/** What the parts of a chart are called. */
import { CHART_STYLES, type ChartStyle } from '../../../shared/chart-settings.ts'
import type { BarSource } from '../../../shared/market.ts'

export const OF_LABEL: Readonly<Record<BarSource, string>> = {
  trade: 'Trades',
  bid: 'Bid',
  ask: 'Ask',
  mid: 'Mid',
  service: 'Service bars',
}

export const STYLE_LABEL: Readonly<Record<ChartStyle, string>> = {
  candles: 'Candles',
  hollow: 'Hollow candles',
  bars: 'OHLC bars',
  line: 'Line',
  area: 'Area',
  'heikin-ashi': 'Heikin-Ashi',
}

/** The styles there are: single prints have no bodies. */
export const stylesOf = (ticks: boolean): readonly ChartStyle[] => (ticks ? ['line', 'area'] : CHART_STYLES)
