/**
 * Almost every record is taken by comparing a few numbers. What is told must be what would be told without that, of
 * every kind of alert and whatever happens between two records; and what each alert on a price tells by itself.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Cells } from '../../../../../../src/shared/features/alerts/evaluator/cells.ts'
import type { Evaluator } from '../../../../../../src/shared/features/alerts/evaluator/evaluator.ts'
import type {
  Alert,
  AlertCondition,
  AlertDirection,
  AlertPrice,
} from '../../../../../../src/shared/features/alerts/types.ts'
import { instrumentId, type FeedId } from '../../../../../../src/shared/base/units.ts'
import { alertOf, rig, T0, type Rig } from '../harness.ts'

const SYMBOLS = ['BTC-USD', 'ETH-USD', 'X:BTC-USD', 'EUR/USD'] as const
const INSTRUMENTS = [
  instrumentId('crypto', 'BTC-USD'),
  instrumentId('crypto', 'ETH-USD'),
  instrumentId('forex', 'EUR/USD'),
] as const
const FEEDS = ['crypto/XT', 'crypto/XQ', 'forex/C'] as const
const SIDES = ['last', 'bid', 'ask', 'mid'] as const

type Step =
  | {
      readonly is: 'trade'
      readonly symbol: number
      readonly price: number
      readonly size: number
      readonly off: number
    }
  | { readonly is: 'quote'; readonly symbol: number; readonly bid: number; readonly ask: number; readonly off: number }
  | { readonly is: 'bar'; readonly symbol: number; readonly price: number; readonly off: number }
  | { readonly is: 'gap'; readonly feed: FeedId; readonly one: boolean }
  | { readonly is: 'closed'; readonly feed: FeedId }
  | { readonly is: 'state'; readonly feed: FeedId; readonly state: 'open' | 'stale' | 'waiting' | 'idle' }
  | { readonly is: 'put'; readonly wish: Wish }
  | { readonly is: 'remove'; readonly nth: number }
  | { readonly is: 'snooze'; readonly nth: number; readonly forMs: number }
  | { readonly is: 'forget' }

interface Wish {
  readonly instrument: number
  readonly condition: AlertCondition
  readonly repeat: Alert['repeat']
  readonly expiresMs: number | null
}

const price = fc.integer({ min: 94, max: 106 })
const odd = fc.oneof(
  { weight: 12, arbitrary: price },
  { weight: 2, arbitrary: fc.constantFrom(NaN, NaN, 0, -1, Infinity) },
)
const direction = fc.constantFrom<AlertDirection>('up', 'down', 'either')
const onPrice: fc.Arbitrary<Extract<AlertCondition, { is: 'price' }>> = fc.record({
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
const wishOf = (condition: fc.Arbitrary<AlertCondition>): fc.Arbitrary<Wish> =>
  fc.record({
    instrument: fc.nat(INSTRUMENTS.length - 1),
    condition,
    repeat,
    expiresMs: fc.option(fc.integer({ min: 0, max: 60_000 }), { freq: 5 }),
  })
const others: fc.Arbitrary<AlertCondition> = fc.oneof(
  fc.record({
    is: fc.constant('move' as const),
    of: fc.constantFrom<AlertPrice>(...SIDES),
    percent: fc.integer({ min: 1, max: 8 }),
    withinMs: fc.constantFrom(1_000, 5_000),
    direction,
  }),
  fc.record({
    is: fc.constant('spread' as const),
    above: fc.integer({ min: 1, max: 6 }),
    unit: fc.constantFrom('price' as const, 'percent' as const),
  }),
  fc.record({
    is: fc.constant('volume' as const),
    above: fc.integer({ min: 1, max: 20 }),
    withinMs: fc.constant(5_000),
  }),
  fc.record({ is: fc.constant('stale' as const), afterMs: fc.constant(1_000) }),
)
const symbol = fc.nat(SYMBOLS.length - 1)
const feed = fc.constantFrom(...FEEDS)
const records = (off: fc.Arbitrary<number>): fc.WeightedArbitrary<Step>[] => [
  {
    weight: 12,
    arbitrary: fc.record({
      is: fc.constant('trade' as const),
      symbol,
      price: odd,
      size: fc.constantFrom(1, 1, 3, NaN),
      off,
    }),
  },
  { weight: 12, arbitrary: fc.record({ is: fc.constant('quote' as const), symbol, bid: odd, ask: odd, off }) },
]
const between = (wish: fc.Arbitrary<Wish>): fc.WeightedArbitrary<Step>[] => [
  { weight: 1, arbitrary: fc.record({ is: fc.constant('gap' as const), feed, one: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('closed' as const), feed }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('put' as const), wish }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('remove' as const), nth: fc.nat(20) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant('snooze' as const),
      nth: fc.nat(20),
      forMs: fc.constantFrom(-1_000, 500, 5_000),
    }),
  },
]
const MORE: fc.WeightedArbitrary<Step>[] = [
  { weight: 1, arbitrary: fc.record({ is: fc.constant('bar' as const), symbol, price: odd, off: fc.constant(0) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant('state' as const),
      feed,
      state: fc.constantFrom('open' as const, 'open' as const, 'open' as const, 'stale', 'waiting', 'idle'),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ is: 'forget' as const }) },
]
/** Steps, each so much later than the one before. */
const tape = (later: readonly number[], steps: readonly fc.WeightedArbitrary<Step>[]) =>
  fc.array(fc.tuple(fc.constantFrom(...later), fc.oneof(...steps)), { maxLength: 150, size: 'max' })

/** An evaluator on which steps are done. */
interface Driven extends Rig {
  readonly alerts: readonly Alert[]
  step(ms: number, step: Step): void
}

/** `plainly`: no record is taken by a look at numbers alone. */
function driven(wishes: readonly Wish[], plainly: boolean): Driven {
  const alerts = wishes.map((wish, nth) => wanted(wish, nth))
  const r = rig(alerts)
  const { evaluator } = r
  const open = new Map<FeedId, number>()
  const record = (feed: FeedId, nth: number, act: (watch: NonNullable<ReturnType<Evaluator['watchOf']>>) => void) => {
    const watch = evaluator.watchOf(feed, SYMBOLS[nth], nth === 2 ? 0 : nth)
    if (watch === null) return
    if (plainly) watch.stir()
    act(watch)
  }
  return {
    ...r,
    alerts,
    step(ms, step) {
      const at = T0 + ms
      switch (step.is) {
        case 'trade': {
          const { price, size, off } = step
          return record('crypto/XT', step.symbol, (watch) =>
            evaluator.trade(watch, 'crypto/XT', { price, size, eventMs: at + off }, at),
          )
        }
        case 'quote': {
          const { bid, ask, off } = step
          const feed = step.symbol === 3 ? 'forex/C' : 'crypto/XQ'
          return record(feed, step.symbol, (watch) => evaluator.quote(watch, feed, { bid, ask, eventMs: at + off }, at))
        }
        case 'bar':
          return record('crypto/XA', step.symbol, (watch) =>
            evaluator.bar(watch, 'crypto/XA', { close: step.price, eventMs: at + step.off }, at),
          )
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
        case 'state':
          return r.state(step.feed, step.state, ms)
        case 'put': {
          const alert = wanted(step.wish, alerts.length)
          alerts.push(alert)
          return evaluator.put(alert)
        }
        case 'remove':
          return evaluator.remove(`a${step.nth % Math.max(1, alerts.length)}`)
        case 'snooze':
          return evaluator.snooze(`a${step.nth % Math.max(1, alerts.length)}`, at + step.forMs)
        case 'forget':
          open.clear()
          return evaluator.forget()
      }
    },
  }
}

const wanted = ({ instrument, condition, repeat, expiresMs }: Wish, nth: number): Alert =>
  alertOf(condition, {
    id: `a${nth}`,
    instrument: INSTRUMENTS[instrument],
    repeat,
    expiresMs: expiresMs === null ? null : T0 + expiresMs,
  })

test('tells of all kinds of alerts what is told where every record is measured in full', () => {
  let told = 0
  // Late, undated, dated ahead; and a clock that is set back now and then.
  const off = fc.oneof(
    { weight: 12, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.constantFrom(-7_000, -2_000, -1, 4_000, 9_000, NaN) },
  )
  const any = fc.oneof({ weight: 1, arbitrary: onPrice }, { weight: 1, arbitrary: others })
  const steps = tape([0, 0, 0, 1, 1, 300, 900, -1, -8_000], [...records(off), ...between(wishOf(any)), ...MORE])
  fc.assert(
    fc.property(fc.array(wishOf(onPrice), { maxLength: 12 }), steps, (wishes, parts) => {
      const quick = driven(wishes, false)
      const plain = driven(wishes, true)
      let ms = 0
      for (const [later, step] of parts) {
        ms += later
        quick.step(ms, step)
        plain.step(ms, step)
        expect(quick.told).toEqual(plain.told)
      }
      for (const { id } of quick.alerts) expect(quick.evaluator.state(id)).toEqual(plain.evaluator.state(id))
      told += quick.told.length
    }),
    { numRuns: 200 },
  )
  expect(told).toBeGreaterThan(200)
})

/** What an instrument's alerts go by, by the words of the evaluator's own page and nothing else. */
interface Market {
  readonly chains: Record<AlertPrice, { before: number | null; lost: number | null }>
  /** The feed that Last is of. */
  lastFeed: FeedId | null
}
interface Waiting {
  readonly alert: Alert
  readonly condition: Extract<AlertCondition, { is: 'price' }>
  restUntil: number
  snoozed: number
  backs: readonly number[]
}

/** Every alert looked at for every record. */
class Naive {
  readonly told: string[] = []
  readonly #alerts = new Map<string, Waiting>()
  readonly #markets = new Map<string, Market>()
  readonly #blind = new Map<FeedId, ReadonlySet<string> | 'all'>()

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

  gap(feed: FeedId, only: string | null): void {
    if (this.#blind.has(feed)) return
    this.#blind.set(feed, only === null ? 'all' : new Set([only]))
    for (const [instrument, { chains, lastFeed }] of this.#markets) {
      if (!this.#isBlind(feed, instrument)) continue
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
    this.#blind.delete(feed)
  }
  #isBlind(feed: FeedId, instrument: string): boolean {
    const which = this.#blind.get(feed)
    const asset = feed.slice(0, feed.indexOf('/'))
    return which !== undefined && instrument.startsWith(asset) && (which === 'all' || which.has(instrument))
  }

  trade(instrument: string, price: number, ms: number): void {
    const market = this.#markets.get(instrument)
    if (market === undefined || this.#isBlind('crypto/XT', instrument) || !isPrice(price)) return
    // A better kind than the middle of the quote takes over.
    if (market.lastFeed === 'crypto/XQ') market.chains.last = { before: null, lost: null }
    market.lastFeed = 'crypto/XT'
    this.#price(instrument, market, 'last', price, ms)
  }
  quote(instrument: string, feed: FeedId, bid: number, ask: number, ms: number): void {
    const market = this.#markets.get(instrument)
    if (market === undefined || this.#isBlind(feed, instrument)) return
    if (isPrice(bid)) this.#price(instrument, market, 'bid', bid, ms)
    if (isPrice(ask)) this.#price(instrument, market, 'ask', ask, ms)
    if (!isPrice(bid) || !isPrice(ask)) return
    this.#price(instrument, market, 'mid', (bid + ask) / 2, ms)
    if (market.lastFeed === 'crypto/XT') return
    market.lastFeed = feed
    this.#price(instrument, market, 'last', (bid + ask) / 2, ms)
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

test('tells of alerts on prices what each would tell alone, looked at plainly for each record', () => {
  let fired = 0
  const wish = wishOf(onPrice).map((one) => ({ ...one, expiresMs: null }))
  const steps = tape([0, 0, 1, 300, 900], [...records(fc.constant(0)), ...between(wish)])
  fc.assert(
    fc.property(fc.array(wish, { maxLength: 30 }), steps, (wishes, parts) => {
      const r = driven(wishes, false)
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
        } else if (step.is === 'gap') naive.gap(step.feed, step.one ? instrumentOf(step.feed) : null)
        else if (step.is === 'closed') naive.closed(step.feed)
        else if (step.is === 'put') naive.put(r.alerts[r.alerts.length - 1])
        else if (step.is === 'remove') naive.remove(`a${step.nth % Math.max(1, r.alerts.length)}`)
        else if (step.is === 'snooze') naive.snooze(`a${step.nth % Math.max(1, r.alerts.length)}`, ms + step.forMs)
        const told = r.take().filter((line) => line.startsWith('fired') || line.startsWith('unseen'))
        expect(told.toSorted()).toEqual(naive.told.splice(0).toSorted())
        fired += told.length
      }
    }),
    { numRuns: 200 },
  )
  expect(fired).toBeGreaterThan(200)
})

/** The instrument that a gap of one symbol is of, where the feed has it. */
const instrumentOf = (feed: FeedId): string =>
  feed === 'forex/C' ? instrumentId('forex', 'BTC-USD') : instrumentId('crypto', 'BTC-USD')

test('keeps its numbers apart, and as they were, for however many instruments', () => {
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
  // Half of them go, others take their places, and see nothing of what was there.
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

test.each([NaN, 102])('a spread that is watched from now on is seen by a quote of 96 and %s', (ask) => {
  const r = rig([alertOf({ is: 'price', of: 'bid', level: 1, direction: 'up' })])
  r.quote(0, 99, 100)
  r.quote(1, 98, 101)
  r.quote(2, 97, 102)
  r.evaluator.put(alertOf({ is: 'spread', above: 4, unit: 'price' }))
  r.quote(3, 96, ask)
  expect(r.told).toEqual(['fired 3: - 6'])
})

test('a clock that is set back is seen by a trade that is not late by its own time', () => {
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

test.each(SIDES)('a move of %s that is watched from now on is seen where no level is crossed', (of) => {
  const r = rig([alertOf({ is: 'price', of: 'bid', level: 1, direction: 'up' })])
  for (const ms of [0, 1, 2]) r.quote(ms, 100, 101)
  r.evaluator.put(alertOf({ is: 'move', of, percent: 5, withinMs: 1_000, direction: 'up' }))
  r.quote(3, 100, 101)
  r.quote(4, 110, 111)
  expect(r.told).toHaveLength(1)
})

test('numbers of an instrument that nobody watches any more are given away only where no record is measured', () => {
  const cells = new Cells(2)
  const row = cells.take()
  cells.leave(row)
  expect(cells.take()).not.toBe(row)
  cells.sweep()
  expect(cells.take()).toBe(row)
})
