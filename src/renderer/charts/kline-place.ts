/** Converts instants and prices to positions on a chart, px from its top left corner, and back. */
import type { Chart, YAxis } from 'klinecharts'
import { instantOf, placeOf } from './model/place.ts'
import type { ChartPort, ChartSeries, PlotArea } from './model/chart.ts'
import { rowsOnScreen, type RowRange } from './model/rows-on-screen.ts'
import type { Row } from './model/series.ts'

interface Options {
  readonly rows: () => readonly Row[]
  readonly series: () => ChartSeries
  /** The price axis; undefined until the library has created it. */
  readonly axis: () => YAxis | undefined
}

export interface Places extends Pick<ChartPort, 'pixelOf' | 'pointAt' | 'plotArea'> {
  /** Middle of a row, px from the plot's left. */
  readonly xOf: (index: number) => number
  /** The row at an x from the plot's left, also beyond the ends. */
  readonly indexAt: (x: number) => number | undefined
  /** Rows on screen. The library's own range includes some that aren't. `reachPx`: see `rowsOnScreen`. */
  readonly shown: (reachPx?: number) => RowRange
}

export function placesOf(chart: Chart, { rows, series, axis: priceAxis }: Options): Places {
  function xOf(index: number): number {
    const at = chart.convertToPixel({ dataIndex: index })
    return Array.isArray(at) ? NaN : (at.x ?? NaN)
  }

  function indexAt(x: number): number | undefined {
    const at = chart.convertFromPixel([{ x }], { paneId: 'candle_pane' })
    return (Array.isArray(at) ? at[0] : at)?.dataIndex
  }

  /** Length of one bar beyond the ends, ms. For trades, which have no interval, it is their mean distance. */
  function pace(list: readonly Row[]): number {
    const { ticks, intervalMs } = series()
    if (!ticks) return intervalMs
    const some = list.slice(-200)
    const span = some.length > 1 ? some[some.length - 1].timestamp - some[0].timestamp : 0
    return span > 0 ? span / (some.length - 1) : 1_000
  }

  function plotArea(): PlotArea {
    const bounding = chart.getSize('candle_pane', 'main')
    const pane = chart.getSize('candle_pane', 'root')
    return {
      left: bounding?.left ?? 0,
      top: pane?.top ?? 0,
      width: bounding?.width ?? 0,
      height: bounding?.height ?? 0,
    }
  }

  const shown = (reachPx = 0): RowRange =>
    rowsOnScreen({
      firstX: xOf(0),
      rowPx: chart.getBarSpace().bar,
      width: plotArea().width,
      count: rows().length,
      reachPx,
    })

  return {
    xOf,
    indexAt,
    shown,
    plotArea,
    pixelOf(ms, price) {
      const list = rows()
      const axis = priceAxis()
      if (list.length === 0 || !axis) return null
      const place = placeOf(list, ms, pace(list))
      const at = Math.floor(place)
      const from = xOf(at)
      const { left, top, height } = plotArea()
      const range = axis.getRange()
      // The axis rounds to whole pixels, which is visible on a line between distant points.
      const rate = (axis.valueToRealValue(price, { range }) - range.realFrom) / range.realRange
      return {
        x: left + from + (place - at) * (xOf(at + 1) - from),
        y: top + (axis.reverse ? rate : 1 - rate) * height,
      }
    },
    pointAt(x, y) {
      const list = rows()
      const axis = priceAxis()
      const { left, top } = plotArea()
      let at = indexAt(x - left)
      if (list.length === 0 || !axis || at === undefined) return null
      while (xOf(at) > x - left) at--
      while (xOf(at + 1) <= x - left) at++
      const from = xOf(at)
      const place = at + (x - left - from) / (xOf(at + 1) - from)
      return { ms: instantOf(list, place, pace(list)), price: axis.convertFromPixel(y - top) }
    },
  }
}
