import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { BarValues } from '../../../../src/shared/indicators/indicator.ts'
import {
  computeAll,
  INDICATOR_IDS,
  INDICATORS,
  PRICES,
  type IndicatorId,
} from '../../../../src/shared/indicators/table.ts'

const file = (name: string): Record<string, string>[] => {
  const text = readFileSync(new URL(`../../../fixtures/indicators/${name}.csv`, import.meta.url), 'utf8')
  const [header, ...rows] = text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','))
  return rows.map((row) => Object.fromEntries(header.map((key, i) => [key, row[i] ?? ''])))
}
const close = (value: number): BarValues => ({ open: value, high: value, low: value, close: value, volume: null })
const barOf = (row: Record<string, string>): BarValues => ({
  open: Number(row['open'] ?? row['Close']),
  high: Number(row['high'] ?? row['High']),
  low: Number(row['low'] ?? row['Low']),
  close: Number(row['close'] ?? row['Close']),
  volume: null,
})
const run = (id: IndicatorId, bars: readonly BarValues[], values?: readonly number[]) =>
  computeAll(INDICATORS[id], values ?? INDICATORS[id].parameters.map(({ value }) => value), PRICES.close, bars)

describe('published values', () => {
  const quotes = file('skender-quotes').map(barOf)
  it.each(['sma', 'ema', 'rsi'] as const)('%s of 502 days of SPY, to 1e-9, absent where they are', (id) => {
    const wanted = file(`skender-${id}`)
    const got = run(id, quotes)
    expect(got).toHaveLength(wanted.length)
    for (const [i, row] of wanted.entries()) {
      if (row[id] === '') expect(got[i][0]).toBeNaN()
      else expect(Math.abs(got[i][0] - Number(row[id]))).toBeLessThan(1e-9)
    }
    expect(wanted.filter((row) => row[id] !== '').length).toBeGreaterThan(480)
  })

  it.each<[IndicatorId, string, readonly string[], number, readonly number[] | undefined]>([
    ['bollinger-bands', 'chartschool-bbands', ['MiddleBand', 'HighBand', 'LowBand'], 2e-6, undefined],
    ['stochastic', 'chartschool-soo', ['SO', 'SO_SIG'], 2e-5, [14, 1, 3]],
    ['williams-r', 'chartschool-percentr', ['Williams_%R'], 2e-5, undefined],
    ['adx', 'chartschool-adx', ['ADX', '+DI14', '-DI14'], 2e-5, undefined],
  ])('%s of the worked tables, to their decimals', (id, name, columns, within, values) => {
    const rows = file(name)
    const got = run(id, rows.map(barOf), values)
    let compared = 0
    for (const [i, row] of rows.entries()) {
      for (const [at, column] of columns.entries()) {
        if (row[column] === '') continue
        expect(Math.abs(got[i][at] - Number(row[column])), `${column} of row ${i}`).toBeLessThan(within)
        compared++
      }
    }
    expect(compared).toBeGreaterThan(10)
  })

  it('macd as computed by the book', () => {
    const closes = quotes.map((bar) => bar.close)
    const emaOf = (list: readonly number[], n: number): number[] => {
      const out = list.map(() => NaN)
      const from = list.findIndex((one) => !Number.isNaN(one))
      let average = list.slice(from, from + n).reduce((a, b) => a + b, 0) / n
      out[from + n - 1] = average
      for (let i = from + n; i < list.length; i++) out[i] = average = (list[i] * 2 + average * (n - 1)) / (n + 1)
      return out
    }
    const slow = emaOf(closes, 26)
    const line = emaOf(closes, 12).map((value, i) => value - slow[i])
    const signal = emaOf(line, 9)
    for (const [i, values] of run('macd', quotes).entries()) {
      for (const [at, wanted] of [line[i], signal[i], line[i] - signal[i]].entries()) {
        if (Number.isNaN(wanted)) expect(values[at]).toBeNaN()
        else expect(Math.abs(values[at] - wanted)).toBeLessThan(1e-9)
      }
    }
  })
})

const price = fc.double({ min: 0.0001, max: 100_000, noNaN: true })
const bar: fc.Arbitrary<BarValues> = fc.tuple(price, price, price, price).map(([a, b, c, d]) => ({
  open: a,
  high: Math.max(a, b, c, d),
  low: Math.min(a, b, c, d),
  close: b,
  volume: null,
}))

describe.each(INDICATOR_IDS)('%s', (id) => {
  const row = INDICATORS[id]
  const defaults = row.parameters.map(({ value }) => value)

  it('is not changed by looking at a forming bar, and gives for it what it would give closed', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(bar, fc.array(bar, { maxLength: 3 })), { maxLength: 80 }), (bars) => {
        const looked = row.create(defaults, PRICES.close)
        const plain = row.create(defaults, PRICES.close)
        for (const [closed, forming] of bars) {
          for (const one of forming) looked.peek(one)
          const seen = looked.peek(closed)
          const pushed = looked.push(closed)
          expect(pushed).toEqual(plain.push(closed))
          expect(seen).toEqual(pushed)
          expect(pushed).toHaveLength(row.outputs.length)
        }
      }),
      { numRuns: 30 },
    )
  })

  it('is absent for a short series and never infinite for a flat one', () => {
    expect(
      run(id, [close(5)])
        .flat()
        .every(Number.isNaN),
    ).toBe(true)
    const flat = run(
      id,
      Array.from({ length: 120 }, () => close(5)),
    ).flat()
    expect(flat.every((value) => Number.isNaN(value) || Number.isFinite(value))).toBe(true)
  })

  it('stays right over a hundred thousand bars', () => {
    const wave = (i: number) => 50_000 + 1_000 * Math.sin(i / 50) + (i % 7)
    const bars = Array.from({ length: 100_000 }, (_, i) => ({
      open: wave(i),
      high: wave(i) + 2,
      low: wave(i) - 2,
      close: wave(i) + 1,
      volume: null,
    }))
    const all = run(id, bars)
    // Averages forget: a late start agrees after a few hundred bars.
    const late = run(id, bars.slice(-3_000))
    for (const [at, value] of all[all.length - 1].entries()) {
      expect(Math.abs(value - late[late.length - 1][at])).toBeLessThan(1e-6 * Math.max(1, Math.abs(value)))
    }
  })
})
