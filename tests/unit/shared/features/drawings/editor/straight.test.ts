/** What an alert crosses is what is drawn: on each scale, and where closed hours take no room. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Frame } from '../../../../../../src/shared/features/drawings/editor/figure-parts.ts'
import { figureOf } from '../../../../../../src/shared/features/drawings/editor/figure.ts'
import { openTime } from '../../../../../../src/shared/features/drawings/open-time.ts'
import { priceAt, type LineScale } from '../../../../../../src/shared/features/drawings/price-at.ts'
import { ASSET_CLASSES, type AssetClass } from '../../../../../../src/shared/base/units.ts'
import { flat } from '../flat-chart.ts'
import { at, drawing } from '../samples.ts'

const HOUR = 3_600_000
/** Thursday, 19 November 2026, 15:00 UTC: 10:00 in New York. */
const THURSDAY = Date.UTC(2026, 10, 19, 15)

/** A chart of an asset on a scale: a pixel is a minute in which it is open, and prices of 1 to 1,000 fill its height. */
function chartOf(asset: AssetClass, scale: LineScale): Frame {
  const axis = openTime(asset)
  const from = axis(THURSDAY)
  const place = (price: number) => (scale === 'log' ? Math.log(price) / Math.log(1_000) : price / 1_000)
  return {
    ...flat,
    plot: { left: 0, top: 0, width: 20_000, height: 100_000 },
    toPixel: ({ ms, price }) => ({ x: (axis(ms) - from) / 60_000, y: 100_000 * (1 - place(price)) }),
  }
}
const price = fc.double({ min: 1, max: 1_000, noNaN: true })
/** Within open hours of all of them: Thursday, Friday, Monday and Tuesday, 10:00 to 15:00 in New York. */
const instant = fc
  .tuple(fc.constantFrom(0, 1, 4, 5), fc.integer({ min: 0, max: 5 * 60 }))
  .map(([day, minutes]) => THURSDAY + day * 24 * HOUR + minutes * 60_000)

describe('a line is crossed where it is seen', () => {
  it('on every scale, over nights and weekends', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ASSET_CLASSES),
        fc.constantFrom<LineScale>('linear', 'log'),
        fc.constantFrom('trend', 'ray', 'channel'),
        fc.uniqueArray(instant, { minLength: 4, maxLength: 4 }),
        fc.tuple(price, price, price),
        (asset, scale, kind, instants, [p, q, r]) => {
          const [a, ms, third, b] = instants.toSorted((x, y) => x - y)
          const points = [at(a, p), at(b, q), ...(kind === 'channel' ? [at(third, r)] : [])]
          const drawn = drawing(kind, points)
          const frame = chartOf(asset, scale)
          const strokes = (figureOf(drawn, frame)?.strokes ?? []).filter(({ faint }) => faint !== true)
          const prices = priceAt(drawn, ms, openTime(asset), scale)
          expect(prices).toHaveLength(kind === 'channel' ? 2 : 1)
          prices.forEach((one, i) => {
            const pixel = frame.toPixel({ ms, price: one })
            const line = strokes[i]?.points
            // Nothing is drawn of a parallel that lies outside of the plot.
            if (!pixel || !line || pixel.y < 0 || pixel.y > 100_000) return
            const [from, to] = [line[0], line[line.length - 1]]
            if (pixel.x < Math.min(from.x, to.x) || pixel.x > Math.max(from.x, to.x)) return
            const seen = from.y + ((to.y - from.y) * (pixel.x - from.x)) / (to.x - from.x)
            expect(Math.abs(seen - pixel.y)).toBeLessThan(0.5)
          })
        },
      ),
    )
  })
  it('on a logarithmic scale in the middle of a decade, and nowhere below 0', () => {
    expect(priceAt(drawing('trend', [at(0, 10), at(2_000, 1_000)]), 1_000, undefined, 'log')[0]).toBeCloseTo(100, 9)
    const [base, upper] = priceAt(drawing('channel', [at(0, 10), at(2_000, 1_000), at(0, 20)]), 1_000, undefined, 'log')
    expect([base, upper].map((one) => Math.round(one))).toEqual([100, 200])
    expect(priceAt(drawing('trend', [at(0, -10), at(2_000, 1_000)]), 1_000, undefined, 'log')).toEqual([])
  })
})

describe('open time', () => {
  it.each([
    ['crypto', 24, 24],
    // From Thursday 10:00 to Friday 10:00, and on to Monday 10:00 in New York.
    ['forex', 24, 24],
    ['stocks', 16, 16],
  ] as const)('of %s leaves out what is closed', (asset, day, weekend) => {
    const axis = openTime(asset)
    const hours = (from: number, to: number) => (axis(THURSDAY + to * HOUR) - axis(THURSDAY + from * HOUR)) / HOUR
    expect(hours(0, 24)).toBe(day)
    expect(hours(24, 96)).toBe(asset === 'crypto' ? 72 : weekend)
    expect(hours(24 + 40, 24 + 41)).toBe(asset === 'crypto' ? 1 : 0)
  })
  it('knows holidays and half days of stocks, and weeks in which clocks change', () => {
    const stocks = openTime('stocks')
    // Thanksgiving, and the half day after it.
    expect(stocks(Date.UTC(2026, 10, 27, 5)) - stocks(Date.UTC(2026, 10, 26, 5))).toBe(0)
    expect(stocks(Date.UTC(2026, 10, 28, 5)) - stocks(Date.UTC(2026, 10, 27, 5))).toBe(13 * HOUR)
    const forex = openTime('forex')
    const week = (from: number, to: number) => (forex(to) - forex(from)) / HOUR
    expect(week(Date.UTC(2026, 9, 30, 16), Date.UTC(2026, 10, 6, 17))).toBe(120)
    expect(week(Date.UTC(2026, 2, 6, 17), Date.UTC(2026, 2, 13, 16))).toBe(120)
  })
  it('never goes back, however far out', () => {
    const any = fc.integer({ min: -8.64e15, max: 8.64e15 })
    fc.assert(
      fc.property(fc.constantFrom(...ASSET_CLASSES), any, any, (asset, a, b) => {
        const axis = openTime(asset)
        expect(axis(Math.min(a, b))).toBeLessThanOrEqual(axis(Math.max(a, b)))
      }),
    )
  })
})
