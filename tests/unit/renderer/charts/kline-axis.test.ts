import type { AxisCreateRangeParams, Chart, YAxis } from 'klinecharts'
import { describe, expect, it } from 'vitest'
import { PriceAxis, roomsOf, type AxisSource } from '../../../../src/renderer/charts/kline-axis.ts'

/** The library's own room above and below, of the range: see `kline-axis.ts`. */
const [TOP, BOTTOM] = [0.16, 0.08]
/** Px from the top of the pane at which the highest price is drawn, and from its end the lowest. */
function endsIn(
  head: number,
  height: number,
  upside = false,
  textScale = 1,
): { readonly high: number; readonly low: number } {
  const { top, bottom } = roomsOf(head, height, upside, textScale)
  const [above, below] = upside ? [BOTTOM, TOP] : [TOP, BOTTOM]
  const range = 1 + top + bottom
  const px = height / (range * (1 + TOP + BOTTOM))
  return { high: (top + above * range) * px, low: (bottom + below * range) * px }
}

describe('the room for a legend over a chart', () => {
  it('lets the highest price and its label lie below it, whatever its lines, and the lowest above the end', () => {
    for (const height of [110, 150, 240, 400, 900])
      for (const head of [0, 20, 40, 58])
        for (const upside of [false, true]) {
          if (head + 14 > 0.56 * height) continue
          const { high, low } = endsIn(head, height, upside)
          expect(high).toBeGreaterThanOrEqual((head === 0 ? 0 : head + 14) - 1e-9)
          expect(low).toBeGreaterThanOrEqual(Math.min(14, height * 0.1) - 1e-9)
        }
  })
  it('grows no further than it has to', () => {
    expect(endsIn(40, 150).high).toBeCloseTo(54, 9)
    expect(endsIn(40, 110).low).toBeCloseTo(Math.min(14, ((1 - 54 / 110) / 4) * 110), 9)
  })
  it('holds labels of a larger text', () => {
    for (const scale of [1, 1.25, 1.5])
      expect(endsIn(40, 150, false, scale).high).toBeCloseTo(40 + Math.round(14 * scale), 9)
  })
  it('holds what is painted below the lowest price, but leaves most of a low pane to the prices', () => {
    const rooms = roomsOf(0, 200, false, 1, 31)
    const px = 200 / ((1 + rooms.top + rooms.bottom) * (1 + TOP + BOTTOM))
    expect((rooms.bottom + BOTTOM * (1 + rooms.top + rooms.bottom)) * px).toBeCloseTo(31, 9)
    expect(roomsOf(0, 600, false, 1, 31)).toEqual({ top: 0, bottom: 0 })
    expect(roomsOf(0, 40, false, 1, 31).bottom).toBeLessThan(0.34)
  })
  it('is the usual one where that is enough, or nothing lies there', () => {
    expect(roomsOf(20, 600)).toEqual({ top: 0, bottom: 0 })
    expect(roomsOf(0, 400)).toEqual({ top: 0, bottom: 0 })
    expect(roomsOf(20, 0)).toEqual({ top: 0, bottom: 0 })
  })
  it('leaves most of a quarter of the pane to the prices', () => {
    for (const height of [20, 60, 200]) {
      const { high, low } = endsIn(500, height)
      expect(high).toBeLessThanOrEqual(0.56 * height + 1e-9)
      expect(height - high - low).toBeGreaterThan(height * 0.2)
    }
  })
})

const SOURCE: AxisSource = {
  rows: () => [],
  shown: () => ({ from: 0, to: 0 }),
  series: () => ({ label: '', intervalMs: 1_000, decimals: 2, style: 'candles', ticks: false }),
  scale: () => 'linear',
  inverted: () => false,
  studies: () => [Infinity, -Infinity],
  compared: () => [Infinity, -Infinity],
  priceRows: () => null,
  head: () => 0,
  foot: () => 0,
  fitted: () => ({ from: 0, to: 0 }),
  textScale: () => 1,
}

/** The range of an axis over one bar from 100.02 to 100.04. */
function rangeOf(source: Partial<AxisSource>) {
  let override: Partial<YAxis> = {}
  const chart = { overrideYAxis: (axis: Partial<YAxis>) => (override = axis), getSize: () => ({ height: 400 }) }
  const row = { bar: true, timestamp: 0, open: 100.03, high: 100.04, low: 100.02, close: 100.03 }
  new PriceAxis(chart as unknown as Chart, {
    ...SOURCE,
    rows: () => [row as never],
    fitted: () => ({ from: 0, to: 1 }),
    ...source,
  })
  const { from, to } = override.createRange?.({ defaultRange: {} } as AxisCreateRangeParams) ?? {}
  return [from, to]
}

it.each(['linear', 'percent'] as const)('keeps bars readable under wide bands, on a %s scale', (scale) => {
  const [low = NaN, high = NaN] = rangeOf({ scale: () => scale, studies: () => [90, 110] })
  expect(low).toBeCloseTo(100.02 - 0.012)
  expect(high).toBeCloseTo(100.04 + 0.012)
  const [under = NaN, over = NaN] = rangeOf({ scale: () => 'percent', compared: () => [99, 101] })
  expect([under, over], 'compared symbols are shown whole').toEqual([99, 101])
})

it('shows the rows of a footprint whole, so that none is under the legend', () => {
  expect(rangeOf({})).toEqual([100.02, 100.04])
  expect(rangeOf({ priceRows: () => ({ decimals: 2, group: 20 }) })).toEqual([100, 100.2])
  // A price at a row's lower edge has the whole row above it.
  expect(rangeOf({ priceRows: () => ({ decimals: 2, group: 4 }) })).toEqual([100, 100.08])
  const [low, high] = rangeOf({ scale: () => 'log', priceRows: () => ({ decimals: 2, group: 20_000 }) })
  expect(low).toBeCloseTo(100.02)
  expect(high).toBeCloseTo(200)
})

it('fits a range of less than an indicator’s precision', () => {
  let minSpan: YAxis['minSpan'] = () => NaN
  const chart = { overrideYAxis: (axis: Pick<YAxis, 'minSpan'>) => (minSpan = axis.minSpan) }
  new PriceAxis(chart as unknown as Chart, { ...SOURCE, series: () => ({ ...SOURCE.series(), decimals: 5 }) })
  // The library gives the least precision of all indicators over the prices: a volume profile has 2.
  expect(minSpan(2)).toBeCloseTo(0.000_01, 10)
})

it('writes the price of a mid as the legend does, which is a little less as a binary fraction', () => {
  let textOf: YAxis['displayValueToText'] = () => ''
  const chart = { overrideYAxis: (axis: Pick<YAxis, 'displayValueToText'>) => (textOf = axis.displayValueToText) }
  new PriceAxis(chart as unknown as Chart, SOURCE)
  const legend = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  for (const price of [99.955, 1.005, 100.125, 1234.565]) {
    expect(textOf(price, 2)).toBe(legend.format(price).replaceAll(',', ''))
  }
})
