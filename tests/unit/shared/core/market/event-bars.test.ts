import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  createEventBars,
  eventBarOf,
  EVENT_BAR_KINDS,
  type EventBar,
  type EventBarKind,
  type EventBarRule,
  type EventTrade,
} from '../../../../../src/shared/core/market/event-bars.ts'
import { fixedExamples } from '../../../../kit/properties.ts'

const DAY = 86_400_000
const dayOf = (ms: number): number => Math.floor(ms / DAY) * DAY

type Step = readonly [seq: number, price: number, size: number, side?: -1 | 0 | 1] | readonly ['gap']
interface Vector {
  readonly kind: EventBarKind
  readonly source: string
  readonly brick?: number
  readonly n?: number
  readonly v?: number
  readonly ticks?: number
  readonly d?: number
  readonly prices?: readonly number[]
  readonly trades?: readonly Step[]
  readonly expect: readonly unknown[]
}
const { cases } = JSON.parse(
  readFileSync(new URL('../../../../fixtures/order-flow/event-bars.json', import.meta.url), 'utf8'),
) as { readonly cases: readonly Vector[] }

const trade = (seq: number, price: number, size = 1, side: -1 | 0 | 1 = 0, ms = seq * 1_000): EventTrade => ({
  seq,
  recvMs: ms,
  eventMs: ms,
  price,
  size,
  side,
})
function build(rule: EventBarRule, steps: readonly Step[]): readonly EventBar[] {
  const builder = createEventBars(rule, dayOf)
  for (const step of steps) {
    if (step[0] === 'gap') builder.interrupt(0)
    else builder.trade(trade(step[0], step[1], step[2], step[3]))
  }
  return builder.bars
}
const described = (bar: EventBar) => ({
  seqs: [bar.firstSeq, bar.lastSeq],
  ohlc: [bar.open, bar.high, bar.low, bar.close],
  v: bar.volume,
  delta: bar.delta.volume,
  complete: bar.complete,
})

describe('published and computed bars', () => {
  it.each(cases)('$kind: $source', (vector) => {
    const { kind, brick, n, v, ticks, d, prices, trades } = vector
    const steps = trades ?? (prices ?? []).map((price, i): Step => [i + 1, price, 1])
    const bars = build({ kind, size: brick ?? n ?? v ?? ticks ?? d ?? NaN }, steps)
    if (kind === 'renko') {
      const closed = bars.slice(0, vector.expect.length)
      expect(closed.map(({ open, high, low, close }) => [open, high, low, close])).toEqual(vector.expect)
    } else {
      expect(bars).toHaveLength(vector.expect.length)
      for (const [i, wanted] of vector.expect.entries()) {
        const { forming: _, ...parts } = wanted as Record<string, unknown>
        expect(described(bars[i])).toMatchObject(parts)
      }
    }
  })
  it('bricks that the price jumped over carry no trade', () => {
    const bars = build({ kind: 'renko', size: 1 }, [
      [1, 10, 1],
      [2, 14, 1],
      [3, 13.5, 1],
    ])
    expect(bars.map(({ count, firstSeq }) => [count, firstSeq])).toEqual([
      [2, 1],
      [0, NaN],
      [0, NaN],
      [1, 3],
    ])
  })
  it.each([
    [[10, 10.4], [[10, 10.4]]],
    [[10, 11], [[10, 11]]],
    [[10, 9], [[10, 9]]],
    [[10, 11, 11.1], [[10, 11]]],
    [[10, 8.9], [[10, 9]]],
    // A turn begins where the last brick did.
    [
      [10, 11.1, 9.1],
      [
        [10, 11],
        [11, 9.1],
      ],
    ],
    [
      [10, 11.1, 9],
      [
        [10, 11],
        [11, 9],
      ],
    ],
    [
      [10, 11.1, 8.9],
      [
        [10, 11],
        [10, 9],
      ],
    ],
  ])('of bricks of 1 and the prices %j, the open and close are %j', (prices, expected) => {
    const bars = build(
      { kind: 'renko', size: 1 },
      prices.map((price, i): Step => [i + 1, price, 1]),
    )
    expect(bars.map(({ open, close }) => [open, close])).toEqual(expected)
  })
  it('bricks of decimals end at decimals', () => {
    const steps = Array.from({ length: 40 }, (_, i): Step => [i + 1, Number((1 + i * 0.05).toFixed(2)), 1])
    const bars = build({ kind: 'renko', size: 0.1 }, steps)
    expect(bars.slice(0, 3).map(({ open, close }) => [open, close])).toEqual([
      [1, 1.1],
      [1.1, 1.2],
      [1.2, 1.3],
    ])
    expect(bars.every(({ close }) => String(close).length <= 4)).toBe(true)
  })
})

describe('sizes that are small for the price', () => {
  const renko = (size: number, prices: readonly number[]) =>
    build(
      { kind: 'renko', size },
      prices.map((price, i): Step => [i + 1, price, 1]),
    )
  it.each([
    [1e-7, [0.0000123, 0.0000126], [0.0000123, 0.0000124, 0.0000125]],
    [2.5e-7, [0.000001, 0.0000016], [0.000001, 0.00000125, 0.0000015]],
  ])('bricks of %d end at its multiples', (size, prices, levels) => {
    const bars = renko(size, prices)
    expect(bars.map(({ open, close }) => [open, close])).toEqual(levels.slice(1).map((level, i) => [levels[i], level]))
  })
  it('a trade that would close more than 1,000 bricks begins again at its price', () => {
    const bars = renko(0.01, [60_000, 70_000, 70_000.025])
    expect(bars.map(({ open, close, complete, count }) => [open, close, complete, count])).toEqual([
      [60_000, 60_000, false, 1],
      [70_000, 70_000.01, true, 2],
      [70_000.01, 70_000.02, true, 0],
    ])
    expect(renko(1, [1, 1_001.2])).toHaveLength(1_000)
    expect(renko(1, [1, 1_002.5])).toHaveLength(2)
  })
  it('steps beyond 2^53 end', () => {
    const bars = renko(1e-9, [9e6, 9e6 + 1e-7, 1e9, 1e9 + 1e-6, 1e12])
    expect(bars.length).toBeLessThan(200)
    expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(5)
  })
})

describe('sums of decimal sizes', () => {
  const ten = [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]
  it.each<[EventBarKind, number, readonly number[]]>([
    ['volume', 0.07, [0.01, 0.06]],
    ['volume', 2.02, [0.01, 2.01]],
    ['volume', 1, ten],
    ['delta', 0.07, [0.01, 0.06]],
    ['delta', 1, [-0.4, 1.4]],
    ['delta', 1, ten],
    ['delta', 1, ten.map((size) => -size)],
  ])('%s bars of %d end with the last of %j', (kind, size, trades) => {
    const steps = [...trades, 0.01].map((signed, i): Step => [i + 1, 10, Math.abs(signed), signed > 0 ? 1 : -1])
    expect(build({ kind, size }, steps).map((bar) => bar.lastSeq)).toEqual([trades.length, trades.length + 1])
  })
  it.each<EventBarKind>(['volume', 'delta'])('%s bars don’t end a size too early', (kind) => {
    const bars = build({ kind, size: 100_000 }, [
      [1, 10, 99_999.999_999_99, 1],
      [2, 10, 0.000_000_01, 1],
    ])
    expect(bars.map((bar) => bar.lastSeq)).toEqual([2])
  })
})

describe('of more bars than are kept', () => {
  it('the oldest are dropped while trades are added', () => {
    const builder = createEventBars({ kind: 'tick', size: 1 }, dayOf, 100)
    let most = 0
    for (let i = 1; i <= 1_000; i++) {
      builder.trade(trade(i, 100))
      most = Math.max(most, builder.bars.length)
    }
    expect(most).toBe(110)
    const { length } = builder.bars
    expect(length).toBeGreaterThanOrEqual(100)
    expect(builder.bars.map(({ firstSeq }) => firstSeq)).toEqual(
      Array.from({ length }, (_, i) => 1_000 - length + 1 + i),
    )
    expect(builder.takeChanged(), 'some were never seen').toBeLessThan(0)
    builder.trade(trade(1_001, 100))
    expect(builder.bars.slice(builder.takeChanged()).at(-1)).toMatchObject({ firstSeq: 1_001 })
  })
})

it('a bar has the greatest date of its trades, and the sizes that are sizes', () => {
  const builder = createEventBars({ kind: 'tick', size: 6 }, dayOf)
  const sizes = [NaN, 1, -1, Infinity, 0, 2]
  for (const [i, size] of sizes.entries())
    builder.trade({
      ...trade(i + 1, 100, size, 1),
      recvMs: 10_000,
      eventMs: [5_000, 9_000, 7_000, 1_000, 8_000, 6_000][i],
    })
  builder.trade(trade(7, 100, NaN, 0, 9_000))
  const [first, second] = builder.bars
  expect(first).toMatchObject({ startMs: 5_000, endMs: 9_000, volume: 3, count: 6 })
  expect(first.delta.volume).toBe(3)
  expect([first, second].map((bar) => eventBarOf(bar).volume)).toEqual([3, null])
  expect(second.startMs).toBe(9_000)
  expect(builder.takeChanged()).toBe(0)
  expect(builder.takeChanged()).toBe(2)
})

it('bars of one instant begin a thousandth of a millisecond after each other', () => {
  const builder = createEventBars({ kind: 'tick', size: 1 }, dayOf)
  for (let seq = 1; seq <= 3; seq++) builder.trade(trade(seq, 100, 1, 0, 5_000))
  expect(builder.bars.map(({ startMs }) => startMs)).toEqual([5_000, 5_000.001, 5_000.002])
})

describe('dates', () => {
  const startsOf = (list: readonly (readonly [recvMs: number, eventMs: number])[]) => {
    const builder = createEventBars({ kind: 'tick', size: 1 }, dayOf)
    for (const [i, [recvMs, eventMs]] of list.entries()) builder.trade({ ...trade(i + 1, 100), recvMs, eventMs })
    return builder.bars.map(({ startMs }) => startMs)
  }
  it('far ahead of their receipt don’t move the bars that follow', () => {
    expect(
      startsOf([
        [1_000, 990],
        [2_000, 3_602_000],
        [3_000, 2_990],
        [4_000, 6_000],
      ]),
    ).toEqual([990, 2_000, 2_990, 6_000])
  })
  it('of another day are the nearest time of theirs', () => {
    expect(
      startsOf([
        [DAY - 10, DAY + 5],
        [DAY + 10, DAY - 20],
        [DAY + 20, DAY + 15],
      ]),
    ).toEqual([DAY - 10, DAY, DAY + 15])
  })
})

describe('a gap', () => {
  it('of the next day leaves the last bar of the day alone', () => {
    const builder = createEventBars({ kind: 'tick', size: 2 }, dayOf)
    builder.trade(trade(1, 100))
    builder.interrupt(DAY + 5)
    expect(builder.bars.at(0)).toMatchObject({ complete: true })
    builder.interrupt(DAY - 5)
    expect(builder.bars.at(0)).toMatchObject({ complete: false })
  })
})

const steps = fc.array(
  fc.oneof(
    {
      weight: 20,
      arbitrary: fc.record({
        price: fc.integer({ min: 9_900, max: 10_100 }).map((mantissa) => mantissa / 100),
        size: fc.oneof(
          fc.constant(NaN),
          fc.integer({ min: 0, max: 50 }).map((mantissa) => mantissa / 10),
        ),
        side: fc.constantFrom(-1 as const, 0 as const, 1 as const),
        waitMs: fc.integer({ min: 0, max: DAY / 30 }),
        lateMs: fc.integer({ min: 0, max: 5_000 }),
      }),
    },
    { weight: 1, arbitrary: fc.constant('gap' as const) },
  ),
  { maxLength: 120 },
)
const SIZES: Readonly<Record<EventBarKind, number>> = { tick: 4, volume: 7, range: 0.3, renko: 0.2, delta: 5 }

describe.each(EVENT_BAR_KINDS)('%s bars', (kind) => {
  const rule = { kind, size: SIZES[kind] }
  const run = (list: readonly (EventTrade | 'gap')[]): readonly EventBar[] => {
    const builder = createEventBars(rule, dayOf)
    let ms = 0
    for (const one of list) {
      if (one === 'gap') builder.interrupt(ms)
      else builder.trade(one)
      if (one !== 'gap') ms = one.recvMs
    }
    return builder.bars
  }

  it('partition the trades, and those of a day depend on that day alone', () => {
    let closed = 0
    fc.assert(
      fc.property(steps, (list) => {
        let [ms, seq] = [0, 0]
        const all = list.map((one): EventTrade | 'gap' => {
          if (one === 'gap') return one
          ms += one.waitMs
          return { ...one, seq: ++seq, recvMs: ms, eventMs: ms - one.lateMs }
        })
        const bars = run(all)
        closed += bars.length
        // Every trade is in exactly one bar, in order.
        expect(bars.reduce((sum, bar) => sum + bar.count, 0)).toBe(seq)
        let next = 1
        for (const bar of bars) {
          if (bar.count === 0) continue
          expect(bar.firstSeq).toBe(next)
          expect(bar.lastSeq - bar.firstSeq + 1).toBe(bar.count)
          next = bar.lastSeq + 1
        }
        for (const [i, bar] of bars.entries()) {
          if (i > 0) expect(bar.startMs).toBeGreaterThan(bars[i - 1].startMs)
          expect(bar.high).toBeGreaterThanOrEqual(Math.max(bar.open, bar.close))
          expect(bar.low).toBeLessThanOrEqual(Math.min(bar.open, bar.close))
        }
        const days = Map.groupBy(
          all.map((one, i) => ({ one, day: dayOf(lastMs(all, i)) })),
          ({ day }) => day,
        )
        const apart = [...days.values()].flatMap((ofDay) => run(ofDay.map(({ one }) => one)))
        expect(apart).toEqual(bars)
      }),
      { numRuns: 90, examples: fixedExamples(30, steps) },
    )
    expect(closed).toBeGreaterThan(200)
  })

  it('tell what changed, so that a window has what the builder has', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 95, max: 105 }), fc.boolean(), fc.boolean())), (list) => {
        const builder = createEventBars(rule, dayOf)
        const seen: unknown[] = []
        for (const [i, [price, isGap, isRead]] of list.entries()) {
          if (isGap) builder.interrupt(i * 1_000)
          else builder.trade(trade(i + 1, price, 2, 1))
          if (!isRead && i < list.length - 1) continue
          const from = builder.takeChanged()
          expect(from).toBeGreaterThanOrEqual(0)
          seen.splice(from, Infinity, ...builder.bars.slice(from).map((bar) => ({ ...bar })))
        }
        expect(seen).toEqual(builder.bars)
      }),
    )
  })
})

function lastMs(list: readonly (EventTrade | 'gap')[], index: number): number {
  const found = list.slice(0, index + 1).findLast((one) => one !== 'gap')
  return found === undefined ? 0 : found.recvMs
}
