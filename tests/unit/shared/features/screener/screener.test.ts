import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { fundamentalsIn } from '../../../../../src/shared/features/screener/fundamentals.ts'
import { METRIC_IDS } from '../../../../../src/shared/features/screener/metrics.ts'
import {
  passes,
  rowOf,
  screenRows,
  trendOf,
  valuesOf,
  type InstrumentFacts,
} from '../../../../../src/shared/features/screener/rows.ts'
import { NEW_SCREEN, screenSchema, universeOf } from '../../../../../src/shared/features/screener/screen.ts'
import { correlationOf, coverageOf, spanStats } from '../../../../../src/shared/features/screener/span-stats.ts'
import type { Bar } from '../../../../../src/shared/core/market/market.ts'
import type { CoveredSession } from '../../../../../src/shared/features/evidence/session-spans.ts'
import type { Gap, LedgerEntry } from '../../../../../src/shared/core/recording/session.ts'
import { Reception } from '../../../../../src/shared/features/screener/reception.ts'
import { instrumentId, instrumentKey, sessionId, unixMs, type FeedId } from '../../../../../src/shared/base/units.ts'

const MINUTE = 60_000
/** A bar of one minute at `minute`, by open, high, low, close. */
const bar = (minute: number, [open, high, low, close]: readonly number[], volume: number | null = 10): Bar => ({
  startMs: unixMs(minute * MINUTE),
  endMs: unixMs((minute + 1) * MINUTE),
  ...{ open, high, low, close, volume, count: 3, complete: true },
})

describe('the figures of a span', () => {
  // Closes 100, 110, 99, 99; the bar of minute 3 is missing.
  const bars = [
    bar(0, [99, 101, 98, 100]),
    bar(1, [100, 112, 100, 110]),
    bar(2, [110, 110, 95, 99]),
    bar(4, [99, 100, 98, 99]),
  ]
  it('are those of its bars, against the close before it', () => {
    const stats = spanStats(bars, MINUTE, 10 * MINUTE)
    expect(stats).toMatchObject({ from: 100, high: 112, low: 95, close: 99, volume: 30, updates: 9 })
    expect(stats?.turnover).toBe(10 * 110 + 10 * 99 + 10 * 99)
    // ln(110/100) and ln(99/110); nothing across the missing bar.
    expect([...(stats?.returns.keys() ?? [])]).toEqual([MINUTE, 2 * MINUTE])
    expect(stats?.volatility).toBeCloseTo(100 * Math.hypot(Math.log(1.1), Math.log(0.9)), 12)
  })
  it('have a trend from the beginning of the span to its last close, of few points', () => {
    expect(spanStats(bars, MINUTE, 10 * MINUTE)?.trend).toEqual([100, 110, 99, 99])
    expect(spanStats(bars.slice(0, 2), MINUTE, 10 * MINUTE)?.trend, 'a single close').toEqual([])
    const day = Array.from({ length: 1_000 }, (_, i) => bar(i, [i, i, i, i + 1]))
    const trend = spanStats(day, 0, 1_000 * MINUTE)?.trend ?? []
    expect([trend[0], trend.at(-1)]).toEqual([0, 1_000])
    expect(trend.length).toBeLessThanOrEqual(24)
    expect(trend.toSorted((a, b) => a - b)).toEqual(trend)
  })
  it('begin with the first open where nothing is known before', () => {
    expect(spanStats(bars, 0, 10 * MINUTE)?.from).toBe(99)
  })
  it('end before the end of the span', () => {
    expect(spanStats(bars, 0, 2 * MINUTE)).toMatchObject({ high: 112, close: 110 })
    expect(spanStats(bars, 20 * MINUTE, 30 * MINUTE)).toBeNull()
    expect(spanStats([], 0, 1)).toBeNull()
  })
  it('have no volume where records have no sizes, and no volatility of a single return', () => {
    expect(spanStats([bar(0, [1, 1, 1, 1], null), bar(1, [1, 2, 1, 2], null)], 0, 9 * MINUTE)).toMatchObject({
      volume: null,
      turnover: null,
      volatility: null,
    })
  })
})

describe('correlation', () => {
  const series = (values: readonly number[], from = 0) =>
    new Map(values.map((value, i) => [(from + i) * MINUTE, value]))
  const moves = [0.01, -0.02, 0.03, 0.005, -0.01, 0.02, -0.03, 0.01, 0.015, -0.005]
  it('is 1 for equal moves and −1 for opposite moves', () => {
    expect(correlationOf(series(moves), series(moves.map((one) => 2 * one + 0.001)))).toBeCloseTo(1, 12)
    expect(correlationOf(series(moves), series(moves.map((one) => -one)))).toBeCloseTo(-1, 12)
  })
  it('is that of a published example', () => {
    // https://en.wikipedia.org/wiki/Pearson_correlation_coefficient, section Geometric interpretation; twice, as ten are needed.
    const x = [1, 2, 3, 5, 8]
    const y = [0.11, 0.12, 0.13, 0.15, 0.18]
    expect(correlationOf(series([...x, ...x]), series([...y, ...y]))).toBeCloseTo(1, 12)
  })
  it('is unknown with few returns in common, and for prices that don’t move', () => {
    expect(correlationOf(series(moves), series(moves, 1))).toBeNull()
    expect(correlationOf(series(moves), series(moves.map(() => 0)))).toBeNull()
  })
})

describe('coverage', () => {
  const trading = [
    { fromMs: 0, toMs: 100 },
    { fromMs: 200, toMs: 300 },
  ]
  it('counts only trading time, and gaps that overlap once', () => {
    const gaps = [
      { fromMs: 90, toMs: 210 },
      { fromMs: 205, toMs: 220 },
      { fromMs: 250, toMs: 260 },
    ]
    const subscribed = [{ fromMs: -50, toMs: 400 }]
    expect(coverageOf(trading, { subscribed, gaps })).toEqual({ gaps: 3, missingMs: 40, covered: 0.8 })
  })
  it('counts time without a subscription as not received, though it is no gap', () => {
    const subscribed = [{ fromMs: 50, toMs: 210 }]
    expect(coverageOf(trading, { subscribed, gaps: [] })).toEqual({ gaps: 0, missingMs: 140, covered: 0.3 })
    expect(coverageOf(trading, { subscribed: [], gaps: [] })).toEqual({ gaps: 0, missingMs: 200, covered: 0 })
  })
  it('is unknown while the market was closed', () => {
    expect(coverageOf([], { subscribed: [], gaps: [] })).toEqual({ gaps: 0, missingMs: 0, covered: null })
  })
})

describe('reception', () => {
  const feed: FeedId = 'crypto/XT'
  const entry = (wallMs: number, part: object) => ({ wallMs, entry: { feed, conn: 1, ...part } as LedgerEntry })
  const gap = (fromMs: number, toMs: number | null, part: Partial<Gap> = {}): Gap => ({
    ...{ session: sessionId('r'), feed, symbols: [], cause: 'drop' },
    ...{ fromMs: unixMs(fromMs), toMs: toMs === null ? null : unixMs(toMs), fromSeq: 1, toSeq: null },
    ...part,
  })
  const sessionOf = (part: Partial<CoveredSession>): CoveredSession => ({
    ...{ session: sessionId('r'), startedMs: 0, endedMs: 1_000, entries: [], gaps: [] },
    ...part,
  })
  const of = (symbol: string, ...sessions: readonly CoveredSession[]) =>
    new Reception(sessions, 1_000).of(feed, instrumentKey('crypto', symbol))

  it('is only what was subscribed, symbol by symbol', () => {
    const one = sessionOf({
      entries: [
        entry(10, { type: 'subscribe', symbols: ['BTC-USD', 'ETH-USD'] }),
        entry(100, { type: 'unsubscribe', symbols: ['BTC-USD'] }),
        entry(700, { type: 'subscribe', symbols: ['BTC-USD'] }),
      ],
    })
    expect(of('BTC-USD', one).subscribed).toEqual([
      { fromMs: 10, toMs: 100 },
      { fromMs: 700, toMs: 1_000 },
    ])
    expect(of('ETH-USD', one).subscribed).toEqual([{ fromMs: 10, toMs: 1_000 }])
    expect(of('SOL-USD', one)).toEqual({ subscribed: [], gaps: [] })
  })
  it('has the gaps of the symbol, and those of the feed that touch its subscription; an open one ends now', () => {
    const one = sessionOf({
      entries: [
        entry(100, { type: 'subscribe', symbols: ['BTC-USD'] }),
        entry(200, { type: 'disconnected' }),
        entry(300, { type: 'subscribe', symbols: ['BTC-USD', 'ETH-USD'] }),
        entry(400, { type: 'unsubscribe', symbols: ['ETH-USD'] }),
      ],
      gaps: [gap(200, 300), gap(350, 360, { symbols: ['ETH-USD'] }), gap(900, null), gap(500, 510)],
    })
    expect(of('BTC-USD', one).gaps.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [200, 300],
      [500, 510],
      [900, 1_000],
    ])
    expect(of('ETH-USD', one).gaps.map(({ fromMs }) => fromMs)).toEqual([350, 200])
  })
  it('ends where the user ended it, without a gap', () => {
    const entries = [entry(0, { type: 'subscribe', symbols: ['BTC-USD'] })]
    const one = sessionOf({ entries, gaps: [gap(600, null, { cause: 'quit' })] })
    expect(of('BTC-USD', one)).toEqual({ subscribed: [{ fromMs: 0, toMs: 600 }], gaps: [] })
  })
  it('of an import without subscriptions is from its first message to its last', () => {
    const extents = [{ feed, symbol: 'BTC-USD', fromMs: 5, toMs: 50 }]
    expect(of('BTC-USD', sessionOf({ extents })).subscribed).toEqual([{ fromMs: 5, toMs: 50 }])
  })
})

const facts = (symbol: string, part: Partial<InstrumentFacts> = {}): InstrumentFacts => ({
  ...{
    instrument: instrumentId('stocks', symbol),
    symbol,
    asset: 'stocks',
    decimals: 2,
    last: 10,
    bid: 9.99,
    ask: 10.01,
  },
  ...{ lastRecvMs: 1_000, stats: null, coverage: { gaps: 0, missingMs: 0, covered: 1 }, fundamentals: {} },
  ...part,
})
const stats = {
  from: 8,
  high: 11,
  low: 8,
  close: 9,
  volume: 5,
  turnover: 50,
  updates: 3,
  volatility: 2,
  returns: new Map(),
  trend: [8, 10, 9],
}

describe('a screen', () => {
  it('computes values from the last price and the span', () => {
    expect(valuesOf(facts('A', { stats, last: 12 }), 3_000, null)).toMatchObject({
      ...{
        price: 12,
        change: 4,
        changePercent: 50,
        high: 12,
        low: 8,
        range: 50,
        place: 100,
        age: 2_000,
        coverage: 100,
      },
      correlation: null,
    })
    expect(valuesOf(facts('A'), 3_000, null).spread).toBeCloseTo((10_000 * 0.02) / 10, 9)
  })
  it('ends its trend with the current price', () => {
    expect(trendOf(facts('A', { stats, last: 12 }))).toEqual([8, 10, 12])
    expect(trendOf(facts('A', { stats, last: null }))).toEqual([8, 10, 9])
    expect(trendOf(facts('A'))).toEqual([])
  })
  it('takes the last close where nothing was received since the start', () => {
    expect(valuesOf(facts('A', { stats, last: null }), 3_000, null)).toMatchObject({ price: 9, change: 1 })
  })
  it('keeps what is within all bounds, and nothing that is unknown', () => {
    const filter = { metric: 'change', min: 1, max: 2 } as const
    expect([0.99, 1, 2, 2.01].map((change) => passes({ change }, [filter]))).toEqual([false, true, true, false])
    const bounds = [0.1, -0.1, 15].map((bound) => ({ metric: 'change', min: bound, max: bound }) as const)
    for (const [i, change] of [100.3 - 100.2, 100.2 - 100.3, (115 / 100 - 1) * 100].entries())
      expect([passes({ change }, [bounds[i]]), passes({ change: change * 1.001 }, [bounds[i]])]).toEqual([true, false])
    expect(passes({}, [{ metric: 'change', min: null, max: null }])).toBe(false)
    expect(passes({}, [])).toBe(true)
  })
  it('sorts in both directions, unknown values last and equal ones by symbol', () => {
    const all = [facts('B', { last: 2 }), facts('C', { last: null }), facts('A', { last: 2 }), facts('D', { last: 1 })]
    const rows = all.map((one) => rowOf(one, 0, null))
    const order = (descending: boolean) =>
      screenRows(rows, { filters: [], sort: { metric: 'price', descending } }).map(({ symbol }) => symbol)
    expect(order(true)).toEqual(['A', 'B', 'D', 'C'])
    expect(order(false)).toEqual(['D', 'A', 'B', 'C'])
    const bySymbol = screenRows(rows, { filters: [], sort: { metric: null, descending: false } })
    expect(bySymbol.map(({ symbol }) => symbol)).toEqual(['A', 'B', 'C', 'D'])
  })
  it('survives settings that another version wrote', () => {
    expect(v.parse(screenSchema, { span: '2y', columns: ['nothing'], filters: [{ metric: 'moon' }] })).toEqual(
      NEW_SCREEN,
    )
  })
  it('is of everything, a market or a list, under any alias', () => {
    const btc = instrumentId('crypto', 'BTC-USD')
    const lists = [{ id: 'a', name: 'A', sort: null, symbols: [{ asset: 'crypto' as const, symbol: 'X:BTC/USD' }] }]
    const isIn = (universe: string) => universeOf(universe, lists)(btc)
    expect(['all', 'crypto', 'stocks', 'list:a', 'list:gone'].map(isIn)).toEqual([true, true, false, true, false])
  })
})

describe('fundamentals', () => {
  it('are found by their names in facts and in the newest record of a table', () => {
    const metrics = {
      data: {
        valuation: { pe_ratio: 31.4 },
        profitability: { return_on_equity: 1.56 },
        leverage: { debt_to_equity: 1.87 },
      },
    }
    expect(fundamentalsIn(JSON.stringify(metrics))).toEqual({
      priceToEarnings: 31.4,
      returnOnEquity: 156,
      debtToEquity: 1.87,
    })
    const table = {
      symbol: 'IBM',
      ratios: [
        { date: '2025-12-31', netProfitMargin: 0.12 },
        { date: '2024-12-31', netProfitMargin: 0.5 },
      ],
    }
    expect(fundamentalsIn(JSON.stringify(table))).toEqual({ netMargin: 12 })
    expect(fundamentalsIn('{"dividend_yield": "0.65 %", "marketCap": 3400000000000}')).toEqual({
      dividendYield: 0.65,
      marketCap: 3.4e12,
    })
  })
  it('are none in anything else', () => {
    for (const text of ['', 'nope', '[]', '{"message":"no"}', '<html>']) expect(fundamentalsIn(text)).toEqual({})
  })
})

it('every figure has an id of its own', () => {
  expect(new Set(METRIC_IDS).size).toBe(METRIC_IDS.length)
})
