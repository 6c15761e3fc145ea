/**
 * Thousands of price alerts cost a record a few comparisons. They must fire as each would if every record were compared
 * with it alone.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Evaluator } from '../../../../../../src/shared/features/alerts/evaluator/evaluator.ts'
import type {
  Alert,
  AlertCondition,
  AlertDirection,
  AlertPrice,
} from '../../../../../../src/shared/features/alerts/types.ts'
import { instrumentId, type FeedId } from '../../../../../../src/shared/base/units.ts'
import { alertOf, rig, T0, type ReplayState } from '../harness.ts'
import { fixedExamples } from '../../../../../kit/properties.ts'

const SYMBOLS = ['BTC-USD', 'ETH-USD', 'X:BTC-USD', 'EUR/USD'] as const
const INSTRUMENTS = [
  instrumentId('crypto', 'BTC-USD'),
  instrumentId('crypto', 'ETH-USD'),
  instrumentId('forex', 'EUR/USD'),
] as const
const FEEDS = ['crypto/XT', 'crypto/XQ', 'forex/C'] as const
const SIDES = ['last', 'bid', 'ask', 'mid'] as const

type Step =
  | { readonly is: 'trade'; readonly symbol: number; readonly price: number }
  | { readonly is: 'quote'; readonly symbol: number; readonly bid: number; readonly ask: number }
  | { readonly is: 'gap'; readonly feed: FeedId; readonly one: boolean }
  | { readonly is: 'closed'; readonly feed: FeedId }
  | { readonly is: 'put'; readonly request: PriceRequest }
  | { readonly is: 'remove'; readonly nth: number }
  | { readonly is: 'snooze'; readonly nth: number; readonly forMs: number }

type PriceCondition = Extract<AlertCondition, { readonly is: 'price' }>
interface PriceRequest {
  readonly instrument: number
  readonly condition: PriceCondition
  readonly repeat: Alert['repeat']
  readonly expiresMs: number | null
}

const price = fc.integer({ min: 94, max: 106 })
const odd = fc.oneof(
  { weight: 12, arbitrary: price },
  { weight: 2, arbitrary: fc.constantFrom(NaN, NaN, 0, -1, Infinity) },
)
const direction = fc.constantFrom<AlertDirection>('up', 'down', 'either')
const condition: fc.Arbitrary<PriceCondition> = fc.record({
  is: fc.constant('price' as const),
  of: fc.constantFrom<AlertPrice>(...SIDES),
  level: fc.oneof(
    price,
    price.map((at) => at + 0.5),
  ),
  direction,
})
const repeat = fc.option(
  fc.record({ restMs: fc.constantFrom(0, 1_000, 5_000), backPercent: fc.constantFrom(0, 0, 1, 3) }),
)
const request: fc.Arbitrary<PriceRequest> = fc.record({
  instrument: fc.nat(INSTRUMENTS.length - 1),
  condition,
  repeat,
  // Whole seconds, because expiry is checked once per second.
  expiresMs: fc.option(
    fc.nat(60).map((seconds) => seconds * 1_000),
    { freq: 5 },
  ),
})
const symbol = fc.nat(SYMBOLS.length - 1)
const feed = fc.constantFrom(...FEEDS)
const step = fc.oneof<fc.WeightedArbitrary<Step>[]>(
  { weight: 12, arbitrary: fc.record({ is: fc.constant('trade' as const), symbol, price: odd }) },
  { weight: 12, arbitrary: fc.record({ is: fc.constant('quote' as const), symbol, bid: odd, ask: odd }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('gap' as const), feed, one: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('closed' as const), feed }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('put' as const), request }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('remove' as const), nth: fc.nat(20) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant('snooze' as const),
      nth: fc.nat(20),
      forMs: fc.constantFrom(-1_000, 500, 5_000),
    }),
  },
)
/** Steps with the time in ms since the step before. */
const tape = fc.array(fc.tuple(fc.constantFrom(0, 0, 1, 300, 900), step), { maxLength: 150, size: 'max' })

/** An evaluator that takes steps. */
interface Driven extends ReplayState {
  readonly alerts: readonly Alert[]
  step(ms: number, step: Step): void
}

function driven(requests: readonly PriceRequest[]): Driven {
  const alerts = requests.map(alertFor)
  const r = rig(alerts)
  const { evaluator } = r
  const open = new Map<FeedId, number>()
  const record = (feed: FeedId, nth: number, act: (watch: NonNullable<ReturnType<Evaluator['watchOf']>>) => void) => {
    const watch = evaluator.watchOf(feed, SYMBOLS[nth], nth === 2 ? 0 : nth)
    if (watch !== null) act(watch)
  }
  return {
    ...r,
    alerts,
    step(ms, step) {
      const at = T0 + ms
      switch (step.is) {
        case 'trade':
          return record('crypto/XT', step.symbol, (watch) =>
            evaluator.trade(watch, 'crypto/XT', { price: step.price, size: 1, eventMs: at }, at),
          )
        case 'quote': {
          const { bid, ask } = step
          const feed = step.symbol === 3 ? 'forex/C' : 'crypto/XQ'
          return record(feed, step.symbol, (watch) => evaluator.quote(watch, feed, { bid, ask, eventMs: at }, at))
        }
        case 'gap':
          if (open.has(step.feed)) return
          open.set(step.feed, at)
          evaluator.advance(at)
          return evaluator.gapOpened(step.feed, 'drop', step.one ? ['BTC-USD'] : [], at)
        case 'closed': {
          const fromMs = open.get(step.feed)
          if (fromMs === undefined) return
          open.delete(step.feed)
          return evaluator.gapClosed(step.feed, fromMs, at)
        }
        case 'put': {
          // An expired alert is never added.
          const { expiresMs } = step.request
          const isExpired = expiresMs !== null && expiresMs <= ms
          const alert = alertFor({ ...step.request, expiresMs: isExpired ? null : expiresMs }, alerts.length)
          alerts.push(alert)
          return evaluator.put(alert)
        }
        case 'remove':
          return evaluator.remove(`a${step.nth % Math.max(1, alerts.length)}`)
        case 'snooze':
          return evaluator.snooze(`a${step.nth % Math.max(1, alerts.length)}`, at + step.forMs)
      }
    },
  }
}

const alertFor = ({ instrument, condition, repeat, expiresMs }: PriceRequest, nth: number): Alert =>
  alertOf(condition, {
    id: `a${nth}`,
    instrument: INSTRUMENTS[instrument],
    repeat,
    expiresMs: expiresMs === null ? null : T0 + expiresMs,
  })

/** The prices of one instrument, by the rules in the docstring of `Evaluator` and nothing else. */
interface Market {
  readonly chains: Record<AlertPrice, { before: number | null; lost: number | null }>
  /** The feed that Last comes from. */
  lastFeed: FeedId | null
}
interface Waiting {
  readonly alert: Alert
  readonly condition: PriceCondition
  restUntil: number
  snoozed: number
  backs: readonly number[]
}

/** Compares every alert with every record. */
class Naive {
  readonly told: string[] = []
  readonly #alerts = new Map<string, Waiting>()
  readonly #markets = new Map<string, Market>()
  readonly #gaps = new Map<FeedId, ReadonlySet<string> | 'all'>()

  put(alert: Alert): void {
    const { condition } = alert
    if (condition.is !== 'price') throw new Error('only prices')
    this.remove(alert.id)
    this.#alerts.set(alert.id, { alert, condition, restUntil: -Infinity, snoozed: -Infinity, backs: [] })
    const chain = () => ({ before: null, lost: null })
    if (this.#markets.has(alert.instrument)) return
    this.#markets.set(alert.instrument, {
      chains: { last: chain(), bid: chain(), ask: chain(), mid: chain() },
      lastFeed: null,
    })
  }
  remove(id: string): void {
    const one = this.#alerts.get(id)
    if (one === undefined) return
    this.#alerts.delete(id)
    const { instrument } = one.alert
    if (![...this.#alerts.values()].some(({ alert }) => alert.instrument === instrument)) {
      this.#markets.delete(instrument)
    }
  }
  snooze(id: string, untilMs: number): void {
    const one = this.#alerts.get(id)
    if (one !== undefined) one.snoozed = untilMs
  }

  gap(feed: FeedId, only: string | null, ms: number): void {
    if (this.#gaps.has(feed)) return
    this.#removeExpired(ms)
    this.#gaps.set(feed, only === null ? 'all' : new Set([only]))
    for (const [instrument, { chains, lastFeed }] of this.#markets) {
      if (!this.#hasGap(feed, instrument)) continue
      const first = instrument.startsWith('forex') ? 'forex/C' : 'crypto/XT'
      const cut: AlertPrice[] = feed === 'crypto/XT' ? [] : ['bid', 'ask', 'mid']
      if (feed === (lastFeed ?? first)) cut.push('last')
      for (const side of cut) {
        const chain = chains[side]
        chain.lost = chain.before ?? chain.lost
        chain.before = null
      }
    }
  }
  closed(feed: FeedId): void {
    this.#gaps.delete(feed)
  }
  #hasGap(feed: FeedId, instrument: string): boolean {
    const which = this.#gaps.get(feed)
    const asset = feed.slice(0, feed.indexOf('/'))
    return which !== undefined && instrument.startsWith(asset) && (which === 'all' || which.has(instrument))
  }

  trade(instrument: string, price: number, ms: number): void {
    this.#expire(instrument, ms)
    const market = this.#markets.get(instrument)
    if (market === undefined || this.#hasGap('crypto/XT', instrument) || !isPrice(price)) return
    // A trade replaces the mid of the quote and starts a new chain.
    if (market.lastFeed === 'crypto/XQ') market.chains.last = { before: null, lost: null }
    market.lastFeed = 'crypto/XT'
    this.#price(instrument, market, 'last', price, ms)
  }
  quote(instrument: string, feed: FeedId, bid: number, ask: number, ms: number): void {
    this.#expire(instrument, ms)
    const market = this.#markets.get(instrument)
    if (market === undefined || this.#hasGap(feed, instrument)) return
    if (isPrice(bid)) this.#price(instrument, market, 'bid', bid, ms)
    if (isPrice(ask)) this.#price(instrument, market, 'ask', ask, ms)
    if (!isPrice(bid) || !isPrice(ask)) return
    this.#price(instrument, market, 'mid', (bid + ask) / 2, ms)
    if (market.lastFeed === 'crypto/XT') return
    market.lastFeed = feed
    this.#price(instrument, market, 'last', (bid + ask) / 2, ms)
  }

  /** Time moves with each record of an instrument that has alerts. */
  #expire(instrument: string, ms: number): void {
    if (this.#markets.has(instrument)) this.#removeExpired(ms)
  }
  #removeExpired(ms: number): void {
    for (const { alert } of [...this.#alerts.values()]) {
      if (alert.expiresMs !== null && T0 + ms >= alert.expiresMs) this.remove(alert.id)
    }
  }

  #price(instrument: string, market: Market, side: AlertPrice, now: number, ms: number): void {
    const chain = market.chains[side]
    const from = chain.before ?? chain.lost
    const first = chain.before === null
    chain.before = now
    chain.lost = null
    if (from === null) return
    const way = (level: number): 'up' | 'down' | null =>
      from < level && now >= level ? 'up' : from > level && now <= level ? 'down' : null
    for (const one of [...this.#alerts.values()]) {
      const { alert, condition } = one
      if (alert.instrument !== instrument || condition.of !== side) continue
      if (one.backs.length > 0) {
        if (one.backs.some((back) => way(back) !== null)) one.backs = []
        continue
      }
      const met = way(condition.level)
      if (met === null || (condition.direction !== 'either' && condition.direction !== met) || ms < one.snoozed)
        continue
      if (first) {
        this.told.push(`unseen ${ms}: ${from} ${now}`)
        continue
      }
      if (ms < one.restUntil) continue
      this.told.push(`fired ${ms}: ${from} ${+now.toFixed(4)}`)
      this.#fired(one, met, ms)
    }
  }

  #fired(one: Waiting, met: 'up' | 'down', ms: number): void {
    const { repeat, id } = one.alert
    if (repeat === null) return this.remove(id)
    one.restUntil = ms + repeat.restMs
    if (repeat.backPercent === 0) return
    const { level, direction } = one.condition
    const by = (level * repeat.backPercent) / 100
    one.backs = [
      ...(direction === 'either' || met === 'up' ? [level - by] : []),
      ...(direction === 'either' || met === 'down' ? [level + by] : []),
    ]
  }
}

const isPrice = (value: number): boolean => value > 0 && value < Infinity

test('thousands of price alerts fire as each would alone', () => {
  let fired = 0
  fc.assert(
    fc.property(fc.array(request, { maxLength: 30 }), tape, (requests, parts) => {
      const r = driven(requests)
      const naive = new Naive()
      for (const alert of r.alerts) naive.put(alert)
      let ms = 0
      for (const [later, step] of parts) {
        ms += later
        r.step(ms, step)
        if (step.is === 'trade') {
          if (step.symbol < 3) naive.trade(INSTRUMENTS[step.symbol % 2], step.price, ms)
        } else if (step.is === 'quote') {
          const feed = step.symbol === 3 ? 'forex/C' : 'crypto/XQ'
          naive.quote(INSTRUMENTS[step.symbol === 3 ? 2 : step.symbol % 2], feed, step.bid, step.ask, ms)
        } else if (step.is === 'gap') naive.gap(step.feed, step.one ? instrumentOf(step.feed) : null, ms)
        else if (step.is === 'closed') naive.closed(step.feed)
        else if (step.is === 'put') naive.put(r.alerts[r.alerts.length - 1])
        else if (step.is === 'remove') naive.remove(`a${step.nth % Math.max(1, r.alerts.length)}`)
        else if (step.is === 'snooze') naive.snooze(`a${step.nth % Math.max(1, r.alerts.length)}`, ms + step.forMs)
        const told = r.take().filter((line) => line.startsWith('fired') || line.startsWith('unseen'))
        expect(told.toSorted()).toEqual(naive.told.splice(0).toSorted())
        fired += told.length
      }
    }),
    { numRuns: 240, examples: fixedExamples(40, fc.array(request, { maxLength: 30 }), tape) },
  )
  expect(fired).toBeGreaterThan(200)
})

/** The instrument that a gap of one symbol affects. */
const instrumentOf = (feed: FeedId): string =>
  feed === 'forex/C' ? instrumentId('forex', 'BTC-USD') : instrumentId('crypto', 'BTC-USD')

test('a hundred instruments keep separate prices while half of them are replaced', () => {
  const { evaluator, told } = rig([])
  const names = Array.from({ length: 100 }, (_, i) => `S${i}-USD`)
  const trade = (i: number, price: number, ms: number) => {
    const watch = evaluator.watchOf('crypto/XT', names[i], i)
    if (watch !== null) evaluator.trade(watch, 'crypto/XT', { price, size: 1, eventMs: T0 + ms }, T0 + ms)
  }
  for (const [i, name] of names.entries()) {
    evaluator.put(
      alertOf(
        { is: 'price', of: 'last', level: 1_000 + i, direction: 'up' },
        { id: name, instrument: instrumentId('crypto', name) },
      ),
    )
    trade(i, 999 + i, 0)
    trade(i, 999 + i, 1)
  }
  expect(told).toEqual([])
  // The new ones start without a price.
  for (let i = 0; i < 100; i += 2) evaluator.remove(names[i])
  evaluator.advance(T0 + 2_000)
  for (let i = 0; i < 100; i += 2) {
    const instrument = instrumentId('crypto', `N${i}-USD`)
    evaluator.put(alertOf({ is: 'price', of: 'last', level: 1_000 + i, direction: 'up' }, { id: names[i], instrument }))
    names[i] = `N${i}-USD`
    trade(i, 1_000 + i, 2_000)
  }
  expect(told).toEqual([])
  for (let i = 1; i < 100; i += 2) trade(i, 1_000 + i, 3_000)
  expect(told).toEqual(Array.from({ length: 50 }, (_, i) => `fired 3000: ${1_000 + 2 * i} ${1_001 + 2 * i}`))
})

test.each([NaN, 102])('a new spread alert fires on a quote of 96 and %s', (ask) => {
  const r = rig([alertOf({ is: 'price', of: 'bid', level: 1, direction: 'up' })])
  r.quote(0, 99, 100)
  r.quote(1, 98, 101)
  r.quote(2, 97, 102)
  r.evaluator.put(alertOf({ is: 'spread', above: 4, unit: 'price' }))
  r.quote(3, 96, ask)
  expect(r.told).toEqual(['fired 3: - 6'])
})

test('a clock that is set back shortens no rest', () => {
  const r = rig([
    alertOf({ is: 'price', of: 'last', level: 100, direction: 'up' }, { repeat: { restMs: 5_000, backPercent: 0 } }),
  ])
  r.trade(20_000, 99, 1, 13_000)
  r.trade(20_001, 101, 1, 13_001)
  r.trade(20_002, 99, 1, 13_002)
  r.trade(13_003, 98, 1, 13_003)
  r.trade(17_999, 101, 1, 17_999)
  r.trade(18_000, 99, 1, 18_000)
  r.trade(18_003, 101, 1, 18_003)
  expect(r.told).toEqual(['fired 20001: 99 101', 'fired 18003: 99 101'])
})

test.each(SIDES)('a new move alert on %s fires without a level being crossed', (of) => {
  const r = rig([alertOf({ is: 'price', of: 'bid', level: 1, direction: 'up' })])
  for (const ms of [0, 1, 2]) r.quote(ms, 100, 101)
  r.evaluator.put(alertOf({ is: 'move', of, percent: 5, withinMs: 1_000, direction: 'up' }))
  r.quote(3, 100, 101)
  r.quote(4, 110, 111)
  expect(r.told).toHaveLength(1)
})

test('the slot of a symbol never decides which instrument it is', () => {
  const slots = fc.array(fc.tuple(fc.nat(2), fc.integer({ min: -1, max: 2 })), { maxLength: 60 })
  fc.assert(
    fc.property(slots, (lookups) => {
      const instrument = instrumentId('crypto', 'BTC-USD')
      const { evaluator } = rig([alertOf({ is: 'price', of: 'last', level: 1, direction: 'up' }, { instrument })])
      for (const [symbol, slot] of lookups) {
        const found = evaluator.watchOf('crypto/XT', SYMBOLS[symbol], slot)
        expect(found?.id).toBe(symbol === 1 ? undefined : instrument)
        // The same symbol is another instrument on a feed of another asset class.
        expect(evaluator.watchOf('stocks/T', SYMBOLS[symbol], slot)).toBeNull()
      }
    }),
  )
})
