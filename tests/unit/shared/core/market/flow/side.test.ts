/** Sides of trades: the rules by hand-made cases, the join by feeds with different clocks, and what a past can change. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  certaintyOf,
  createSider,
  SIDES_LOOKBACK_MS,
  type Side,
  type Sider,
  type TradeSide,
} from '../../../../../../src/shared/core/market/flow/side.ts'
import vectors from '../../../../../fixtures/order-flow/sides.json' with { type: 'json' }

interface Quote {
  readonly q: readonly [seq: number, recvUs: number, eventMs: number, bid: number, ask: number]
}
interface Trade {
  readonly t: readonly [seq: number, recvUs: number, eventMs: number, price: number, size: number | null]
  readonly side: number
  readonly level: string
  readonly how: string
  readonly sideField?: string
}
interface Gap {
  readonly gap: string
}
// a checked-in file of these shapes
const cases = vectors.cases as unknown as readonly { name: string; events: readonly (Quote | Trade | Gap)[] }[]

describe('the side of a trade', () => {
  it.each(cases)('$name', ({ events }) => {
    const given = new Map<number, TradeSide>()
    const sider = createSider((id, side) => given.set(id, side))
    for (const event of events) {
      if ('q' in event) sider.quote(event.q[1] / 1000, event.q[2], event.q[3], event.q[4])
      else if ('t' in event)
        sider.trade(event.t[0], event.t[1] / 1000, event.t[2], event.t[3], event.sideField === 'sell' ? -1 : 0)
      else {
        sider.gap('trade')
        sider.gap('quote')
      }
    }
    sider.advance(Infinity)
    const expected = events.flatMap((event) =>
      't' in event ? [[event.t[0], { side: event.side, reason: event.how, level: event.level }]] : [],
    )
    expect([...given].map(([id, side]) => [id, { ...side, level: certaintyOf(side) }])).toEqual(expected)
  })

  it('is not guessed for a trade whose date is far from its receipt', () => {
    expect(sidesOf((sider) => sider.trade(1, 2_000_000, 100, 10))).toEqual([{ side: 0, reason: 'late' }])
    expect(sidesOf((sider) => sider.trade(1, 0, 5_001, 10))).toEqual([{ side: 0, reason: 'late' }])
  })

  const quote =
    (ms: number, eventMs = ms) =>
    (sider: Sider) =>
      sider.quote(ms, eventMs, 10, 12)
  const trade =
    (price: number, ms: number, eventMs = ms) =>
    (sider: Sider) =>
      sider.trade(0, ms, eventMs, price)
  const gap = (feed: 'trade' | 'quote') => (sider: Sider) => sider.gap(feed)
  it.each<[string, ((sider: Sider) => void)[], string]>([
    ['above the ask', [quote(0), trade(13, 1)], '1 outside'],
    ['below the bid', [quote(0), trade(9, 1)], '-1 outside'],
    ['above the ask, lower than before', [quote(0), trade(14, 1), trade(13, 2)], '-1 outside'],
    ['nearer to the ask, as the price moved', [quote(0), trade(10.5, 1), trade(11.5, 2)], '1 inside'],
    ['nearer to the ask, against how the price moved', [quote(0), trade(12, 1), trade(11.5, 2)], '0 inside'],
    ['by a quote of nearly a minute ago', [quote(0), trade(12, 59_999)], '1 touch'],
    ['without a quote of the last minute', [quote(0), trade(12, 60_000)], '0 first'],
    ['by a quote dated five seconds ahead', [quote(0, 5_000), trade(12, 6_000)], '1 touch'],
    ['without one dated further ahead', [quote(0, 5_001), trade(12, 6_000)], '0 first'],
    ['by the price of ten minutes ago', [trade(10, 0), trade(11, 600_000)], '1 tick'],
    ['without an older price', [trade(10, 0), trade(11, 600_001)], '0 first'],
    [
      'not by the price of a late trade',
      [trade(10, 2_000_000), trade(12, 2_000_001, 5), trade(11, 2_000_002)],
      '1 tick',
    ],
    ['by the price before a gap of quotes', [quote(0), trade(11, 1), gap('quote'), trade(12, 2)], '1 tick'],
    ['by the quote before a gap of trades', [quote(0), trade(14, 1), gap('trade'), trade(13, 2)], '1 outside'],
  ])('%s', (_, events, expected) => {
    const last = sidesOf((sider) => events.forEach((event) => event(sider))).at(-1)
    expect(`${last?.side} ${last?.reason}`).toBe(expected)
  })

  it.each([
    [0, 1],
    [5, 0],
  ])('is not that of a touch against the price where one trade in %d isn’t explained', (each, side) => {
    const run = (sider: Sider) => {
      const at = (ms: number, price: number) => {
        quote(ms)(sider)
        trade(price, ms + 1)(sider)
      }
      for (let i = 1; i <= 120; i++) at(i * 400, i % each === 0 ? 11 : 12)
      at(60_500, 13)
      at(61_000, 12)
    }
    expect(sidesOf(run).at(-1)).toEqual({ side, reason: 'touch' })
  })

  it('comes from receipt where neither feed has dates', () => {
    const run = (sider: Sider) => {
      sider.quote(0, NaN, 10, 11)
      sider.trade(1, 10, NaN, 11)
      sider.quote(20, NaN, 11, 12)
    }
    expect(sidesOf(run)).toEqual([{ side: 1, reason: 'touch' }])
  })

  it('keeps the price of a side that a quote leaves out, and drops one it empties', () => {
    const run = (sider: Sider) => {
      sider.quote(0, 0, 10, 11)
      sider.quote(1, 1, NaN, 12)
      sider.trade(1, 10, 10, 10)
      sider.quote(20, 20, 0, 12)
      sider.trade(2, 30, 30, 12)
    }
    // the second trade has no usable quote
    expect(sidesOf(run)).toEqual([
      { side: -1, reason: 'touch' },
      { side: 1, reason: 'tick' },
    ])
  })

  it('takes a date or price that a quote leaves out from an earlier one, for 5 minutes', () => {
    const after = (ms: number) => (sider: Sider) => {
      sider.quote(0, 0, 10, 11)
      sider.quote(ms, NaN, NaN, 12)
      sider.trade(1, ms + 10, ms + 10, 12)
      // received after the trade: an undated quote is joined by the date it is given
      sider.quote(ms + 20, NaN, NaN, 13)
    }
    expect(sidesOf(after(299_980))).toEqual([{ side: 0, reason: 'inside' }])
    // Without a date, the trade finds the quote received before it, and that has no bid.
    expect(sidesOf(after(300_001))).toEqual([{ side: 0, reason: 'first' }])
    const undated = (sider: Sider) => {
      sider.quote(0, 0, 10, 11)
      sider.quote(300_001, NaN, 10, 12)
      sider.trade(1, 300_010, 300_010, 12)
      sider.quote(300_020, NaN, 10, 13)
    }
    expect(sidesOf(undated)).toEqual([{ side: 1, reason: 'touch' }])
  })

  it('settles when a later quote decides, 250 ms after receipt, or at a gap, and not before', () => {
    const given: number[] = []
    const sider = createSider((id) => given.push(id))
    sider.quote(0, 0, 10, 11)
    sider.trade(1, 10, 10, 11)
    sider.quote(20, 59, 10, 11)
    expect(given).toEqual([])
    sider.quote(21, 60, 10, 11)
    expect(given).toEqual([1])
    sider.trade(2, 100, 100, 11)
    sider.advance(349)
    expect(given).toEqual([1])
    sider.advance(350)
    expect(given).toEqual([1, 2])
    sider.trade(3, 400, 400, 11)
    sider.gap('quote')
    expect(given).toEqual([1, 2, 3])
  })
})

function sidesOf(run: (sider: Sider) => void): TradeSide[] {
  const sides: TradeSide[] = []
  const sider = createSider((_, side) => sides.push(side))
  run(sider)
  sider.advance(Infinity)
  return sides
}

interface Market {
  readonly messages: readonly { readonly atMs: number; readonly give: (sider: Sider, laterMs: number) => void }[]
  readonly truth: ReadonlyMap<number, Side>
}

interface MarketParts {
  readonly seed: number
  readonly trades: number
  /** Delays of quotes and of trades, to which up to 5 ms come, and the longest time between trades, ms. */
  readonly quoteMs: number
  readonly tradeMs: number
  readonly everyMs?: number
  readonly dated?: boolean
}

/** A market whose aggressors are known: each takes the whole touch, and the quote it leaves is sent with the trade. */
function market({ seed, trades, quoteMs, tradeMs, everyMs = 400, dated = true }: MarketParts): Market {
  let state = seed
  const random = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648
  const messages: Market['messages'][number][] = []
  const truth = new Map<number, Side>()
  let at = 1_000_000
  let bid = 10_000
  let [lastQuote, lastTrade] = [0, 0]
  const eventMs = (ms: number) => (dated ? ms : NaN)
  const quote = () => {
    const [low, ms] = [bid, at]
    const recvMs = (lastQuote = Math.max(lastQuote, ms + quoteMs + random() * 5))
    messages.push({ atMs: recvMs, give: (to, more) => to.quote(recvMs + more, eventMs(ms + more), low, low + 1) })
  }
  quote()
  for (let id = 1; id <= trades; id++) {
    at += 1 + Math.floor(random() * everyMs)
    const side = random() < 0.5 ? 1 : -1
    const [price, ms] = [side === 1 ? bid + 1 : bid, at]
    const recvMs = (lastTrade = Math.max(lastTrade, ms + tradeMs + random() * 5))
    messages.push({ atMs: recvMs, give: (to, more) => to.trade(id, recvMs + more, eventMs(ms + more), price) })
    truth.set(id, side)
    bid += 2 * side
    quote()
  }
  return { messages: messages.toSorted((a, b) => a.atMs - b.atMs), truth }
}

function accuracyOf({ messages, truth }: Market, after = 0): number {
  let [right, all] = [0, 0]
  const sider = createSider((id, { side }) => {
    if (id <= after || side === 0) return
    all++
    if (side === truth.get(id)) right++
  })
  for (const { give } of messages) give(sider, 0)
  sider.advance(Infinity)
  return all < (truth.size - after) * 0.95 ? 0 : right / all
}

describe('the join of trades and quotes', () => {
  it.each([
    ['at the same time', 1, 1],
    ['with trades 20 ms behind quotes', 1, 21],
    ['with quotes 20 ms behind trades', 21, 1],
    ['with quotes 200 ms behind trades', 200, 1],
  ])('finds the sides of feeds that arrive %s', (_, quoteMs, tradeMs) => {
    expect(accuracyOf(market({ seed: 7, trades: 2_000, quoteMs, tradeMs }), 400)).toBeGreaterThan(0.99)
  })

  it('measures the delay between feeds without dates', () => {
    // At receipt alone, nearly every trade would find the quote that it caused.
    const undated = market({ seed: 7, trades: 3_000, quoteMs: 1, tradeMs: 21, dated: false })
    expect(accuracyOf(undated, 1_000)).toBeGreaterThan(0.95)
  })

  it('says which join it took and how much it explains', () => {
    const { messages } = market({ seed: 3, trades: 1_000, quoteMs: 1, tradeMs: 21 })
    const sider = createSider(() => undefined)
    expect(sider.meter).toEqual({ join: { by: 'event', ms: 0 }, explained: null, trades: 0 })
    for (const { give } of messages) give(sider, 0)
    expect(sider.meter).toMatchObject({ join: { by: 'event', ms: 0 }, trades: 400 })
    expect(sider.meter.explained).toBeGreaterThan(0.99)
  })
})

describe('what came before', () => {
  it('changes no side once it is older than the lookback', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.nat(1_000_000), fc.nat(30), (seed, otherSeed, tradeMs) => {
        const { messages } = market({ seed, trades: 5_000, quoteMs: 2, tradeMs, everyMs: 1_400 })
        const past = market({ seed: otherSeed, trades: 800, quoteMs: 30, tradeMs: 1 })
        const pastMs = past.messages.at(-1)?.atMs ?? 0
        const run = (withPast: boolean) => {
          const given = new Map<number, TradeSide>()
          const sider = createSider((id, side) => given.set(id, side))
          if (withPast) for (const { give } of past.messages) give(sider, 0)
          sider.advance(pastMs + 1_000)
          given.clear()
          let [n, beforeLookback] = [0, 0]
          for (const { atMs, give } of messages) {
            give(sider, pastMs)
            if (atMs - messages[0].atMs < SIDES_LOOKBACK_MS) beforeLookback = n
            n = given.size
          }
          sider.advance(Infinity)
          return [...given].filter(([id]) => id > beforeLookback + 10)
        }
        const alone = run(false)
        expect(alone.length).toBeGreaterThan(100)
        expect(run(true)).toEqual(alone)
      }),
      { numRuns: 5 },
    )
  })

  it('changes no side through the date or price of one old quote', () => {
    // Later quotes have no date and no bid, so both could only come from the first one.
    const sides = (agoMs: number | null) =>
      sidesOf((sider) => {
        const startMs = 2 * SIDES_LOOKBACK_MS
        if (agoMs !== null) sider.quote(startMs - agoMs, startMs - agoMs, 10, 11)
        for (let atMs = startMs - SIDES_LOOKBACK_MS; atMs < startMs; atMs += 30_000) sider.quote(atMs, NaN, NaN, 12)
        for (let atMs = startMs; atMs < startMs + 10_000; atMs += 1_000) {
          sider.trade(atMs, atMs, atMs, 12)
          sider.quote(atMs + 20, NaN, NaN, 13)
          sider.quote(atMs + 500, NaN, NaN, 12)
        }
      })
    const alone = sides(null)
    expect(alone).toHaveLength(10)
    expect(sides(SIDES_LOOKBACK_MS + 1)).toEqual(alone)
    expect(sides(60_000)).not.toEqual(alone)
  })

  it('changes nothing after a reset', () => {
    const { messages } = market({ seed: 11, trades: 500, quoteMs: 2, tradeMs: 4 })
    const run = (sider: Sider) => {
      for (const { give } of messages) give(sider, 0)
      return sider.meter
    }
    const used = createSider(() => undefined)
    for (const { give } of market({ seed: 5, trades: 500, quoteMs: 30, tradeMs: 1 }).messages) give(used, 0)
    used.reset()
    expect(run(used)).toEqual(run(createSider(() => undefined)))
  })
})
