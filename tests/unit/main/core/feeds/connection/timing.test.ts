import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { backoffMs, BACKOFF_MAX_MS, BACKOFF_MIN_MS } from '../../../../../../src/main/core/feeds/connection/backoff.ts'
import { createClockWatch } from '../../../../../../src/main/core/feeds/connection/clock-watch.ts'
import {
  createHeartbeat,
  PING_EVERY_MS,
  PONG_WITHIN_MS,
  PROBE_WITHIN_MS,
} from '../../../../../../src/main/core/feeds/connection/heartbeat.ts'
import { Interest, LINGER_MS } from '../../../../../../src/main/core/feeds/interest.ts'
import { createMessageRate } from '../../../../../../src/main/core/feeds/connection/message-rate.ts'
import { RequestedSymbols } from '../../../../../../src/main/core/feeds/connection/requested-symbols.ts'
import { AcceptedAliases } from '../../../../../../src/main/core/feeds/connection/accepted-aliases.ts'
import { MAX_ALIASES } from '../../../../../../src/shared/core/recording/session.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'

describe('backoff', () => {
  test('stays between 0.5 and 30 s, reaches both, and grows with the attempt', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, roll) => {
        const ms = backoffMs(attempt, roll)
        expect(ms).toBeGreaterThanOrEqual(BACKOFF_MIN_MS)
        expect(ms).toBeLessThanOrEqual(BACKOFF_MAX_MS)
        expect(backoffMs(attempt + 1, roll)).toBeGreaterThanOrEqual(ms)
      }),
    )
    expect(backoffMs(0, 0)).toBe(500)
    expect(backoffMs(0, 0.999)).toBeLessThan(1_000)
    expect(backoffMs(40, 0.9999)).toBeGreaterThan(29_900)
  })
})

describe('heartbeat', () => {
  test('pings every 15 s; a pong keeps it alive', () => {
    const heart = createHeartbeat(0)
    expect(heart.beat(PING_EVERY_MS - 1)).toBe('fine')
    expect(heart.beat(PING_EVERY_MS)).toBe('ping')
    heart.heard(PING_EVERY_MS + 20)
    expect(heart.beat(PING_EVERY_MS + PONG_WITHIN_MS)).toBe('fine')
    expect(heart.beat(2 * PING_EVERY_MS)).toBe('ping')
  })
  test('recovers from a late pong, and is dead without one', () => {
    const heart = createHeartbeat(0)
    heart.beat(PING_EVERY_MS)
    expect(heart.beat(PING_EVERY_MS + PONG_WITHIN_MS - 1)).toBe('fine')
    expect(heart.beat(PING_EVERY_MS + PONG_WITHIN_MS)).toBe('dead')
  })
  test('traffic counts as much as a pong', () => {
    const heart = createHeartbeat(0)
    for (let ms = 1_000; ms < 200_000; ms += 1_000) {
      heart.heard(ms)
      expect(heart.beat(ms)).not.toBe('dead')
    }
  })
  test('a probe pings at once and waits less', () => {
    const heart = createHeartbeat(0)
    heart.doubt()
    expect(heart.beat(100)).toBe('ping')
    expect(heart.beat(100 + PROBE_WITHIN_MS)).toBe('dead')
  })
})

describe('message rate', () => {
  test('a busy feed is stale after seconds, a slow one by its own rate, at most after minutes', () => {
    const busy = createMessageRate(null)
    for (let ms = 0; ms < 60_000; ms += 100) busy.message(ms)
    expect(busy.staleAfterMs()).toBe(5_000)
    const slow = createMessageRate(null)
    for (let ms = 0; ms < 600_000; ms += 6_000) slow.message(ms)
    expect(slow.staleAfterMs()).toBe(48_000)
    const rare = createMessageRate(null)
    for (let ms = 0; ms < 1e8; ms += 1e6) rare.message(ms)
    expect(rare.staleAfterMs()).toBe(120_000)
    expect(createMessageRate(null)).toMatchObject({ isMute: true })
    expect(createMessageRate(null).staleAfterMs()).toBe(30_000)
    expect(rare.isMute).toBe(false)
  })
  test('minute bars that come in bursts are not stale between two minutes', () => {
    const bars = createMessageRate(60_000)
    for (let minute = 0; minute < 10; minute++) for (let i = 0; i < 50; i++) bars.message(minute * 60_000 + i)
    expect(bars.staleAfterMs()).toBe(150_000)
  })
  test('silence counts from the last message, or from the new connection', () => {
    const pace = createMessageRate(null)
    pace.message(1_000)
    expect(pace.silentMs(1_500)).toBe(500)
    pace.start(9_000)
    expect(pace.silentMs(9_100)).toBe(100)
    pace.message(9_200)
    pace.message(9_300)
    expect(pace.staleAfterMs()).toBe(5_000)
  })
})

describe('the clock watch', () => {
  const began = { wall: 1e12, mono: 0, boot: 500_000 }
  /** So long after the beginning by each clock. */
  const after = (wall: number, mono: number, boot = mono) => ({ wall: 1e12 + wall, mono, boot: 500_000 + boot })
  const fine = { shiftMs: 0, paused: false, steppedMs: 0 }

  test('finds nothing while the clocks agree', () => {
    const watch = createClockWatch(began)
    for (let i = 1; i < 100; i++) expect(watch(after(i * 1_000, i * 1_000), 1_000)).toMatchObject(fine)
  })
  test('a clock set back or forward is a step of that size, once', () => {
    const watch = createClockWatch(began)
    expect(watch(after(850, 1_000), 1_000)).toMatchObject({ shiftMs: -150, steppedMs: -150, paused: false })
    expect(watch(after(1_850, 2_000), 1_000)).toMatchObject(fine)
    expect(watch(after(4_850, 3_000), 1_000)).toMatchObject({ shiftMs: 2_000, steppedMs: 2_000, paused: false })
  })
  test('a slow drift adds up until it is found', () => {
    const watch = createClockWatch(began)
    const found = Array.from({ length: 30 }, (_, i) => watch(after((i + 1) * 1_010, (i + 1) * 1_000), 1_000))
    expect(found.map(({ shiftMs }) => shiftMs).filter((shift) => shift !== 0)).toEqual([110, 110])
    expect(found.map(({ steppedMs }) => steppedMs)).toEqual(found.map(({ shiftMs }) => shiftMs))
  })
  const hour = 3_600_000
  /** What each clock says after a second that was none, and what it means. */
  const cases: [string, ReturnType<typeof after>, Partial<ReturnType<ReturnType<typeof createClockWatch>>>][] = [
    ['all clocks late: a process that stood still', after(7_000, 7_000), { ...fine, paused: true, elapsedMs: 7_000 }],
    ['all on time', after(5_000, 5_000), fine],
    [
      'a sleep in which the monotonic clock stood still',
      after(hour, 1_000, hour),
      { shiftMs: hour - 1_000, paused: true, steppedMs: 0, elapsedMs: hour },
    ],
    ['a sleep that all clocks counted', after(hour, hour), { ...fine, paused: true, elapsedMs: hour }],
    [
      'the wall clock alone, forward: set, and nobody slept',
      after(hour, 1_000),
      { shiftMs: hour - 1_000, paused: false, steppedMs: hour - 1_000, elapsedMs: 1_000 },
    ],
    ['the wall clock alone, back', after(-hour, 1_000), { paused: false, steppedMs: -hour - 1_000 }],
    [
      'a sleep after which the clock was set',
      after(3 * hour, 1_000, hour),
      { paused: true, steppedMs: 2 * hour, elapsedMs: hour },
    ],
    ['no clock of the machine is known', after(hour, 1_000, NaN), { paused: false, steppedMs: hour - 1_000 }],
    ['that clock counts whole seconds', after(1_000, 1_000, 2_000), fine],
  ]
  test.each(cases)('%s', (_name, now, found) => {
    expect(createClockWatch(began)(now, 1_000)).toMatchObject(found)
  })
})

describe('interest', () => {
  test('counts references by instrument; lingers after the last release', () => {
    const interest = new Interest()
    let mono = 0
    const clock = (): number => mono
    const a = interest.add('crypto/XT', ['BTC-USD', ' ', 'BTCUSD'], unixMs(10), clock)
    const b = interest.add('crypto/XT', ['btc/usd', 'ETH-USD'], unixMs(20), clock)
    expect(interest.tickers('crypto/XT', mono)).toEqual({ symbols: ['BTC-USD', 'ETH-USD'], sinceMs: 20 })
    b()
    b()
    expect(interest.tickers('crypto/XT', mono).symbols).toEqual(['BTC-USD', 'ETH-USD'])
    expect(interest.hasLingering('crypto/XT')).toBe(true)
    mono = LINGER_MS
    expect(interest.tickers('crypto/XT', mono).symbols).toEqual(['BTC-USD'])
    a()
    const again = interest.add('crypto/XT', ['BTCUSD'], unixMs(30), clock)
    mono = 3 * LINGER_MS
    expect(interest.tickers('crypto/XT', mono).symbols).toEqual(['BTC-USD'])
    again()
    mono = 4 * LINGER_MS
    expect(interest.tickers('crypto/XT', mono).symbols).toEqual([])
    expect(interest.tickers('forex/C', mono).symbols).toEqual([])
  })
})

describe('requested symbols', () => {
  const any = () => true
  test('the window is [subscribe sent, unsubscribe acknowledged], by instrument', () => {
    const asked = new RequestedSymbols('crypto', () => true, any)
    expect(asked.has('BTC-USD')).toBe(false)
    asked.subscribed(['BTC-USD'])
    expect(asked.has('X:BTCUSD')).toBe(true)
    asked.unsubscribed(['BTCUSD'])
    expect(asked.has('BTC-USD')).toBe(true)
    asked.subscribed(['BTC-USD'])
    asked.released(['BTC-USD'])
    expect(asked.has('BTC-USD')).toBe(true)
    asked.unsubscribed(['BTC-USD'])
    asked.released(['BTC-USD'])
    expect(asked.has('BTC-USD')).toBe(false)
  })
  test('of an acknowledgement are those subscribed on this socket, each instrument once, whichever connection owns it now', () => {
    let mine = true
    const asked = new RequestedSymbols('crypto', () => mine, any)
    asked.subscribed(['BTC-USD', 'ETH-USD'])
    expect(asked.among(['X:BTCUSD', 'DOGE-USD', 'BTC-USD'])).toEqual(['X:BTCUSD'])
    asked.unsubscribed(['ETH-USD'])
    // The planner moved it to another connection: its release here must still be in the ledger.
    mine = false
    asked.ownersChanged()
    expect(asked.among(['ETH-USD'])).toEqual(['ETH-USD'])
    asked.released(['ETH-USD'])
    expect(asked.among(['ETH-USD'])).toEqual([])
  })
  test('exclude a ticker of another connection', () => {
    let mine = true
    const asked = new RequestedSymbols('stocks', () => mine, any)
    asked.subscribed(['SPY'])
    expect(asked.has('SPY')).toBe(true)
    mine = false
    asked.ownersChanged()
    expect(asked.has('SPY')).toBe(false)
  })
  test('the first aliases of an instrument are accepted for good, further ones never, which is reported once', () => {
    const told: string[] = []
    const spellings = new AcceptedAliases((key) => told.push(key))
    const asked = () => {
      const one = new RequestedSymbols('crypto', any, (key, symbol) => spellings.accept(key, symbol))
      one.subscribed(['BTC-USD', 'ETH-USD'])
      return one
    }
    const spelt = Array.from({ length: 2_000 }, (_, i) => `B${'-'.repeat(i % 16)}TC${'_'.repeat(i >> 4)}USD`)
    const first = asked()
    expect(spelt.filter((symbol) => first.has(symbol))).toEqual(spelt.slice(0, MAX_ALIASES))
    expect(told).toEqual(['BTCUSD'])
    // The next connection begins with the same spellings.
    const next = asked()
    expect(spelt.toReversed().filter((symbol) => next.has(symbol))).toHaveLength(MAX_ALIASES)
    expect(next.has('ETH/USD')).toBe(true)
    expect(told).toEqual(['BTCUSD'])
  })
  test('endless variety of symbols does not grow memory', () => {
    const asked = new RequestedSymbols('stocks', () => true, any)
    asked.subscribed(['SPY'])
    for (let i = 0; i < 20_000; i++) expect(asked.has(`X${i}`)).toBe(false)
    expect(asked.has('SPY')).toBe(true)
  })
})
