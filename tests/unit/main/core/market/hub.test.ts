import { beforeEach, describe, expect, it } from 'vitest'
import { fixedGrid, type BarState } from '../../../../../src/shared/core/market/bars.ts'
import { createBarBuilder } from '../../../../../src/shared/core/market/bar-builder.ts'
import { msOf } from '../../../../../src/shared/core/market/market.ts'
import type { FeedState, Freshness } from '../../../../../src/shared/core/status/status.ts'
import { instrumentId, unixMs, type FeedId, type InstrumentId } from '../../../../../src/shared/base/units.ts'
import { KIND, scratch, type Scratch } from '../../../../../src/service/codec.ts'
import { freshnessOf, QUIET_AFTER_MS } from '../../../../../src/main/core/market/freshness.ts'
import type { Hub, HubCalendar } from '../../../../../src/main/core/market/hub-types.ts'
import { createHub } from '../../../../../src/main/core/market/hub.ts'
import { hubCalendar } from '../../../../../src/main/core/market/hub-calendar.ts'
import { guessAssets, guessSymbol, pipOf } from '../../../../../src/main/core/market/instruments.ts'
import type { CellSeed } from '../../../../../src/main/core/market/cell.ts'
import { createSeeder } from '../../../../../src/main/core/views/seeder.ts'
import {
  barsStream,
  quotesStream,
  tapeStream,
  type StreamHistory,
} from '../../../../../src/main/core/market/streams.ts'

const DAY = 86_400_000
const T0 = Date.UTC(2026, 0, 5, 12)
const BTC = instrumentId('crypto', 'BTC-USD')
const EUR = instrumentId('forex', 'EURUSD')

const calendar: HubCalendar = {
  grid: (_asset, interval) => fixedGrid(msOf(interval)),
  days: () => ({ ...fixedGrid(DAY), previous: (start) => start - DAY, session: () => 'open' }),
  isOpen: () => true,
}
const noHistory: StreamHistory = {
  bars: async () => ({ bars: [], gaps: [] }),
  gaps: async () => [],
  prints: async () => [],
}

let hub: Hub
let seq = 0
beforeEach(() => {
  hub = createHub({ calendar })
  seq = 0
})

function send(feed: FeedId, part: Partial<Scratch>, atMs = T0 + seq): void {
  seq += 1
  hub.apply(feed, seq, unixMs(atMs), { ...scratch(), eventMs: atMs, ...part })
}
const trade = (price: number, atMs?: number, size = 1) =>
  send(
    'crypto/XT',
    { kind: KIND.trade, symbol: 'BTC-USD', price, size, ...(atMs === undefined ? {} : { eventMs: atMs }) },
    atMs,
  )
const cryptoQuote = (bid: number, ask: number) => send('crypto/XQ', { kind: KIND.quote, symbol: 'BTC-USD', bid, ask })
const row = (id: InstrumentId = BTC, nowMs = T0 + 1000) => hub.row(hub.cell(id), nowMs)
const open = (feed: FeedId, sinceMs = 0) => hub.feedState(feed, { is: 'open', sinceMs: unixMs(sinceMs) }, unixMs(T0))

it('shows messages under any alias, and remembers a limited number of aliases per instrument', () => {
  const alias = (i: number) => `B${'-'.repeat(i % 16)}TC${'_'.repeat(i >> 4)}USD`
  for (let i = 0; i < 2_000; i += 1) {
    send('crypto/XT', { kind: KIND.trade, symbol: alias(i), price: 100 + i })
  }
  expect([...hub.cells()].map((cell) => cell.last)).toEqual([2_099])
  const last = row().symbol
  expect(Array.from({ length: 1_000 }, (_, i) => alias(i))).toContain(last)
})

it('ignores an acknowledged symbol that names no instrument', () => {
  hub.acknowledged('crypto/XT', ['-', '', 'BTC-USD'])
  expect([...hub.cells()].map((cell) => cell.symbol)).toEqual(['BTC-USD'])
})

describe('flash and direction', () => {
  it('flashes each price that differs from the last one, but not the first', () => {
    trade(100)
    expect(row()).toMatchObject({ last: 100, tick: null, flash: 0 })
    trade(101)
    expect(row()).toMatchObject({ last: 101, tick: 1, flash: 1 })
    trade(100.5)
    expect(row()).toMatchObject({ tick: -1, flash: 2 })
  })
  it('keeps the direction on an equal price, without a flash', () => {
    trade(100)
    trade(101)
    trade(101)
    expect(row()).toMatchObject({ tick: 1, flash: 1 })
  })
  it('does not flash the first price after a reconnect', () => {
    open('crypto/XT')
    trade(100)
    trade(101)
    hub.feedState('crypto/XT', { is: 'connecting', attempt: 1 }, unixMs(T0))
    open('crypto/XT')
    trade(250)
    expect(row()).toMatchObject({ last: 250, tick: null, flash: 1 })
    trade(251)
    expect(row()).toMatchObject({ tick: 1, flash: 2 })
  })
  it('does not flash after a gap of its symbol, but does after a gap of another', () => {
    trade(100)
    hub.gapOpened('crypto/XT', 'unacknowledged', ['ETH-USD'], unixMs(T0))
    trade(101)
    expect(row().flash).toBe(1)
    hub.gapOpened('crypto/XT', 'unacknowledged', ['BTC-USD'], unixMs(T0))
    trade(102)
    expect(row()).toMatchObject({ tick: null, flash: 1 })
  })
  it('does not flash after a gap of its whole feed during which the feed stayed open', () => {
    open('crypto/XT')
    trade(100)
    trade(101)
    expect(row()).toMatchObject({ tick: 1, flash: 1, freshness: 'live' })
    hub.gapOpened('crypto/XT', 'overflow', [], unixMs(T0))
    expect(row()).toMatchObject({ last: 101, freshness: 'quiet' })
    hub.gapClosed('crypto/XT', unixMs(T0), unixMs(T0 + 1))
    expect(row()).toMatchObject({ last: 101, freshness: 'quiet' })
    trade(250)
    expect(row()).toMatchObject({ last: 250, tick: null, flash: 1, freshness: 'live' })
  })
  it('continues over a gap of another feed', () => {
    open('crypto/XT')
    trade(100)
    hub.gapOpened('crypto/XQ', 'overflow', [], unixMs(T0))
    expect(row().freshness).toBe('live')
    trade(101)
    expect(row()).toMatchObject({ tick: 1, flash: 1 })
  })
  it('never shows a late price as the last one', () => {
    trade(100, T0)
    trade(110, T0 + 2000)
    trade(90, T0 + 1000)
    expect(row()).toMatchObject({ last: 110, low: 90, high: 110 })
  })
})

describe('what Last is made of', () => {
  it('is the mid, marked as such, without a trade feed', () => {
    send('forex/C', { kind: KIND.quote, symbol: 'EURUSD', bid: 1.1, ask: 1.1002, decimals: 4 })
    expect(row(EUR)).toMatchObject({ lastOf: 'mid', bid: 1.1, ask: 1.1002, pip: 0.0001, volume: null })
    expect(row(EUR).last).toBeCloseTo(1.1001, 10)
  })
  it('becomes the trade price with the first trade, without a flash; later quotes change neither it nor the day', () => {
    cryptoQuote(90, 110)
    expect(row()).toMatchObject({ last: 100, lastOf: 'mid' })
    trade(105)
    cryptoQuote(1, 3)
    expect(row()).toMatchObject({ last: 105, lastOf: 'trade', flash: 0, low: 105, bid: 1, ask: 3 })
  })
  it('tells an absent side from an empty one', () => {
    cryptoQuote(90, 110)
    cryptoQuote(NaN, 111)
    expect(row()).toMatchObject({ bid: 90, ask: 111 })
    cryptoQuote(0, 111)
    expect(row().bid).toBeNull()
  })
  it.each([0, -1, Infinity, NaN])('keeps a price of %s out', (bad) => {
    trade(100)
    trade(bad)
    expect(row()).toMatchObject({ last: 100, low: 100, high: 100 })
  })
})

describe('day and reference', () => {
  it('starts with the first price as reference and takes the close when the day rolls', () => {
    trade(100, T0)
    trade(120, T0 + 1)
    expect(row()).toMatchObject({ reference: 100, referenceOf: 'first print', open: 100, high: 120, volume: 2 })
    trade(130, T0 + DAY)
    expect(row()).toMatchObject({ reference: 120, referenceOf: 'previous close', open: 130, low: 130, volume: 1 })
  })
  it('has exactly the volume of its daily bar, also after a seek', () => {
    const sizes = Array.from({ length: 2_000 }, (_, i) => [0.1, 1e9, 0.3, 1e-7][i % 4])
    const plain = sizes.reduce((sum, size) => sum + size, 0)
    const builder = createBarBuilder({ grid: fixedGrid(DAY) })
    for (const [i, size] of sizes.entries()) {
      trade(100, T0 + i, size)
      builder.apply(T0 + i, i + 1, 100, size)
      if (i === 1_000) {
        const saved = hub.save()
        const rest = hub.cell(BTC).volumeRest
        hub = createHub({ calendar })
        hub.restore(saved, { feedStates: [], gaps: [] })
        expect(hub.cell(BTC).volumeRest).toBe(rest)
        expect(rest).not.toBe(0)
      }
    }
    const [bar] = [...builder.states()]
    expect(bar.volume).not.toBe(plain)
    expect(row().volume).toBe(bar.volume)
  })
  it('adds the stored volume exactly, less what was already counted live', async () => {
    // At 1e15 doubles are 0.125 apart: the stored sum is one of them, but the sum less the live volume is not.
    const [early, late, then] = [[1e15, 0.0625], [0.0625], [0.0625, 0.04]]
    const builder = createBarBuilder({ grid: fixedGrid(DAY) })
    const build = (sizes: readonly number[]): BarState => {
      for (const size of sizes) builder.apply(T0, builder.size, 100, size)
      const [bar] = [...builder.states()]
      return { ...bar }
    }
    const bar = build([...early, ...late])
    const session = 'open' as const
    const today = { session, startMs: bar.startMs, endMs: bar.endMs, open: 100, high: 100, low: 100, close: 100 }
    for (const size of late) trade(100, T0, size)
    const history = {
      seed: async () => ({
        rank: 3 as const,
        dayBefore: bar.startMs - DAY,
        previousClose: null,
        today: { ...today, volume: bar.volume, whole: true },
        spark: [],
      }),
    }
    createSeeder(hub, history).seed(BTC)
    await new Promise((resolve) => setImmediate(resolve))
    expect(row().volume).toBe(1e15 + 0.125)
    for (const size of then) trade(100, T0, size)
    expect(row().volume).toBe(build(then).volume)
    expect(row().volume).toBe(1e15 + 0.25)
  })
  it('does not use a close of days ago as the previous close', () => {
    trade(100, T0)
    trade(130, T0 + 3 * DAY)
    expect(row()).toMatchObject({ reference: 130, referenceOf: 'first print' })
  })
  it('ignores a price of yesterday for today', () => {
    trade(100, T0 + DAY)
    trade(50, T0)
    expect(row()).toMatchObject({ low: 100 })
  })
  it('shows the last recorded price with its time until the first live one, and derives nothing else from it', () => {
    const stored = { price: 98.5, atMs: unixMs(T0 - 3 * DAY) }
    hub.seed(BTC, { rank: 3, dayBefore: T0 - DAY, previousClose: null, today: null, spark: [], stored })
    expect(row()).toMatchObject({ last: null, lastOf: null, lastRecvMs: null, reference: null, open: null, stored })
    trade(100, T0)
    expect(row()).toMatchObject({ last: 100, reference: 100, referenceOf: 'first print', stored: null })
  })
  it('keeps a quote without sides that came while the stored data was read', async () => {
    const stored = { price: 98.5, atMs: unixMs(T0 - DAY) }
    const read = Promise.withResolvers<CellSeed | null>()
    createSeeder(hub, { seed: () => read.promise }).seed(BTC)
    cryptoQuote(99, 101)
    cryptoQuote(0, 0)
    read.resolve({ rank: 3, dayBefore: T0 - DAY, previousClose: 97, today: null, spark: [], stored })
    await new Promise((resolve) => setImmediate(resolve))
    expect(row()).toMatchObject({ bid: null, ask: null, lastOf: 'mid', last: 100 })
  })
  it('shows no recorded price of the previous source', () => {
    const stored = { price: 98.5, atMs: unixMs(T0 - 3 * DAY) }
    hub.seed(BTC, { rank: 3, dayBefore: T0 - DAY, previousClose: null, today: null, spark: [], stored })
    hub.reset()
    expect(row()).toMatchObject({ last: null, stored: null })
  })
  it('adds what the store knows and counts volume once', () => {
    trade(100, T0 + 60_000)
    const startMs = Math.floor(T0 / DAY) * DAY
    hub.seed(BTC, {
      rank: 3,
      dayBefore: startMs - DAY,
      previousClose: 80,
      today: {
        session: 'open',
        startMs,
        endMs: startMs + DAY,
        open: 90,
        high: 140,
        low: 70,
        close: 99,
        volume: 5,
        whole: true,
      },
      spark: [{ minute: T0 / 60_000 - 1, close: 98 }],
    })
    expect(row()).toMatchObject({
      open: 90,
      high: 140,
      low: 70,
      volume: 6,
      reference: 80,
      referenceOf: 'previous close',
    })
    expect(row().spark).toEqual([98, 100])
  })
})

describe('the hours around a session', () => {
  const SPY = instrumentId('stocks', 'SPY')
  const at = (text: string) => Date.parse(text)
  const print = (price: number, time: string) =>
    send('stocks/T', { kind: KIND.trade, symbol: 'SPY', price, size: 1 }, at(time))
  const spy = () => hub.row(hub.cell(SPY), at('2026-03-04T12:00Z'))
  beforeEach(() => {
    hub = createHub({ calendar: hubCalendar })
  })

  it('have their own range until the session has one, which then stays', () => {
    print(99, '2026-03-03T08:59:00Z')
    expect(spy()).toMatchObject({ rangeOf: 'closed', open: 99, high: 99, volume: 1 })
    print(100, '2026-03-03T09:00:00Z')
    print(104, '2026-03-03T14:29:00Z')
    expect(spy()).toMatchObject({ rangeOf: 'pre', open: 100, high: 104, low: 100, volume: 2 })
    print(102, '2026-03-03T14:30:00Z')
    expect(spy()).toMatchObject({ rangeOf: 'open', open: 102, high: 102, low: 102, volume: 1, reference: 99 })
    print(103, '2026-03-03T20:59:00Z')
    print(200, '2026-03-03T21:00:00Z')
    print(201, '2026-03-04T01:30:00Z')
    expect(spy()).toMatchObject({ rangeOf: 'open', high: 103, volume: 2, last: 201, reference: 99 })
    print(101, '2026-03-03T20:59:59Z') // late, but inside the session
    expect(spy()).toMatchObject({ low: 101, volume: 3, last: 201 })
    print(150, '2026-03-04T09:00:00Z')
    expect(spy()).toMatchObject({ rangeOf: 'pre', open: 150, reference: 101, referenceOf: 'previous close' })
    print(151, '2026-03-04T14:30:00Z')
    expect(spy()).toMatchObject({ rangeOf: 'open', open: 151, reference: 101, referenceOf: 'previous close' })
  })

  it('after the session start with its stored range', () => {
    print(200, '2026-03-03T21:30:00Z')
    expect(spy()).toMatchObject({ rangeOf: 'post', open: 200 })
    hub.seed(SPY, {
      rank: 3,
      dayBefore: at('2026-03-02T14:30Z'),
      previousClose: 90,
      today: {
        session: 'open',
        startMs: at('2026-03-03T14:30Z'),
        endMs: at('2026-03-03T21:00Z'),
        ...{ open: 100, high: 110, low: 95, close: 105, volume: 7, whole: true },
      },
      spark: [],
    })
    expect(spy()).toMatchObject({ rangeOf: 'open', open: 100, high: 110, low: 95, volume: 7, reference: 90 })
    print(300, '2026-03-03T22:00:00Z')
    expect(spy()).toMatchObject({ high: 110, volume: 7, last: 300 })
    print(301, '2026-03-04T10:00:00Z')
    expect(spy()).toMatchObject({ rangeOf: 'pre', high: 301, reference: 105, referenceOf: 'previous close' })
  })

  it('cover the whole day on a date without a session', () => {
    print(10, '2026-03-07T05:00:00Z')
    print(12, '2026-03-08T04:59:00Z')
    expect(spy()).toMatchObject({ rangeOf: 'closed', open: 10, high: 12, volume: 2 })
    print(11, '2026-03-08T05:00:00Z')
    expect(spy()).toMatchObject({ open: 11, high: 11, volume: 1 })
    const days = hubCalendar.days('stocks')
    expect(days.startOf(at('2026-07-03T15:00Z'))).toBe(at('2026-07-03T04:00Z'))
    expect(days.endOf(at('2026-07-03T04:00Z'))).toBe(at('2026-07-04T04:00Z'))
  })
})

describe('the trading day before', () => {
  it.each([
    ['crypto', '2026-03-02T00:00Z', '2026-03-01T00:00Z'],
    ['forex', '2026-03-01T22:00Z', '2026-02-26T22:00Z'],
    ['forex', '2026-03-10T21:00Z', '2026-03-09T21:00Z'],
    ['stocks', '2026-03-09T13:30Z', '2026-03-06T14:30Z'],
    ['stocks', '2026-11-30T14:30Z', '2026-11-27T14:30Z'],
  ] as const)('%s: before %s comes %s', (asset, start, before) => {
    expect(new Date(hubCalendar.days(asset).previous(Date.parse(start))).toISOString()).toBe(
      new Date(Date.parse(before)).toISOString(),
    )
  })
})

describe('numbers', () => {
  it('learns decimals and never shrinks them', () => {
    send('forex/C', { kind: KIND.quote, symbol: 'EURUSD', bid: 1.1, ask: 1.1, decimals: 5 })
    send('forex/C', { kind: KIND.quote, symbol: 'EURUSD', bid: 1.1, ask: 1.1, decimals: 1 })
    expect(row(EUR).decimals).toBe(5)
  })
  it.each([
    ['EURUSD', 0.0001],
    ['USDJPY', 0.01],
    ['XAUUSD', 0.01],
  ])('the pip of %s is %s', (key, pip) => expect(pipOf('forex', key)).toBe(pip))
  it('has no pips in crypto and stocks', () =>
    expect([pipOf('crypto', 'BTCJPY'), pipOf('stocks', 'A')]).toEqual([null, null]))
  it.each([
    ['crypto:BTCUSD', 'BTC-USD'],
    ['crypto:SOLUSDT', 'SOL-USDT'],
    ['forex:EURUSD', 'EURUSD'],
    ['stocks:BRK.B', 'BRK.B'],
  ])('%s is subscribed to as %s', (id, text) => expect(guessSymbol(id as InstrumentId)).toBe(text))
  it.each([
    ['eur/usd', ['forex', 'crypto']],
    ['btc-usd', ['crypto', 'stocks']],
    ['AAPL', ['stocks', 'crypto']],
    ['<script>', []],
    ['', []],
  ])('%s may be %j', (text, assets) => expect(guessAssets(text)).toEqual(assets))
})

describe('freshness', () => {
  const at = unixMs(1_000_000)
  const openState: FeedState = { is: 'open', sinceMs: unixMs(900_000) }
  const stale: FeedState = { is: 'stale', sinceMs: at, lastMs: at }
  const why = { code: 'plan', message: '', hint: '', closeCode: null } as const
  const cases: [string, FeedState | undefined, number, boolean, Freshness][] = [
    ['not subscribed', undefined, NaN, true, 'waiting'],
    ['connecting, nothing yet', { is: 'connecting', attempt: 1 }, NaN, true, 'waiting'],
    ['connecting again', { is: 'connecting', attempt: 2 }, 999_000, true, 'disconnected'],
    ['waiting to retry', { is: 'waiting', untilMs: at, attempt: 1, why }, 999_000, true, 'disconnected'],
    ['refused', { is: 'refused', why }, NaN, true, 'disconnected'],
    ['open, nothing yet', openState, NaN, true, 'waiting'],
    ['a young price', openState, 999_000, true, 'live'],
    ['a young price though the calendar says closed', openState, 999_000, false, 'live'],
    ['nothing traded', openState, 1_000_000 - QUIET_AFTER_MS - 1, true, 'quiet'],
    ['nothing traded, market closed', openState, 1_000_000 - QUIET_AFTER_MS - 1, false, 'closed'],
    ['silent feed', stale, 999_000, true, 'stale'],
    ['silent feed, market closed', stale, 999_000, false, 'closed'],
  ]
  it.each(cases)('%s', (_name, feed, lastRecvMs, isMarketOpen, expected) => {
    expect(freshnessOf({ feed, lastRecvMs, isCurrent: true, nowMs: 1_000_000, isMarketOpen })).toBe(expected)
  })

  it('is not live with a stamp from before the clock was set back', () => {
    const feed: FeedState = { is: 'open', sinceMs: unixMs(500_000) }
    const facts = { feed, isCurrent: true, nowMs: 1_000_000, isMarketOpen: true }
    expect(freshnessOf({ ...facts, lastRecvMs: 4_600_000 })).toBe('quiet')
  })

  it('is not live with a price from before this connection or before a gap of its symbol', () => {
    open('crypto/XT')
    trade(100)
    expect(row().freshness).toBe('live')
    hub.feedState('crypto/XT', { is: 'connecting', attempt: 1 }, unixMs(T0))
    open('crypto/XT')
    expect(row().freshness).toBe('quiet')
    trade(101)
    expect(row().freshness).toBe('live')
    hub.gapOpened('crypto/XT', 'clock', ['BTC-USD'], unixMs(T0))
    expect(row().freshness).toBe('quiet')
  })

  it('is live with prices received after the clock was set back past the start of the connection', () => {
    open('crypto/XT', T0 + 3_600_000)
    trade(100, T0)
    expect(row(BTC, T0 + 1_000).freshness).toBe('live')
  })

  it('is quiet, not closed, while other instruments of its asset class trade outside the calendar’s hours', () => {
    hub = createHub({ calendar: { ...calendar, isOpen: () => false } })
    const later = T0 + QUIET_AFTER_MS + 1
    const stocks = (symbol: string, atMs: number) => send('stocks/T', { kind: KIND.trade, symbol, price: 10 }, atMs)
    const ibm = (nowMs: number) => row(instrumentId('stocks', 'IBM'), nowMs).freshness
    open('stocks/T')
    open('crypto/XT')
    stocks('IBM', T0)
    trade(100, later)
    expect(ibm(later)).toBe('closed')
    stocks('SPY', later)
    expect(ibm(later)).toBe('quiet')
    hub.restore(hub.save(), { feedStates: [['stocks/T', { is: 'open', sinceMs: unixMs(0) }]], gaps: [] })
    expect(ibm(later)).toBe('quiet')
    expect(ibm(later + QUIET_AFTER_MS + 1)).toBe('closed')
  })

  it('wakes a window when it changes with time alone', () => {
    let now = T0 + 100
    let woken = 0
    open('crypto/XT')
    trade(100)
    const stream = quotesStream(
      hub,
      [BTC],
      () => now,
      () => (woken += 1),
    )
    expect(stream.take()?.rows[0]?.freshness).toBe('live')
    hub.sweep(now)
    expect(woken).toBe(0)
    now += QUIET_AFTER_MS + 1
    hub.sweep(now)
    expect(woken).toBe(1)
    expect(stream.take()?.rows[0]?.freshness).toBe('quiet')
    stream.close()
  })
})

describe('streams', () => {
  it('sends every row first, then only changed rows, conflated', () => {
    let woken = 0
    const stream = quotesStream(
      hub,
      [BTC, EUR, BTC],
      () => T0,
      () => (woken += 1),
    )
    expect(stream.take()?.rows.map((one) => one.instrument)).toEqual([BTC, EUR])
    expect(stream.take()).toBeUndefined()
    for (let i = 0; i < 100; i += 1) trade(100 + i)
    expect(woken).toBe(1)
    const rows = stream.take()?.rows
    expect(rows?.length).toBe(1)
    expect(rows?.[0]).toMatchObject({ last: 199, flash: 99 })
    stream.close()
    trade(1)
    expect(stream.take()).toBeUndefined()
  })

  it('builds forming bars, adds the stored history, and marks bars that a gap touches', async () => {
    const history: StreamHistory = {
      ...noHistory,
      bars: async () => ({
        gaps: [],
        bars: [
          {
            startMs: unixMs(T0 - 60_000),
            endMs: unixMs(T0),
            open: 1,
            high: 2,
            low: 1,
            close: 2,
            volume: 9,
            count: 3,
            complete: true,
          },
          {
            startMs: unixMs(T0),
            endMs: unixMs(T0 + 60_000),
            open: 5,
            high: 7,
            low: 4,
            close: 6,
            volume: 2,
            count: 2,
            complete: true,
          },
        ],
      }),
    }
    const ready = Promise.withResolvers<void>()
    const args = { instrument: BTC, of: 'trade', interval: '1m', fromMs: null } as const
    const stream = barsStream(hub, history, args, ready.resolve)
    trade(6.5, T0 + 1_000, 3)
    await ready.promise
    const first = stream.take()
    expect(
      first?.reset?.map(({ open, high, low, close, volume, count }) => [open, high, low, close, volume, count]),
    ).toEqual([
      [1, 2, 1, 2, 9, 3],
      [5, 7, 4, 6.5, 5, 3],
    ])
    trade(8, T0 + 61_000)
    expect(stream.take()).toMatchObject({
      reset: null,
      gaps: null,
      updates: [{ startMs: T0 + 60_000, open: 8, complete: true }],
    })
    hub.gapOpened('crypto/XT', 'drop', [], unixMs(T0 + 62_000))
    hub.gapClosed('crypto/XT', unixMs(T0 + 62_000), unixMs(T0 + 125_000))
    trade(9, T0 + 126_000)
    trade(9, T0 + 190_000)
    const after = stream.take()
    expect(after?.gaps).toEqual([{ feed: 'crypto/XT', cause: 'drop', fromMs: T0 + 62_000, toMs: T0 + 125_000 }])
    expect(after?.reset?.map((bar) => bar.complete)).toEqual([true, true, false, false, true])
    stream.close()
    expect(hub.cell(BTC).series).toEqual([])
  })

  it('reports corrupt history to every stream of a series and completes no bar that touches it', async () => {
    const lost = {
      feed: 'crypto/XT',
      cause: 'unreadable',
      fromMs: unixMs(T0 - 5_000),
      toMs: unixMs(T0 + 5_000),
    } as const
    let asked = 0
    const history: StreamHistory = {
      ...noHistory,
      bars: async () => {
        asked += 1
        return { bars: [], gaps: [lost] }
      },
    }
    const args = { instrument: BTC, of: 'trade', interval: '1m', fromMs: null } as const
    for (let i = 0; i < 2; i += 1) {
      const ready = Promise.withResolvers<void>()
      const stream = barsStream(hub, history, args, ready.resolve)
      if (i === 0) for (const ms of [10_000, 70_000]) trade(6, T0 + ms)
      await ready.promise
      const first = stream.take()
      expect(first?.gaps).toEqual([lost])
      expect(first?.reset?.map(({ startMs, complete }) => [startMs, complete])).toEqual([
        [T0, false],
        [T0 + 60_000, true],
      ])
    }
    expect(asked).toBe(1)
  })

  it('sends nothing that was read before the last reset, such as a replay’s seek', async () => {
    const late = { feed: 'crypto/XT', cause: 'drop', fromMs: unixMs(T0), toMs: unixMs(T0 + 1_000) } as const
    const reads: ((gaps: (typeof late)[]) => void)[] = []
    const history: StreamHistory = { ...noHistory, gaps: () => new Promise((resolve) => void reads.push(resolve)) }
    const args = { instrument: BTC, of: 'trade', interval: '1m', fromMs: null } as const
    let woken = Promise.withResolvers<void>()
    const stream = barsStream(hub, history, args, () => woken.resolve())
    hub.reset()
    reads[0]([late])
    await new Promise((resolve) => setImmediate(resolve))
    expect(stream.take()).toBeUndefined()
    reads[1]([])
    await woken.promise
    expect(stream.take()).toMatchObject({ reset: [], gaps: [] })
    stream.close()
    woken = Promise.withResolvers()
    const prints: (() => void)[] = []
    const slow: StreamHistory = { ...noHistory, prints: () => new Promise((resolve) => prints.push(() => resolve([]))) }
    const tape = tapeStream(hub, slow, { instrument: BTC, limit: 9 }, () => woken.resolve())
    hub.reset()
    prints[0]()
    await new Promise((resolve) => setImmediate(resolve))
    // What the window shows is from before the jump, also if it went forward.
    expect(tape.take()).toMatchObject({ reset: null, reading: true, prints: [] })
    expect(tape.take()).toBeUndefined()
    woken = Promise.withResolvers()
    prints[1]()
    await woken.promise
    expect(tape.take()).toMatchObject({ reset: [] })
    tape.close()
  })

  it('sends a slow window the newest prints and how many it missed', async () => {
    trade(1)
    const ready = Promise.withResolvers<void>()
    const stream = tapeStream(hub, noHistory, { instrument: BTC, limit: 3 }, ready.resolve)
    await ready.promise
    expect(stream.take()).toMatchObject({ reset: [], prints: [], skipped: 0 })
    for (const price of [2, 3, 3, 2, 5]) trade(price)
    const value = stream.take()
    expect(value?.prints.map(({ price, direction }) => [price, direction])).toEqual([
      [3, 0],
      [2, -1],
      [5, 1],
    ])
    expect(value?.skipped).toBe(2)
    expect(stream.take()).toBeUndefined()
    stream.close()
    expect(hub.cell(BTC).tape).toBeNull()
  })

  it('has only trades on its tape, though mids and bars are last prices where none arrived', async () => {
    const ready = Promise.withResolvers<void>()
    const stream = tapeStream(hub, noHistory, { instrument: BTC, limit: 9 }, ready.resolve)
    await ready.promise
    stream.take()
    cryptoQuote(100, 102)
    expect(hub.cell(BTC).last).toBe(101)
    expect(stream.take()?.prints ?? []).toEqual([])
    trade(102)
    expect(stream.take()?.prints.map(({ price }) => price)).toEqual([102])
    stream.close()
  })

  it('forgets everything when another source begins, and notifies', () => {
    const stream = quotesStream(
      hub,
      [BTC],
      () => T0,
      () => {},
    )
    trade(100)
    stream.take()
    hub.reset()
    expect(stream.take()?.rows[0]).toMatchObject({ last: null, tick: null, open: null, referenceOf: null, spark: [] })
    trade(500)
    expect(stream.take()?.rows[0]).toMatchObject({ last: 500, tick: null })
    stream.close()
  })
})

describe('bars of the service', () => {
  it('merges minute bars into longer ones, and a rebroadcast replaces its part', () => {
    const changes: number[] = []
    const held = hub.watchBars(BTC, 'service', '5m', { changed: (start) => changes.push(start), reset: () => {} })
    const start = Math.floor(T0 / 300_000) * 300_000
    const minute = (at: number, open: number, high: number, low: number, close: number, volume: number) =>
      send('crypto/XA', {
        kind: KIND.bar,
        symbol: 'BTC-USD',
        startMs: at,
        endMs: at + 60_000,
        open,
        high,
        low,
        close,
        volume,
      })
    minute(start, 10, 12, 9, 11, 5)
    minute(start + 60_000, 11, 20, 10, 15, 7)
    expect(held.value.from(0)).toMatchObject([{ startMs: start, open: 10, high: 20, low: 9, close: 15, volume: 12 }])
    minute(start + 60_000, 11, 18, 10, 17, 8)
    expect(held.value.from(0)).toMatchObject([{ open: 10, high: 18, low: 9, close: 17, volume: 13 }])
    expect(changes).toEqual([start, start, start])
    held.release()
  })

  it('has none below a second for any kind of price', () => {
    const held = hub.watchBars(BTC, 'service', '250ms', { changed: () => expect.unreachable(), reset: () => {} })
    const bar = { kind: KIND.bar, symbol: 'BTC-USD', startMs: T0, endMs: T0 + 1_000 } as const
    send('crypto/XAS', { ...bar, open: 10, high: 12, low: 9, close: 11, volume: 5 })
    expect(held.value.from(0)).toEqual([])
    held.release()
  })
})

describe('bars below a second', () => {
  const opened = async () => {
    const ready = Promise.withResolvers<void>()
    let wakes = 0
    const stream = barsStream(hub, noHistory, { instrument: BTC, of: 'trade', interval: '100ms', fromMs: null }, () => {
      wakes += 1
      ready.resolve()
    })
    await ready.promise
    stream.take()
    return { stream, wakes: () => wakes }
  }

  it('exist only for intervals with a trade', async () => {
    const { stream } = await opened()
    for (const [ms, price] of [
      [7, 10],
      [99, 12],
      [100, 11],
      [60_050, 13],
    ] as const)
      trade(price, T0 + ms)
    const bars = stream.take()?.updates ?? []
    expect(
      bars.map(({ startMs, endMs, open, close, count }) => [startMs - T0, endMs - T0, open, close, count]),
    ).toEqual([
      [0, 100, 10, 12, 2],
      [100, 200, 11, 11, 1],
      [60_000, 60_100, 13, 13, 1],
    ])
    stream.close()
  })

  it('are conflated: a burst of messages sends only the bars that it changed', async () => {
    const { stream, wakes } = await opened()
    const before = wakes()
    for (let i = 0; i < 2_000; i += 1) trade(100 + (i % 7), T0 + Math.floor(i / 2))
    expect(wakes() - before).toBe(1)
    expect(stream.take()?.updates).toHaveLength(10)
    expect(stream.take()).toBeUndefined()
    stream.close()
  })

  it('are corrected by a late record without a reset', async () => {
    const { stream } = await opened()
    for (let i = 0; i < 100; i += 1) trade(100, T0 + i * 100)
    stream.take()
    trade(150, T0 + 550, 1)
    const { reset, updates } = stream.take() ?? {}
    expect(reset).toBeNull()
    expect(updates?.[0]).toMatchObject({ startMs: T0 + 500, high: 150, close: 150, count: 2 })
    stream.close()
  })
})

describe('a price dated ahead of its receipt', () => {
  const HOUR = 3_600_000
  const dated = (price: number, recvMs: number, eventMs: number, target = hub) => {
    seq += 1
    const record = { ...scratch(), kind: KIND.trade, symbol: 'BTC-USD', price, size: 1, eventMs: T0 + eventMs }
    target.apply('crypto/XT', seq, unixMs(T0 + recvMs), record)
  }
  const shownBy = (target: Hub) => target.row(target.cell(BTC), T0 + 120_000)
  const shown = () => shownBy(hub)

  it('does not block later prices from Last, the day and the sparkline', () => {
    dated(100, 0, 0)
    dated(150, 1_000, 30 * HOUR)
    expect(shown()).toMatchObject({ last: 150, high: 150, lastEventMs: T0 + 1_000 })
    dated(90, 2_000, 1_950)
    expect(shown()).toMatchObject({ last: 90, low: 90, open: 100, volume: 3, spark: [90] })
    dated(95, 70_000, 69_990)
    expect(shown()).toMatchObject({ last: 95, lastEventMs: T0 + 69_990, spark: [90, 95] })
  })

  it('stays late if it was late, and keeps its date within the difference of clocks', () => {
    dated(100, 0, 4_000)
    dated(101, 1_000, 1_000)
    expect(shown()).toMatchObject({ last: 100, lastEventMs: T0 + 4_000 })
    // A price whose date is not trusted comes next in order and does not set it back.
    dated(102, 2_000, HOUR)
    expect(shown()).toMatchObject({ last: 102, lastEventMs: T0 + 4_000 })
    dated(103, 2_500, 3_900)
    expect(shown().last).toBe(102)
    dated(104, 4_100, 4_050)
    expect(shown().last).toBe(104)
  })

  it('shows the newest price even if the local clock stays behind', () => {
    for (let i = 0; i < 20; i += 1) {
      dated(100 + i, i * 500, i * 500 + (i % 2 === 0 ? 4_990 : 5_010))
      if (i % 2 === 1) expect(shown().last).toBe(100 + i)
    }
    dated(200, 11_000, 11_000 + HOUR)
    expect(shown().last).toBe(200)
  })

  it('is the same after a restored snapshot', () => {
    dated(100, 0, 0)
    dated(150, 1_000, HOUR)
    const other = createHub({ calendar })
    other.restore(hub.save(), { feedStates: [], gaps: [] })
    for (const target of [hub, other]) {
      dated(90, 2_000, 1_950, target)
      dated(91, 3_000, 1_900, target)
    }
    expect(shownBy(other)).toMatchObject({ last: 90, high: 150, lastEventMs: T0 + 1_950 })
    // The flash count continues and is not restored.
    expect({ ...shownBy(other), flash: 0 }).toEqual({ ...shown(), flash: 0 })
  })
})
