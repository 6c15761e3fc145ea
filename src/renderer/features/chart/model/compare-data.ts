/** Bars of symbols to compare a chart with: each by its own page and stream, of trades or, for forex, of mids. */
import { mergeBars } from '../../../charts/model/series.ts'
import type { ChartPort, ComparedSeries } from '../../../charts/model/chart.ts'
import type { Bar, Interval } from '../../../../shared/core/market/market.ts'
import type { Transport } from '../../../../shared/rpc/transport.ts'
import { parseInstrument, type InstrumentId } from '../../../../shared/base/units.ts'
import { followChart } from './chart-data.ts'

/** How a symbol is written in the legend: its instrument without the asset class. */
export const comparedLabel = (instrument: InstrumentId): string => parseInstrument(instrument)?.key ?? instrument

/** Follows the symbols into the chart until it is undone. */
export function followCompared(
  transport: Transport,
  chart: Pick<ChartPort, 'setCompared'>,
  view: string,
  interval: Interval,
  instruments: readonly InstrumentId[],
): () => void {
  const lists = instruments.map((): Bar[] => [])
  const show = (): void =>
    chart.setCompared(instruments.map((one, i): ComparedSeries => ({ label: comparedLabel(one), bars: lists[i] })))
  const stops = instruments.map((instrument, i) => {
    const sink = {
      load(_series: unknown, bars: readonly Bar[]) {
        lists[i] = [...bars]
        show()
      },
      update(bars: readonly Bar[]) {
        mergeBars(lists[i], bars)
        show()
      },
      setGaps: () => undefined,
      setDecimals: () => undefined,
      setPages: () => undefined,
    }
    const query = {
      view,
      instrument,
      label: comparedLabel(instrument),
      of: parseInstrument(instrument)?.asset === 'forex' ? 'mid' : 'trade',
      interval,
      ticks: false,
      style: 'line',
    } as const
    const following = followChart(
      transport,
      sink,
      query,
      () => undefined,
      () => undefined,
    )
    return () => following.stop()
  })
  return () => {
    for (const stop of stops) stop()
    chart.setCompared([])
  }
}
