/** The drawing library's styles, from our tokens. */
import type { DeepPartial, Styles } from 'klinecharts'
import { FAMILY, textPx } from './canvas-text.ts'
import type { ChartStyle, ChartTheme } from '../model/chart.ts'

/**
 * The library's styles for a theme and a style of bars. `past`: the last bar loaded is not the newest one; `low`: there
 * is no room for words in the plot; `stale`: nothing is received, so the last price has no direction.
 */
export function chartStyles(
  theme: ChartTheme,
  style: ChartStyle,
  countdown: boolean,
  isReplay = false,
  low = false,
  stale = false,
): DeepPartial<Styles> {
  const hidden = 'transparent'
  const size = textPx(11, theme.textScale)
  const own = style === 'line' || style === 'area'
  const tickText = { color: theme.dim, size, family: FAMILY }
  const crosshairLine = { color: theme.faint, dashedValue: [3, 3] }
  const crosshairText = {
    color: theme.text,
    backgroundColor: theme.raised,
    borderColor: theme.line,
    size,
    family: FAMILY,
    borderRadius: 2,
  }
  const colours = { upColor: theme.up, downColor: theme.down, noChangeColor: theme.dim }
  // paint-footprint.ts paints these bars.
  const [up, down, dim] = style === 'footprint' ? [hidden, hidden, hidden] : [theme.up, theme.down, theme.dim]
  return {
    grid: {
      horizontal: { color: theme.grid, style: 'solid', size: 0.5 },
      vertical: { color: theme.grid, style: 'solid', size: 0.5 },
    },
    candle: {
      type: own ? 'area' : style === 'bars' ? 'ohlc' : style === 'hollow' ? 'candle_up_stroke' : 'candle_solid',
      bar: {
        upColor: up,
        downColor: down,
        noChangeColor: dim,
        upBorderColor: up,
        downBorderColor: down,
        noChangeBorderColor: dim,
        upWickColor: up,
        downWickColor: down,
        noChangeWickColor: dim,
      },
      // paint.ts draws lines that break at gaps; the library's own would bridge them.
      area: {
        lineSize: 0,
        lineColor: hidden,
        value: 'close',
        backgroundColor: hidden,
        point: { show: false, animation: false },
      },
      priceMark: {
        high: { show: !low && style !== 'footprint', color: theme.dim, textSize: size, textFamily: FAMILY },
        low: { show: !low && style !== 'footprint', color: theme.dim, textSize: size, textFamily: FAMILY },
        last: {
          ...(stale ? { upColor: theme.dim, downColor: theme.dim, noChangeColor: theme.dim } : colours),
          // Averages aren't traded prices; the chart paints the last traded price itself.
          show: style !== 'heikin-ashi' && !isReplay,
          compareRule: 'current_open',
          line: { size: 1, dashedValue: [2, 3] },
          text: { size, family: FAMILY, color: theme.pane, borderRadius: 2, paddingLeft: 5, paddingRight: 5 },
          // Only the one with room has a text at a time.
          extendTexts: (['below_price', 'above_price'] as const).map((position) => ({
            // Lists are merged by index, so an empty list would change nothing.
            show: countdown,
            position,
            updateInterval: 1_000,
            size: textPx(10, theme.textScale),
            family: FAMILY,
            weight: 'normal',
            color: theme.pane,
            style: 'fill',
            borderStyle: 'solid',
            borderSize: 0,
            borderColor: 'transparent',
            borderDashedValue: [2, 2],
            borderRadius: 2,
            paddingLeft: 5,
            paddingRight: 5,
            paddingTop: 2,
            paddingBottom: 3,
          })),
        },
      },
      tooltip: { showRule: 'none' },
    },
    indicator: { tooltip: { showRule: 'none' }, lastValueMark: { show: false } },
    xAxis: { axisLine: { color: theme.line }, tickLine: { show: false }, tickText },
    yAxis: { axisLine: { color: theme.line }, tickLine: { show: false }, tickText },
    separator: { color: theme.line, size: 1, activeBackgroundColor: theme.raised },
    crosshair: {
      horizontal: { line: crosshairLine, text: crosshairText },
      vertical: { line: crosshairLine, text: crosshairText },
    },
  }
}
