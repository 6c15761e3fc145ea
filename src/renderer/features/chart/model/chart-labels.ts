/** Labels of the parts of a chart. */
import type { ChartSettings, ChartSpread, ChartStyle } from '../../../../shared/features/chart/chart-settings.ts'
import {
  hasBars,
  INTERVAL_LABELS,
  msOf,
  serviceBarFeed,
  type BarSource,
  type Interval,
} from '../../../../shared/core/market/market.ts'
import type { EventBarKind } from '../../../../shared/core/market/event-bars.ts'
import type { AssetClass, InstrumentId } from '../../../../shared/base/units.ts'
import type { GapSpan } from '../../../../shared/core/status/status.ts'
import type { ChartLegend } from '../../../charts/model/chart.ts'
import { crosshairText } from '../../../charts/model/time-axis.ts'
import type { Zone } from '../../../text/zone.ts'
import { listed, t } from '../../../../shared/base/text.ts'
import { causeText } from '../../../text/replay-labels.ts'
import { timeText } from '../../../text/zone-time.ts'

const OF_LABEL: Readonly<Record<BarSource, string>> = {
  trade: t('Trades'),
  bid: t('Bid'),
  ask: t('Ask'),
  mid: t('Mid'),
  service: t('Service bars'),
}

/** What the bars shown are built from. For the service's own bars, it names the feed. */
export function builtFromText(of: BarSource, asset: AssetClass, interval: Interval): string {
  const feed = of === 'service' ? serviceBarFeed(asset, msOf(interval)) : undefined
  return feed === undefined ? OF_LABEL[of] : t('Service bars ({feed})', { feed })
}

/** The label of a bar source. If it has no bars of the interval, it names the shortest interval it has. */
export function sourceText(of: BarSource, interval: Interval): string {
  if (hasBars(of, interval)) return OF_LABEL[of]
  return t('Service bars ({interval} and longer)', { interval: INTERVAL_LABELS.find((one) => hasBars(of, one)) ?? '' })
}

const EVENT_BARS: Readonly<Record<EventBarKind, (size: string) => string>> = {
  tick: (size) => t('{size} trades', { size }),
  volume: (size) => t('volume {size}', { size }),
  range: (size) => t('range {size}', { size }),
  renko: (size) => t('Renko {size}', { size }),
  delta: (size) => t('delta {size}', { size }),
}
/** What a bar of a chart is: an interval, a trade, or a rule such as “100 trades”. */
export function barsLabel({
  eventBars,
  ticks,
  interval,
}: Pick<ChartSettings, 'eventBars' | 'ticks' | 'interval'>): string {
  if (eventBars === null) return ticks ? t('ticks') : interval
  return EVENT_BARS[eventBars.kind](String(eventBars.size))
}

/** “ETH-USD/BTC-USD”, or with a minus sign for a difference. */
export const spreadLabel = (symbol: string, spread: Pick<ChartSpread, 'label' | 'operator'>): string =>
  `${symbol}${spread.operator === '/' ? '/' : ' − '}${spread.label}`

/** What a chart of an instrument shows: its symbol, or its ratio or difference with another one. */
export const chartSymbol = (symbol: string, id: InstrumentId, { spread }: Pick<ChartSettings, 'spread'>): string =>
  spread?.of === id ? spreadLabel(symbol, spread) : symbol

/** A file name made of these parts, without spaces and slashes. */
export const chartFileName = (parts: readonly string[], ending: string): string =>
  `${parts.join('-').replaceAll(/\s+/g, '-').replaceAll('/', '_')}.${ending}`

export const STYLE_LABEL: Readonly<Record<ChartStyle, string>> = {
  candles: t('Candles'),
  hollow: t('Hollow candles'),
  bars: t('OHLC bars'),
  line: t('Line'),
  area: t('Area'),
  'heikin-ashi': t('Heikin-Ashi'),
  footprint: t('Footprint'),
}

/** Why and when data is missing or corrupt; empty if there is no gap. */
export function gapText(gap: GapSpan | null, zone: string): string {
  if (gap === null) return ''
  const { fromMs, toMs } = gap
  // Clock times alone would understate a gap that ends on another day.
  const shape = toMs !== null && timeText(fromMs, zone, 'day') === timeText(toMs, zone, 'day') ? 'millis' : 'stamp'
  return t('{cause} {time} to {time2}', {
    cause: causeText(gap.cause),
    time: timeText(fromMs, zone, shape),
    time2: toMs === null ? t('now') : timeText(toMs, zone, shape),
  })
}

/** The bar under the crosshair, for screen readers; empty if there is none. */
export function spokenLegend(
  { bar, markers, gap }: ChartLegend,
  gapLabel: string,
  price: (value: number) => string,
  intervalMs: number,
  clock: Zone,
): string {
  if (!bar && gapLabel)
    return t(gap?.cause === 'unreadable' ? 'Can’t be read: {gap}' : 'Nothing received: {gap}', { gap: gapLabel })
  if (!bar) return ''
  return listed([
    t('{time}: open {open}, high {high}, low {low}, close {close}', {
      time: crosshairText(bar.startMs, intervalMs, clock),
      open: price(bar.open),
      high: price(bar.high),
      low: price(bar.low),
      close: price(bar.close),
    }),
    bar.complete ? '' : t('incomplete'),
    gapLabel ? t('gap: {gap}', { gap: gapLabel }) : '',
    ...markers.map((one) => one.text),
  ])
}
