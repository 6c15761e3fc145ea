import { describe, expect, it } from 'vitest'
import { chartSurface, lengthText } from '../../../../../src/renderer/charts/drawings/surface.ts'
import { makeBar } from '../../../../kit/market.ts'

const bar = (startMs: number, open: number, high: number, low: number, close: number, volume: number) =>
  makeBar({ startMs, lengthMs: 1_000, open, high, low, close, volume })
const BARS = [bar(1_000, 10, 14, 8, 12, 5), bar(2_000, 12, 20, 11, 19, 7), bar(9_000, 19, 19, 15, 16, 1)]

/** Ten px a bar from the left, a price in 10 px, with the night between 3 and 9 s left out. */
function surface(log = false) {
  let asked = 0
  let textScale = 1
  const height = (price: number) => (log ? 500 - Math.log10(price) * 100 : 500 - price * 10)
  const place = (ms: number) =>
    ms <= 2_000 ? ms / 100 : ms >= 9_000 ? 30 + (ms - 9_000) / 100 : 20 + ((ms - 2_000) / 7_000) * 10
  const instant = (x: number) =>
    x <= 20 ? x * 100 : x >= 30 ? 9_000 + (x - 30) * 100 : 2_000 + ((x - 20) / 10) * 7_000
  const made = chartSurface(
    {
      plotArea: () => ({ left: 0, top: 0, width: 400, height: 500 }),
      pixelOf(ms, price) {
        asked++
        return { x: place(ms), y: height(price) }
      },
      pointAt: (x, y) => ({ ms: instant(x), price: log ? 10 ** ((500 - y) / 100) : (500 - y) / 10 }),
      barAt: (x) => BARS.find(({ startMs }) => Math.abs(place(startMs) - x) <= 5) ?? null,
      visibleBars: () => BARS,
      barsBetween: (fromMs, toMs) => BARS.filter(({ startMs }) => startMs >= fromMs && startMs <= toMs),
    },
    {
      decimals: () => 2,
      intervalMs: () => 1_000,
      closeOnly: () => false,
      price: (value) => value.toFixed(2),
      volume: String,
      textWidth: (text) => text.length * textScale,
      textScale: () => textScale,
    },
  )
  return {
    ...made,
    get textScale() {
      return made.textScale
    },
    toPixel: made.toPixel,
    renew: () => made.renew(),
    asked: () => asked,
    setTextScale: (to: number) => (textScale = to),
  }
}

describe('the surface of a chart', () => {
  it('has the closes of the bars that start within a time, ends included', () => {
    expect(surface().closes?.(2_000, 9_000)).toEqual([
      { ms: 2_000, close: 19 },
      { ms: 9_000, close: 16 },
    ])
    expect(surface().closes?.(1_001, 1_999)).toEqual([])
  })
  it('places points as the chart does, and asks it once an instant', () => {
    const chart = surface()
    const first = chart.toPixel({ ms: 1_500, price: 3.25 })
    expect(first).toEqual({ x: 15, y: 467.5 })
    const before = chart.asked()
    expect(chart.toPixel({ ms: 1_500, price: 7 })).toEqual({ x: 15, y: 430 })
    expect(chart.asked()).toBe(before)
    chart.renew()
    chart.toPixel({ ms: 1_500, price: 7 })
    expect(chart.asked()).toBeGreaterThan(before)
  })
  it('asks for every price where the scale is not even', () => {
    const chart = surface(true)
    for (const price of [0.5, 1, 10, 1_000])
      expect(chart.toPixel({ ms: 1_000, price })?.y).toBeCloseTo(500 - Math.log10(price) * 100, 9)
  })
  it('snaps to the nearest price of a bar within reach', () => {
    const chart = surface()
    expect(chart.snap({ x: 18, y: 500 - 201 })).toEqual({ ms: 2_000, price: 20 })
    expect(chart.snap({ x: 22, y: 500 - 186 })).toEqual({ ms: 2_000, price: 19 })
    expect(chart.snap({ x: 20, y: 100 })).toBeNull()
    expect(chart.snap({ x: 300, y: 300 })).toBeNull()
  })
  it('gives points at the precision of the instrument', () => {
    expect(surface().toPoint({ x: 3.3333, y: 33.333 })).toEqual({ ms: 333, price: 46.67 })
  })
  it('steps by a bar and a round price that is seen, and over what the chart leaves out', () => {
    const chart = surface()
    expect(chart.step({ ms: 1_000, price: 10 }, 1, 0)).toEqual({ ms: 2_000, price: 10 })
    expect(chart.step({ ms: 1_000, price: 10 }, 0, 1)).toEqual({ ms: 1_000, price: 10.2 })
    expect(chart.step({ ms: 1_000, price: 10 }, 0, -10)).toEqual({ ms: 1_000, price: 8 })
    // A second into the night would be a pixel and a half.
    expect(chart.step({ ms: 2_000, price: 10 }, 1, 0).ms).toBeGreaterThan(3_000)
  })
  it('tells bars and volume of what is in view, and only the time of the rest', () => {
    const { span } = surface().words
    expect(span({ ms: 1_000, price: 1 }, { ms: 9_000, price: 2 })).toBe('2 bars, 8 s, vol 12')
    expect(span({ ms: 2_000, price: 1 }, { ms: 1_000, price: 2 })).toBe('1 bar, 1 s, vol 5')
    expect(span({ ms: -3_600_000, price: 1 }, { ms: 1_000, price: 2 })).toBe('1 h')
  })
  it('measures texts again after their size changes, with the next view', () => {
    const chart = surface()
    expect([chart.words.textWidth('12345', false), chart.textScale]).toEqual([5, 1])
    chart.setTextScale(1.5)
    // The figures of this view are all of one size.
    expect([chart.words.textWidth('12345', false), chart.textScale]).toEqual([5, 1])
    chart.renew()
    expect([chart.words.textWidth('12345', false), chart.textScale]).toEqual([7.5, 1.5])
  })
  it('tells lengths in their two largest units', () => {
    expect([350, 61_000, 90_061_000, 7_200_000].map(lengthText)).toEqual(['350 ms', '1 min 1 s', '1 d 1 h', '2 h'])
  })
})
