/** What the parts of a chart are called. */
import { CHART_STYLES, type ChartStyle } from '../../../../shared/features/chart/chart-settings.ts'
import {
  hasBars,
  INTERVAL_LABELS,
  INTERVALS,
  serviceBarFeed,
  type BarSource,
  type Interval,
} from '../../../../shared/core/market/market.ts'
import type { AssetClass } from '../../../../shared/base/units.ts'
import type { GapSpan } from '../../../../shared/core/status/status.ts'
import type { ChartLegend } from '../../../charts/model/chart.ts'
import { crosshairText } from '../../../charts/model/time-axis.ts'
import type { Zone } from '../../../text/zone.ts'
import { listed, say } from '../../../text/catalogue.ts'
import { causeText } from '../../../text/replay-labels.ts'
import { timeText } from '../../../text/zone-time.ts'

const OF_LABEL: Readonly<Record<BarSource, string>> = {
  trade: say('chart.trades'),
  bid: say('chart.bid'),
  ask: say('chart.ask'),
  mid: say('chart.mid'),
  service: say('chart.service-bars'),
}

/** What shown bars are built from: of the service's own, also which of its feeds. */
export function builtFromText(of: BarSource, asset: AssetClass, interval: Interval): string {
  const feed = of === 'service' ? serviceBarFeed(asset, INTERVALS[interval]) : undefined
  return feed === undefined ? OF_LABEL[of] : say('chart.service-bars-of', { feed })
}

/** What bars of an asset class can be built from, what a chart shows first in front. */
export const sourcesOf = (asset: AssetClass): readonly BarSource[] =>
  asset === 'forex' ? ['mid', 'bid', 'ask', 'service'] : ['trade', 'bid', 'ask', 'mid', 'service']

/** What a chart's bars are built from: as chosen, where there are such bars of the interval. */
export function builtFrom(chosen: BarSource | 'auto', asset: AssetClass, interval: Interval): BarSource {
  return chosen !== 'auto' && hasBars(chosen, interval) ? chosen : sourcesOf(asset)[0]
}

/** A choice of what bars are built from: where there are none of the interval, it says from which on there are. */
export function sourceText(of: BarSource, interval: Interval): string {
  if (hasBars(of, interval)) return OF_LABEL[of]
  return say('chart.service-bars-from', { interval: INTERVAL_LABELS.find((one) => hasBars(of, one)) ?? '' })
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

/** Why and when nothing was received, or cannot be read; empty: there is no gap. */
export function gapText(gap: GapSpan | null, zone: string): string {
  if (gap === null) return ''
  const { fromMs, toMs } = gap
  // Two clock times of different days would tell of a shorter time than it was.
  const shape = toMs !== null && timeText(fromMs, zone, 'day') === timeText(toMs, zone, 'day') ? 'millis' : 'stamp'
  return say('chart.to', {
    cause: causeText(gap.cause),
    time: timeText(fromMs, zone, shape),
    time2: toMs === null ? say('chart.to-now') : timeText(toMs, zone, shape),
  })
}

/** The bar under the crosshair, for those who hear it; empty: there is none. */
export function spokenLegend(
  { bar, markers, gap }: ChartLegend,
  gapWords: string,
  price: (value: number) => string,
  intervalMs: number,
  clock: Zone,
): string {
  if (!bar && gapWords)
    return say(gap?.cause === 'unreadable' ? 'chart.unreadable-2' : 'chart.nothing-received-2', { gapWords })
  if (!bar) return ''
  return listed([
    say('chart.bar-spoken', {
      time: crosshairText(bar.startMs, intervalMs, clock),
      open: price(bar.open),
      high: price(bar.high),
      low: price(bar.low),
      close: price(bar.close),
    }),
    bar.complete ? '' : say('chart.bar-incomplete'),
    gapWords ? say('chart.bar-gap', { gapWords }) : '',
    ...markers.map((one) => one.text),
  ])
}
