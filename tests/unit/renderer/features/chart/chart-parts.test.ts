import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CHIP_HEIGHT, isCovered, lastTag, stackChips } from '../../../../../src/renderer/charts/paint/axis-tags.ts'
import { lastLineStyle, LINE_COLORS, lineColor, lineDash } from '../../../../../src/renderer/charts/model/line-style.ts'
import {
  addStudy,
  changeStudy,
  findKinds,
  keepTemplate,
  removeStudy,
  studiesOf,
  studyTitle,
} from '../../../../../src/renderer/features/chart/model/chart-studies.ts'
import { rangeStats, spanText } from '../../../../../src/renderer/features/chart/model/range-stats.ts'
import { MAX_INDICATORS, STUDY_KINDS } from '../../../../../src/shared/features/chart/chart-settings.ts'
import { makeBar } from '../../../../kit/market.ts'

describe('indicators of a chart', () => {
  it('may be several of one kind, each with its own parameters, colors and pane', () => {
    let list = addStudy(addStudy([], 'sma'), 'sma')
    expect(list.map((one) => one.id)).toEqual(['sma-1', 'sma-2'])
    list = changeStudy(list, 'sma-2', { values: { period: 50 }, price: 'hl2', pane: 'own', colours: ['#ff0000'] })
    expect(list.map(studyTitle)).toEqual(['SMA 20', 'SMA 50 hl2'])
    expect(studiesOf(list).map(({ own, palette, colours }) => [own, palette, colours])).toEqual([
      [false, [0], []],
      [true, [1], ['#ff0000']],
    ])
    list = addStudy(removeStudy(list, 'sma-1'), 'sma')
    expect(list.map((one) => one.id)).toEqual(['sma-2', 'sma-1'])
  })

  it('keep their colors while another is hidden, up to their limit', () => {
    const list = changeStudy(addStudy(addStudy([], 'macd'), 'ema'), 'macd-1', { hidden: true })
    expect(studiesOf(list).map(({ id, palette }) => [id, palette])).toEqual([['ema-1', [3]]])
    let many = list
    for (let i = 0; i < 40; i++) many = addStudy(many, 'rsi')
    expect(many).toHaveLength(MAX_INDICATORS)
  })

  it('share no color while the theme has one left, and no line style within a pane after that', () => {
    const kinds = ['sma', 'bollinger-bands', 'rsi', 'macd', 'vwap', 'ema', 'ichimoku', 'keltner'] as const
    let list: ReturnType<typeof addStudy> = []
    for (const kind of kinds) list = addStudy(list, kind)
    const studies = studiesOf(list)
    expect(new Set(studiesOf(list.slice(0, 4)).flatMap(({ palette }) => palette)).size).toBe(8)
    const over = studies.filter(({ own }) => !own).flatMap(({ palette }) => palette)
    expect(over.length).toBeGreaterThan(8)
    const looks = over.map((style) => `${lineColor(style, LINE_COLORS.dark)} ${lineDash(style)}`)
    expect(new Set(looks).size).toBe(looks.length)
  })

  it('leave a color to the indicator that the user gave it, in either theme', () => {
    const list = addStudy(changeStudy(addStudy([], 'sma'), 'sma-1', { colours: [LINE_COLORS.light[0]] }), 'ema')
    const [sma, ema] = studiesOf(list)
    expect(sma.palette).toEqual([0])
    expect(ema.palette).toEqual([1])
  })

  it('leave compared symbols a style that no indicator over the prices has', () => {
    const taken = new Set<number>()
    for (let i = 0; i < 20; i++) {
      const style = lastLineStyle(taken)
      expect(taken.has(style)).toBe(false)
      taken.add(style)
    }
    expect(lastLineStyle(new Set([7]))).toBe(6)
  })

  it('are found by any of their names, all without one', () => {
    expect(findKinds('')).toHaveLength(STUDY_KINDS.length)
    expect(findKinds('moving weighted').map((row) => row.kind)).toEqual(['vwma', 'wma'])
    expect(findKinds('vp').map((row) => row.kind)).toEqual(['volume-profile'])
    const first = (text: string) => findKinds(text)[0].short
    expect(['EMA', 'ma', 'sto', 'RSI'].map(first), 'Enter adds the first one').toEqual(['EMA', 'MACD', 'Stoch', 'RSI'])
    expect(findKinds('zzz')).toEqual([])
  })

  it('are saved once under a name', () => {
    const list = addStudy([], 'vwap')
    const kept = keepTemplate(keepTemplate(keepTemplate([], 'b', []), 'a', list), 'b', list)
    expect(kept.map((one) => [one.name, one.indicators.length])).toEqual([
      ['a', 1],
      ['b', 1],
    ])
  })
})

describe('a marked range', () => {
  const bar = (second: number, open: number, close: number, volume: number | null) => {
    const range = { high: Math.max(open, close) + 1, low: Math.min(open, close) - 1 }
    return makeBar({ startMs: second * 1_000, lengthMs: 1_000, open, ...range, close, volume })
  }
  it('counts bars, time, change, extremes and volume', () => {
    expect(rangeStats([bar(0, 10, 12, 3), bar(1, 12, 9, null), bar(5, 9, 15, 4)])).toEqual({
      bars: 3,
      spanMs: 6_000,
      open: 10,
      change: 5,
      high: 16,
      low: 8,
      volume: 7,
    })
    expect(rangeStats([bar(0, 10, 12, null)])?.volume).toBeNull()
    expect(rangeStats([])).toBeNull()
  })
  it('says its time in two units', () => {
    expect([350, 42_000, 60_000, 3_900_000, 266_400_000].map(spanText)).toEqual([
      '350 ms',
      '42 s',
      '1 min',
      '1 h 5 min',
      '3 d 2 h',
    ])
  })
})

describe('labels beside the axis', () => {
  it('never stand on each other nor on the last price, and keep their order', () => {
    const ys = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 6 })
    const scales = fc.constantFrom(0.9, 1, 1.25, 1.5)
    fc.assert(
      fc.property(ys, fc.option(fc.integer({ min: 100, max: 300 })), scales, (list, last, scale) => {
        const height = CHIP_HEIGHT * scale
        const taken = last === null ? null : { from: last - 10 * scale, middle: last, to: last + 25 * scale }
        const placed = stackChips(
          list.map((y, chip) => ({ chip, y })),
          0,
          400,
          taken,
          height,
        )
        expect(placed).toHaveLength(list.length)
        for (const [i, one] of placed.entries()) {
          if (i > 0) expect(one.y - placed[i - 1].y).toBeGreaterThanOrEqual(height - 1e-9)
          if (taken) expect(one.y + height / 2 <= taken.from + 1e-9 || one.y - height / 2 >= taken.to - 1e-9).toBe(true)
        }
      }),
    )
    expect(stackChips([{ chip: 'far', y: 500 }], 0, 400)).toEqual([])
  })

  it('count down above the last price where below it the plot ends, and hide labels of the axis that they half cover', () => {
    const high = lastTag(50, 100, 1)
    expect(high).toEqual({ from: 40, middle: 50, to: 75, above: false })
    const low = lastTag(90, 100, 1)
    expect(low).toEqual({ from: 65, middle: 90, to: 100, above: true })
    expect(lastTag(50, 100, 1, false)).toEqual({ from: 40, middle: 50, to: 60, above: false })
    expect(lastTag(90, 100, 1, false)).toEqual({ from: 80, middle: 90, to: 100, above: false })
    expect([20, 34, 36, 60, 79, 81].map((y) => isCovered(y, [high], 1))).toEqual([
      false,
      false,
      true,
      true,
      true,
      false,
    ])
    expect(isCovered(81, [high], 1.5)).toBe(true)
    expect(isCovered(60, [], 1)).toBe(false)
  })
})
