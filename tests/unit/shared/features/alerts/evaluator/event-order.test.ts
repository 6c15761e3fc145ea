/** Records that are dated ahead of their receipt: one is a mistake of its sender, all of them a clock that is behind. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AHEAD_MS, EventOrder } from '../../../../../../src/shared/features/alerts/evaluator/event-order.ts'
import type { AlertCondition } from '../../../../../../src/shared/features/alerts/types.ts'
import type { Drawing } from '../../../../../../src/shared/features/drawings/types.ts'
import { alertOf, BTC, rig, smaBelowPrice, T0 } from '../harness.ts'
import { fixedExamples } from '../../../../../kit/properties.ts'

const HOUR = 3_600_000
const MINUTE = 60_000
const above = (level: number): AlertCondition => ({ is: 'price', of: 'last', level, direction: 'up' })
const ray: Drawing = {
  id: 'd',
  kind: 'ray',
  points: [
    { ms: T0, price: 100 },
    { ms: T0 + HOUR, price: 200 },
  ],
  style: { color: 'accent', width: 1, dash: 'solid', fill: 0 },
  text: '',
  locked: false,
  hidden: false,
  asOfMs: T0,
}
const repeat = { restMs: 1_000, backPercent: 0 }
/** A trade each second, under a level and over it in turn, the last `count` of which are told. */
const toAndFro = (trade: (ms: number, price: number) => void, fromMs: number, count: number): void => {
  for (let i = 0; i < count; i++) trade(fromMs + i * 1_000, i % 2 === 0 ? 99 : 101)
}

describe('one record that is dated ahead', () => {
  test.each([AHEAD_MS + 1, HOUR, 1e12])('by %s ms silences no alert', (ahead) => {
    const r = rig([alertOf(above(100), { repeat })])
    r.trade(0, 99)
    r.trade(1, 99)
    r.trade(2, 98, 1, 2 + ahead)
    toAndFro((ms, price) => r.trade(ms, price), 1_000, 60)
    expect(r.told).toHaveLength(30)
  })

  test('is a price all the same', () => {
    const r = rig([alertOf(above(100))])
    r.trade(0, 99)
    r.trade(1, 101, 1, HOUR)
    expect(r.told).toEqual(['fired 1: 99 101'])
  })

  test('leaves what is late behind it late', () => {
    const r = rig([alertOf(above(100))])
    r.trade(0, 99)
    r.trade(1_000, 99, 1, HOUR)
    r.trade(1_001, 101, 1, 500)
    expect(r.told).toEqual([])
    r.trade(1_002, 101)
    expect(r.told).toHaveLength(1)
  })

  test('of a few milliseconds counts as it is dated', () => {
    const r = rig([alertOf(above(100))])
    r.trade(0, 99, 1, AHEAD_MS)
    r.trade(1, 101, 1, AHEAD_MS - 1)
    expect(r.told).toEqual([])
    r.trade(2, 101, 1, AHEAD_MS + 1)
    expect(r.told).toHaveLength(1)
  })

  test('of quotes silences neither the price nor the spread nor the middle as Last', () => {
    const sides = (['bid', 'last'] as const).map((of) => alertOf({ is: 'price', of, level: 100, direction: 'up' }))
    const r = rig([...sides, alertOf({ is: 'spread', above: 1, unit: 'price' })])
    r.quote(0, 99, 99.5)
    r.quote(1, 99, 99.5, HOUR)
    r.quote(1_000, 100, 102)
    expect(r.told).toHaveLength(3)
  })

  test('opens no bar, and closes none', () => {
    const sma = smaBelowPrice(2)
    const r = rig([alertOf(sma)])
    r.evaluator.seed(BTC, 'trade', '1m', [])
    r.trade(0, 100)
    r.trade(MINUTE, 90)
    r.trade(MINUTE + 1, 95, 1, HOUR)
    r.trade(2 * MINUTE, 80)
    r.trade(2 * MINUTE + 30_000, 200)
    expect(r.told).toEqual([])
    r.trade(3 * MINUTE, 200)
    expect(r.told).toEqual([`fired ${3 * MINUTE}: 95 145`])
  })

  test('is not measured on a drawing, which stands elsewhere then', () => {
    const r = rig([alertOf({ is: 'drawing', of: 'last', drawing: 'd', direction: 'either' })])
    r.evaluator.setDrawings(BTC, [ray])
    r.trade(0, 110)
    r.trade(1, 110, 1, HOUR)
    r.trade(2, 110)
    expect(r.told).toEqual([])
  })
})

describe('a clock that is behind', () => {
  test('is known after three records: what is late is late, and alerts fire', () => {
    const r = rig([alertOf(above(100), { repeat })])
    for (const ms of [0, 1_000, 2_000]) r.trade(ms, 99, 1, ms + 2 * HOUR)
    r.trade(3_000, 99, 1, 2 * HOUR + 3_000)
    r.trade(3_001, 101, 1, 2 * HOUR + 1_000)
    expect(r.told).toEqual([])
    toAndFro((ms, price) => r.trade(ms, price, 1, ms + 2 * HOUR), 4_000, 10)
    expect(r.told).toHaveLength(5)
  })

  test('that is set right again is known, too', () => {
    const r = rig([alertOf(above(100), { repeat })])
    for (let i = 0; i < 10; i++) r.trade(i * 1_000, 99, 1, i * 1_000 + 2 * HOUR)
    toAndFro((ms, price) => r.trade(ms, price), 2 * HOUR + 10_000, 10)
    expect(r.told).toHaveLength(5)
  })
})

test('three in a row that are dated ahead by mistake are made up for by three that are not', () => {
  const r = rig([alertOf(above(100), { repeat })])
  r.trade(0, 99)
  for (const ms of [1, 2, 3]) r.trade(ms, 99, 1, ms + HOUR)
  toAndFro((ms, price) => r.trade(ms, price), 1_000, 60)
  expect(r.told).toHaveLength(29)
})

test('after a blind interval the clock is learned again', () => {
  const order = new EventOrder()
  for (const ms of [0, 1, 2]) order.isPlausible(ms + HOUR, ms)
  order.restart()
  expect([order.lastMs, order.isPlausible(3 + HOUR, 3)]).toEqual([-Infinity, false])
})

test('whatever one in three is dated, the others fire as without it', () => {
  const parts = fc.array(fc.tuple(fc.integer({ min: 95, max: 105 }), fc.boolean(), fc.integer({ min: 1, max: 1e10 })), {
    maxLength: 60,
    size: 'max',
  })
  let told = 0
  fc.assert(
    fc.property(parts, (list) => {
      const [dated, undated] = [true, false].map((all) => {
        const r = rig([alertOf(above(100), { repeat })])
        list.forEach(([price, wrong, ahead], i) => {
          const ms = i * 700
          r.trade(ms, price, 1, ms)
          if (wrong) r.trade(ms + 1, price, 1, all ? ms + 1 + AHEAD_MS + ahead : ms + 1)
        })
        return r.told
      })
      told += undated.length
      expect(dated).toEqual(undated)
    }),
    { numRuns: 120, examples: fixedExamples(20, parts) },
  )
  expect(told).toBeGreaterThan(100)
})
