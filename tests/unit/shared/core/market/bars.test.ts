import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixedGrid, midPrice, toBar, touchesGap, type BarState } from '../../../../../src/shared/core/market/bars.ts'
import { barsFromColumns, midColumn } from '../../../../../src/shared/core/market/bar-columns.ts'
import { createBarBuilder, mergeBars } from '../../../../../src/shared/core/market/bar-builder.ts'
import { LEAN_DAY, leanRows, type LeanFile } from '../../lean-forex.ts'

const SECOND = 1000
const MINUTE = 60_000

function ticks(file: LeanFile, side: 1 | 2) {
  const rows = leanRows(file)
  return {
    eventMs: Float64Array.from(rows, (r) => LEAN_DAY + Number(r[0])),
    seq: Float64Array.from(rows, (_, i) => i + 1),
    price: Float64Array.from(rows, (r) => Number(r[side])),
    size: null,
  }
}

const published = (file: LeanFile, side: 'bid' | 'ask') =>
  leanRows(file).map((r) => [
    LEAN_DAY + Number(r[0]),
    ...r.slice(side === 'bid' ? 1 : 6, side === 'bid' ? 5 : 10).map(Number),
  ])

const ohlc = (bars: Iterable<BarState>) => [...bars].map((b) => [b.startMs, b.open, b.high, b.low, b.close])

describe('published ticks give the published bars', () => {
  const cases = [
    ['tick-eurusd', 'second-eurusd', SECOND],
    ['tick-eurusd', 'minute-eurusd', MINUTE],
    ['tick-nzdusd', 'minute-nzdusd', MINUTE],
  ] as const
  for (const [from, to, interval] of cases) {
    for (const [side, column] of [
      ['bid', 1],
      ['ask', 2],
    ] as const) {
      test(`${to} ${side}`, () => {
        const columns = ticks(from, column)
        const fast = createBarBuilder({ grid: fixedGrid(interval) })
        barsFromColumns(columns, 0, columns.seq.length, fast)
        expect(ohlc(fast.states())).toEqual(published(to, side))
        const slow = createBarBuilder({ grid: fixedGrid(interval) })
        for (let i = 0; i < columns.seq.length; i++) {
          slow.apply(columns.eventMs[i], columns.seq[i], columns.price[i], NaN)
        }
        expect(slow.states()).toEqual(fast.states())
        expect(fast.states().every((b) => Number.isNaN(b.volume))).toBe(true)
      })
    }
  }

  test.each([100, 250, 500])('parts of %i ms merge to the published seconds and minutes', (part) => {
    for (const [side, column] of [
      ['bid', 1],
      ['ask', 2],
    ] as const) {
      const columns = ticks('tick-eurusd', column)
      const parts = createBarBuilder({ grid: fixedGrid(part) })
      barsFromColumns(columns, 0, columns.seq.length, parts)
      const seconds = mergeBars(parts.states(), fixedGrid(SECOND))
      expect(parts.size).toBeGreaterThan(seconds.length)
      expect(ohlc(seconds)).toEqual(published('second-eurusd', side))
      expect(ohlc(mergeBars(parts.states(), fixedGrid(MINUTE)))).toEqual(published('minute-eurusd', side))
      expect(seconds.reduce((sum, one) => sum + one.count, 0)).toBe(columns.seq.length)
    }
  })

  test('published seconds merge to the published minutes', () => {
    const columns = ticks('tick-eurusd', 1)
    const seconds = createBarBuilder({ grid: fixedGrid(SECOND) })
    barsFromColumns(columns, 0, columns.seq.length, seconds)
    expect(ohlc(mergeBars(seconds.states(), fixedGrid(MINUTE)))).toEqual(published('minute-eurusd', 'bid'))
  })
})

/** Sizes as markets send them: up to eight decimals, far apart in magnitude. */
const sizes = fc.oneof(
  fc.integer({ min: 0, max: 1_000_000_000 }).map((n) => n / 1e8),
  fc.integer({ min: 0, max: 1_000_000 }),
  fc.constant(NaN),
)
const records = fc.array(
  fc.record({
    ms: fc.integer({ min: 0, max: 200_000 }),
    price: fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 1, max: 5000 }).map((n) => n / 100) },
      fc.constantFrom(0, -1, NaN, Infinity),
    ),
    size: sizes,
  }),
  { maxLength: 120 },
)

function build(rows: readonly { ms: number; price: number; size: number; seq: number }[], interval: number) {
  const builder = createBarBuilder({ grid: fixedGrid(interval) })
  for (const r of rows) builder.apply(r.ms, r.seq, r.price, r.size)
  return builder.states().map((b) => ({ ...b }))
}

describe('late records', () => {
  test('any order of arrival of the same (event time, seq) gives the same bars', () => {
    fc.assert(
      fc.property(records, fc.infiniteStream(fc.nat()), (rows, order) => {
        const numbered = rows.map((r, i) => ({ ...r, seq: i + 1 }))
        const shuffled = numbered
          .map((r) => [order.next().value as number, r] as const)
          .sort((a, b) => a[0] - b[0])
          .map(([, r]) => r)
        expect(build(shuffled, 7_000)).toEqual(build(numbered, 7_000))
      }),
    )
  })

  test('merging shorter bars gives what the records give', () => {
    fc.assert(
      fc.property(records, (rows) => {
        const numbered = rows.map((r, i) => ({ ...r, seq: i + 1 }))
        const merged = mergeBars(build(numbered, SECOND), fixedGrid(MINUTE)).map((b) => ({ ...b }))
        expect(merged).toEqual(build(numbered, MINUTE))
      }),
    )
  })

  test('bars below a second merge to those of a second: prices, volume, count and keys', () => {
    fc.assert(
      fc.property(records, fc.constantFrom(100, 250, 500), fc.nat(1e6), (rows, part, offset) => {
        // Where instants are large, and anywhere in a second.
        const numbered = rows.map((r, i) => ({ ...r, ms: Date.UTC(2026, 2, 8, 6, 59) + offset + r.ms, seq: i + 1 }))
        const parts = build(numbered, part)
        for (const { startMs, endMs, openMs, closeMs } of parts) {
          expect(startMs % part).toBe(0)
          expect(endMs - startMs).toBe(part)
          expect(openMs >= startMs && closeMs < endMs).toBe(true)
        }
        const merged = mergeBars(parts, fixedGrid(SECOND)).map((b) => ({ ...b }))
        expect(merged).toEqual(build(numbered, SECOND))
      }),
    )
  })

  test('columns give what single records give, wherever they are cut', () => {
    fc.assert(
      fc.property(records, fc.nat(120), (rows, cut) => {
        const numbered = rows.map((r, i) => ({ ...r, seq: i + 1 }))
        const columns = {
          eventMs: Float64Array.from(rows, (r) => r.ms),
          seq: Float64Array.from(numbered, (r) => r.seq),
          price: Float64Array.from(rows, (r) => r.price),
          size: Float64Array.from(rows, (r) => r.size),
        }
        const builder = createBarBuilder({ grid: fixedGrid(7_000) })
        const at = Math.min(cut, rows.length)
        barsFromColumns(columns, 0, at, builder)
        barsFromColumns(columns, at, rows.length, builder)
        expect(builder.states()).toEqual(build(numbered, 7_000))
      }),
    )
  })

  test('whole numbers with their units give what the numbers give', () => {
    const prices = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 90_000 }), fc.integer({ min: 1, max: 1e9 }), fc.nat(1e7)),
    )
    fc.assert(
      fc.property(prices, (rows) => {
        const stamps = {
          eventMs: Float64Array.from(rows, (row) => row[0]),
          seq: Float64Array.from(rows, (_, i) => i + 1),
        }
        const whole = {
          price: Float64Array.from(rows, (row) => row[1]),
          size: Float64Array.from(rows, (row) => row[2]),
        }
        const divided = { price: whole.price.map((p) => p / 100), size: whole.size.map((s) => s / 1e5) }
        const ours = createBarBuilder({ grid: fixedGrid(7_000) })
        barsFromColumns({ ...stamps, ...whole, priceUnit: 100, sizeUnit: 1e5 }, 0, rows.length, ours)
        const theirs = createBarBuilder({ grid: fixedGrid(7_000) })
        barsFromColumns({ ...stamps, ...divided }, 0, rows.length, theirs)
        expect(ours.states()).toEqual(theirs.states())
      }),
    )
  })

  test('a late record corrects high, low, volume and count, and leaves the close', () => {
    const builder = createBarBuilder({ grid: fixedGrid(MINUTE) })
    builder.apply(10_000, 1, 100, 1)
    builder.apply(70_000, 2, 101, 1)
    expect(builder.apply(9_000, 3, 120, 2)).toBe(0)
    expect(builder.apply(11_000, 4, 90, NaN)).toBe(0)
    expect(toBar(builder.get(0)!)).toMatchObject({ open: 120, high: 120, low: 90, close: 90, volume: 3, count: 3 })
    builder.apply(10_500, 5, 95, 1)
    expect(builder.get(0)).toMatchObject({ close: 90, closeSeq: 4, firstSeq: 1, lastSeq: 5 })
    expect(builder.last()).toMatchObject({ startMs: MINUTE, close: 101 })
  })

  test('of equal times the order of arrival decides', () => {
    const builder = createBarBuilder({ grid: fixedGrid(MINUTE) })
    for (const [seq, price] of [
      [5, 10],
      [3, 20],
      [7, 30],
      [6, 40],
    ] as const)
      builder.apply(1000, seq, price, 1)
    expect(builder.get(0)).toMatchObject({ open: 20, close: 30 })
  })

  test('rows with a flag stay out of columns', () => {
    const builder = createBarBuilder({ grid: fixedGrid(MINUTE) })
    const columns = {
      eventMs: Float64Array.of(1, 2, 3),
      seq: Float64Array.of(1, 2, 3),
      price: Float64Array.of(5, 6, 7),
      size: null,
      flags: Uint8Array.of(16, 0, 16),
    }
    barsFromColumns(columns, 0, 3, builder, 16)
    expect(builder.states()).toMatchObject([{ open: 6, close: 6, count: 1 }])
  })
})

describe('prices that may not enter', () => {
  test.each([NaN, Infinity, -Infinity, 0, -1])('%s', (price) => {
    const builder = createBarBuilder({ grid: fixedGrid(MINUTE) })
    expect(builder.apply(0, 1, price, 1)).toBeNaN()
    expect(builder.size).toBe(0)
    expect(midPrice(price, 1)).toBeNaN()
    expect(midColumn(Float64Array.of(1), Float64Array.of(price), new Float64Array(1))[0]).toBeNaN()
  })
  test('a time that is none', () => {
    const builder = createBarBuilder({ grid: fixedGrid(MINUTE) })
    expect(builder.apply(NaN, 1, 5, 1)).toBeNaN()
    expect(builder.size).toBe(0)
  })
  test.each([NaN, -1, Infinity])('a size of %s, whose price counts', (size) => {
    const builder = createBarBuilder({ grid: fixedGrid(MINUTE) })
    for (const [i, one] of [1, size, 2].entries()) builder.apply(i, i + 1, 5 + i, one)
    expect(builder.last()).toMatchObject({ high: 7, volume: 3, count: 3 })
  })
  test('mid', () => {
    expect(midPrice(1, 2)).toBe(1.5)
    expect([...midColumn(Float64Array.of(1, NaN), Float64Array.of(2, 2), new Float64Array(2))]).toEqual([1.5, NaN])
  })
})

describe('bars as the service sent them', () => {
  test('a second one of the same start replaces the first, unless it was sent before', () => {
    const builder = createBarBuilder({ grid: fixedGrid(MINUTE) })
    builder.replace(0, MINUTE, 5, 1, 2, 1, 2, 10)
    builder.replace(0, MINUTE, 6, 1, 3, 1, 3, 12)
    expect(builder.replace(0, MINUTE, 4, 9, 9, 9, 9, 9)).toBeNaN()
    expect(builder.states().map(toBar)).toEqual([
      { startMs: 0, endMs: MINUTE, open: 1, high: 3, low: 1, close: 3, volume: 12, count: 1, complete: true },
    ])
  })
})

test.each([
  [NaN, [1, 2, 1, 2]],
  [Infinity, [1, 2, 1, 2]],
  [0, [NaN, 2, 1, 2]],
  [0, [1, 0, 1, 2]],
  [0, [1, 2, -1, 2]],
  [0, [1, 2, 1, Infinity]],
])('a bar sent for %d with the prices %j is none', (startMs, [open, high, low, close]) => {
  const builder = createBarBuilder({ grid: fixedGrid(MINUTE) })
  expect(builder.replace(startMs, MINUTE, 1, open, high, low, close, 1)).toBeNaN()
  expect(builder.size).toBe(0)
})

test.each([
  [MINUTE + SECOND, MINUTE + SECOND],
  [MINUTE, 2 * MINUTE],
  [0, 2 * MINUTE],
  [NaN, 2 * MINUTE],
])('a bar of the second minute that is sent with the end %d ends at %d', (endMs, expected) => {
  const builder = createBarBuilder({ grid: fixedGrid(MINUTE) })
  builder.replace(MINUTE, endMs, 1, 1, 1, 1, 1, 1)
  expect(builder.last()?.endMs).toBe(expected)
})

test('a bar that comes late is in its place', () => {
  const builder = createBarBuilder({ grid: fixedGrid(MINUTE) })
  for (const [seq, minute] of [3, 1, 2, 0, 4].entries()) {
    builder.apply(minute * MINUTE, seq, 1, 1)
    const starts = builder.states().map(({ startMs }) => startMs)
    expect(starts).toEqual(starts.toSorted((a, b) => a - b))
    expect(starts).toHaveLength(seq + 1)
    expect(builder.last()?.startMs).toBe(Math.max(...starts))
  }
})

describe('gaps', () => {
  test('a bar that a gap touches is incomplete, before and after the gap is known', () => {
    const builder = createBarBuilder({ grid: fixedGrid(SECOND) })
    builder.apply(500, 1, 1, 1)
    builder.addGap({ fromMs: 900, toMs: 2000 })
    builder.apply(1500, 2, 1, 1)
    builder.apply(2000, 3, 1, 1)
    expect(builder.states().map((b) => b.complete)).toEqual([false, false, true])
    builder.addGap({ fromMs: 2500, toMs: null })
    builder.apply(9000, 4, 1, 1)
    expect(builder.states().map((b) => b.complete)).toEqual([false, false, false, false])
  })
  test('a gap is widened by the skew, and one without length still touches', () => {
    expect(touchesGap(0, 1000, { fromMs: 1000, toMs: 2000 })).toBe(false)
    expect(touchesGap(0, 1000, { fromMs: 1000, toMs: 2000 }, 1)).toBe(true)
    expect(touchesGap(2000, 3000, { fromMs: 1000, toMs: 2000 })).toBe(false)
    expect(touchesGap(1000, 2000, { fromMs: 1000, toMs: 1000 })).toBe(true)
    expect(touchesGap(0, 1000, { fromMs: 1000, toMs: 1000 })).toBe(false)
  })
  test('an incomplete part makes the longer bar incomplete', () => {
    const builder = createBarBuilder({ grid: fixedGrid(SECOND) })
    builder.addGap({ fromMs: -Infinity, toMs: 1 })
    builder.apply(1, 1, 1, 1)
    builder.apply(1001, 2, 1, 1)
    expect(mergeBars(builder.states(), fixedGrid(MINUTE))[0]?.complete).toBe(false)
  })
})

describe('of more gaps than a builder holds', () => {
  const incomplete = (gaps: readonly (readonly [fromMs: number, toMs: number | null, skewMs?: number])[]) => {
    const builder = createBarBuilder({ grid: fixedGrid(SECOND), maxGaps: 2 })
    for (const [fromMs, toMs, skewMs] of gaps) builder.addGap({ fromMs, toMs }, skewMs)
    for (let i = 0; i < 100; i++) builder.apply(i * SECOND, i + 1, 1, 1)
    return builder.states().flatMap(({ startMs, complete }) => (complete ? [] : [startMs / SECOND]))
  }
  const seconds = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

  test.each<[string, Parameters<typeof incomplete>[0], number[]]>([
    [
      'two are kept apart',
      [
        [10_000, 11_000],
        [20_000, 21_000],
      ],
      [10, 20],
    ],
    [
      'the two oldest are joined',
      [
        [10_000, 11_000],
        [20_000, 21_000],
        [40_000, 41_000],
      ],
      [...seconds(10, 21), 40],
    ],
    [
      'in any order',
      [
        [20_000, 21_000],
        [10_000, 11_000],
        [40_000, 41_000],
      ],
      [...seconds(10, 21), 40],
    ],
    [
      'one in the other',
      [
        [10_000, 21_000],
        [12_000, 13_000],
        [40_000, 41_000],
      ],
      [...seconds(10, 21), 40],
    ],
    [
      'the wider skew is kept',
      [
        [10_000, 11_000, 5_000],
        [20_000, 21_000],
        [40_000, 41_000],
      ],
      [...seconds(5, 26), 40],
    ],
    [
      'an open one stays',
      [
        [90_000, null],
        [10_000, 11_000],
        [20_000, 21_000],
      ],
      [...seconds(10, 21), ...seconds(90, 100)],
    ],
    [
      'two open ones stay',
      [
        [90_000, null],
        [95_000, null],
        [10_000, 11_000],
      ],
      [10, ...seconds(90, 100)],
    ],
    [
      'three open ones stay',
      [
        [90_000, null],
        [95_000, null],
        [98_000, null],
      ],
      seconds(90, 100),
    ],
  ])('%s', (_, gaps, expected) => expect(incomplete(gaps)).toEqual(expected))
})

test('a forgotten bar begins again, under the gaps that can still touch it', () => {
  const builder = createBarBuilder({ grid: fixedGrid(SECOND) })
  builder.addGap({ fromMs: 10_000, toMs: 11_000 }, 5_000)
  builder.addGap({ fromMs: 50_000, toMs: null })
  builder.apply(0, 1, 5, 1)
  expect(builder.states()).toHaveLength(1)
  builder.forgetBefore(15_000)
  expect([builder.size, builder.states().length, builder.last()]).toEqual([0, 0, undefined])
  for (const ms of [500, 15_500, 16_000, 60_000]) builder.apply(ms, ms, 7, 1)
  expect(builder.states().map(({ count, open, complete }) => [count, open, complete])).toEqual([
    [1, 7, true],
    [1, 7, false],
    [1, 7, true],
    [1, 7, false],
  ])
})

test('forgotten bars are gone, the newest stays', () => {
  const builder = createBarBuilder({ grid: fixedGrid(SECOND) })
  for (let i = 0; i < 10; i++) builder.apply(i * SECOND, i + 1, 1, 1)
  builder.forgetBefore(9 * SECOND)
  expect(builder.size).toBe(1)
  expect(builder.states().map((b) => b.startMs)).toEqual([9 * SECOND])
  expect(builder.last()?.startMs).toBe(9 * SECOND)
})
