/** Loads the bars of compared symbols, each with its own page and stream. Trade bars, or mid bars for forex. */
import { mergeBars } from '../../../charts/model/series.ts'
import type { ChartPort, ComparedSeries } from '../../../charts/model/chart.ts'
import type { Bar, Interval } from '../../../../shared/core/market/market.ts'
import type { Transport } from '../../../../shared/transport.ts'
import type { GapSpan } from '../../../../shared/core/status/status.ts'
import { parseInstrument, type InstrumentId } from '../../../../shared/base/units.ts'
import type { Following } from './chart-target.ts'
import { followChart } from './follow-chart.ts'

/** A symbol beside another one. `label`: as the service writes it. */
export interface Compared {
  readonly instrument: InstrumentId
  readonly label: string
}

/** Keeps the compared symbols of a chart up to date until stopped. */
export function followCompared(
  transport: Transport,
  chart: Pick<ChartPort, 'setCompared'>,
  view: string,
  interval: Interval,
  compared: readonly Compared[],
): Following {
  const lists = compared.map((): Bar[] => [])
  const gaps = compared.map((): readonly GapSpan[] => [])
  const show = (): void =>
    chart.setCompared(compared.map(({ label }, i): ComparedSeries => ({ label, bars: lists[i], gaps: gaps[i] })))
  const followed = compared.map(({ instrument, label }, i) => {
    const sink = {
      load(_series: unknown, bars: readonly Bar[]) {
        lists[i] = [...bars]
        show()
      },
      update(bars: readonly Bar[]) {
        mergeBars(lists[i], bars)
        show()
      },
      setGaps(spans: readonly GapSpan[]) {
        gaps[i] = spans
        show()
      },
      setDecimals: () => undefined,
      setPages: () => undefined,
    }
    const query = {
      view,
      instrument,
      label,
      of: parseInstrument(instrument)?.asset === 'forex' ? 'mid' : 'trade',
      interval,
      ticks: false,
      eventBars: null,
      style: 'line',
    } as const
    return followChart(
      transport,
      sink,
      query,
      () => undefined,
      () => undefined,
    )
  })
  return {
    stop() {
      for (const one of followed) one.stop()
      chart.setCompared([])
    },
    cut(ms) {
      for (const one of followed) one.cut(ms)
    },
  }
}
