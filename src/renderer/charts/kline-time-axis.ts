/** The labels of the time axis over the drawing library. */
import type { AxisTick, Chart, XAxisOverride } from 'klinecharts'
import type { Zone } from '../text/zone.ts'
import type { ChartSeries } from './model/chart.ts'
import type { Row } from './model/series.ts'
import { axisLabels, axisText } from './model/time-axis.ts'
import { textPx } from './paint/canvas-text.ts'

/** Distance between two labels, px at the default text size. */
const LABEL_DISTANCE_PX = 84

export interface TimeAxisSource {
  readonly rows: () => readonly Row[]
  readonly series: () => ChartSeries
  readonly zone: () => Zone
  readonly textScale: () => number
  /** Middle of a row, px from the plot's left. */
  readonly xOf: (index: number) => number
  readonly plotWidth: () => number
}

/** The smallest difference between two times on the axis, ms. */
export const axisStepMs = ({ ticks, intervalMs }: ChartSeries): number => (ticks ? 1 : intervalMs)

export class TimeAxis {
  readonly #chart: Chart
  readonly #source: TimeAxisSource

  constructor(chart: Chart, source: TimeAxisSource) {
    this.#chart = chart
    this.#source = source
    const override: XAxisOverride = { createTicks: ({ range }) => this.#ticks(range.realFrom, range.realTo) }
    chart.overrideXAxis(override)
  }

  #ticks(realFrom: number, realTo: number): AxisTick[] {
    const { rows, series, zone, textScale, xOf } = this.#source
    const list = rows()
    const from = Math.max(0, realFrom)
    const to = Math.min(list.length, realTo)
    const labels = axisLabels(
      (index) => list[index].timestamp,
      from,
      to,
      this.#chart.getBarSpace().bar,
      axisStepMs(series()),
      zone(),
      textPx(LABEL_DISTANCE_PX, textScale()),
    )
    const ticks = labels
      .map(({ index, text }) => ({ coord: xOf(index), value: list[index].timestamp, text }))
      .filter(({ coord, text }) => this.#fits(coord, text))
    return ticks.length > 0 ? ticks : this.#lastThatFits(from, to)
  }

  /** Whether a label fits. A cut-off time would read as a different one. */
  #fits(x: number, text: string): boolean {
    const half = textPx(text.length * 3, this.#source.textScale())
    return x >= half && x <= this.#source.plotWidth() - half
  }

  /** The last row whose time fits, used if no round time does. */
  #lastThatFits(from: number, to: number): AxisTick[] {
    const { rows, series, zone, xOf } = this.#source
    for (let i = to - 1; i >= from; i--) {
      const { timestamp } = rows()[i]
      const text = axisText(timestamp, axisStepMs(series()), false, zone())
      if (this.#fits(xOf(i), text)) return [{ coord: xOf(i), value: timestamp, text }]
    }
    return []
  }
}
