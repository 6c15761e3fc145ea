/** Loads the bars of compared symbols, each with its own page and stream. Trade bars, or mid bars for forex. */
import { mergeBars } from '../../../charts/model/series.ts'
import type { ChartPort, ComparedSeries } from '../../../charts/model/chart.ts'
import type { Bar, Interval } from '../../../../shared/core/market/market.ts'
import type { Transport } from '../../../../shared/rpc/transport.ts'
import { parseInstrument, type InstrumentId } from '../../../../shared/base/units.ts'
import { followChart } from './chart-data.ts'

/** The legend's label for a symbol: the instrument without its asset class. */
export const comparedLabel = (instrument: InstrumentId): string => parseInstrument(instrument)?.key ?? instrument

/** Keeps the compared symbols of a chart up to date; returns the stop function. */
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
