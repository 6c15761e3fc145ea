/** The sides of trades are the same live, from the store, and however much of them was stored when it was opened. */
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { SIDES_LOOKBACK_MS, type TradeSide } from '../../../../../src/shared/core/market/flow/side.ts'
import { instrumentId, unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import { gridOf } from '../../../../../src/shared/core/market/calendar.ts'
import { hubCalendar } from '../../../../../src/main/core/market/hub-calendar.ts'
import { createHub } from '../../../../../src/main/core/market/hub.ts'
import type { Hub } from '../../../../../src/main/core/market/hub-types.ts'
import { NO_CELLS } from '../../../../../src/shared/core/market/flow/cells.ts'
import type { FlowHistory } from '../../../../../src/main/core/market/flow/flow-follower.ts'
import { SidedTrades, type SidedTrade } from '../../../../../src/main/core/market/flow/sided-trades.ts'
import { FlowDays } from '../../../../../src/main/core/market/flow/flow-days.ts'
import { flowStream } from '../../../../../src/main/core/market/flow/flow-stream.ts'
import { readLargeTrades } from '../../../../../src/main/core/market/flow/large-trades.ts'
import { quoteMapStream } from '../../../../../src/main/core/market/flow/quote-stream.ts'
import { sidedTapeStream } from '../../../../../src/main/core/market/flow/sided-tape.ts'
import type { LocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { createViewHistory, type ViewHistory } from '../../../../../src/main/core/views/history.ts'
import { quoteText, tradeText } from '../../../../kit/market.ts'
import { T0, type Item } from '../store/harness.ts'
import { applyItem, cleanUp, storeOf } from './store-of.ts'
import { fixedExamples, timeLimit } from '../../../../kit/properties.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const FEED_OF = ['crypto/XT', 'crypto/XQ'] as const

afterEach(cleanUp)

interface Event {
  readonly afterMs: number
  readonly what: 'trade' | 'quote' | 'trade-gap' | 'quote-gap'
  readonly symbol: string
  readonly price: number
  readonly lateMs: number
}
const events = (maxLength: number, minLength = 3) =>
  fc.array(
    fc.record<Event>({
      afterMs: fc.oneof({ weight: 9, arbitrary: fc.nat(300) }, fc.nat(90_000)),
      what: fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom('trade' as const, 'quote' as const) },
        fc.constantFrom('trade-gap' as const, 'quote-gap' as const),
      ),
      symbol: fc.oneof({ weight: 4, arbitrary: fc.constant('BTC-USD') }, fc.constant('ETH-USD')),
      price: fc.integer({ min: 100, max: 103 }),
      lateMs: fc.nat(400),
    }),
    { minLength, maxLength },
  )

/** What a recorder writes of these events: one item a seq. */
function itemsOf(list: readonly Event[]): Item[] {
  let at = T0
  return list.map(({ afterMs, what, symbol, price, lateMs }): Item => {
    at += afterMs
    if (what === 'trade') return { conn: 1, data: tradeText(symbol, price, 0.5, at - lateMs), recvMs: at }
    if (what === 'quote') return { conn: 2, data: quoteText(symbol, price, price + 1, at - lateMs), recvMs: at }
    const feed = FEED_OF[what === 'trade-gap' ? 0 : 1]
    return { entry: { type: 'gap-open', feed, cause: 'drop', symbols: [], fromMs: unixMs(at - 50) }, wallMs: at }
  })
}

const historyOf = (reader: LocalReader, session: SessionId, seq: number, wallMs: number = T0): ViewHistory =>
  createViewHistory({
    reader,
    source: () => 'demo',
    present: () => new Map([[session, seq]]),
    committed: () => Promise.resolve(true),
    wallMs: () => wallMs,
    days: (asset) => hubCalendar.days(asset),
    failed(what, thrown) {
      throw new Error(`${what}: ${String(thrown)}`)
    },
  })
const nothingStored: FlowHistory = { flow: () => Promise.resolve([]) }

const newHub = () => createHub({ calendar: hubCalendar })
type Found = readonly [seq: number, price: number, size: number, side: TradeSide]

/** The sides of the trades if all up to a seq was stored and the rest arrives, some of it while the store is read. */
async function sidesOf(
  items: readonly Item[],
  stored: number,
  history: FlowHistory,
  during: number,
  fromMs = 0,
): Promise<readonly Found[]> {
  const hub = newHub()
  const found: Found[] = []
  const add = ({ seq, price, size }: SidedTrade, side: TradeSide) => void found.push([seq, price, size, side])
  const trades = await new Promise<SidedTrades>((resolve) => {
    const listener = { settled: add, ready: () => resolve(sided) }
    const sided = new SidedTrades(hub, history, { instrument: BTC, fromMs }, listener)
    for (const [i, item] of items.entries()) if (i >= stored && i < stored + during) applyItem(hub, i + 1, item)
  })
  for (const [i, item] of items.entries()) if (i >= stored + during) applyItem(hub, i + 1, item)
  // Another session: nothing of this one is left open.
  trades.sessionBegan()
  trades.close()
  return found
}

describe('the sides of trades', () => {
  it('are the same live and from the store, wherever one ends and the other begins', async () => {
    const isSpent = timeLimit()
    await fc.assert(
      fc.asyncProperty(events(80), fc.nat(1_000), fc.nat(10), async (list, at, during) => {
        if (isSpent()) return
        const items = itemsOf(list)
        const live = await sidesOf(items, 0, nothingStored, 0)
        expect(live).toHaveLength(list.filter(({ what, symbol }) => what === 'trade' && symbol === 'BTC-USD').length)
        const { reader, session } = storeOf(items)
        for (const stored of [items.length, at % items.length]) {
          const history = historyOf(reader, session, stored)
          expect(await sidesOf(items, stored, history, during)).toEqual(live)
        }
        await cleanUp()
      }),
      { numRuns: 20 },
    )
  }, 60_000)

  it('need no more of the store than the lookback', async () => {
    const [list] = fc.sample(events(900, 900), { numRuns: 1, seed: 19 })
    const items = itemsOf(list)
    const { reader, session } = storeOf(items)
    const live = await sidesOf(items, 0, nothingStored, 0)
    const received = items.map((item) => ('entry' in item ? 0 : (item.recvMs ?? 0)))
    const fromMs = T0 + SIDES_LOOKBACK_MS * 1.5
    const since = live.filter(([seq]) => received[seq - 1] >= fromMs)
    expect(since.length).toBeGreaterThan(50)
    expect(since.length).toBeLessThan(live.length - 50)
    expect(await sidesOf(items, items.length, historyOf(reader, session, items.length), 0, fromMs)).toEqual(since)
  })

  it('depend on no older date or price, although every later quote leaves them out', async () => {
    const fromMs = T0 + SIDES_LOOKBACK_MS + 60_000
    const items: Item[] = [{ conn: 2, data: quoteText('BTC-USD', 100, 101, T0), recvMs: T0 }]
    const ask = (price: number, recvMs: number) =>
      items.push({ conn: 2, data: `{"ev":"XQ","pair":"BTC-USD","ap":${price}}`, recvMs })
    for (let atMs = T0 + 30_000; atMs < fromMs; atMs += 30_000) ask(102, atMs)
    for (let atMs = fromMs; atMs < fromMs + 10_000; atMs += 1_000) {
      items.push({ conn: 1, data: tradeText('BTC-USD', 102, 0.5, atMs), recvMs: atMs })
      ask(103, atMs + 20)
      ask(102, atMs + 500)
    }
    const { reader, session } = storeOf(items)
    const live = await sidesOf(items, 0, nothingStored, 0)
    expect(live).toHaveLength(10)
    expect(live[0][3]).toEqual({ side: 0, reason: 'first' })
    expect(await sidesOf(items, items.length, historyOf(reader, session, items.length), 0, fromMs)).toEqual(live)
  })

  it('follow their prints on the tape, and begin again when the view moves', async () => {
    const items = itemsOf([
      { afterMs: 10, what: 'quote', symbol: 'BTC-USD', price: 100, lateMs: 5 },
      { afterMs: 10, what: 'trade', symbol: 'BTC-USD', price: 101, lateMs: 5 },
      { afterMs: 90, what: 'quote', symbol: 'BTC-USD', price: 100, lateMs: 5 },
      { afterMs: 10, what: 'trade', symbol: 'BTC-USD', price: 100, lateMs: 5 },
    ])
    const { reader, session } = storeOf(items)
    const hub = newHub()
    const history = historyOf(reader, session, 3)
    const settle = async () => {
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
    }
    const tape = sidedTapeStream(
      hub,
      history,
      { instrument: BTC, limit: 10 },
      () => T0,
      () => undefined,
    )
    await settle()
    expect(tape.take()).toMatchObject({ reset: [{ seq: 2 }], sides: [] })
    await settle()
    expect(tape.take()).toMatchObject({ reset: null, sides: [{ seq: 2, price: 101, side: 1, reason: 'touch' }] })
    applyItem(hub, 4, items[3])
    expect(tape.take()).toMatchObject({ prints: [{ seq: 4 }], sides: [] })
    // Not settled by the sweep before others' records are a second later.
    hub.sweep(T0)
    expect(tape.take()).toBeUndefined()
    const other = tradeText('ETH-USD', 9, 1, T0 + 2_000)
    applyItem(hub, 5, { conn: 1, data: other, recvMs: T0 + 2_000 })
    hub.sweep(T0)
    expect(tape.take()).toMatchObject({ prints: [], sides: [{ seq: 4, side: -1 }], meter: { explained: null } })
    hub.reset()
    await settle()
    expect(tape.take()).toMatchObject({ reset: [{ seq: 2 }], sides: [] })
    await settle()
    expect(tape.take()).toMatchObject({ sides: [{ seq: 2, side: 1 }] })
    // What settled before a seek isn't sent after it.
    applyItem(hub, 6, { conn: 2, data: quoteText('BTC-USD', 100, 101, T0 + 3_000), recvMs: T0 + 3_000 })
    applyItem(hub, 7, { conn: 1, data: tradeText('BTC-USD', 101, 1, T0 + 3_100), recvMs: T0 + 3_100 })
    applyItem(hub, 8, { conn: 2, data: quoteText('BTC-USD', 100, 101, T0 + 5_000), recvMs: T0 + 5_000 })
    hub.reset()
    expect(tape.take()).toMatchObject({ reset: null, reading: true, prints: [], sides: [] })
    expect(tape.take()).toBeUndefined()
    await settle()
    tape.close()
  })
})

/** Settles what is open by a later message of another instrument, and gives what the stream has sent so far. */
async function barsOf(hub: Hub, history: FlowHistory, range: { fromMs: number; toMs: number | null }, act = () => {}) {
  const grid = gridOf('crypto', '1m')
  const flow = flowStream(hub, history, { instrument: BTC, grid, rows: null, ...range }, () => undefined)
  const found = new Map<number, readonly [buy: number, sell: number]>()
  const take = () => {
    const value = flow.take()
    if (value?.reset) found.clear()
    for (const [i, start] of (value?.bars.startMs ?? []).entries())
      found.set(start, [value!.bars.buy[i], value!.bars.sell[i]])
  }
  for (let i = 0; i < 60; i++) await new Promise((resolve) => setImmediate(resolve))
  take()
  act()
  take()
  flow.close()
  return [...found].toSorted(([a], [b]) => a - b)
}

describe('the volume by side of bars', () => {
  it('is the same live and from the store, and is that of the trades', async () => {
    const isSpent = timeLimit()
    await fc.assert(
      fc.asyncProperty(events(60, 10), fc.nat(1_000), async (list, at) => {
        if (isSpent()) return
        const items = itemsOf([...list, { afterMs: 600_000, what: 'quote', symbol: 'BTC-USD', price: 100, lateMs: 0 }])
        const last = items[items.length - 1]
        const endMs = 'entry' in last ? T0 : (last.recvMs ?? T0)
        const { reader, session } = storeOf(items)
        const stored = at % items.length
        const hub = newHub()
        const open = { fromMs: T0 - 60_000, toMs: null }
        const live = await barsOf(hub, historyOf(reader, session, stored), open, () => {
          for (const [i, item] of items.entries()) if (i >= stored) applyItem(hub, i + 1, item)
        })
        const all = historyOf(reader, session, items.length)
        const whole = await barsOf(newHub(), all, open)
        expect(live).toEqual(whole)
        expect(await barsOf(newHub(), all, { ...open, toMs: endMs + 60_000 })).toEqual(whole)
        const middleMs = T0 + Math.floor((endMs - T0) / 120_000) * 60_000
        const [before, after] = [
          await barsOf(newHub(), all, { ...open, toMs: middleMs }),
          await barsOf(newHub(), all, { fromMs: middleMs, toMs: null }),
        ]
        expect([...before, ...after]).toEqual(whole)
        const sides = await sidesOf(items, items.length, all, 0)
        const sum = (of: number) => sides.reduce((total, [, , size, { side }]) => total + (side === of ? size : 0), 0)
        expect(whole.reduce((total, [, [buy]]) => total + buy, 0)).toBe(sum(1))
        expect(whole.reduce((total, [, [, sell]]) => total + sell, 0)).toBe(sum(-1))
        await cleanUp()
      }),
      { numRuns: 12 },
    )
  }, 60_000)
})

const ROWS = { decimals: 0, group: 1 }

/** Everything that the stream has sent of its bars, by start. */
async function cellsOf(hub: Hub, history: FlowHistory, act = () => {}, settle = true) {
  const range = { fromMs: T0 - 60_000, toMs: null, grid: gridOf('crypto', '1m'), rows: ROWS }
  const flow = flowStream(hub, history, { instrument: BTC, ...range }, () => undefined)
  const found = new Map<number, Record<string, unknown>>()
  let coverage: unknown = null
  const take = () => {
    const value = flow.take()
    if (value === undefined) return
    if (value.reset) found.clear()
    coverage = value.coverage
    const { startMs, ...columns } = value.bars
    for (const [i, start] of startMs.entries())
      found.set(start, Object.fromEntries(Object.entries(columns).map(([key, list]) => [key, list[i]])))
  }
  for (let i = 0; i < 60; i++) await new Promise((resolve) => setImmediate(resolve))
  take()
  act()
  if (settle) take()
  flow.close()
  return { bars: Object.fromEntries([...found].toSorted(([a], [b]) => a - b)), coverage }
}
const sumOf = (list: readonly number[]) => list.reduce((a, b) => a + b, 0)

describe('the cells of bars', () => {
  it('count a gap as soon as a quote ends it, before another trade', async () => {
    const of = (what: Event['what']): Event => ({ afterMs: 100, what, symbol: 'BTC-USD', price: 100, lateMs: 0 })
    const items = itemsOf([of('quote'), of('trade'), of('quote'), of('quote-gap'), of('quote')])
    const { reader, session } = storeOf(items)
    const hub = newHub()
    const live = await cellsOf(hub, historyOf(reader, session, 3), () => {
      for (const [i, item] of items.entries()) if (i >= 3) applyItem(hub, i + 1, item)
    })
    expect(live.coverage).toMatchObject({ gaps: 1 })
    expect(live).toEqual(await cellsOf(newHub(), historyOf(reader, session, items.length)))
  })
  it('tell a gap of quotes before the first quote', async () => {
    const of = (what: Event['what']): Event => ({ afterMs: 100, what, symbol: 'BTC-USD', price: 100, lateMs: 0 })
    const items = itemsOf([of('trade'), of('quote-gap'), of('trade'), of('quote')])
    const { reader, session } = storeOf(items)
    for (const stored of [0, 3, items.length]) {
      const hub = newHub()
      const { coverage } = await cellsOf(hub, historyOf(reader, session, stored), () => {
        for (const [i, item] of items.entries()) if (i >= stored) applyItem(hub, i + 1, item)
      })
      expect(coverage).toMatchObject({ gaps: 1 })
    }
  })
  it('are the same live, from the store and in parts, and sum to the trades', async () => {
    const isSpent = timeLimit()
    await fc.assert(
      fc.asyncProperty(events(60, 10), fc.nat(1_000), async (list, at) => {
        if (isSpent()) return
        const items = itemsOf([...list, { afterMs: 600_000, what: 'quote', symbol: 'BTC-USD', price: 100, lateMs: 0 }])
        const { reader, session } = storeOf(items)
        const stored = at % items.length
        const all = historyOf(reader, session, items.length)
        const hub = newHub()
        const live = await cellsOf(hub, historyOf(reader, session, stored), () => {
          for (const [i, item] of items.entries()) if (i >= stored) applyItem(hub, i + 1, item)
        })
        const whole = await cellsOf(newHub(), all)
        expect(live).toEqual(whole)
        // A view that has come to this seq reads the same as if nothing had followed.
        const upTo = storeOf(items.slice(0, stored))
        const early = await cellsOf(newHub(), historyOf(reader, session, stored))
        expect(early).toEqual(await cellsOf(newHub(), historyOf(upTo.reader, upTo.session, stored)))
        const profile = async (fromMs: number, toMs: number | null, history = all) => {
          const flow = flowStream(
            newHub(),
            history,
            { instrument: BTC, grid: null, rows: ROWS, fromMs, toMs },
            () => {},
          )
          for (let i = 0; i < 60; i++) await new Promise((resolve) => setImmediate(resolve))
          const value = flow.take()
          flow.close()
          return { cells: value?.bars.cells?.[0] ?? NO_CELLS, coverage: value?.coverage }
        }
        const trades = (items: readonly Item[]) =>
          items.filter((item) => 'data' in item && item.conn === 1 && String(item.data).includes('BTC-USD')).length
        const everything = await profile(T0 - 60_000, null)
        expect(sumOf(everything.cells.count)).toBe(trades(items))
        const { buy, sell, unknown } = everything.cells
        expect(sumOf([...buy, ...sell, ...unknown])).toBe(trades(items) * 0.5)
        expect(everything.coverage).toEqual(whole.coverage)
        const prefix = await profile(T0 - 60_000, null, historyOf(reader, session, stored))
        expect(sumOf(prefix.cells.count)).toBe(trades(items.slice(0, stored)))
        const cut = T0 + at * 37
        const [first, second] = [await profile(T0 - 60_000, cut), await profile(cut, null)]
        const rowsOf = (parts: readonly (typeof everything)[]) => {
          const rows = new Map<number, readonly number[]>()
          for (const { cells } of parts)
            for (const [i, row] of cells.row.entries()) {
              const add = [cells.buy[i], cells.sell[i], cells.unknown[i], cells.count[i]]
              rows.set(
                row,
                add.map((one, j) => one + (rows.get(row)?.[j] ?? 0)),
              )
            }
          return Object.fromEntries(rows)
        }
        expect(rowsOf([first, second])).toEqual(rowsOf([everything]))
        await cleanUp()
      }),
      { numRuns: 12 },
    )
  }, 60_000)

  it('count a trade as unknown until its side is settled', async () => {
    const items = itemsOf([
      { afterMs: 10, what: 'quote', symbol: 'BTC-USD', price: 100, lateMs: 5 },
      { afterMs: 10, what: 'trade', symbol: 'BTC-USD', price: 101, lateMs: 5 },
      { afterMs: 10, what: 'trade', symbol: 'BTC-USD', price: 100, lateMs: 5 },
      { afterMs: 90, what: 'quote', symbol: 'BTC-USD', price: 100, lateMs: 5 },
    ])
    const { reader, session } = storeOf(items)
    const hub = newHub()
    const open = await cellsOf(hub, historyOf(reader, session, 2), () => applyItem(hub, 3, items[2]))
    const start = Math.floor(T0 / 60_000) * 60_000
    const nothing = { leastDelta: 0, mostDelta: 0, buy: 0, sell: 0 }
    expect(open.bars[start]).toMatchObject({ ...nothing, unknown: 1, cells: { row: [100, 101], unknown: [0.5, 0.5] } })
    expect(open.coverage).toEqual({ trades: 2, unknown: 2, unquoted: 0, gaps: 0, breaks: 0 })
    const settled = await cellsOf(newHub(), historyOf(reader, session, 4))
    expect(settled.bars[start]).toMatchObject({ leastDelta: 0, mostDelta: 0.5, buy: 0.5, sell: 0.5, unknown: 0 })
    expect(settled.bars[start]).toMatchObject({
      cells: { row: [100, 101], buy: [0, 0.5], sell: [0.5, 0] },
      vwap: 100.5,
    })
  })

  it('count gaps of trades and quotes between two messages as one', async () => {
    const next = (afterMs: number, what: Event['what']): Event => ({
      afterMs,
      what,
      symbol: 'BTC-USD',
      price: 100,
      lateMs: 0,
    })
    const items = itemsOf([
      next(0, 'trade'),
      next(10, 'trade-gap'),
      next(10, 'quote-gap'),
      next(5_000, 'quote'),
      next(10, 'trade-gap'),
      next(5_000, 'trade'),
      next(60_000, 'quote-gap'),
      next(10, 'quote'),
    ])
    const { reader, session } = storeOf(items)
    const gapsOf = async (range: { fromMs: number; toMs: number | null }) => {
      const history = historyOf(reader, session, items.length)
      const flow = await new Promise<ReturnType<typeof flowStream>>((resolve) => {
        const args = { instrument: BTC, grid: null, rows: null, ...range }
        const stream = flowStream(newHub(), history, args, () => resolve(stream))
      })
      const value = flow.take()
      flow.close()
      return value?.coverage.gaps
    }
    expect(await gapsOf({ fromMs: T0 - 1_000, toMs: T0 + 60_000 })).toBe(3)
    expect(await gapsOf({ fromMs: T0 - 1_000, toMs: T0 + 9_000 }), 'the last gap begins after it').toBe(2)
    expect(await gapsOf({ fromMs: T0 + 6_000, toMs: null }), 'the first gap ends before it').toBe(2)
  })
})

/** Everything that the stream of quotes has sent, by bar. */
async function quotesOf(hub: Hub, history: FlowHistory, act = () => {}) {
  const range = { grid: gridOf('crypto', '1m'), rows: ROWS, fromMs: T0 - 60_000, toMs: null }
  const stream = quoteMapStream(hub, history, { instrument: BTC, ...range }, () => undefined)
  const found = new Map<number, Record<string, unknown>>()
  const take = () => {
    const value = stream.take()
    if (value?.reset) found.clear()
    const { startMs = [], ...columns } = value?.bars ?? {}
    for (const [i, start] of startMs.entries())
      found.set(start, Object.fromEntries(Object.entries(columns).map(([key, list]) => [key, list[i]])))
  }
  for (let i = 0; i < 60; i++) await new Promise((resolve) => setImmediate(resolve))
  take()
  act()
  take()
  stream.close()
  return Object.fromEntries([...found].toSorted(([a], [b]) => a - b))
}

describe('the quotes of bars', () => {
  it('are the same live and from the store, and of a view in the past those up to it', async () => {
    const isSpent = timeLimit()
    await fc.assert(
      fc.asyncProperty(events(60, 10), fc.nat(1_000), async (list, at) => {
        if (isSpent()) return
        const items = itemsOf([...list, { afterMs: 600, what: 'quote', symbol: 'BTC-USD', price: 100, lateMs: 0 }])
        const { reader, session } = storeOf(items)
        const stored = at % items.length
        const hub = newHub()
        const live = await quotesOf(hub, historyOf(reader, session, stored), () => {
          for (const [i, item] of items.entries()) if (i >= stored) applyItem(hub, i + 1, item)
        })
        expect(live).toEqual(await quotesOf(newHub(), historyOf(reader, session, items.length)))
        const upTo = storeOf(items.slice(0, stored))
        expect(await quotesOf(newHub(), historyOf(reader, session, stored))).toEqual(
          await quotesOf(newHub(), historyOf(upTo.reader, upTo.session, stored)),
        )
        await cleanUp()
      }),
      { numRuns: 10 },
    )
  }, 60_000)
})

describe('large trades', () => {
  it('are those of the day before the clock, as far as the view has come', async () => {
    const DAY = 86_400_000
    const day = Math.floor(T0 / DAY) * DAY
    const trade = (atMs: number, size: number): Item => ({
      conn: 1,
      data: tradeText('BTC-USD', 100, size, atMs),
      recvMs: atMs + 20,
    })
    const items = [
      trade(T0, 1),
      trade(T0 + 1_000, 2),
      trade(T0 + 2_000, 3),
      // Of the day before, but received after midnight.
      trade(day + DAY - 5, 4),
      trade(day + DAY + 30_000, 900),
    ]
    const { reader, session } = storeOf(items)
    const large = (stored: number, nowMs: number) => readLargeTrades(historyOf(reader, session, stored), BTC, nowMs)
    expect(await large(5, day + DAY + 60_000)).toEqual({
      size: 4,
      trades: 4,
      isWhole: true,
      fromMs: day,
      toMs: day + DAY,
      knownMs: day + DAY + 15,
    })
    expect(await large(3, day + DAY + 60_000)).toMatchObject({ size: 3, trades: 3 })
    expect(await large(5, day + 60_000)).toMatchObject({ size: null, trades: 0 })
  })

  it('are those of the last trading day: of stocks on a Monday, of Friday', async () => {
    const [friday, monday] = [Date.UTC(2026, 0, 2, 5), Date.UTC(2026, 0, 5, 5)]
    const asked: unknown[] = []
    const history: FlowHistory = {
      flow(_, fromMs, sink, toMs) {
        asked.push([fromMs, toMs, sink.needsOnlyTrades])
        sink.trade(1, friday + 3_600_000, friday + 3_600_000, 100, 7)
        return Promise.resolve([])
      },
    }
    const aapl = instrumentId('stocks', 'AAPL')
    const expected = {
      size: 7,
      trades: 1,
      isWhole: true,
      fromMs: friday,
      toMs: friday + 86_400_000,
      knownMs: friday + 3_600_000,
    }
    expect(await readLargeTrades(history, aapl, monday + 15 * 3_600_000)).toEqual(expected)
    expect(await readLargeTrades(history, aapl, monday - 15 * 3_600_000), 'on Sunday').toEqual(expected)
    expect(asked).toEqual(Array(2).fill([friday - 5_000, friday + 86_400_000 + 1_200_000, true]))
    // Friday, 25 December is a holiday.
    const after = await readLargeTrades(history, aapl, Date.UTC(2026, 11, 28, 15))
    expect(after.fromMs).toBe(Date.UTC(2026, 11, 24, 5))
  })
})

describe('whole past days', () => {
  const DAY = 86_400_000
  const day = Math.floor(T0 / DAY) * DAY + DAY
  const trade = (atMs: number, price: number, size: number): Item => ({
    conn: 1,
    data: tradeText('BTC-USD', price, size, atMs),
    recvMs: atMs + 20,
  })
  const quote = (atMs: number, bid: number): Item => ({
    conn: 2,
    data: quoteText('BTC-USD', bid, bid + 1, atMs),
    recvMs: atMs + 20,
  })
  /** Three days of quotes and trades, the last of which isn't over. */
  const items = [0, 1, 2].flatMap((n) =>
    Array.from({ length: 30 }, (_, i): Item[] => {
      const atMs = day + n * DAY + 3_600_000 + i * 1_000
      const bid = 100 + ((i * 7 + n) % 5)
      return [quote(atMs, bid), trade(atMs + 500, bid + (i % 2), 0.1 + i / 8)]
    }).flat(),
  )
  const nowMs = day + 2 * DAY + 2 * 3_600_000

  /** Counts what is read of the store. */
  function counted(history: ViewHistory): { history: FlowHistory; reads: number[] } {
    const reads: number[] = []
    return {
      reads,
      history: {
        flow(id, fromMs, sink, toMs) {
          reads.push(fromMs)
          return history.flow(id, fromMs, sink, toMs)
        },
        settled: () => history.settled(),
      },
    }
  }
  const profile = async (history: FlowHistory, days: FlowDays | null, toMs: number | null = null, fromMs = day) => {
    const stream = await new Promise<ReturnType<typeof flowStream>>((resolve) => {
      const args = { instrument: BTC, grid: null, rows: { decimals: 2, group: 50 }, fromMs, toMs }
      const opened = flowStream(newHub(), history, args, () => resolve(opened), days)
    })
    const value = stream.take()
    stream.close()
    const { vwap = [], squares = [], ...bars } = value?.bars ?? {}
    // Averages of parts can differ in their last bits; sums can't.
    const rounded = [...vwap, ...squares].map((one) => one.toPrecision(12))
    return { reset: value?.reset, bars, rounded, coverage: value?.coverage }
  }

  it('are read once, and their profile is that of reading everything', async () => {
    const { reader, session } = storeOf(items)
    const view = historyOf(reader, session, items.length, nowMs)
    const { history, reads } = counted(view)
    const expected = await profile(view, null)
    expect(expected.coverage?.trades).toBe(90)
    const days = new FlowDays()
    expect(await profile(history, days)).toEqual(expected)
    expect(reads, 'two days and the rest').toHaveLength(3)
    expect(await profile(history, days)).toEqual(expected)
    expect(reads, 'the rest again').toHaveLength(4)
  })

  it('are read again where the view has not come to their end, or the store may add to them', async () => {
    const { reader, session } = storeOf(items)
    const days = new FlowDays()
    await profile(historyOf(reader, session, items.length, nowMs), days)
    const past = counted(historyOf(reader, session, 60 + 10, day + DAY + 3_600_000 + 10_000))
    const seen = await profile(past.history, days)
    expect(seen.coverage?.trades, 'no trade from after the clock').toBe(35)
    expect(past.reads, 'the first day is over').toHaveLength(1)
    const open = counted(historyOf(reader, session, items.length, day + 2 * DAY - 1))
    await profile(open.history, days)
    expect(open.reads, 'the second day isn’t').toHaveLength(1)
  })

  it('aren’t kept if a replay seeked back while they were read', async () => {
    const { reader, session } = storeOf(items)
    const whole = historyOf(reader, session, items.length, nowMs)
    const days = new FlowDays()
    let isClosed = false
    const moving: FlowHistory = {
      settled: () => whole.settled(),
      flow(...asked) {
        isClosed = true
        return historyOf(reader, session, 10, day + 3_600_000 + 5_000).flow(...asked)
      },
    }
    const span = { instrument: BTC, decimals: 2, fromMs: day, toMs: null }
    await days.read(newHub(), moving, span, () => isClosed)
    const expected = await profile(whole, null)
    expect(await profile(whole, days)).toEqual(expected)
  })

  it('are forgotten beyond a number of rows, the oldest used first', async () => {
    const { reader, session } = storeOf(items)
    const { history, reads } = counted(historyOf(reader, session, items.length, nowMs))
    const days = new FlowDays(null, 7)
    const first = await profile(history, days)
    expect(await profile(history, days)).toEqual(first)
    expect(reads.length).toBeGreaterThan(4)
  })

  it('join where they meet: gaps across midnight count once, and late trades belong to their span', async () => {
    const FIXED = 3
    const isSpent = timeLimit(FIXED)
    let [gaps, outside] = [0, 0]
    const event = fc.record({
      afterMs: fc.oneof(
        { weight: 4, arbitrary: fc.nat(2_000) },
        fc.constantFrom(600_000, 3_600_000, 7_200_000, 20 * 3_600_000, 3 * DAY, -80),
      ),
      what: fc.constantFrom('trade', 'trade', 'trade', 'quote', 'quote', 'trade-gap', 'quote-gap'),
      price: fc.integer({ min: 100, max: 103 }),
      lateMs: fc.oneof(
        { weight: 8, arbitrary: fc.nat(400) },
        fc.constantFrom(-300, 1_100_000, 7_200_000, 2 * DAY, -DAY),
      ),
    })
    const drawn = fc.array(event, { minLength: 8, maxLength: 50 })
    await fc.assert(
      fc.asyncProperty(drawn, async (list) => {
        if (isSpent()) return
        let at = day + DAY - 4_000
        const items = list.map(({ afterMs, what, price, lateMs }): Item => {
          at += afterMs
          if (what === 'trade') return { conn: 1, data: tradeText('BTC-USD', price, 0.5, at - lateMs), recvMs: at }
          if (what === 'quote')
            return {
              conn: 2,
              data: quoteText('BTC-USD', price, price + 1, at - Math.min(400, Math.abs(lateMs))),
              recvMs: at,
            }
          const feed = FEED_OF[what === 'trade-gap' ? 0 : 1]
          return { entry: { type: 'gap-open', feed, cause: 'drop', symbols: [], fromMs: unixMs(at - 50) }, wallMs: at }
        })
        const { reader, session } = storeOf(items)
        const history = historyOf(reader, session, items.length, at + 3_600_000)
        const days = new FlowDays()
        for (const [fromMs, toMs] of [
          [day, null],
          [day + DAY / 2, null],
          [day + DAY, day + 2 * DAY],
          [day, day + 2 * DAY],
          [day, day + DAY],
        ] as const) {
          const { bars, coverage } = await profile(history, null, toMs, fromMs)
          const joined = await profile(history, days, toMs, fromMs)
          expect([joined.bars, joined.coverage]).toEqual([bars, coverage])
          gaps += coverage?.gaps ?? 0
          outside += list.filter(({ what }) => what === 'trade').length - (coverage?.trades ?? 0)
        }
        await cleanUp()
      }),
      { numRuns: 40 + FIXED, examples: fixedExamples(FIXED, drawn) },
    )
    expect(gaps).toBeGreaterThan(10)
    expect(outside).toBeGreaterThan(10)
  }, 60_000)

  it.each([
    ['longer than what sides depend on', -2 * 3_600_000, 2 * 3_600_000],
    ['shorter', -600_000, 600_000],
  ])('count a gap across midnight once, one that is %s', async (_, before, after) => {
    const midnight = day + DAY
    const gap = {
      type: 'gap-open',
      feed: 'crypto/XT',
      cause: 'drop',
      symbols: [],
      fromMs: unixMs(midnight + before),
    } as const
    const across = [
      trade(midnight + before - 5_000, 100, 1),
      { entry: gap, wallMs: midnight + before },
      trade(midnight + after, 101, 1),
      // Dated the day before, and received too late for its day.
      { conn: 1, data: tradeText('BTC-USD', 102, 5, midnight - 60_000), recvMs: midnight + 3 * 3_600_000 },
      trade(midnight + 4 * 3_600_000, 101, 1),
    ]
    const { reader, session } = storeOf(across)
    const history = historyOf(reader, session, across.length, midnight + 5 * 3_600_000)
    const expected = await profile(history, null)
    expect(expected.coverage).toMatchObject({ gaps: 1, trades: 4 })
    expect(await profile(history, new FlowDays())).toEqual(expected)
  })

  it('begin with the first session, and take room without trades, too', async () => {
    const { reader, session } = storeOf(items)
    const { history, reads } = counted(historyOf(reader, session, items.length, nowMs))
    const all = await profile(history, new FlowDays(), null, 0)
    expect(all.coverage?.trades).toBe(90)
    expect(reads.length, 'the day of the session’s start, two days, and the rest').toBeLessThanOrEqual(4)
    const empty = storeOf([trade(day + 1_000, 100, 1), trade(day + 9 * DAY, 100, 1)])
    const far = counted(historyOf(empty.reader, empty.session, 2, day + 9 * DAY + 3_600_000))
    const few = new FlowDays(null, 3)
    await profile(far.history, few)
    const once = far.reads.length
    await profile(far.history, few)
    expect(far.reads.length, 'those forgotten are read again').toBe(2 * once)
  })
})
