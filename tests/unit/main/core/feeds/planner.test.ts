import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { budgetLabel, EMPTY_PLAN, plan, type FeedPlan } from '../../../../../src/main/core/feeds/planner.ts'
import { instrumentKey } from '../../../../../src/shared/base/units.ts'

const LIMIT = 5
const key = (symbol: string): string => instrumentKey('crypto', symbol)
const keysOf = (p: FeedPlan): string[] => p.connections.flat().map(key)

/** Wants as they change over time: sets of tickers in several spellings, unique by instrument. */
const wantSets = fc.array(
  fc.record({
    wanted: fc.uniqueArray(
      fc.tuple(fc.integer({ min: 0, max: 22 }), fc.constantFrom('-', '', '/')).map(([n, sep]) => `T${n}${sep}USD`),
      { maxLength: 23, selector: key },
    ),
    sharding: fc.boolean(),
  }),
  { maxLength: 12 },
)

describe('the planner', () => {
  test('any tickers in any order: never over the limit, one connection each, none lost', () => {
    fc.assert(
      fc.property(wantSets, (steps) => {
        let now = EMPTY_PLAN
        for (const { wanted, sharding } of steps) {
          const before = now
          now = plan('crypto', before, wanted, LIMIT, sharding)
          for (const tickers of now.connections) expect(tickers.length).toBeLessThanOrEqual(LIMIT)
          const all = [...keysOf(now), ...now.overBudget.map(key)]
          expect(new Set(all).size).toBe(all.length)
          expect(new Set(all)).toEqual(new Set(wanted.map(key)))
          if (sharding) expect(now.overBudget).toEqual([])
          else {
            expect(now.connections.slice(1).flat()).toEqual([])
            if (now.overBudget.length > 0) expect(now.connections[0]).toHaveLength(LIMIT)
          }
          // The same question has the same answer, and asking again moves nothing.
          expect(plan('crypto', before, wanted, LIMIT, sharding)).toEqual(now)
          const again = plan('crypto', now, wanted, LIMIT, sharding)
          expect(again.connections.map((c) => new Set(c))).toEqual(now.connections.map((c) => new Set(c)))
          // What stays wanted stays where it was, while further connections stay allowed.
          if (!sharding) continue
          before.connections.forEach((tickers, index) => {
            for (const ticker of tickers) {
              if (wanted.some((w) => key(w) === key(ticker))) {
                expect(now.connections[index]?.map(key)).toContain(key(ticker))
              }
            }
          })
        }
      }),
      { numRuns: 300 },
    )
  })

  test('the 51st ticker is refused by name and gets the first free place', () => {
    const wanted = Array.from({ length: 51 }, (_, i) => `S${i}`)
    const full = plan('stocks', EMPTY_PLAN, wanted, 50, false)
    expect(full.overBudget).toEqual(['S50'])
    expect(budgetLabel('XQ', 50, 50)).toBe('XQ 50/50')
    const freed = plan('stocks', full, wanted.slice(1), 50, false)
    expect(freed.overBudget).toEqual([])
    expect(freed.connections).toHaveLength(1)
    expect(plan('stocks', EMPTY_PLAN, wanted, 50, true).connections.map((c) => c.length)).toEqual([50, 1])
  })
})
