/** The commands of charts: rows of the one table of shortcuts. They speak to the chart that was used last. */
import type { ChartSettings } from '../../../shared/features/chart/chart-settings.ts'
import { say } from '../../text/catalogue.ts'
import type { Command } from '../../core/window/command.ts'

/** What a chart can be asked from outside of it. */
export interface ChartActs {
  open(box: 'indicators' | 'compare' | 'view' | 'date'): void
  fit(): void
  picture(to: 'file' | 'clipboard'): void
  table(): void
  readonly settings: ChartSettings
  set(patch: Partial<ChartSettings>): void
}

/** Charts of this window, the one used last at the end. */
let charts: readonly ChartActs[] = []

/** A chart came, or was used: commands go to it until another is. */
export function useChart(acts: ChartActs): void {
  charts = [...charts.filter((one) => one !== acts), acts]
}
export function leaveChart(acts: ChartActs): void {
  charts = charts.filter((one) => one !== acts)
}

const onChart = (id: string, title: string, keys: readonly string[], act: (chart: ChartActs) => void): Command => ({
  id: `chart-${id}`,
  group: 'Chart',
  title,
  keys,
  run(app) {
    const chart = charts[charts.length - 1]
    if (chart === undefined) app.toasts.show(say('chart.there-no-chart-here'))
    else act(chart)
  },
})
/** Handled by the chart while it has the keys; listed here. */
const listed = (id: string, title: string, keys: readonly string[]): Command => ({
  id: `chart-${id}`,
  group: 'Chart',
  title,
  keys,
  run: () => undefined,
  listedOnly: true,
})

export const CHART_COMMANDS: readonly Command[] = [
  {
    id: 'interval',
    group: 'Chart',
    title: say('command.interval'),
    keys: [say('keys.digits')],
    run: () => undefined,
    listedOnly: true,
  },
  onChart('indicators', say('chart.indicators-chart'), ['/'], (chart) => chart.open('indicators')),
  onChart('compare', say('chart.compare-other-symbols'), [], (chart) => chart.open('compare')),
  onChart('view', say('chart.scale-lines-zone-chart'), [], (chart) => chart.open('view')),
  // In a replay these keys go to a moment of it.
  { ...onChart('date', say('chart.go-date-2'), ['Ctrl+G'], (chart) => chart.open('date')), when: 'live' },
  onChart('fit', say('chart.fit-all-bars-into'), [], (chart) => chart.fit()),
  onChart('table', say('chart.bars-chart-as-table'), [], (chart) => chart.table()),
  onChart('picture', say('chart.save-picture-chart'), [], (chart) => chart.picture('file')),
  onChart('copy-picture', say('chart.copy-picture-chart'), [], (chart) => chart.picture('clipboard')),
  ...(['linear', 'log', 'percent'] as const).map((scale) =>
    onChart(`scale-${scale}`, say(`chart.set-scale.${scale}`), [], (chart) => chart.set({ scale })),
  ),
  onChart('inverted', say('chart.turn-price-scale-upside'), [], (chart) =>
    chart.set({ inverted: !chart.settings.inverted }),
  ),
  onChart('bid-ask', say('chart.lines-at-bid-ask'), [], (chart) => chart.set({ bidAsk: !chart.settings.bidAsk })),
  listed('range', say('chart.mark-bars-their-time'), ['Ctrl+Shift+\u2190', 'Ctrl+Shift+\u2192']),
]
