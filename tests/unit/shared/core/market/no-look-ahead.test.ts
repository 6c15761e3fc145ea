/**
 * A replay shows what was known: closed bars of every kind, and the values of every indicator and of a formula over
 * them, don't change with the trades that come later.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixedGrid, toBar } from '../../../../../src/shared/core/market/bars.ts'
import { createBarBuilder } from '../../../../../src/shared/core/market/bar-builder.ts'
import {
  createEventBars,
  EVENT_BAR_KINDS,
  eventBarOf,
  type EventTrade,
} from '../../../../../src/shared/core/market/event-bars.ts'
import { compileFormula } from '../../../../../src/shared/core/market/formula/compile.ts'
import type { BarValues, Indicator } from '../../../../../src/shared/core/market/indicators/indicator.ts'
import { PRICES } from '../../../../../src/shared/core/market/indicators/row.ts'
import {
  CHART_INDICATOR_IDS,
  INDICATORS,
  parameterValues,
} from '../../../../../src/shared/core/market/indicators/table.ts'
import type { Bar } from '../../../../../src/shared/core/market/market.ts'
import { fixedExamples } from '../../../../kit/properties.ts'

const HOUR = 3_600_000
/** Days of an hour, so that sessions begin and end within a test. */
const dayOf = (ms: number): number => Math.floor(ms / HOUR) * HOUR

const steps = fc.array(
  fc.record({
    waitMs: fc.constantFrom(0, 500, 3_000, 20_000, 400_000),
    price: fc.integer({ min: 90, max: 110 }),
    size: fc.integer({ min: 1, max: 9 }),
    side: fc.constantFrom<-1 | 0 | 1>(-1, 0, 1),
  }),
  { minLength: 2, maxLength: 150 },
)
function tradesOf(list: readonly { waitMs: number; price: number; size: number; side: -1 | 0 | 1 }[]): EventTrade[] {
  let ms = HOUR
  return list.map(({ waitMs, ...trade }, i) => {
    ms += waitMs
    return { ...trade, seq: i + 1, recvMs: ms, eventMs: ms }
  })
}

/** The bars of some trades, the forming one last. */
type Build = (trades: readonly EventTrade[]) => readonly Bar[]
const builds: Readonly<Record<string, Build>> = {
  ...Object.fromEntries(
    EVENT_BAR_KINDS.map((kind): [string, Build] => [
      kind,
      (trades) => {
        const builder = createEventBars(
          { kind, size: { tick: 3, volume: 12, range: 4, renko: 3, delta: 9 }[kind] },
          dayOf,
        )
        for (const trade of trades) builder.trade(trade)
        return builder.bars.map(eventBarOf)
      },
    ]),
  ),
  ...Object.fromEntries(
    [250, 7_000, 45 * 60_000].map((intervalMs): [string, Build] => [
      `${intervalMs} ms`,
      (trades) => {
        const builder = createBarBuilder({ grid: fixedGrid(intervalMs) })
        for (const { seq, eventMs, price, size } of trades) builder.apply(eventMs, seq, price, size)
        return builder.states().map(toBar)
      },
    ]),
  ),
}

const formula = compileFormula(
  'm = macd(close, 3, 5, 2)\nbarssince(crossover(close, sma(close, 4))) + m.signal[2] * volume',
)
if (!formula.ok) throw new Error(formula.error.message)
const { spec } = formula
const indicators: readonly (readonly [string, () => Indicator])[] = [
  ...CHART_INDICATOR_IDS.map((id): [string, () => Indicator] => {
    const row = INDICATORS[id]
    // Short lengths, so that few bars have values.
    const values = parameterValues(row, {}).map((value, i) => (value > 9 ? 3 + i : value))
    return [id, () => row.create(values, PRICES[row.usualPrice], dayOf, dayOf)]
  }),
  ['formula', () => spec.create([], PRICES.close, dayOf, dayOf)],
]
const valuesOf = (make: () => Indicator, bars: readonly Bar[]): readonly (readonly number[])[] => {
  const indicator = make()
  // What is bought depends on the bar alone, like its trades.
  return bars
    .map((bar): BarValues => ({ ...bar, flow: { buy: bar.count / 2, sell: 1 } }))
    .map((bar) => indicator.push(bar))
}

describe.each(Object.entries(builds))('%s bars', (_, build) => {
  it('and what is computed from them stay as they were when they closed', () => {
    const compared = new Map<string, number>()
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 100 }), (list, share) => {
        const trades = tradesOf(list)
        const then = build(trades.slice(0, Math.ceil((trades.length * share) / 100))).slice(0, -1)
        const later = build(trades)
        expect(later.slice(0, then.length)).toEqual(then)
        for (const [id, make] of indicators) {
          const was = valuesOf(make, then)
          expect(valuesOf(make, later).slice(0, then.length), id).toEqual(was)
          const known = was.filter((values) => values.some((value) => !Number.isNaN(value))).length
          compared.set(id, (compared.get(id) ?? 0) + known)
        }
      }),
      { numRuns: 15, examples: fixedExamples(3, steps, fc.integer({ min: 1, max: 100 })) },
    )
    expect(Math.max(...compared.values())).toBeGreaterThan(0)
  })
})
