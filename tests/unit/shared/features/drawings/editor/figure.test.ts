import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Pixel } from '../../../../../../src/shared/features/drawings/editor/figure-parts.ts'
import { figureOf } from '../../../../../../src/shared/features/drawings/editor/figure.ts'
import { gripAt } from '../../../../../../src/shared/features/drawings/editor/grip.ts'
import { clipped, isOutside } from '../../../../../../src/shared/features/drawings/editor/plot-area.ts'
import { priceStep, rounded, simplified } from '../../../../../../src/shared/features/drawings/editor/shape.ts'
import {
  DRAWING_KINDS,
  POINT_COUNTS,
  defaultStyle,
  type Drawing,
} from '../../../../../../src/shared/features/drawings/types.ts'
import { flat } from '../flat-chart.ts'
import { anyDrawing, at, drawing } from '../samples.ts'

const px = (x: number, y: number): Pixel => ({ x, y })
const box = { left: 0, top: 0, width: 100, height: 50 }

describe('cutting lines to the plot', () => {
  it('cuts segments, rays and lines without end', () => {
    expect(clipped(px(-50, 25), px(150, 25), box, {}, 0)).toEqual([px(0, 25), px(100, 25)])
    expect(clipped(px(10, 10), px(20, 20), box, {}, 0)).toEqual([px(10, 10), px(20, 20)])
    expect(clipped(px(10, 10), px(20, 20), box, { end: true }, 0)).toEqual([px(10, 10), px(50, 50)])
    expect(clipped(px(10, 10), px(20, 20), box, { start: true, end: true }, 0)).toEqual([px(0, 0), px(50, 50)])
    expect(clipped(px(10, 60), px(90, 60), box, { start: true, end: true }, 0)).toBeNull()
    expect(clipped(px(10, 10), px(10, 10), box, { end: true }, 0)).toEqual([px(10, 10), px(10, 10)])
  })
  it('stays within, whatever the line', () => {
    const place = fc.record({ x: fc.integer({ min: -1e6, max: 1e6 }), y: fc.integer({ min: -1e6, max: 1e6 }) })
    fc.assert(
      fc.property(place, place, fc.boolean(), fc.boolean(), (a, b, start, end) => {
        fc.pre(a.x !== b.x || a.y !== b.y)
        for (const { x, y } of clipped(a, b, box, { start, end }, 10) ?? []) {
          expect(x).toBeGreaterThanOrEqual(-10.001)
          expect(x).toBeLessThanOrEqual(110.001)
          expect(y).toBeGreaterThanOrEqual(-10.001)
          expect(y).toBeLessThanOrEqual(60.001)
        }
      }),
    )
  })
})

describe('figures', () => {
  it('are made of any drawing, also one that is still being drawn', () => {
    fc.assert(
      fc.property(anyDrawing, fc.nat({ max: 3 }), (one, count) => {
        const part = { ...one, points: one.points.slice(0, Math.max(1, count)) }
        for (const shown of [one, part]) {
          const figure = figureOf(shown, flat)
          const all = [...(figure?.strokes ?? []), ...(figure?.grounds ?? [])].flatMap(({ points }) => points)
          for (const { x, y } of all) expect(Number.isFinite(x) && Number.isFinite(y)).toBe(true)
        }
      }),
    )
  })
  it('are nothing where a price has no place', () => {
    const frame = { ...flat, toPixel: () => null }
    for (const kind of DRAWING_KINDS)
      expect(figureOf(drawing(kind, Array(POINT_COUNTS[kind][0]).fill(at(1, 2))), frame)).toBeNull()
  })
  it('of a pitchfork are three parallel rays, the median through the middle', () => {
    const figure = figureOf(drawing('pitchfork', [at(100_000, 100), at(200_000, 300), at(400_000, 100)]), flat)
    const [median, ...tines] = figure!.strokes.slice(0, 3).map(({ points: [a, b] }) => ({ a, b }))
    expect(median.a).toEqual(px(100, 900))
    expect(tines.map(({ a }) => a)).toEqual([px(200, 700), px(400, 900)])
    const slope = ({ a, b }: { a: Pixel; b: Pixel }) => (b.y - a.y) / (b.x - a.x)
    // From (100, 100) to the middle of the other two, (300, 200).
    for (const line of [median, ...tines]) expect(slope(line)).toBeCloseTo(-0.5, 9)
    for (const { b } of [median, ...tines]) expect(b.x).toBeGreaterThan(1_000)
  })
  it('of a regression channel follow the closes of its bars, and need none while there are none', () => {
    const closes = [100, 120, 110, 130, 140].map((close, i) => ({ ms: 100_000 + i * 10_000, close }))
    const frame = { ...flat, closes: (from: number, to: number) => closes.filter(({ ms }) => ms >= from && ms <= to) }
    const one = drawing('regression', [at(145_000, 500), at(100_000, 900)])
    const figure = figureOf(one, frame)
    const [base, upper, lower] = figure!.strokes.map(({ points }) => points)
    // By the normal equations: 102 + 9 a bar; squares of what remains 4, 81, 100, 1, 4: deviation sqrt(190 / 5).
    expect([base[0], base.at(-1)]).toEqual([px(100, 898), px(140, 862)])
    expect(base[0].y - upper[0].y).toBeCloseTo(2 * Math.sqrt(38), 9)
    expect(lower.at(-1)!.y - base.at(-1)!.y).toBeCloseTo(2 * Math.sqrt(38), 9)
    // Its ends move in time alone, whichever was drawn first.
    expect(figure!.handles.map(({ msOf, priceOf }) => [msOf, priceOf])).toEqual([[1, null], [0, null]])
    expect(figureOf(one, flat)?.strokes).toHaveLength(1)
  }) // oxfmt-ignore
  it('of a note lead from its box to what it is about', () => {
    const one = { ...drawing('note', [at(100_000, 100), at(300_000, 300)]), text: 'Earnings\nmissed' }
    const figure = figureOf(one, flat)!
    expect(figure.strokes[0].points).toEqual([px(100, 900), px(300, 700)])
    expect(figure.labels[0]).toMatchObject({ lines: ['Earnings', 'missed'], boxed: true })
    expect(gripAt(figure, px(300, 700), false, 1)).toEqual({ is: 'line' })
    expect(figure.handles).toHaveLength(2)
  })
  it('of levels have a color each if the style says so', () => {
    const fib = drawing('fib', [at(100_000, 100), at(300_000, 300)])
    const colors = (levels: Drawing['style']['levels']) =>
      figureOf({ ...fib, style: { ...fib.style, levels } }, flat)!.strokes.slice(1).map(({ color }) => color)
    expect(colors(['red', 'green'])).toEqual(['red', 'green', undefined, undefined, undefined, undefined, undefined])
    expect(colors(undefined)).toEqual(Array(7).fill(undefined))
    const named = figureOf(fib, flat)!
    expect(named.labels.map(({ color }) => color)).toEqual(named.strokes.slice(1).map(({ color }) => color))
    expect(new Set(colors(defaultStyle('fib').levels)).size).toBe(7)
  }) // oxfmt-ignore
  it('are made once a view', () => {
    const frame = { ...flat, known: new WeakMap() }
    const one = drawing('trend', [at(0, 0), at(100_000, 100)])
    expect(figureOf(one, frame)).toBe(figureOf(one, frame))
  })
  it('say the levels of a retracement, and leave out labels that would lie on each other', () => {
    const levels = (high: number) =>
      figureOf(drawing('fib', [at(100_000, 100), at(300_000, high)]), flat)?.labels.map(({ lines }) => lines[0])
    expect(levels(600)).toEqual([
      '0  600.00', '0.236  482.00', '0.382  409.00', '0.5  350.00', '0.618  291.00', '0.786  207.00', '1  100.00',
    ]) // oxfmt-ignore
    expect(levels(120)?.length).toBeLessThan(4)
  })
  it('say what a position risks and what it may gain', () => {
    const long = drawing('long', [at(0, 100), at(100_000, 130), at(100_000, 90)])
    expect(figureOf(long, flat)?.labels.map(({ lines }) => lines[0])).toEqual([
      'Target 130.00  +30.00 %',
      'Stop 90.00  −10.00 %',
      'Long 100.00  3.00 : 1',
    ])
  })
  it('have a parallel through the third point of a channel', () => {
    const channel = drawing('channel', [at(0, 0), at(100_000, 100), at(50_000, 150)])
    expect(figureOf(channel, flat)?.strokes[1].points).toEqual([px(0, 900), px(100, 800)])
  })
  it('can be grabbed on every one of their lines, and not far from them', () => {
    const fib = figureOf(drawing('fib', [at(100_000, 100), at(300_000, 600)]), flat)
    expect(fib && gripAt(fib, px(900, 650), false, 1)).toEqual({ is: 'line' })
    expect(fib && gripAt(fib, px(900, 620), false, 1)).toBeNull()
  })
})

describe('what is out of view', () => {
  it('is never something of which a line could be seen', () => {
    fc.assert(
      fc.property(anyDrawing, (any) => {
        const points = any.points.map(({ ms, price }) => at((ms % 3_000) * 1_000, price % 3_000))
        const one = { ...any, points, text: '' }
        fc.pre(isOutside(one, flat))
        for (const { points: line } of figureOf(one, flat)?.strokes ?? [])
          for (let i = 1; i < line.length; i++) expect(clipped(line[i - 1], line[i], flat.plot, {}, 0)).toBeNull()
      }),
      { numRuns: 300 },
    )
  })
})

describe('strokes and steps', () => {
  it('keep the ends and stay within the tolerance', () => {
    const place = fc.record({ x: fc.integer({ min: 0, max: 500 }), y: fc.integer({ min: 0, max: 500 }) })
    fc.assert(
      fc.property(fc.array(place, { minLength: 2, maxLength: 60 }), (pixels) => {
        const kept = simplified(pixels, 2)
        expect(kept[0]).toBe(0)
        expect(kept.at(-1)).toBe(pixels.length - 1)
        expect([...kept].sort((a, b) => a - b)).toEqual(kept)
      }),
    )
    expect(simplified([px(0, 0), px(5, 0.1), px(10, 0), px(10, 10)], 1)).toEqual([0, 2, 3])
  })
  it('are round, a tick or more, and move a line', () => {
    expect(priceStep(0.0001, 2, 2)).toBe(0.01)
    expect(priceStep(0.7, 2, 2)).toBe(2)
    expect(priceStep(1e-9, 8, 2)).toBeCloseTo(1e-8, 12)
    expect(rounded(64_000.1 + 0.01, 2)).toBe(64_000.11)
    expect(rounded(1.23456789e-7, 10)).toBe(1.235e-7)
  })
})
