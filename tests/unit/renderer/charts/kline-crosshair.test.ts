// @vitest-environment jsdom
import type { Chart } from 'klinecharts'
import { describe, expect, it } from 'vitest'
import { KlineCrosshair } from '../../../../src/renderer/charts/kline-crosshair.ts'
import { rowOf, type Row } from '../../../../src/renderer/charts/model/series.ts'
import { makeBar } from '../../../kit/market.ts'

const SECOND = 1_000
const rowAt = (at: number): Row =>
  rowOf(makeBar({ startMs: at * SECOND, lengthMs: SECOND, close: 100 + at, volume: null }))

/** A chart of rows 10 px wide, `seen` of which are in view: those up to `newest`, or to the last row. */
function chartOf(count: number, seen: number, newest = count) {
  const rows = Array.from({ length: count }, (_, i) => rowAt(i))
  /** Where the library draws its crosshair; null: nowhere. */
  let drawn: { x?: number; y?: number; paneId?: string } | null = null
  let tell: (data: unknown) => void = () => undefined
  const out = count - newest
  const from = () => Math.max(0, rows.length - out - seen)
  const xOf = (index: number) => (index - from()) * 10 + 5
  const chart = {
    subscribeAction: (_: string, listener: (data: unknown) => void) => (tell = listener),
    executeAction: (_: string, data: typeof drawn) => (drawn = data),
    scrollToDataIndex: () => undefined,
  } as unknown as Chart // what a crosshair needs of it
  const told: (number | null)[] = []
  const element = document.createElement('div')
  const crosshair = new KlineCrosshair(chart, element, {
    rows: () => rows,
    places: {
      xOf,
      shown: () => ({ from: from(), to: rows.length - out }),
      indexAt: (x) => from() + Math.floor(x / 10),
      pixelOf: (ms, price) => ({ x: 3 + xOf(rows.findIndex((row) => row.timestamp === ms)), y: 7 + 1_000.25 - price }),
      plotArea: () => ({ left: 3, top: 7, width: seen * 10, height: 1_000 }),
    },
    moved: () => undefined,
  })
  crosshair.follow((ms) => told.push(ms))
  return { rows, crosshair, told, element, drawn: () => drawn, mouse: (data: unknown) => tell(data) }
}

describe('a crosshair that was stepped to a bar', () => {
  it('goes with the bar as others come, and out of view with it', () => {
    const { rows, crosshair, drawn, told } = chartOf(20, 10)
    crosshair.step(-1)
    expect(drawn()).toMatchObject({ x: 95, y: 881.25, paneId: 'candle_pane' })
    rows.push(rowAt(20), rowAt(21))
    crosshair.stay()
    expect(drawn()).toMatchObject({ x: 75, y: 881.25 })
    expect([crosshair.index, crosshair.ms]).toEqual([19, 19_000])
    for (let at = 22; at < 40; at++) rows.push(rowAt(at))
    crosshair.stay()
    expect(drawn()).toBeNull()
    // It still tells of its bar, and goes on from there.
    expect(crosshair.ms).toBe(19_000)
    crosshair.step(1)
    expect(told).toEqual([19_000, 20_000])
  })

  it('begins in the middle of what is shown where the newest bar is out of view, as after going to a date', () => {
    const { crosshair } = chartOf(300, 20, 100)
    crosshair.step(-1)
    expect(crosshair.index).toBe(90)
    crosshair.step(-1)
    expect(crosshair.index).toBe(89)
  })

  it('stays on its bar when older ones come before it', () => {
    const { rows, crosshair } = chartOf(20, 30)
    crosshair.step(-1)
    rows.unshift(...Array.from({ length: 5 }, (_, i) => rowAt(i - 5)))
    crosshair.stay()
    expect([crosshair.index, crosshair.ms]).toEqual([24, 19_000])
  })

  it('is left alone once the mouse leads, or nothing does', () => {
    const { rows, crosshair, drawn, mouse } = chartOf(20, 10)
    crosshair.step(-1)
    mouse({ x: 42, y: 7, paneId: 'candle_pane' })
    const before = drawn()
    rows.push(rowAt(20))
    crosshair.stay()
    expect([crosshair.stands, drawn()]).toEqual([false, before])
    crosshair.step(-1)
    crosshair.clear()
    expect([crosshair.stands, drawn(), crosshair.ms]).toEqual([false, null, null])
  })
})

it('a linked crosshair goes with its bar, too', () => {
  const { rows, crosshair, drawn } = chartOf(20, 10)
  crosshair.show(15_400)
  expect(drawn()).toEqual({ x: 55, paneId: 'linked' })
  rows.push(rowAt(20))
  crosshair.stay()
  expect(drawn()).toEqual({ x: 45, paneId: 'linked' })
  crosshair.show(null)
  expect([crosshair.stands, drawn()]).toEqual([false, null])
})

it('a linked crosshair goes on to the bar that it was meant for once that comes', () => {
  const { rows, crosshair, drawn } = chartOf(20, 10)
  crosshair.show(21_400)
  expect(crosshair.ms).toBe(19_000)
  rows.push(rowAt(20))
  crosshair.stay()
  expect(crosshair.ms).toBe(20_000)
  rows.push(rowAt(21), rowAt(22))
  crosshair.stay()
  expect([crosshair.ms, crosshair.index]).toEqual([21_000, 21])
  expect(drawn()).toEqual({ x: 85, paneId: 'linked' })
})

it('marks its element while anything of it is drawn, so that empty canvases are hidden', () => {
  const { crosshair, element, mouse } = chartOf(20, 10)
  const isMarked = () => element.hasAttribute('data-crosshair')
  expect(isMarked()).toBe(false)
  mouse({ x: 42, y: 7, paneId: 'candle_pane' })
  expect(isMarked()).toBe(true)
  element.dispatchEvent(new MouseEvent('mouseleave'))
  expect(isMarked()).toBe(false)
  crosshair.step(-1)
  expect(isMarked()).toBe(true)
  crosshair.clear()
  expect(isMarked()).toBe(false)
  crosshair.show(15_400)
  expect(isMarked()).toBe(true)
  crosshair.show(null)
  expect(isMarked()).toBe(false)
})
