import { flushSync } from 'svelte'
import { expect, it } from 'vitest'
import type { ChartLegend } from '../../../../../src/renderer/charts/model/chart.ts'
import type { PlacedCell } from '../../../../../src/renderer/features/chart/follow/cell-walk.ts'
import { ChartSpeech } from '../../../../../src/renderer/features/chart/chart-speech.svelte.ts'
import { Zone } from '../../../../../src/renderer/text/zone.ts'
import { NO_CELLS, type CellColumns } from '../../../../../src/shared/core/market/flow/cells.ts'
import { makeBar } from '../../../../kit/market.ts'

const EMPTY: ChartLegend = {
  bar: null,
  previousClose: null,
  fromCrosshair: false,
  rests: false,
  gap: null,
  atMs: null,
  markers: [],
  studies: [],
  compared: [],
}
const under = (startMs: number, close: number): ChartLegend => ({
  ...EMPTY,
  bar: makeBar({ startMs, close }),
  fromCrosshair: true,
})
const cellsOf = (buy: number): CellColumns => ({
  ...NO_CELLS,
  row: [7],
  buy: [buy],
  sell: [0],
  unknown: [0],
  count: [1],
})

function speaking() {
  const shown = $state.raw({
    price: String,
    size: String,
    stepMs: 60_000,
    clock: new Zone('UTC'),
    gapLabel: '',
  })
  let legend = $state.raw(EMPTY)
  let cell = $state.raw<PlacedCell | null>(null)
  let cells: CellColumns | null = null
  let speech: ChartSpeech | undefined
  const stop = $effect.root(() => {
    speech = new ChartSpeech({
      ...shown,
      get legend() {
        return legend
      },
      get cell() {
        return cell
      },
      get cells() {
        return cell === null ? null : cells
      },
    })
  })
  const text = () => {
    flushSync()
    return speech?.text ?? ''
  }
  return {
    stop,
    point(next: ChartLegend): string {
      legend = next
      return text()
    },
    choose(next: PlacedCell | null, read: CellColumns | null): string {
      cell = next
      cells = read
      return text()
    },
    read(next: CellColumns): string {
      cells = next
      legend = { ...legend }
      return text()
    },
  }
}

it('announces a bar once, when the crosshair reaches it', () => {
  const chart = speaking()
  expect(chart.point(EMPTY)).toBe('')
  const first = chart.point(under(60_000, 101))
  expect(first).toContain('close 101')
  expect(chart.point(under(60_000, 105)), 'the bar forms').toBe(first)
  expect(chart.point(under(120_000, 105))).toContain('close 105')
  expect(chart.point({ ...under(180_000, 109), rests: true }), 'it rests').toContain('close 105')
  expect(chart.point(EMPTY), 'the crosshair left').toBe('')
  chart.stop()
})

it('announces a cell when it is chosen and when it is read, not with every trade', () => {
  const chart = speaking()
  const cell = { startMs: 60_000, row: 7, rows: { decimals: 0, group: 1 } }
  chart.point(under(60_000, 101))
  expect(chart.choose(cell, null), 'not read yet').toContain('close 101')
  const said = chart.read(cellsOf(3))
  expect(said).toContain('bought 3')
  expect(chart.read(cellsOf(4)), 'another trade').toBe(said)
  expect(chart.choose({ ...cell }, cellsOf(5)), 'chosen again').toContain('bought 5')
  expect(chart.choose(null, null)).toContain('close 101')
  chart.stop()
})
