import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BarValues } from '../../../../../../src/shared/core/market/indicators/indicator.ts'
import { PRICES } from '../../../../../../src/shared/core/market/indicators/row.ts'
import {
  CHART_INDICATOR_IDS,
  computeAll,
  INDICATORS,
  parameterValues,
  withFollowers,
  type ChartIndicatorId,
} from '../../../../../../src/shared/core/market/indicators/table.ts'
import { fixedExamples } from '../../../../../kit/properties.ts'
import { readFixture } from './fixture.ts'

const close = (value: number): BarValues => ({ open: value, high: value, low: value, close: value, volume: null })
const barOf = (row: Record<string, string>): BarValues => ({
  open: Number(row['open'] ?? row['Close']),
  high: Number(row['high'] ?? row['High']),
  low: Number(row['low'] ?? row['Low']),
  close: Number(row['close'] ?? row['Close']),
  volume: row['Volume'] === undefined || row['Volume'] === '' ? null : Number(row['Volume']),
})
const run = (id: ChartIndicatorId, bars: readonly BarValues[], values?: readonly number[]) =>
  computeAll(INDICATORS[id], values ?? parameterValues(INDICATORS[id], {}), PRICES[INDICATORS[id].usualPrice], bars)

describe('published values', () => {
  const quotes = readFixture('skender-quotes').map(barOf)
  it.each(['sma', 'ema', 'rsi'] as const)('%s of 502 days of SPY, to 1e-9, absent where they are', (id) => {
    const wanted = readFixture(`skender-${id}`)
    const got = run(id, quotes)
    expect(got).toHaveLength(wanted.length)
    for (const [i, row] of wanted.entries()) {
      if (row[id] === '') expect(got[i][0]).toBeNaN()
      else expect(Math.abs(got[i][0] - Number(row[id]))).toBeLessThan(1e-9)
    }
    expect(wanted.filter((row) => row[id] !== '').length).toBeGreaterThan(480)
  })

  it.each<[ChartIndicatorId, string, readonly string[], number, readonly number[] | undefined]>([
    ['bollinger-bands', 'chartschool-bbands', ['MiddleBand', 'HighBand', 'LowBand'], 2e-6, undefined],
    ['stochastic', 'chartschool-soo', ['SO', 'SO_SIG'], 2e-5, [14, 1, 3]],
    ['williams-r', 'chartschool-percentr', ['Williams_%R'], 2e-5, undefined],
    ['adx', 'chartschool-adx', ['ADX', '+DI14', '-DI14'], 2e-5, undefined],
    ['cci', 'chartschool-cci', ['CCI'], 0.06, undefined],
    ['obv', 'chartschool-obv', ['OBV'], 1e-9, undefined],
  ])('%s of the worked tables, to their decimals', (id, name, columns, within, values) => {
    const rows = readFixture(name)
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

  it('donchian, written in prices of two decimals', () => {
    const rows = readFixture('chartschool-dc')
    const got = run('donchian', rows.map(barOf))
    let compared = 0
    for (const [i, row] of rows.entries()) {
      for (const [at, column] of ['middle_band', 'upper_band', 'lower_band'].entries()) {
        if (row[column] === '') {
          expect(got[i][at], `${column} of row ${i}`).toBeNaN()
          continue
        }
        expect(Math.abs(got[i][at] - Number(row[column])), `${column} of row ${i}`).toBeLessThan(0.0051)
        compared++
      }
    }
    expect(compared).toBeGreaterThan(20)
  })

  it('atr: ranges from the first bar on, seeded by the mean of the first fourteen', () => {
    const rows = readFixture('chartschool-atr')
    const got = run('atr', rows.map(barOf))
    for (const [i, row] of rows.entries()) {
      if (Number(row['ATR']) === 0) expect(got[i][0]).toBeNaN()
      else expect(Math.abs(got[i][0] - Number(row['ATR']))).toBeLessThan(1e-9)
    }
  })

  it('keltner: twice ten true ranges apart from its average', () => {
    const rows = readFixture('chartschool-kc')
    const bars = rows.map(barOf)
    const got = run('keltner', bars, [20, 2, 10])
    const mean = run('ema', bars, [20])
    let compared = 0
    for (const [i, row] of rows.entries()) {
      const [middle, upper, lower] = got[i]
      if (row['upper_band'] === '' || Number.isNaN(middle)) continue
      expect(middle).toBe(mean[i][0])
      // The table seeds its average with the first close, ours is seeded by the mean: widths are the same.
      expect(Math.abs(upper - lower - (Number(row['upper_band']) - Number(row['lower_band'])))).toBeLessThan(1e-9)
      compared++
    }
    expect(compared).toBeGreaterThan(8)
  })

  it('vwap, as far as its table has one session: fourteen rows', () => {
    const rows = readFixture('chartschool-vwap').slice(0, 14)
    const got = run('vwap', rows.map(barOf))
    for (const [i, row] of rows.entries()) expect(Math.abs(got[i][0] - Number(row['vwap']))).toBeLessThan(1e-9)
  })

  it('wma of nine closes', () => {
    const rows = readFixture('chartschool-wma')
    const got = run('wma', rows.map(barOf), [9])
    let compared = 0
    for (const [i, row] of rows.entries()) {
      if (Number.isNaN(got[i][0])) continue
      expect(Math.abs(got[i][0] - Number(row['WMA'])), `row ${i}`).toBeLessThan(1e-4)
      compared++
    }
    expect(compared).toBe(rows.length - 8)
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
const volume = fc.oneof(fc.constant(null), fc.constant(0), fc.double({ min: 0.001, max: 1e6, noNaN: true }))
const bar: fc.Arbitrary<BarValues> = fc.tuple(price, price, price, price, volume).map(([a, b, c, d, size]) => ({
  open: a,
  high: Math.max(a, b, c, d),
  low: Math.min(a, b, c, d),
  close: b,
  volume: size,
  flow: { buy: (size ?? 0) / 2, sell: (size ?? 0) / 8, vwap: { volume: 1 + (size ?? 0), mean: 100, squares: 1 } },
}))

/** Too few for a first value, or enough for every line of every indicator (the longest needs 52). */
const lengths = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.oneof(fc.array(one, { maxLength: 20 }), fc.array(one, { minLength: 60, maxLength: 120 }))

/** The textbook over whole lists, each value on its own: what the folds must say. */
const byTheBook: Readonly<
  Partial<Record<ChartIndicatorId, (bars: readonly BarValues[], i: number) => readonly number[]>>
> = {
  wma: (bars, i) => {
    const list = bars.slice(i - 19, i + 1)
    return [i < 19 ? NaN : list.reduce((sum, one, k) => sum + one.close * (k + 1), 0) / 210]
  },
  cci: (bars, i) => {
    const list = bars.slice(i - 19, i + 1).map(PRICES.hlc3)
    const mean = list.reduce((a, b) => a + b, 0) / 20
    const apart = list.reduce((sum, one) => sum + Math.abs(one - mean), 0) / 20
    return [i < 19 || apart === 0 ? NaN : (list[19] - mean) / (0.015 * apart)]
  },
  donchian: (bars, i) => {
    const list = bars.slice(i - 19, i + 1)
    const [top, bottom] = [Math.max(...list.map((one) => one.high)), Math.min(...list.map((one) => one.low))]
    return i < 19 ? [NaN, NaN, NaN] : [(top + bottom) / 2, top, bottom]
  },
  ichimoku: (bars, i) => {
    const middle = (n: number) => {
      const list = bars.slice(i + 1 - n, i + 1)
      const [top, bottom] = [Math.max(...list.map((one) => one.high)), Math.min(...list.map((one) => one.low))]
      return i + 1 < n ? NaN : (top + bottom) / 2
    }
    const [tenkan, kijun] = [middle(9), middle(26)]
    return [tenkan, kijun, (tenkan + kijun) / 2, middle(52), i < 8 ? NaN : bars[i].close]
  },
  vwap: (bars, i) => {
    const list = bars.slice(0, i + 1)
    const all = list.reduce((sum, one) => sum + (one.volume ?? 0), 0)
    if (bars[i].volume === null || !(all > 0)) return [NaN, NaN, NaN]
    const mean = list.reduce((sum, one) => sum + PRICES.hlc3(one) * (one.volume ?? 0), 0) / all
    const square = list.reduce((sum, one) => sum + (PRICES.hlc3(one) - mean) ** 2 * (one.volume ?? 0), 0) / all
    return [mean, mean + Math.sqrt(square), mean - Math.sqrt(square)]
  },
  obv: (bars, i) => {
    if (bars[i].volume === null || i === 0) return [NaN]
    const moves = bars.slice(1, i + 1).map((one, k) => Math.sign(one.close - bars[k].close) * (one.volume ?? 0))
    return [moves.reduce((a, b) => a + b, 0)]
  },
}

describe.each(Object.entries(byTheBook))('%s', (id, book) => {
  it('is what the book computes from scratch, at every bar', () => {
    const compared = INDICATORS[id as ChartIndicatorId].outputs.map(() => 0) // the keys of the object above
    fc.assert(
      fc.property(lengths(bar), (bars) => {
        // as above
        const got = run(id as ChartIndicatorId, bars)
        for (const i of bars.keys()) {
          for (const [at, wanted] of book(bars, i).entries()) {
            if (Number.isNaN(wanted)) expect(got[i][at], `row ${i}`).toBeNaN()
            else {
              expect(Math.abs(got[i][at] - wanted), `row ${i}`).toBeLessThan(1e-4 * Math.max(1, Math.abs(wanted)))
              compared[at]++
            }
          }
        }
      }),
      { numRuns: 44, examples: fixedExamples(4, lengths(bar)) },
    )
    expect(Math.min(...compared), 'numbers compared of each line').toBeGreaterThan(0)
  })
})

describe('vwap', () => {
  it('starts over with each day', () => {
    const at = (startMs: number, value: number) => ({ ...close(value), volume: 2, startMs })
    const day = 86_400_000
    const bars = [at(day - 2, 10), at(day - 1, 20), at(day, 100), at(day + 1, 200)]
    expect(run('vwap', bars).map(([mean]) => mean)).toEqual([10, 15, 100, 150])
    const all = INDICATORS.vwap.create([1], PRICES.hlc3, () => 0)
    expect(bars.map((one) => all.push(one)[0])).toEqual([10, 15, 130 / 3, 82.5])
  })
})

describe('adx', () => {
  it('smooths its index over a length of its own, by the book', () => {
    const bars = readFixture('skender-quotes').map(barOf)
    const both = run('adx', bars, [14, 14])
    const got = run('adx', bars, [14, 5])
    // Directional indicators don't know the second length.
    expect(got.map(([, plus, minus]) => [plus, minus])).toEqual(both.map(([, plus, minus]) => [plus, minus]))
    const from = got.findIndex(([, plus]) => !Number.isNaN(plus))
    const dx = got.map(([, plus, minus]) => (100 * Math.abs(plus - minus)) / (plus + minus))
    let average = NaN
    for (const [i, [value]] of got.entries()) {
      if (i < from + 4) expect(value, `row ${i}`).toBeNaN()
      else {
        average =
          i === from + 4 ? dx.slice(from, i + 1).reduce((a, b) => a + b, 0) / 5 : average + (dx[i] - average) / 5
        expect(Math.abs(value - average), `row ${i}`).toBeLessThan(1e-9)
      }
    }
    expect(from).toBe(14)
  })
})

describe('parameters', () => {
  it('that were added later take the value of the one that stood for both', () => {
    expect(parameterValues(INDICATORS.adx, {})).toEqual([14, 14])
    expect(parameterValues(INDICATORS.adx, { period: 20 })).toEqual([20, 20])
    expect(parameterValues(INDICATORS.adx, { period: 20, smoothing: 7 })).toEqual([20, 7])
    expect(parameterValues(INDICATORS.adx, { period: 0, smoothing: NaN })).toEqual([14, 14])
    expect(parameterValues(INDICATORS.adx, { period: 20, smoothing: 0 })).toEqual([20, 20])
    expect(withFollowers(INDICATORS.adx, [20])).toEqual([20, 20])
    expect(withFollowers(INDICATORS.adx, [20, 7])).toEqual([20, 7])
    expect(withFollowers(INDICATORS.macd, [12, 26])).toEqual([12, 26])
  })

  it('are as usual where they are absent or make no sense, and whole where they are lengths', () => {
    expect(parameterValues(INDICATORS.macd, {})).toEqual([12, 26, 9])
    expect(parameterValues(INDICATORS.macd, { fast: 5.4, slow: 0, signal: Infinity })).toEqual([5, 26, 9])
    expect(parameterValues(INDICATORS['bollinger-bands'], { width: 2.5 })).toEqual([20, 2.5])
  })
})

describe.each(CHART_INDICATOR_IDS)('%s', (id) => {
  const row = INDICATORS[id]
  const defaults = row.parameters.map(({ value }) => value)

  it('is not changed by looking at a forming bar, and gives for it what it would give closed', () => {
    const compared = row.outputs.map(() => 0)
    const drawn = lengths(fc.tuple(bar, fc.array(bar, { maxLength: 3 })))
    fc.assert(
      fc.property(drawn, (bars) => {
        const looked = row.create(defaults, PRICES.close)
        const plain = row.create(defaults, PRICES.close)
        for (const [i, [bar, changes]] of bars.entries()) {
          // Four bars a day, so that levels of sessions begin.
          const startMs = i * 21_600_000
          const closed = { ...bar, startMs }
          const forming = changes.map((one) => ({ ...one, startMs }))
          for (const one of forming) looked.peek(one)
          const seen = looked.peek(closed)
          const pushed = looked.push(closed)
          expect(pushed).toEqual(plain.push(closed))
          expect(seen).toEqual(pushed)
          expect(pushed).toHaveLength(row.outputs.length)
          for (const [at, value] of pushed.entries()) if (!Number.isNaN(value)) compared[at]++
        }
      }),
      { numRuns: 34, examples: fixedExamples(4, drawn) },
    )
    expect(Math.min(...compared), 'numbers compared of each line').toBeGreaterThan(0)
  })

  it('is absent for a short series and never infinite for a flat one', () => {
    // The first bar is the session's range so far.
    if (id !== 'session-range' && id !== 'opening-range')
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
      volume: 1 + (i % 5),
      startMs: i * 60_000,
      flow: { buy: i % 3, sell: 1, vwap: { volume: 1 + (i % 5), mean: wave(i), squares: 4 } },
    }))
    const all = run(id, bars)
    // These count from their first bar.
    if (id === 'accumulation' || id === 'price-volume-trend')
      return expect(all.flat().every((value, i) => i === 0 || Number.isFinite(value))).toBe(true)
    if (id === 'obv')
      return expect(all[all.length - 1][0]).toBe(
        bars.reduce((sum, one, i) => (i === 0 ? 0 : sum + Math.sign(one.close - bars[i - 1].close) * one.volume), 0),
      )
    if (id === 'anchored-vwap') {
      const [volume, sum] = bars.reduce(
        ([v, s], { flow }) => [v + flow.vwap.volume, s + flow.vwap.volume * flow.vwap.mean],
        [0, 0],
      )
      return expect(Math.abs(all[all.length - 1][0] - sum / volume)).toBeLessThan(1e-6)
    }
    // Averages forget: a late start agrees after a few hundred bars.
    const late = run(id, bars.slice(-3_000))
    for (const [at, value] of all[all.length - 1].entries()) {
      if (Number.isNaN(value)) expect(late[late.length - 1][at]).toBeNaN()
      else expect(Math.abs(value - late[late.length - 1][at])).toBeLessThan(1e-6 * Math.max(1, Math.abs(value)))
    }
  })
})
