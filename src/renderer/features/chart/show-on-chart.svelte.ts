/** Applies what a chart pane shows to its chart whenever it changes. */
import { untrack } from 'svelte'
import { followCompared } from './follow/compare-data.ts'
import { symbolIn } from './model/chart-window.ts'
import { studySpec } from '../../charts/model/study-spec.ts'
import type { ReadSides } from '../../charts/model/chart.ts'
import { followFlow } from './follow/followed-flow.ts'
import { followChart } from './follow/follow-chart.ts'
import type { ChartQuery, ChartStage } from './follow/chart-target.ts'
import { studiesOf, sumsNeeded } from './model/chart-studies.ts'
import { chartTheme } from './model/chart-theme.ts'
import type { ShownChart } from './model/shown-chart.ts'
import type { ChartPaneProps } from './model/chart-props.ts'
import type { ChartPlot, ChartPort, ChartStyle } from '../../charts/model/chart.ts'

/** Each is a separate reactive getter, so changing one doesn't rerun what depends on another. */
export interface Shown extends Required<
  Pick<ChartPaneProps, 'transport' | 'asOf' | 'markers' | 'goTo' | 'crosshair' | 'window' | 'settings' | 'themeKey'>
> {
  /** Null until the chart is open. */
  readonly chart: ChartPort | null
  readonly query: ChartQuery
  /** The style that the bars of the query can have. */
  readonly style: ChartStyle
  readonly compared: ShownChart['compared']
  /** The bars' trades can be read by side. */
  readonly hasFlow: boolean
  /** Increases when the market shown changes to another source. */
  readonly markets: number
  readonly zone: string
  readonly plot: ChartPlot
  readonly quote: Parameters<ChartPort['setQuote']>[0]
  /** Increases to repeat the same query. */
  readonly retry: number
  /** Whether the mouse is over this chart; if so, it controls the shared crosshair. */
  readonly leads: () => boolean
  readonly onStage: (stage: ChartStage) => void
  readonly onDecimals: (decimals: number) => void
  /** How far the sides that indicators show can be trusted; null: none does. */
  readonly onSides: (sides: ReadSides | null) => void
}

/** Call it during component initialization; it runs for the component's lifetime. */
export function showOnChart(shown: Shown): void {
  const chart = $derived(shown.chart)
  // Compared by value, because any settings change creates new objects.
  const queryKey = $derived(JSON.stringify(shown.query))
  const plotKey = $derived(JSON.stringify(shown.plot))
  const studyKey = $derived(JSON.stringify(shown.settings.indicators))
  const compareKey = $derived(shown.compared.join())

  let cut: ((ms: number) => void) | undefined
  let cutFlow: ((ms: number) => void) | undefined
  let cutCompared: ((ms: number) => void) | undefined
  $effect(() => {
    void queryKey
    void shown.markets
    void shown.retry
    const { transport } = shown
    if (!chart) return
    const port = chart
    const query = untrack(() => shown.query)
    let isCutting = false
    const following = followChart(
      transport,
      port,
      query,
      // Where nothing is left, what a replay seeked back to is still being read.
      (stage) => shown.onStage(isCutting && stage.is === 'empty' ? { is: 'loading' } : stage),
      (decimals) => shown.onDecimals(decimals),
    )
    cut = (ms) => {
      isCutting = true
      following.cut(ms)
      isCutting = false
    }
    return following.stop
  })
  let before: number | null = null
  $effect(() => {
    const { asOf } = shown
    if (asOf !== null && before !== null && asOf < before) {
      cut?.(asOf)
      cutFlow?.(asOf)
      cutCompared?.(asOf)
    }
    before = asOf
  })
  $effect(() => chart?.setReplayClock(shown.asOf ?? null))
  $effect(() => chart?.setStyle(shown.style))
  $effect(() => chart?.setZone(shown.zone))
  $effect(() => {
    void plotKey
    chart?.setPlot(untrack(() => shown.plot))
  })
  $effect(() => {
    void studyKey
    chart?.setStudies(untrack(() => studiesOf(shown.settings.indicators)))
  })
  const sumsKey = $derived(JSON.stringify(sumsNeeded(shown.settings.indicators)))
  const needsSides = $derived(
    shown.settings.indicators.some((one) => !one.hidden && studySpec(one)?.needsSides === true),
  )
  $effect(() => {
    void queryKey
    void sumsKey
    void shown.markets
    void shown.retry
    const { transport } = shown
    const query = untrack(() => shown.query)
    if (!chart || !needsSides || !shown.hasFlow) return
    const following = followFlow(
      transport,
      chart,
      query,
      (sides) => shown.onSides(sides),
      untrack(() => sumsNeeded(shown.settings.indicators)),
    )
    cutFlow = following.cut
    return following.stop
  })
  $effect(() => {
    void compareKey
    void shown.markets
    const { transport } = shown
    const { view, interval } = shown.query
    const compared = untrack(() =>
      shown.compared.map((instrument) => ({ instrument, label: symbolIn(shown.window, instrument) })),
    )
    if (!chart || compared.length === 0) return
    const following = followCompared(transport, chart, view, interval, compared)
    cutCompared = following.cut
    return following.stop
  })
  $effect(() => chart?.setQuote(shown.quote))
  // A derived value, because rows change with every tick.
  const offline = $derived(shown.window?.offline ?? false)
  $effect(() => chart?.setStale(offline))
  $effect(() => {
    const { window: around } = shown
    chart?.setClock(() => around?.now() ?? Date.now())
  })
  $effect(() => chart?.setMarkers(shown.markers ?? []))
  $effect(() => {
    const { goTo } = shown
    if (goTo) void chart?.goTo(goTo.ms)
  })
  // A derived value, so other changes to the shared crosshair don't clear this chart's own crosshair.
  const linkedMs = $derived(shown.crosshair)
  $effect(() => {
    const ms = linkedMs
    if (chart && !shown.leads()) chart.showCrosshair(ms)
  })
  $effect(() => {
    void shown.themeKey
    // The tokens change with the next style pass.
    const frame = requestAnimationFrame(() => chart?.setTheme(chartTheme()))
    return () => cancelAnimationFrame(frame)
  })
}
