/** Chart commands. They go to the chart used last. */
import { CHART_STYLES, type ChartSettings, type StudyKind } from '../../../shared/features/chart/chart-settings.ts'
import { t } from '../../../shared/base/text.ts'
import { STYLE_LABEL } from './model/chart-labels.ts'
import type { AnchoredKind } from './model/chart-studies.ts'
import type { Command } from '../../core/window/command.ts'

/** The actions that commands can run on a chart. */
export interface ChartActs {
  open(box: 'indicators' | 'compare' | 'view' | 'date'): void
  fit(): void
  picture(to: 'file' | 'clipboard'): void
  table(): void
  /** Makes the rows of the footprint larger (1) or smaller (-1). */
  group(direction: 1 | -1): void
  /** Shows these indicators, or hides them if all are shown. */
  toggle(kinds: readonly StudyKind[]): void
  /** Places an indicator that begins at the crosshair or the first bar in view, or covers a span, UTC ms. */
  anchor(kind: AnchoredKind, span?: { readonly fromMs: number; readonly toMs: number } | null): void
  /** Shows the volume profile of the marked range, or else of one that the user now chooses on the chart. */
  profileRange(): void
  /** Opens the review of the marked range, or else of the bars in view. */
  review(): void
  readonly settings: ChartSettings
  set(patch: Partial<ChartSettings>): void
}

/** The charts of this window, the most recently used one last. */
let charts: readonly ChartActs[] = []

/** Call it when a chart opens or is used: commands go to it until another chart is used. */
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
    if (chart === undefined) app.toasts.show(t('No chart is open in this window.'))
    else act(chart)
  },
})
/** A command that the focused chart handles itself; it is only listed here. */
const listed = (id: string, title: string, keys: readonly string[]): Command => ({
  id: `chart-${id}`,
  group: 'Chart',
  title,
  keys,
  run: () => undefined,
  listedOnly: true,
})

const SCALE = {
  linear: t('Price scale: linear'),
  log: t('Price scale: logarithmic'),
  percent: t('Price scale: percent'),
} as const

export const CHART_COMMANDS: readonly Command[] = [
  {
    id: 'interval',
    group: 'Chart',
    title: t('Type an interval: 5, 15, 30s, 250ms, 1h, 1d'),
    keys: [t('0 to 9')],
    run: () => undefined,
    listedOnly: true,
  },
  onChart('indicators', t('Chart indicators'), ['/'], (chart) => chart.open('indicators')),
  onChart('compare', t('Compare with other symbols'), [], (chart) => chart.open('compare')),
  onChart('view', t('Chart scale, lines, and time zone'), [], (chart) => chart.open('view')),
  // In a replay the same keys seek the replay.
  { ...onChart('date', t('Go to date'), ['Ctrl+G'], (chart) => chart.open('date')), when: 'live' },
  onChart('fit', t('Fit all bars on the chart'), [], (chart) => chart.fit()),
  onChart('table', t('Show chart bars as a table'), [], (chart) => chart.table()),
  onChart('picture', t('Save chart picture'), [], (chart) => chart.picture('file')),
  onChart('copy-picture', t('Copy chart picture'), [], (chart) => chart.picture('clipboard')),
  ...(['linear', 'log', 'percent'] as const).map((scale) =>
    onChart(`scale-${scale}`, SCALE[scale], [], (chart) => chart.set({ scale })),
  ),
  ...CHART_STYLES.filter((style) => style !== 'footprint').map((style) =>
    onChart(`style-${style}`, t('Chart style: {style}', { style: STYLE_LABEL[style] }), [], (chart) =>
      chart.set({ style, ...(style === 'line' || style === 'area' ? {} : { ticks: false }) }),
    ),
  ),
  onChart('inverted', t('Invert the price scale'), [], (chart) => chart.set({ inverted: !chart.settings.inverted })),
  onChart('bid-ask', t('Show or hide bid and ask lines'), [], (chart) => chart.set({ bidAsk: !chart.settings.bidAsk })),
  onChart('footprint', t('Show or hide the footprint'), ['Ctrl+Shift+F'], (chart) =>
    chart.set({ style: chart.settings.style === 'footprint' ? 'candles' : 'footprint', ticks: false }),
  ),
  onChart('delta', t('Show or hide delta and CVD'), ['Ctrl+Shift+D'], (chart) => chart.toggle(['delta', 'cvd'])),
  onChart('profile', t('Show or hide the volume profile'), ['Ctrl+Shift+V'], (chart) =>
    chart.toggle(['volume-profile']),
  ),
  onChart('profile-range', t('Volume profile of a range'), ['Ctrl+Alt+V'], (chart) => chart.profileRange()),
  onChart('anchor-vwap', t('Anchor VWAP at the crosshair'), ['Ctrl+Shift+A'], (chart) => chart.anchor('anchored-vwap')),
  onChart('anchor-delta', t('Anchor CVD at the crosshair'), [], (chart) => chart.anchor('cvd')),
  onChart('quote-map', t('Show or hide the quote heat map'), [], (chart) =>
    chart.set({ quoteMap: !chart.settings.quoteMap }),
  ),
  onChart('time-at-price', t('Show or hide time at price'), [], (chart) =>
    chart.set({ timeAtPrice: !chart.settings.timeAtPrice }),
  ),
  onChart('group-up', t('Larger footprint rows'), ['Ctrl+Shift+G'], (chart) => chart.group(1)),
  onChart('group-down', t('Smaller footprint rows'), ['Ctrl+Shift+H'], (chart) => chart.group(-1)),
  onChart('review', t('Review the marked range or the bars in view'), ['Ctrl+Alt+R'], (chart) => chart.review()),
  listed('range', t('Measure bars: time, change, and volume (or drag with Shift)'), [
    'Ctrl+Shift+\u2190',
    'Ctrl+Shift+\u2192',
  ]),
]
