// @vitest-environment jsdom
/** No two lines over the prices look alike, and the legend shows each as it is drawn. */
import { afterAll, expect, it } from 'vitest'
import '../../browser-stubs.ts'
import { dashPattern, LINE_COLORS, type LineDash } from '../../../../../src/renderer/charts/model/line-style.ts'
import type { ChartLegend } from '../../../../../src/renderer/charts/model/chart.ts'
import { addStudy, studiesOf } from '../../../../../src/renderer/features/chart/model/chart-studies.ts'
import type { Bar } from '../../../../../src/shared/core/market/market.ts'
import { recordedChart } from '../recording-canvas.ts'
import { makeBar } from '../../../../kit/market.ts'

const MINUTE = 60_000
const bars: readonly Bar[] = Array.from({ length: 120 }, (_, i) => {
  const price = 200 + 20 * Math.sin(i / 7)
  return makeBar({ startMs: i * MINUTE, open: price, high: price + 2, low: price - 2, close: price + 1, volume: 5 })
})

const { port, painted, frames } = recordedChart(1_000, 800)
afterAll(() => port.destroy())
let legend: ChartLegend | undefined
port.onLegend((next) => (legend = next))
const look = (color: string, dash: readonly number[]) => `${color} ${dash.join()}`
/** Looks of the long lines that were painted in colors of indicators, each as often as it was painted. */
const looks = () =>
  painted()
    .filter(({ op, path, color }) => op === 'stroke' && path.length > 30 && LINE_COLORS.dark.includes(color as never))
    .map(({ color, dash }) => look(color, dash))
const told = (colour: string, dash: LineDash) => look(colour, dashPattern(dash))

it('lines of many indicators and a compared symbol all differ, as drawn and in the legend', async () => {
  port.load({ label: 'X', intervalMs: MINUTE, decimals: 2, ticks: false }, bars, false, false)
  let list: ReturnType<typeof addStudy> = []
  for (const kind of ['sma', 'bollinger-bands', 'vwap', 'ema', 'keltner'] as const) list = addStudy(list, kind)
  port.setStudies(studiesOf(list))
  port.setCompared([{ label: 'Y', bars, gaps: [] }])
  port.fit()
  await frames()
  const legends = legend?.studies.flatMap(({ colours, dashes }) => colours.map((one, i) => told(one, dashes[i]))) ?? []
  const compared = legend?.compared.map(({ colour, dash }) => told(colour, dash)) ?? []
  // Some are dashed: there are more lines than colors.
  expect(legends.length + compared.length).toBeGreaterThan(LINE_COLORS.dark.length)
  expect(new Set([...legends, ...compared]).size).toBe(legends.length + compared.length)
  expect(looks().toSorted()).toEqual([...legends, ...compared].toSorted())
})
