/** Formulas: what they compute, what they refuse and where, what is completed, and that no text breaks them. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileFormula } from '../../../../../../src/shared/core/market/formula/compile.ts'
import { completionsAt, vocabulary } from '../../../../../../src/shared/core/market/formula/complete.ts'
import { INDICATOR_FUNCTIONS, signatureOf } from '../../../../../../src/shared/core/market/formula/functions.ts'
import { MAX_FORMULA, placeIn } from '../../../../../../src/shared/core/market/formula/syntax.ts'
import type { BarValues } from '../../../../../../src/shared/core/market/indicators/indicator.ts'
import { PRICES } from '../../../../../../src/shared/core/market/indicators/row.ts'
import {
  computeAll,
  INDICATORS,
  parameterValues,
  type IndicatorRow,
} from '../../../../../../src/shared/core/market/indicators/table.ts'

const bars: readonly BarValues[] = Array.from({ length: 120 }, (_, i) => {
  const close = 100 + 10 * Math.sin(i / 5) + (i % 7)
  return {
    open: close - Math.cos(i),
    high: close + 2,
    low: close - 2 - (i % 3),
    close,
    volume: i % 11 === 0 ? 0 : 10 + (i % 5),
    startMs: Date.UTC(2026, 0, 5) + i * 3_600_000,
    flow: { buy: 6, sell: i % 4 },
  }
})

function specOf(text: string) {
  const compiled = compileFormula(text)
  if (!compiled.ok) throw new Error(`${compiled.error.message} at ${compiled.error.from}`)
  return compiled.spec
}
/** The values of each bar, by output. */
function valuesOf(text: string, given: readonly number[] = [], over = bars): readonly (readonly number[])[] {
  const spec = specOf(text)
  const values = given.length > 0 ? given : parameterValues(spec, {})
  const indicator = spec.create(values, PRICES.close)
  return over.map((bar) => indicator.push(bar))
}
const last = (text: string): number => valuesOf(text)[bars.length - 1][0]
const { open, high, low, close, volume } = bars[bars.length - 1]

describe('what a formula computes', () => {
  it.each<readonly [string, number]>([
    ['close', close],
    ['hl2', (high + low) / 2],
    ['volume', volume ?? NaN],
    ['delta', 6 - ((bars.length - 1) % 4)],
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['2 - 3 - 4', -5],
    ['-2 ^ 2', -4],
    ['2 ^ 3 ^ 2', 512],
    ['7 % 4', 3],
    ['1e3 + .5', 1000.5],
    ['close > open ? 1 : 2', close > open ? 1 : 2],
    ['1 < 2 and not (2 < 1)', 1],
    ['0 or 1 == 1', 1],
    ['close[1]', bars[bars.length - 2].close],
    ['(close - open)[3]', bars[bars.length - 4].close - bars[bars.length - 4].open],
    ['close[0]', close],
    ['min(3, 1, 2) + max(3, 1, 2)', 4],
    ['abs(-2) + sign(-3) + sqrt(9) + floor(1.7) + ceil(1.2) + round(2.5)', 2 - 1 + 3 + 1 + 2 + 3],
    ['log(exp(2))', 2],
    ['na(1 / 0)', 1],
    ['nz(close[119] - close[118] + 1 / 0, 5)', 5],
    ['change(close)', close - bars[bars.length - 2].close],
    ['change(close, 4)', close - bars[bars.length - 5].close],
    ['sum(volume, 3)', bars.slice(-3).reduce((all, bar) => all + (bar.volume ?? 0), 0)],
    ['highest(high, 10) - lowest(low, 10)', Math.max(...bars.slice(-10).map((bar) => bar.high)) - Math.min(...bars.slice(-10).map((bar) => bar.low))],
    ['x = 2; y = x * 3\ny + x', 8],
    ['sum(\n  volume,  # the last two\n  2\n)', (volume ?? 0) + (bars[bars.length - 2].volume ?? 0)],
  ])('%s', (text, wanted) => expect(last(text)).toBeCloseTo(wanted, 9)) // oxfmt-ignore

  it.each(['1 / 0', '0 / 0', 'log(0)', 'sqrt(-1)', '10 ^ 999', '1 / 0 > 1', 'not (0 / 0)', '(0 / 0) ? 1 : 2'])(
    '%s has no value',
    (text) => expect(last(text)).toBeNaN(),
  )
  it('has every indicator with the values of the chart, each output', () => {
    for (const { name, spec, outputs } of INDICATOR_FUNCTIONS.values()) {
      const row = spec as IndicatorRow // every row of the table has its id
      const wanted = computeAll(row, parameterValues(row, {}), PRICES[row.usualPrice], bars)
      for (const [i, output] of outputs.entries()) {
        const text = `${name}(${row.takesPrice ? row.usualPrice : ''}).${output}`
        expect(
          valuesOf(text).map(([value]) => value),
          text,
        ).toEqual(wanted.map((values) => values[i]))
      }
    }
    expect(new Set(INDICATOR_FUNCTIONS.keys()).size).toBe(Object.keys(INDICATORS).length - 3)
  })
  it('takes any series for an indicator, and bars without a value are left out', () => {
    const odd = valuesOf('sma(close > open ? close : 0 / 0, 2)').map(([value]) => value)
    const rising = bars.filter((bar) => bar.close > bar.open)
    expect(odd.findLast((value) => !Number.isNaN(value))).toBeCloseTo((rising.at(-1)!.close + rising.at(-2)!.close) / 2)
  })
  it('computes a named value once a bar', () => {
    expect(last('s = sum(volume, 5)\ns - s')).toBe(0)
    const twice = valuesOf('m = macd(close)\nplot("a", m.signal)\nplot("b", m.signal)')
    expect(twice.every(([a, b]) => Object.is(a, b))).toBe(true)
  })
  it('marks crossings, and remembers when and what', () => {
    const text =
      'up = crossover(close, 105)\nplot(up)\nplot(barssince(up))\nplot(valuewhen(up, close))\ncrossunder(close, 105)'
    const values = valuesOf(text)
    const ups = bars.flatMap((bar, i) => (i > 0 && bar.close > 105 && bars[i - 1].close <= 105 ? [i] : []))
    const downs = bars.flatMap((bar, i) => (i > 0 && bar.close < 105 && bars[i - 1].close >= 105 ? [i] : []))
    expect(values.flatMap(([up], i) => (up === 1 ? [i] : []))).toEqual(ups)
    expect(values.flatMap((row, i) => (row[3] === 1 ? [i] : []))).toEqual(downs)
    const at = ups[1] + 2
    expect(values[at].slice(1, 3)).toEqual([2, bars[ups[1]].close])
    expect(values[0][1]).toBeNaN()
  })
  it('has settings, lines and levels', () => {
    const text =
      'n = input("Length", 3, 1, 50)\nw = input("Width", 0.5)\nplot("Fast", sma(close, n) * w)\nlevel(-1)\nlevel(1)'
    const spec = specOf(text)
    expect(spec.parameters).toEqual([
      { key: 'n', title: 'Length', value: 3, least: 1, most: 50, isWhole: true },
      { key: 'w', title: 'Width', value: 0.5, least: 0.5, most: 5000, isWhole: false },
    ])
    expect(spec.outputs).toEqual(['Fast'])
    expect(spec.drawn?.levels).toEqual([-1, 1])
    expect(valuesOf(text, [1, 2]).at(-1)).toEqual([close * 2])
    expect(parameterValues(spec, { n: 4.4, w: 2.5 })).toEqual([4, 2.5])
  })
  it('moves its levels with its settings', () => {
    const { levelsOf } = specOf('w = input("Width", 2, -9, 9)\nclose\nlevel(w)\nlevel(12 / w)')
    expect(levelsOf?.([2])).toEqual([2, 6])
    expect(levelsOf?.([3])).toEqual([3, 4])
    expect(levelsOf?.([0])).toEqual([])
  })
  it('reads sides only if it uses them', () => {
    expect(specOf('close').needsSides).toBeUndefined()
    for (const text of ['delta', 'cvd()', 'sma(delta, 2)']) expect(specOf(text).needsSides).toBe(true)
  })
})

describe('what a formula refuses, and where', () => {
  it.each<readonly [string, string, string]>([
    ['', '', 'draws nothing'],
    ['x = 1', 'x = 1', 'draws nothing'],
    ['close +', '+', 'the end of the line'],
    ['close close', 'close', 'the end of the line'],
    ['(close', 'e', 'Expected “)”'],
    ['1 $ 2', '$', 'no meaning'],
    ['plot("a, close)', '"', 'Close this text'],
    ['nothing', 'nothing', 'Unknown name'],
    ['sma', 'sma', 'is a function. Write sma(x, length).'],
    ['sma()', 'sma()', 'Write sma(x, length).'],
    ['sma(close, 2, 3)', 'sma(close, 2, 3)', 'Write sma(x, length).'],
    ['rsi(close, 0)', '0', 'integer from 1 to 5'],
    ['rsi(close, 2.5)', '2.5', 'integer from 1 to 5'],
    ['rsi(close, close)', 'close', 'doesn’t change'],
    ['close[-1]', '-1', 'integer from 0 to 5'],
    ['close[volume]', 'volume', 'doesn’t change'],
    ['fetch("https://example.com")', 'fetch("https://example.com")', 'Unknown function “fetch”'],
    ['constructor', 'constructor', 'Unknown name'],
    ['toString()', 'toString()', 'Unknown function'],
    ['close.constructor', 'close.constructor', 'Only indicators'],
    ['macd(close).line', 'macd(close).line', 'It has macd, signal, histogram.'],
    ['close = 1', 'close', 'already taken'],
    ['a = 1\na = 2\na', 'a', 'already has a value'],
    ['sma = 1\nsma', 'sma', 'already taken'],
    ['1 + input("Length", 3)', 'input("Length", 3)', 'a line of its own'],
    ['n = input(3, 3)\nn', '3', 'quotation marks'],
    ['n = input("n", 3, 5, 9)\nn', '3', 'between 5 and 9'],
    ['plot(close, "a")', 'close', 'quotation marks'],
    ['"a"', '"a"', 'Only a title'],
    ['level(close)', 'close', 'doesn’t change'],
    ['level(1 / 0)', '1 / 0', 'no value'],
    [Array.from({ length: 9 }, () => 'close').join('\n'), 'close', 'up to 8 lines'],
    [`${'('.repeat(60)}1${')'.repeat(60)}`, '(', 'nested too deeply'],
    [Array.from({ length: 300 }, () => '1').join(' + '), '1', 'too many parts'],
    [Array.from({ length: 45 }, () => 'close[5000]').join(' + '), '5000', 'too many bars'],
    [' '.repeat(MAX_FORMULA + 1), ' ', 'up to 4,000 characters'],
  ])('%s', (text, at, message) => {
    const compiled = compileFormula(text)
    if (compiled.ok) throw new Error('It is accepted.')
    const { error } = compiled
    expect(error.message).toContain(message)
    if (text.length < 60) expect(text.slice(error.from, error.to)).toBe(at)
    else expect(text.slice(error.from, error.to)).toContain(at)
  })
  it('refuses lengths that only other settings make too long', () => {
    const spec = specOf('n = input("n", 2, 1, 9000)\nsma(close, n)')
    expect(() => spec.create([9_000], PRICES.close)).toThrow('integer from 1 to 5')
  })
  it('counts lines and columns from 1', () => {
    expect(placeIn('a\nbc', 0)).toEqual({ line: 1, column: 1 })
    expect(placeIn('a\nbc', 3)).toEqual({ line: 2, column: 2 })
  })
})

describe('completion', () => {
  const at = (text: string): readonly string[] => completionsAt(text, text.length).list.map((one) => one.text)
  it('offers functions, values, own names and outputs', () => {
    expect(at('clo')[0]).toBe('close')
    expect(at('fast = ema(close, 3)\nfas')).toContain('fast')
    expect(at('supert')).toEqual(['supertrend('])
    expect(at('m = macd(close)\nm.')).toEqual(['macd', 'signal', 'histogram'])
    expect(at('macd(close, 3).si')).toEqual(['signal'])
    expect(at('close.')).toEqual([])
    expect(at('moving aver').length).toBeGreaterThan(2)
  })
  it('is silent in titles and comments', () => {
    expect(at('plot("clo')).toEqual([])
    expect(at('# clo')).toEqual([])
    expect(at('plot("a", clo')[0]).toBe('close')
  })
  it('says of everything how it is written and what it is', () => {
    for (const { text, signature, about } of vocabulary()) {
      expect(about.length, text).toBeGreaterThan(3)
      if (text.endsWith('(')) expect(signatureOf(text.slice(0, -1))).toBe(signature)
    }
  })
  it('can complete at any place of any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), fc.nat(60), (text, caret) => {
        const { from, to } = completionsAt(text, Math.min(caret, text.length))
        return from >= 0 && from <= to && to <= text.length
      }),
    )
  })
})

const leaf = fc.constantFrom('open', 'high', 'low', 'close', 'volume', 'delta', '3', '0.5', '0', 'hl2')
const { tree } = fc.letrec<{ tree: string }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.tuple(tie('tree'), fc.constantFrom('+', '-', '*', '/', '%', '^', '<', '>=', '==', 'and', 'or'), tie('tree')).map(([a, o, b]) => `(${a} ${o} ${b})`),
    fc.tuple(tie('tree'), tie('tree'), tie('tree')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc.tuple(fc.constantFrom('sma', 'ema', 'wma', 'rsi', 'highest', 'lowest', 'sum', 'stdev', 'roc', 'hull'), tie('tree'), fc.integer({ min: 1, max: 9 })).map(([f, a, n]) => `${f}(${a}, ${n})`),
    fc.tuple(fc.constantFrom('crossover', 'crossunder', 'valuewhen', 'nz', 'min', 'max'), tie('tree'), tie('tree')).map(([f, a, b]) => `${f}(${a}, ${b})`),
    fc.tuple(fc.constantFrom('barssince', 'na', 'abs', 'change', '-', 'not '), tie('tree')).map(([f, a]) => `${f}(${a})`),
    fc.tuple(tie('tree'), fc.nat(5)).map(([a, n]) => `(${a})[${n}]`),
    fc.constantFrom('macd(close).signal', 'atr(3)', 'vwap(close).upper', 'supertrend(3, 2).down', 'zigzag().swing', 'cvd()', 'pivots().r1'),
  ),
})) // oxfmt-ignore

describe('any text', () => {
  const pieces = fc.array(
    fc.constantFrom(
      ...['close', 'x', '=', '(', ')', '[', ']', ',', '.', '\n', ';', ' ', '"', '#', '1', '2.5', '+', '-', '^', '?', ':', 'and'],
      ...['not', 'sma(', 'plot(', 'input(', 'level(', 'macd(close)', '"t"', '<', '==', '€', '\u0000', '__proto__', 'e9'],
    ),
    { maxLength: 40 },
  ) // oxfmt-ignore
  it('is a formula or has an error inside the text; nothing is thrown', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 80 }), pieces.map((all) => all.join(''))), (text) => {
        const compiled = compileFormula(text)
        if (compiled.ok) return compiled.spec.outputs.length > 0
        const { from, to, message } = compiled.error
        return message !== '' && from >= 0 && from <= to && to <= text.length
      }),
      { numRuns: 2_000 },
    ) // oxfmt-ignore
  })
  it('looks at a bar without adding it, and never at a later one', () => {
    fc.assert(
      fc.property(tree, fc.integer({ min: 1, max: 60 }), (text, cut) => {
        const compiled = compileFormula(text)
        if (!compiled.ok) return // a length that doesn't fit its indicator
        const few = bars.slice(0, 60)
        const all = compiled.spec.create([], PRICES.close)
        const wanted = few.map((bar) => all.push(bar))
        const looked = compiled.spec.create([], PRICES.close)
        const got = few.slice(0, cut).map((bar, i) => {
          const other = { ...bar, high: bar.high * 2, close: bar.close + 3 }
          looked.peek(other)
          expect(looked.peek(bar)).toEqual(wanted[i])
          looked.peek(other)
          return looked.push(bar)
        })
        expect(got).toEqual(wanted.slice(0, cut))
      }),
      { numRuns: 300 },
    )
  })
})
