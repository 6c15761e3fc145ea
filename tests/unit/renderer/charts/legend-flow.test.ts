// @vitest-environment jsdom
/** The legend when trades are read after the last bar came, as in a replay that is paused. */
import { expect, it } from 'vitest'
import '../browser-stubs.ts'
import type { ChartLegend } from '../../../../src/renderer/charts/model/chart.ts'
import { addStudy, studiesOf } from '../../../../src/renderer/features/chart/model/chart-studies.ts'
import { makeBar } from '../../../kit/market.ts'
import { recordedChart } from './recording-canvas.ts'

const MINUTE = 60_000

it('has the values of order flow once the trades are read, although no bar changes any more', async () => {
  const { port, frames } = recordedChart(800, 600)
  let legend: ChartLegend | null = null
  port.onLegend((now) => (legend = now))
  const bars = Array.from({ length: 5 }, (_, i) => makeBar({ startMs: i * MINUTE, lengthMs: MINUTE, volume: 5 }))
  port.load({ label: 'X', intervalMs: MINUTE, decimals: 2, ticks: false }, bars, false, false)
  port.setStudies(studiesOf(addStudy([], 'delta')))
  await frames()
  const values = () => legend?.studies[0]?.values.filter((value) => value !== null)
  expect(values()).toEqual([])
  port.setFlow(() => ({ buy: 4, sell: 1 }), -Infinity)
  for (let i = 0; i < 4; i++) await new Promise((next) => requestAnimationFrame(next))
  expect(values()).toContain(3)
})
