import { describe, expect, it } from 'vitest'
import { fixedGrid } from '../../../src/shared/core/market/bars.ts'
import { createBarBuilder } from '../../../src/shared/core/market/bar-builder.ts'
import { PRICES } from '../../../src/shared/core/market/indicators/row.ts'
import { computeAll, INDICATORS } from '../../../src/shared/core/market/indicators/table.ts'
import { instrumentId } from '../../../src/shared/base/units.ts'
import { daysOf } from '../../../src/simulator/responses/daily.ts'
import { stories } from '../../../src/simulator/responses/events.ts'
import { createIntraday } from '../../../src/simulator/responses/intraday.ts'
import { readReference } from '../../../src/simulator/responses/reference.ts'
import { indicator, parametersOf } from '../../../src/simulator/responses/technical.ts'
import { createMarket } from '../../../src/simulator/market/market.ts'

const DATA = new URL('../../../resources/demo/', import.meta.url)
const NOW = Date.UTC(2026, 10, 20, 15, 3, 7, 250)
const market = createMarket(DATA, 1)
const intraday = createIntraday((id) => market.source(id))

describe('daily bars of the demo market', () => {
  it.each(['AAPL', 'SPY', 'IBM', 'KO'])('of %s hold no split, and end where the market trades', (symbol) => {
    const priceAt = (ms: number) => intraday.priceAt(symbol, ms)
    const days = daysOf(readReference(DATA), symbol, NOW, 300, 1, priceAt)
    expect(days).toHaveLength(300)
    const steps = days.slice(1).map((day, i) => Math.abs(day.close / days[i].close - 1))
    expect(Math.max(...steps)).toBeLessThan(0.2)
    for (const { open, high, low, close } of days) {
      expect(high).toBeGreaterThanOrEqual(Math.max(open, close))
      expect(low).toBeLessThanOrEqual(Math.min(open, close))
    }
    const close = priceAt(Date.UTC(2026, 10, 20))
    expect(days.at(-1)?.time).toBe('2026-11-19')
    expect(Math.abs((days.at(-1)?.close ?? NaN) / close - 1)).toBeLessThan(0.05)
  })
})

describe('short bars of the demo market', () => {
  it.each([
    ['AAPL', 'stocks', '1s', 1_000],
    ['BTC-USD', 'crypto', '5s', 5_000],
    ['IBM', 'stocks', '1m', 60_000],
  ] as const)('of %s are those of the ticks that it sends', (symbol, asset, interval, ms) => {
    const bars = intraday.bars(symbol, interval, NOW) ?? []
    const from = Date.parse(bars[0].time)
    const builder = createBarBuilder({ grid: fixedGrid(ms) })
    const trades = market.source(instrumentId(asset, symbol)).ticks(from, Math.floor(NOW / ms) * ms)
    for (const [i, tick] of trades.entries())
      if (tick.kind === 'trade') builder.apply(tick.ms, i, tick.price, tick.size)
    const own = builder.states().map(({ startMs, close, high }) => [new Date(startMs).toISOString(), close, high])
    expect(bars.map(({ time, close, high }) => [time, close, high])).toEqual(own)
  })
  it('are the same if only the newest are rebuilt', () => {
    const again = createIntraday((id) => market.source(id))
    for (const later of [0, 1_900, 40_000]) {
      const fresh = createIntraday((id) => market.source(id))
      expect(again.bars('AAPL', '5s', NOW + later)).toEqual(fresh.bars('AAPL', '5s', NOW + later))
    }
  })
  it('are none of an interval that is not served', () => {
    expect(intraday.bars('AAPL', '7m', NOW)).toBeUndefined()
    expect(intraday.bars('AAPL', 'constructor', NOW)).toBeUndefined()
  })
})

describe('indicators of the demo market', () => {
  const bars = intraday.bars('AAPL', '1s', NOW) ?? []
  const query = new URLSearchParams({
    period: '7',
    fast: '5',
    slow: '9',
    signal: '4',
    width: '1.5',
    slowing: '2',
    smoothing: '3',
  })
  const NAMES = {
    sma: [7],
    ema: [7],
    rsi: [7],
    macd: [5, 9, 4],
    'bollinger-bands': [7, 1.5],
    stochastic: [7, 2, 4],
    adx: [7, 3],
    'williams-r': [7],
  } as const
  it.each(Object.entries(NAMES))('%s with parameters that were sent is ours with the same', (name, values) => {
    const id = name as keyof typeof NAMES // of its own entries
    const theirs = Object.values(indicator(id, bars, parametersOf(id, query)) ?? {})
    const ours = computeAll(INDICATORS[id], values, PRICES.close, bars)
    // The demo sends the three bands from the top.
    const order = id === 'bollinger-bands' ? [1, 0, 2] : ours[0].map((_, i) => i)
    const last = ours.length - 1
    for (const [line, place] of order.entries()) {
      expect(theirs[line][last]).toBeCloseTo(ours[last][place], 9)
      expect(theirs[line].filter((x) => x !== undefined)).toHaveLength(
        ours.filter((row) => !Number.isNaN(row[place])).length,
      )
    }
  })
})

describe('stories of the demo market', () => {
  it('are never of the future, keep their time, and come newest first', () => {
    for (let minute = 0; minute < 120; minute += 7) {
      const now = NOW + minute * 60_000
      const times = stories('AAPL', now, 1, 20).map((one) => Date.parse(one.published_at))
      expect(Math.max(...times)).toBeLessThanOrEqual(now)
      expect([...times].sort((a, b) => b - a)).toEqual(times)
      const later = new Set(stories('AAPL', now + 600_000, 1, 24).map((one) => `${one.id} ${one.published_at}`))
      for (const one of stories('AAPL', now, 1, 20)) expect(later).toContain(`${one.id} ${one.published_at}`)
    }
  })
})
