import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AlertCondition } from '../../../../../../src/shared/features/alerts/types.ts'
import type { Drawing } from '../../../../../../src/shared/features/drawings/types.ts'
import { instrumentId } from '../../../../../../src/shared/base/units.ts'
import { alertOf, BTC, rig, smaBelowPrice, T0 } from '../harness.ts'
import { makeBar } from '../../../../../kit/market.ts'

type IndicatorCondition = Extract<AlertCondition, { readonly is: 'indicator' }>
const above = (level: number): AlertCondition => ({ is: 'price', of: 'last', level, direction: 'up' })
const either = (level: number): AlertCondition => ({ is: 'price', of: 'last', level, direction: 'either' })
const line = (points: readonly (readonly [number, number])[], kind: Drawing['kind']): Drawing => ({
  id: 'd',
  kind,
  points: points.map(([ms, price]) => ({ ms: T0 + ms, price })),
  style: { color: 'accent', width: 1, dash: 'solid', fill: 0 },
  text: '',
  locked: false,
  hidden: false,
  asOfMs: T0,
})

describe('a price', () => {
  test.each<[string, AlertCondition, readonly number[], readonly string[]]>([
    ['the first record fires nothing', above(100), [101], []],
    ['crosses up', above(100), [99, 101], ['fired 1: 99 101']],
    ['reaches the level', above(100), [99, 100], ['fired 1: 99 100']],
    ['begins on the level and leaves it', above(100), [100, 101], []],
    ['falls through a level that waits for a rise', above(100), [101, 99], []],
    ['either way, down', either(100), [101, 100], ['fired 1: 101 100']],
    ['once is once', either(100), [99, 101, 99, 101], ['fired 1: 99 101']],
    ['what is no price is passed over', above(100), [99, NaN, -5, 0, Infinity, 101], ['fired 5: 99 101']],
  ])('%s', (_, condition, prices, told) => {
    const r = rig([alertOf(condition)])
    prices.forEach((price, ms) => r.trade(ms, price))
    expect(r.told).toEqual(told)
  })

  test.each<['bid' | 'ask' | 'mid', number]>([
    ['bid', 99],
    ['ask', 101],
    ['mid', 100],
  ])('of the %s side', (of, level) => {
    const r = rig([alertOf({ is: 'price', of, level, direction: 'up' })])
    r.quote(0, 90, 92)
    r.quote(1, 99, 101)
    expect(r.told).toEqual([`fired 1: ${{ bid: 90, ask: 92, mid: 91 }[of]} ${level}`])
  })

  test('a late trade changes nothing, and does not break the chain', () => {
    const r = rig([alertOf(above(100))])
    r.trade(1_000, 99)
    r.trade(1_001, 105, 1, 500)
    expect(r.told).toEqual([])
    r.trade(1_002, 100)
    expect(r.told).toEqual(['fired 1002: 99 100'])
  })

  test('Last is the middle until something trades, and never a cross of one with the other', () => {
    const r = rig([alertOf(above(100)), alertOf(above(110))])
    r.quote(0, 98, 100)
    r.quote(1, 100, 102)
    expect(r.take()).toEqual(['fired 1: 99 101'])
    r.trade(2, 115)
    r.quote(3, 90, 91)
    r.trade(4, 116)
    expect(r.told).toEqual([])
  })

  test('fires again after its rest', () => {
    const r = rig([alertOf(above(100), { repeat: { restMs: 10_000, backPercent: 0 } })])
    for (const [ms, price] of [
      [0, 99],
      [1, 101],
      [2, 99],
      [3, 101],
      [9_000, 99],
      [10_000, 101],
      [10_001, 99],
      [10_002, 101],
    ]) {
      r.trade(ms, price)
    }
    expect(r.told).toEqual(['fired 1: 99 101', 'fired 10002: 99 101'])
  })

  test('fires again only after it went back so far', () => {
    const alert = alertOf(above(100), { repeat: { restMs: 1_000, backPercent: 5 } })
    const r = rig([alert])
    const at = (ms: number, price: number) => r.trade(ms * 10_000, price)
    at(0, 99)
    at(1, 101)
    at(2, 96)
    at(3, 101)
    expect(r.take()).toEqual(['fired 10000: 99 101'])
    expect(r.evaluator.state(alert.id)).toEqual({ is: 'resting', untilMs: null })
    at(4, 95)
    expect(r.evaluator.state(alert.id)).toEqual({ is: 'armed' })
    at(5, 100)
    expect(r.told).toEqual(['fired 50000: 95 100'])
  })

  test.each([
    [1.48, 10, 1.332],
    [7.29, 5, 6.9255],
  ])('%d is left by exactly %d percent at %d', (level, backPercent, price) => {
    const alert = alertOf(above(level), { repeat: { restMs: 1_000, backPercent } })
    const r = rig([alert])
    for (const [i, one] of [1, level, price * 1.001].entries()) r.trade(i, one)
    expect(r.evaluator.state(alert.id)).toEqual({ is: 'resting', untilMs: null })
    r.trade(3, price)
    expect(r.evaluator.state(alert.id)).toMatchObject({ is: 'resting', untilMs: T0 + 1_001 })
  })

  test('expires at the very millisecond', () => {
    const before = rig([alertOf(above(100), { expiresMs: T0 + 1_000 })])
    before.trade(0, 99)
    before.trade(999, 101)
    expect(before.told).toEqual(['fired 999: 99 101'])
    const at = rig([alertOf(above(100), { expiresMs: T0 + 1_000 })])
    at.trade(0, 99)
    at.trade(1_000, 101)
    expect(at.told).toEqual(['expired 1000'])
    // Between two beats of the clock, too.
    const between = rig([alertOf(above(100), { expiresMs: T0 + 1_500 })])
    between.trade(1_200, 99)
    between.trade(1_501, 101)
    expect(between.told).toEqual(['expired 1500'])
  })

  test('a record of another instrument costs and changes nothing', () => {
    const r = rig([alertOf(above(100))])
    expect(r.evaluator.watchOf('crypto/XT', 'ETH-USD')).toBeNull()
    expect(r.evaluator.watchOf('crypto/XT', 'BTC/USD')?.id).toBe(BTC)
  })
})

describe('blind', () => {
  const lossless = (told: readonly string[]) => told.filter((line) => !line.startsWith('blind'))

  test.each(['stale', 'waiting', 'connecting'] as const)(
    'while %s nothing fires, nor on the first record after it',
    (is) => {
      const alert = alertOf(above(100))
      const r = rig([alert])
      r.state('crypto/XT', 'open', 0)
      r.trade(1, 99)
      r.state('crypto/XT', is, 10_000)
      expect(r.evaluator.state(alert.id)).toMatchObject({ is: 'blind' })
      r.trade(10_001, 101)
      r.state('crypto/XT', 'open', 20_000)
      r.trade(20_001, 102)
      expect(lossless(r.take())).toEqual(['unseen 20001: 99 102'])
      r.trade(20_002, 99)
      r.trade(20_003, 103)
      expect(lossless(r.told)).toEqual(['fired 20003: 99 103'])
    },
  )

  test('the interval is reported when it starts and ends, with the cause and edges of the gap', () => {
    const r = rig([alertOf(above(100)), alertOf(above(101))])
    r.state('crypto/XT', 'open', 0)
    r.trade(1, 99)
    r.state('crypto/XT', 'waiting', 5_000)
    r.evaluator.gapOpened('crypto/XT', 'half-open', [], T0 + 2)
    r.state('crypto/XT', 'connecting', 6_000)
    r.state('crypto/XT', 'open', 7_000)
    r.evaluator.gapClosed('crypto/XT', T0 + 2, T0 + 7_003)
    expect(r.told).toEqual(['blind crypto/XT drop 5000.. ×2', 'blind crypto/XT half-open 2..7003 ×2'])
  })

  test('a gap of one symbol blinds that one alone', () => {
    const eth = instrumentId('crypto', 'ETH-USD')
    const alerts = [alertOf(above(100)), alertOf(above(100), { instrument: eth })]
    const r = rig(alerts)
    r.state('crypto/XT', 'open', 0)
    r.evaluator.gapOpened('crypto/XT', 'unacknowledged', ['ETH-USD'], T0 + 1)
    r.trade(2, 99)
    expect(r.evaluator.state(alerts[0].id)).toEqual({ is: 'armed' })
    expect(r.evaluator.state(alerts[1].id)).toEqual({ is: 'blind', sinceMs: T0 + 1, cause: 'unacknowledged' })
  })

  test('a lost feed of quotes leaves alerts on trades as they are', () => {
    const r = rig([alertOf(above(100))])
    r.state('crypto/XT', 'open', 0)
    r.state('crypto/XQ', 'open', 0)
    r.trade(1, 99)
    r.state('crypto/XQ', 'waiting', 2)
    r.trade(3, 101)
    expect(lossless(r.told)).toEqual(['fired 3: 99 101'])
  })

  test('what was before the start is a blind stretch, too', () => {
    const alert = alertOf(above(100))
    const r = rig([alert], { before: -60_000 })
    expect(r.evaluator.state(alert.id)).toEqual({ is: 'blind', sinceMs: T0 - 60_000, cause: 'quit' })
    r.state('crypto/XT', 'connecting', 0)
    r.state('crypto/XT', 'open', 100)
    expect(r.told).toEqual(['blind crypto/XT quit -60000..100 ×1'])
    r.trade(101, 105)
    expect(r.told).toHaveLength(1)
  })

  test('windows start over', () => {
    const r = rig([alertOf({ is: 'move', of: 'last', percent: 5, withinMs: 60_000, direction: 'either' })])
    r.state('crypto/XT', 'open', 0)
    r.trade(1, 100)
    r.state('crypto/XT', 'waiting', 2)
    r.state('crypto/XT', 'open', 3)
    r.trade(4, 110)
    r.trade(5, 114)
    expect(lossless(r.told)).toEqual([])
    r.trade(6, 115.5)
    expect(lossless(r.told)).toEqual(['fired 6: - 5'])
  })

  test('another source forgets all, and says nothing of what it was before', () => {
    const r = rig([alertOf(above(100))])
    r.trade(1, 99)
    r.evaluator.forget()
    r.trade(2, 105)
    expect(r.told).toEqual([])
  })
})

describe('so much or more', () => {
  test('a move fires when it is reached, and again only after it was not', () => {
    const repeat = { restMs: 1_000, backPercent: 0 }
    const r = rig([alertOf({ is: 'move', of: 'last', percent: 10, withinMs: 60_000, direction: 'up' }, { repeat })])
    r.trade(0, 100)
    r.trade(10_000, 110)
    r.trade(20_000, 112)
    r.trade(59_999, 113)
    expect(r.take()).toEqual(['fired 10000: - 10'])
    r.trade(60_000, 111)
    r.trade(61_000, 122)
    expect(r.told).toEqual(['fired 61000: - 10.9091'])
  })

  test('a fall is reported as a fall', () => {
    const r = rig([alertOf({ is: 'move', of: 'last', percent: 10, withinMs: 60_000, direction: 'either' })])
    r.trade(0, 100)
    r.trade(1, 89)
    expect(r.told).toEqual(['fired 1: - -11'])
  })

  test.each<['price' | 'percent', number]>([
    ['price', 2],
    ['percent', 2],
  ])('a spread in %s fires at once, and when it is wide again', (unit, limit) => {
    const repeat = { restMs: 1_000, backPercent: 0 }
    const r = rig([alertOf({ is: 'spread', above: limit, unit }, { repeat })])
    r.quote(0, 99, 101)
    r.quote(1, 99, 102)
    r.quote(2, 100, 100.5)
    r.quote(2_000, 99, 101)
    expect(r.told.map((line) => line.slice(0, 11).trim())).toEqual(['fired 0: -', 'fired 2000:'])
  })

  // As doubles, all of these differences and sums are less than the limit.
  test.each<[number, number, number, 'price' | 'percent']>([
    [0.1, 100.2, 100.3, 'price'],
    [0.0002, 1.1001, 1.1003, 'price'],
    [1, 0.995, 1.005, 'percent'],
  ])('a spread of %d between %d and %d', (limit, bid, ask, unit) => {
    const r = rig([
      alertOf({ is: 'spread', above: limit, unit }),
      alertOf({ is: 'spread', above: limit * 1.001, unit }),
    ])
    r.quote(0, bid, ask)
    expect(r.told).toHaveLength(1)
  })

  test('the middle of decimals reaches a level that it is', () => {
    for (const of of ['mid', 'last'] as const)
      for (const [bid, direction] of [
        [99, 'up'],
        [101, 'down'],
      ] as const) {
        const price = { is: 'price', of, direction } as const
        const r = rig([
          alertOf({ ...price, level: 100.2 }),
          alertOf({ ...price, level: direction === 'up' ? 100.2001 : 100.1999 }),
        ])
        r.quote(0, bid, bid + 1)
        r.quote(1, 100.1, 100.3)
        expect(r.told).toEqual([`fired 1: ${bid + 0.5} 100.2`])
      }
  })

  test.each<[number, number, 'up' | 'down']>([
    [15, 115, 'up'],
    [10, 90, 'down'],
  ])('a move of %d percent from 100 to %d', (percent, price, direction) => {
    const move = { is: 'move', of: 'last', withinMs: 60_000, direction } as const
    const r = rig([alertOf({ ...move, percent }), alertOf({ ...move, percent: percent * 1.001 })])
    r.trade(0, 100)
    r.trade(1, price)
    expect(r.told).toHaveLength(1)
  })

  test.each([
    [1, 0.1, 10],
    [20_000_000.3, 0.1, 200_000_003],
  ])('a volume of %d in sizes of %d', (limit, size, trades) => {
    const r = rig([alertOf({ is: 'volume', above: limit, withinMs: 60_000 })])
    const large = Math.floor(limit / 2)
    for (const one of limit > 1 ? [large, large] : []) r.trade(0, 100, one)
    for (let sum = Math.round((2 * large) / size); sum < trades; sum++) {
      expect(r.told).toEqual([])
      r.trade(1, 100, size)
    }
    expect(r.told).toHaveLength(1)
  })

  test('one side alone is no spread', () => {
    const r = rig([alertOf({ is: 'spread', above: 1, unit: 'price' })])
    r.quote(0, 99, NaN)
    r.quote(1, 99, 0)
    expect(r.told).toEqual([])
    r.quote(2, NaN, 101)
    expect(r.told).toEqual(['fired 2: - 2'])
  })

  test('a volume within its time', () => {
    const repeat = { restMs: 1_000, backPercent: 0 }
    const r = rig([alertOf({ is: 'volume', above: 10, withinMs: 60_000 }, { repeat })])
    r.trade(0, 100, 6)
    r.trade(1_000, 100, NaN)
    r.trade(59_000, 100, 3)
    expect(r.told).toEqual([])
    r.trade(59_500, 100, 1)
    r.trade(59_600, 100, 50)
    expect(r.take()).toEqual(['fired 59500: - 10'])
    r.trade(130_000, 100, 9)
    r.trade(130_001, 100, 1)
    expect(r.told).toEqual(['fired 130001: - 10'])
  })

  test('made where it is so already, it fires at the next record', () => {
    const r = rig([alertOf({ is: 'spread', above: 50, unit: 'price' })])
    r.quote(0, 99, 102)
    r.evaluator.put(alertOf({ is: 'spread', above: 2, unit: 'price' }))
    r.quote(1, 99, 102)
    expect(r.told).toEqual(['fired 1: - 3'])
  })
})

describe('an indicator', () => {
  const sma = smaBelowPrice(2)
  const minute = (n: number, ms = 0) => n * 60_000 + ms

  test('is compared at the close of bars, after the bars before were joined in', () => {
    const alert = alertOf(sma)
    const r = rig([alert])
    expect(r.wanted).toEqual(['trade 1m'])
    r.trade(minute(0), 100)
    expect(r.evaluator.state(alert.id)).toEqual({ is: 'waiting', for: 'bars' })
    r.evaluator.seed(BTC, 'trade', '1m', [])
    expect(r.evaluator.state(alert.id)).toEqual({ is: 'waiting', for: 'bars' })
    r.trade(minute(1), 90)
    r.trade(minute(2), 80)
    expect(r.evaluator.state(alert.id)).toEqual({ is: 'armed' })
    // Mean above the close until now; a close far above it crosses.
    r.trade(minute(2, 30_000), 200)
    expect(r.told).toEqual([])
    r.trade(minute(3), 200)
    expect(r.told).toEqual([`fired ${minute(3)}: 95 145`])
  })

  test('a bar is closed by the clock where nothing trades any more', () => {
    const r = rig([alertOf(sma)])
    r.evaluator.seed(BTC, 'trade', '1m', [])
    r.trade(minute(0), 100)
    r.trade(minute(1), 90)
    r.trade(minute(2), 200)
    r.evaluator.advance(T0 + minute(2, 59_999))
    expect(r.told).toEqual([])
    r.evaluator.advance(T0 + minute(3))
    expect(r.told).toHaveLength(1)
    // A record for a bar that is closed changes nothing.
    r.trade(minute(3, 1), 1, 1, minute(2, 59_000))
    expect(r.told).toHaveLength(1)
  })

  test('within the forming bar, where that is wanted', () => {
    const r = rig([alertOf({ ...sma, on: 'record' })])
    r.evaluator.seed(BTC, 'trade', '1m', [])
    r.trade(minute(0), 100)
    r.trade(minute(1), 90)
    r.trade(minute(1, 1), 80)
    r.trade(minute(1, 2), 200)
    expect(r.told).toEqual([`fired ${minute(1, 2)}: 90 150`])
  })

  test('the past makes it warm, and crosses nothing itself', () => {
    const alert = alertOf({ ...sma, direction: 'either' })
    const r = rig([alert])
    const bar = (n: number, close: number) => makeBar({ startMs: T0 + minute(n), close })
    r.evaluator.seed(BTC, 'trade', '1m', [bar(-3, 100), bar(-2, 300), bar(-1, 10), bar(0, 10)])
    expect(r.evaluator.state(alert.id)).toEqual({ is: 'armed' })
    r.trade(minute(1), 10)
    r.trade(minute(2), 12)
    expect(r.told).toEqual([])
  })

  test('two lines of one indicator, and two of different lengths', () => {
    const macd = { id: 'macd' as const, values: [2, 3, 2], price: 'close' as const }
    const r = rig([
      alertOf({
        ...sma,
        line: { ...macd, output: 0 },
        against: { is: 'line', line: { ...macd, output: 1 } },
        direction: 'up',
      }),
      alertOf({
        ...sma,
        line: { id: 'sma', values: [1], price: 'close', output: 0 },
        against: { is: 'line', line: { id: 'sma', values: [3], price: 'close', output: 0 } },
        direction: 'up',
      }),
    ])
    r.evaluator.seed(BTC, 'trade', '1m', [])
    ;[100, 99, 97, 94, 90, 85, 120, 121].forEach((price, n) => r.trade(minute(n), price))
    expect(r.told).toHaveLength(2)
    expect(r.told.every((line) => line.startsWith(`fired ${minute(7)}`))).toBe(true)
  })

  test('a gap breaks its chain', () => {
    const r = rig([alertOf(sma)])
    r.evaluator.seed(BTC, 'trade', '1m', [])
    r.state('crypto/XT', 'open', 0)
    r.trade(minute(0), 100)
    r.trade(minute(1), 90)
    r.trade(minute(2), 91)
    r.state('crypto/XT', 'waiting', minute(2, 1))
    r.state('crypto/XT', 'open', minute(2, 2))
    r.trade(minute(2, 3), 200)
    r.trade(minute(3), 200)
    expect(r.told.filter((line) => line.startsWith('fired'))).toEqual([])
  })
})

describe('a formula', () => {
  const minute = (n: number, ms = 0) => n * 60_000 + ms
  /** How far the close is from the mean of `length` closes, in percent of it. */
  const text = 'length = input("Length", 3)\nmean = sma(close, length)\nplot("Away", (close / mean - 1) * 100)\nmean'
  const away = { id: 'formula' as const, name: '', text, values: [2], output: 0 }
  const crosses = (more: Partial<IndicatorCondition>): IndicatorCondition => ({
    ...smaBelowPrice(2),
    line: away,
    direction: 'up',
    ...more,
  })

  test('crosses a level at the close of a bar, with the values of its settings', () => {
    const alert = alertOf(crosses({ against: { is: 'level', level: 30 } }))
    const r = rig([alert])
    r.evaluator.seed(BTC, 'trade', '1m', [])
    r.trade(minute(0), 100)
    expect(r.evaluator.state(alert.id)).toEqual({ is: 'waiting', for: 'bars' })
    r.trade(minute(1), 60)
    r.trade(minute(2), 140)
    expect(r.evaluator.state(alert.id)).toEqual({ is: 'armed' })
    expect(r.told).toEqual([])
    r.trade(minute(3), 140)
    // By hand: 60 is 25 % below the mean of 100 and 60; 140 is 40 % above the mean of 60 and 140.
    expect(r.told).toEqual([`fired ${minute(3)}: -25 40`])
  })

  test('crosses another of its lines, and the close, also within the bar', () => {
    const mean = { ...away, output: 1 }
    const r = rig([
      alertOf(crosses({ line: mean, against: { is: 'price' }, direction: 'down', on: 'record' })),
      alertOf(crosses({ line: mean, against: { is: 'line', line: { ...away, values: [3], output: 1 } } })),
    ])
    r.evaluator.seed(BTC, 'trade', '1m', [])
    for (const [n, price] of [100, 90, 80].entries()) r.trade(minute(n), price)
    // Within the bar, the mean of 90 and 120 falls below 120; it was 85 over 80.
    r.trade(minute(2, 1), 120)
    expect(r.take()).toEqual([`fired ${minute(2, 1)}: 85 105`])
    // Closed, the mean of two was 105 and that of three 103.33; the bar before had none of three.
    r.trade(minute(3), 45)
    r.trade(minute(4), 300)
    expect(r.told).toEqual([])
    // 82.5 below (90 + 120 + 45) / 3 = 85; then 172.5 above 155.
    r.trade(minute(5), 300)
    expect(r.told).toEqual([`fired ${minute(5)}: 82.5 172.5`])
  })

  test('earlier bars make it warm and cross nothing, and a gap breaks its chain', () => {
    const alert = alertOf(crosses({ against: { is: 'level', level: 30 } }))
    const r = rig([alert])
    const bar = (n: number, close: number) => makeBar({ startMs: T0 + minute(n), close })
    r.evaluator.seed(BTC, 'trade', '1m', [bar(-3, 100), bar(-2, 60), bar(-1, 140), bar(0, 60)])
    expect(r.evaluator.state(alert.id)).toEqual({ is: 'armed' })
    r.state('crypto/XT', 'open', 0)
    r.trade(minute(1), 60)
    r.trade(minute(2), 60)
    r.state('crypto/XT', 'waiting', minute(2, 1))
    r.state('crypto/XT', 'open', minute(2, 2))
    r.trade(minute(2, 3), 200)
    r.trade(minute(3), 200)
    expect(r.told.filter((line) => line.startsWith('fired'))).toEqual([])
  })
})

describe('a drawing', () => {
  const crosses: AlertCondition = { is: 'drawing', of: 'last', drawing: 'd', direction: 'either' }

  test('is crossed where it stands at that instant', () => {
    const r = rig([alertOf(crosses)])
    const ray: readonly (readonly [number, number])[] = [
      [0, 100],
      [10_000, 110],
    ]
    r.evaluator.setDrawings(BTC, [line(ray, 'ray')])
    r.trade(0, 105)
    r.trade(4_000, 105)
    expect(r.told).toEqual([])
    r.trade(5_000, 105)
    expect(r.told).toEqual(['fired 5000: 106 105'])
  })

  test('beyond its ends it is not there, and no cross reaches over that', () => {
    const r = rig([alertOf(crosses)])
    const segment = line(
      [
        [1_000, 100],
        [2_000, 100],
      ],
      'trend',
    )
    r.evaluator.setDrawings(BTC, [segment])
    r.trade(0, 99)
    r.trade(1_500, 101)
    r.trade(3_000, 99)
    expect(r.told).toEqual([])
  })

  test('moved over the price it is not crossed', () => {
    const r = rig([alertOf(crosses)])
    r.evaluator.setDrawings(BTC, [line([[0, 100]], 'horizontal')])
    r.trade(0, 99)
    r.evaluator.setDrawings(BTC, [line([[0, 98]], 'horizontal')])
    r.trade(1, 99)
    expect(r.told).toEqual([])
    r.trade(2, 97)
    expect(r.told).toEqual(['fired 2: 99 97'])
  })

  test('drawn on a logarithmic scale it is straight there', () => {
    const r = rig([alertOf({ ...crosses, scale: 'log' })])
    const ray: readonly (readonly [number, number])[] = [
      [0, 100],
      [10_000, 10_000],
    ]
    r.evaluator.setDrawings(BTC, [line(ray, 'ray')])
    // Half way it stands at 1,000: in price it would at 5,050.
    r.trade(4_900, 1_001)
    expect(r.told).toEqual([])
    r.trade(5_100, 1_001)
    expect(r.told.filter((one) => one.startsWith('fired'))).toHaveLength(1)
  })

  test('without its drawing it is broken', () => {
    const alert = alertOf(crosses)
    const r = rig([alert])
    r.evaluator.setDrawings(BTC, [line([[0, 100]], 'horizontal')])
    r.trade(0, 99)
    expect(r.evaluator.state(alert.id)).toEqual({ is: 'armed' })
    r.evaluator.setDrawings(BTC, [])
    r.trade(1, 101)
    expect(r.told).toEqual([])
    expect(r.evaluator.state(alert.id)).toEqual({ is: 'broken' })
  })
})

describe('a stale feed', () => {
  const stale = (afterMs: number): AlertCondition => ({ is: 'stale', afterMs })

  test('fires when it has been so for so long, once an outage', () => {
    const r = rig([alertOf(stale(10_000), { repeat: { restMs: 1_000, backPercent: 0 } })])
    const fired = () => r.take().filter((one) => one.startsWith('fired'))
    r.state('crypto/XT', 'open', 0)
    r.state('crypto/XT', 'stale', 20_000)
    r.evaluator.advance(T0 + 24_000)
    expect(fired()).toEqual([])
    r.evaluator.advance(T0 + 25_000)
    r.evaluator.advance(T0 + 50_000)
    expect(fired()).toEqual(['fired 25000: - 10000'])
    r.state('crypto/XT', 'open', 60_000)
    r.state('crypto/XT', 'waiting', 61_000)
    r.evaluator.advance(T0 + 72_000)
    expect(fired()).toEqual(['fired 71000: - 10000'])
  })
  test('fires where its own connection of several is gone, and not for one that is there', () => {
    const eth = instrumentId('crypto', 'ETH-USD')
    const r = rig([alertOf(stale(10_000)), alertOf(stale(10_000), { instrument: eth })])
    r.state('crypto/XT', 'open', 0)
    r.evaluator.gapOpened('crypto/XT', 'refused', ['ETH-USD'], T0 + 5_000)
    r.evaluator.advance(T0 + 14_999)
    r.evaluator.advance(T0 + 15_000)
    r.evaluator.advance(T0 + 60_000)
    expect(r.told.filter((one) => one.startsWith('fired'))).toEqual(['fired 15000: - 10000'])
    expect(r.evaluator.instruments()).toEqual([BTC])
  })
  test('counts from when its connection was lost, though another symbol of that has left it since', () => {
    const eth = instrumentId('crypto', 'ETH-USD')
    const r = rig([alertOf(stale(10_000), { instrument: eth })])
    r.state('crypto/XT', 'open', 0)
    r.evaluator.gapOpened('crypto/XT', 'drop', ['BTC-USD', 'ETH-USD'], T0 + 5_000)
    r.take()
    // As a connection says it: the gap of the rest first.
    r.evaluator.advance(T0 + 9_000)
    r.evaluator.gapOpened('crypto/XT', 'drop', ['ETH-USD'], T0 + 9_000)
    r.evaluator.gapClosed('crypto/XT', T0 + 5_000, T0 + 9_000)
    r.evaluator.advance(T0 + 14_999)
    expect(r.take()).toEqual([])
    r.evaluator.advance(T0 + 15_000)
    expect(r.take().filter((one) => one.startsWith('fired'))).toEqual(['fired 15000: - 10000'])
  })
  test('with no patience at once', () => {
    const r = rig([alertOf(stale(0))])
    r.state('crypto/XT', 'open', 0)
    r.state('crypto/XT', 'waiting', 1)
    expect(r.told.filter((one) => one.startsWith('fired'))).toEqual(['fired 1: - 0'])
  })
  test('not while the market is closed, nor where nothing wants the feed', () => {
    const closed = rig([alertOf(stale(0))], { open: false })
    closed.state('crypto/XT', 'open', 0)
    closed.state('crypto/XT', 'waiting', 1)
    const idle = rig([alertOf(stale(0))])
    idle.state('crypto/XT', 'idle', 1)
    expect([...closed.told, ...idle.told].filter((one) => one.startsWith('fired'))).toEqual([])
  })
})

describe('earnings', () => {
  const DAY = 86_400_000
  const day = Math.floor(T0 / DAY) * DAY + 10 * DAY
  test('fire so many days ahead, once a report', () => {
    const alert = alertOf({ is: 'earnings', days: 3 }, { repeat: { restMs: 1_000, backPercent: 0 } })
    const r = rig([alert])
    expect(r.evaluator.state(alert.id)).toEqual({ is: 'waiting', for: 'date' })
    r.evaluator.setReports(BTC, [day, day + 90 * DAY])
    r.evaluator.advance(day - 3 * DAY - 1)
    expect(r.told).toEqual([])
    r.evaluator.advance(day - 3 * DAY)
    r.evaluator.advance(day - 2 * DAY)
    expect(r.told).toHaveLength(1)
    r.evaluator.advance(day + 88 * DAY)
    expect(r.told).toHaveLength(2)
  })
  test('a report that is over is not ahead', () => {
    const r = rig([alertOf({ is: 'earnings', days: 3 })])
    r.evaluator.setReports(BTC, [day])
    r.evaluator.advance(day + DAY)
    expect(r.told).toEqual([])
  })
})

describe('where levels alone waited', () => {
  // The shortest way of a trade is taken once one was measured: what joins later must end it.
  const calm = () => {
    const r = rig([alertOf(above(1_000))])
    for (const ms of [0, 1, 2]) r.trade(ms, 100)
    return r
  }

  test.each<[string, AlertCondition, string]>([
    ['a move', { is: 'move', of: 'last', percent: 5, withinMs: 60_000, direction: 'either' }, 'fired 11: - 10'],
    ['a volume', { is: 'volume', above: 5, withinMs: 60_000 }, 'fired 11: - 8'],
    ['a price', above(105), 'fired 11: 100 110'],
    ['a drawing', { is: 'drawing', of: 'last', drawing: 'd', direction: 'either' }, 'fired 11: 100 110'],
  ])('%s joins at the next trade', (_, condition, told) => {
    const r = calm()
    r.evaluator.setDrawings(BTC, [line([[0, 105]], 'horizontal')])
    r.evaluator.put(alertOf(condition))
    r.trade(10, 100, 4)
    r.trade(11, 110, 4)
    expect(r.told).toEqual([told])
  })

  test('a feed that is not seen does', () => {
    const r = calm()
    r.state('crypto/XT', 'open', 3)
    r.trade(4, 100)
    r.state('crypto/XT', 'waiting', 5)
    r.take()
    r.trade(6, 2_000)
    expect(r.told).toEqual([])
  })

  test('a late trade changes nothing, what is no price neither', () => {
    const r = calm()
    r.trade(10, 900, 1, 1)
    for (const price of [NaN, 0, -5, Infinity]) r.trade(11, price)
    r.trade(12, 1_000)
    expect(r.told).toEqual(['fired 12: 100 1000'])
  })
})

test('alerts among thousands fire as they would alone', () => {
  const level = fc.integer({ min: 90, max: 110 })
  const direction = fc.constantFrom('up' as const, 'down' as const, 'either' as const)
  const wish = fc.record({ level, direction, repeat: fc.boolean() })
  fc.assert(
    fc.property(fc.array(wish, { maxLength: 40 }), fc.array(level, { maxLength: 60 }), (wishes, prices) => {
      const alerts = wishes.map(({ level, direction, repeat }) =>
        alertOf(
          { is: 'price', of: 'last', level, direction },
          { repeat: repeat ? { restMs: 2_000, backPercent: 3 } : null },
        ),
      )
      const runAll = (some: typeof alerts) => {
        const r = rig(some)
        prices.forEach((price, i) => r.trade(i * 700, price))
        return r.told
      }
      const alone = alerts.flatMap((one) => runAll([one]))
      expect(runAll(alerts).toSorted()).toEqual(alone.toSorted())
    }),
    { numRuns: 60 },
  )
})
