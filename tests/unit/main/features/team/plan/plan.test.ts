import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FEED_IDS, feedAsset, instrumentId, type FeedId } from '../../../../../../src/shared/base/units.ts'
import { decodePlan, encodePlan } from '../../../../../../src/main/features/team/plan/document.ts'
import {
  capacityOf,
  comparePlans,
  makePlan,
  symbolsOfPlan,
  type Pin,
  type Plan,
} from '../../../../../../src/main/features/team/plan/plan.ts'
import { shardScore } from '../../../../../../src/main/features/team/plan/rendezvous.ts'

const XT = 'crypto/XT'
const XQ = 'crypto/XQ'
const names = (count: number, prefix = 'S'): string[] => Array.from({ length: count }, (_, at) => `${prefix}${at}-USD`)
const plan = (
  symbols: Partial<Record<FeedId, readonly string[]>>,
  connections: readonly number[],
  pins: readonly Pin[] = [],
  previous: Plan | null = null,
): Plan => {
  const entries = FEED_IDS.flatMap((feed): [FeedId, readonly string[]][] =>
    symbols[feed] === undefined ? [] : [[feed, symbols[feed]]],
  )
  return makePlan({ symbols: new Map(entries), connections, pins }, previous)
}

/** Where each symbol is; throws if it is on two shards, or a shard carries too many. */
function placesOf({ shards }: Plan): Map<string, number> {
  const places = new Map<string, number>()
  for (const { shard, connections, symbols } of shards) {
    for (const feed of FEED_IDS) {
      const own = symbols[feed] ?? []
      expect(own.length).toBeLessThanOrEqual(capacityOf(connections))
      for (const symbol of own) {
        const key = `${feed} ${instrumentId(feedAsset(feed), symbol)}`
        expect(places.has(key)).toBe(false)
        places.set(key, shard)
      }
    }
  }
  return places
}

const count = fc.integer({ min: 0, max: 160 })
const connections = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 6 })
const capacity = (list: readonly number[]): number => list.reduce((sum, one) => sum + capacityOf(one), 0)
/** Symbols of two feeds that fit `list`. */
const fitting = (list: readonly number[]) =>
  fc.record({ [XT]: count, [XQ]: count }).map((counts) => ({
    [XT]: names(Math.min(counts[XT], capacity(list))),
    [XQ]: names(Math.min(counts[XQ], capacity(list))),
  }))
const fittingPlan = connections.chain((list) => fitting(list).map((symbols) => ({ list, symbols })))

describe('a plan', () => {
  it('puts every symbol on exactly one shard, within its capacity, whatever their order', () => {
    fc.assert(
      fc.property(fittingPlan, fc.infiniteStream(fc.nat()), ({ list, symbols }, random) => {
        const made = plan(symbols, list)
        const places = placesOf(made)
        expect(places.size).toBe(symbols[XT].length + symbols[XQ].length)
        const order = new Map([...symbols[XT], ...symbols[XQ]].map((symbol) => [symbol, random.next().value]))
        const shuffle = (own: string[]) => own.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
        expect(plan({ [XT]: shuffle(symbols[XT]), [XQ]: shuffle(symbols[XQ]) }, list)).toEqual(made)
      }),
    )
  })

  it('refuses symbols that don’t fit, however they are spread', () => {
    fc.assert(
      fc.property(connections, fc.integer({ min: 1, max: 20 }), (list, more) => {
        expect(() => plan({ [XT]: names(capacity(list) + more) }, list)).toThrow(
          new RegExp(`^crypto/XT has \\d+ symbols?, and \\d+ shards? can carry ${capacity(list)}\\.$`),
        )
      }),
    )
  })

  it('stays as it is when nothing changes', () => {
    fc.assert(
      fc.property(fittingPlan, ({ list, symbols }) => {
        const made = plan(symbols, list)
        expect(plan(symbols, list, [], made)).toEqual(made)
      }),
    )
  })

  it('moves only the symbols of a shard that is removed', () => {
    fc.assert(
      fc.property(fittingPlan, ({ list, symbols }) => {
        const fewer = list.slice(0, -1)
        fc.pre(fewer.length > 0)
        const left = { [XT]: symbols[XT].slice(0, capacity(fewer)), [XQ]: symbols[XQ].slice(0, capacity(fewer)) }
        const [before, after] = [placesOf(plan(left, list)), placesOf(plan(left, fewer, [], plan(left, list)))]
        expect(after.size).toBe(before.size)
        for (const [key, shard] of before) if (shard < list.length) expect(after.get(key)).toBe(shard)
      }),
    )
  })

  it('moves symbols only to a shard that is added, at most its fair part', () => {
    fc.assert(
      fc.property(fittingPlan, fc.integer({ min: 0, max: 3 }), ({ list, symbols }, connectionsOfNew) => {
        const before = plan(symbols, list)
        const after = plan(symbols, [...list, connectionsOfNew], [], before)
        placesOf(after)
        const moves = comparePlans(before, after)
        for (const { to } of moves) expect(to).toBe(list.length + 1)
        for (const feed of [XT, XQ] as const) {
          const fair = Math.floor(symbols[feed].length / (list.length + 1))
          expect(moves.filter((move) => move.feed === feed).length).toBeLessThanOrEqual(
            Math.min(fair, capacityOf(connectionsOfNew)),
          )
        }
      }),
    )
  })

  it('gives an added shard a part of the symbols', () => {
    const before = plan({ [XT]: names(90) }, [1, 1])
    const moves = comparePlans(before, plan({ [XT]: names(90) }, [1, 1, 1], [], before))
    expect(moves.length).toBeGreaterThan(15)
    expect(moves.length).toBeLessThanOrEqual(30)
  })

  it('moves exactly what a smaller account can’t carry any more', () => {
    const symbols = { [XT]: names(150) }
    const before = plan(symbols, [2, 2])
    const load = before.shards[0].symbols[XT]?.length ?? 0
    const after = plan(symbols, [1, 2], [], before)
    placesOf(after)
    expect(comparePlans(before, after).map(({ from, to }) => [from, to])).toEqual(
      Array.from({ length: load - 50 }, () => [1, 2]),
    )
  })

  it('moves nothing when symbols come or go', () => {
    fc.assert(
      fc.property(fittingPlan, fc.nat(), ({ list, symbols }, cut) => {
        const part = { [XT]: symbols[XT].slice(0, cut % (symbols[XT].length + 1)), [XQ]: symbols[XQ] }
        const [less, more] = [plan(part, list), plan(symbols, list)]
        const grown = comparePlans(less, plan(symbols, list, [], less))
        expect(grown.every(({ from }) => from === null)).toBe(true)
        expect(grown).toHaveLength(symbols[XT].length - part[XT].length)
        const shrunk = comparePlans(more, plan(part, list, [], more))
        expect(shrunk.every(({ to }) => to === null)).toBe(true)
        expect(shrunk).toHaveLength(symbols[XT].length - part[XT].length)
      }),
    )
  })

  it('spreads symbols evenly enough', () => {
    const loads = plan({ [XT]: names(3_000) }, [100, 100, 100]).shards.map(({ symbols }) => symbols[XT]?.length ?? 0)
    for (const load of loads) expect(Math.abs(load - 1_000)).toBeLessThan(100)
  })

  it('knows an instrument by all its aliases', () => {
    const before = plan({ [XT]: ['X:BTCUSD', 'BTC-USD', 'btc/usd', ...names(20)] }, [1, 1])
    expect(symbolsOfPlan(before).get(XT)).toHaveLength(21)
    expect(comparePlans(before, plan({ [XT]: ['BTC-USD', ...names(20)] }, [1, 1], [], before))).toEqual([])
  })

  it('puts the feeds of one instrument on one shard while there is room', () => {
    const made = plan({ [XT]: names(60), [XQ]: names(60) }, [1, 1, 1])
    const places = placesOf(made)
    for (const symbol of names(60)) {
      const id = instrumentId('crypto', symbol)
      expect(places.get(`${XT} ${id}`)).toBe(places.get(`${XQ} ${id}`))
    }
    // The shard of the quotes is full of pinned symbols: the trades go there all the same.
    const pins = names(50, 'P').map((symbol): Pin => ({ feed: XQ, symbol, shard: 1 }))
    const full = plan({ [XQ]: [...names(50, 'P'), 'A-USD'], [XT]: ['A-USD'] }, [1, 1], pins)
    expect(full.shards[1].symbols).toEqual({ [XQ]: ['A-USD'], [XT]: ['A-USD'] })
  })
})

describe('pins', () => {
  it('win over scores and earlier places, and survive as part of the plan', () => {
    const before = plan({ [XT]: names(40) }, [1, 1])
    const pins = names(40).map((symbol): Pin => ({ feed: XT, symbol, shard: 2 }))
    const after = plan({ [XT]: names(40) }, [1, 1], pins, before)
    expect(after.shards.map(({ symbols }) => symbols[XT]?.length ?? 0)).toEqual([0, 40])
    expect(after.pins).toEqual(pins)
    expect(plan({ [XT]: names(3) }, [1, 1], pins, after).pins).toEqual(pins.slice(0, 3))
  })

  it('displace only as many symbols as they must', () => {
    const before = plan({ [XT]: names(90) }, [1, 1])
    const moved = before.shards[0].symbols[XT]?.slice(0, 10) ?? []
    const room = 50 - (before.shards[1].symbols[XT]?.length ?? 0)
    const after = plan(
      { [XT]: names(90) },
      [1, 1],
      moved.map((symbol) => ({ feed: XT, symbol, shard: 2 })),
      before,
    )
    const moves = comparePlans(before, after)
    expect(
      moves
        .filter(({ to }) => to === 2)
        .map(({ symbol }) => symbol)
        .sort(),
    ).toEqual(moved.toSorted())
    expect(moves.filter(({ to }) => to === 1)).toHaveLength(Math.max(0, 10 - room))
  })

  it.each<[string, Pin[], string]>([
    [
      'a shard that isn’t there',
      [{ feed: XT, symbol: 'S1-USD', shard: 3 }],
      'is pinned to shard 3, and there are 2 shards.',
    ],
    [
      'two shards',
      [
        { feed: XT, symbol: 'S1-USD', shard: 1 },
        { feed: XT, symbol: 'X:S1USD', shard: 2 },
      ],
      'crypto/XT:X:S1USD is pinned to shard 1 and to shard 2.',
    ],
    [
      'a shard without room',
      names(51).map((symbol) => ({ feed: XT, symbol, shard: 2 })),
      'More than 50 symbols of crypto/XT are pinned to shard 2, which can carry 50.',
    ],
  ])('are refused for %s', (_, pins, message) => {
    expect(() => plan({ [XT]: names(60) }, [1, 1], pins)).toThrow(message)
  })
})

it('refuses no shards and too many', () => {
  expect(() => plan({}, [])).toThrow('A team has 1 to 999 shards, not 0.')
  expect(() =>
    plan(
      {},
      Array.from({ length: 1_000 }, () => 1),
    ),
  ).toThrow('not 1000.')
})

it('keeps its scores, which stored plans depend on', () => {
  const scores = [1, 2, 999].map((shard) => shardScore(instrumentId('crypto', 'BTC-USD'), shard))
  expect(scores).toEqual([1957345741, 1819591169, 238119206])
})

describe('the document of a plan', () => {
  it('reads back what it writes', () => {
    fc.assert(
      fc.property(fittingPlan, ({ list, symbols }) => {
        const pinned = list[0] === 0 ? [] : symbols[XT].slice(0, 1)
        const made = plan(
          symbols,
          list,
          pinned.map((symbol) => ({ feed: XT, symbol, shard: 1 })),
        )
        expect(decodePlan(encodePlan(made))).toEqual(made)
      }),
    )
  })

  const good = JSON.parse(encodePlan(plan({ [XT]: ['A-USD', 'B-USD'] }, [1, 1]))) as {
    shards: { shard: number; connections: number; symbols: Record<string, string[]> }[]
  }
  it.each<[string, unknown]>([
    ['text', 'plan'],
    ['another version', { ...good, version: 2 }],
    ['an unknown member', { ...good, owner: 'me' }],
    ['no shards', { ...good, shards: [] }],
    ['shards out of order', { ...good, shards: good.shards.toReversed() }],
    ['an unknown feed', { ...good, shards: [{ shard: 1, connections: 1, symbols: { 'bonds/X': ['A'] } }] }],
    ['too many symbols', { ...good, shards: [{ shard: 1, connections: 1, symbols: { [XT]: names(51) } }] }],
    [
      'a symbol on two shards',
      {
        ...good,
        shards: [
          { shard: 1, connections: 1, symbols: { [XT]: ['A-USD'] } },
          { shard: 2, connections: 1, symbols: { [XT]: ['X:AUSD'] } },
        ],
      },
    ],
  ])('refuses %s', (_, value) => {
    expect(decodePlan(JSON.stringify(value))).toBeNull()
  })

  it('refuses text that isn’t JSON', () => {
    expect(decodePlan('{"version":1,')).toBeNull()
  })
})
