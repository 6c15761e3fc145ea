/** The bars in view as a file. Pure. */
import type { Bar } from '../../../shared/core/market/market.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import type { ChartSettings } from '../../../shared/features/chart/chart-settings.ts'
import { barsCsv } from '../../text/table-csv.ts'
import { barsLabel, chartFileName, chartSymbol } from './model/chart-labels.ts'
import { shownChart } from './model/shown-chart.ts'

/** The CSV of a chart's bars. The column `of` says what they are built from; Renko bricks aren't prices of trades. */
export function barsFile(
  symbol: string,
  instrument: InstrumentId,
  settings: ChartSettings,
  bars: readonly Bar[],
): { readonly name: string; readonly text: string } {
  const shown = shownChart(settings, instrument)
  const label = chartSymbol(symbol, instrument, settings)
  const of = shown.eventBars?.kind === 'renko' ? 'renko' : shown.builtFrom.join('/')
  return { name: chartFileName([label, barsLabel(shown), of], 'csv'), text: barsCsv(label, of, bars) }
}
