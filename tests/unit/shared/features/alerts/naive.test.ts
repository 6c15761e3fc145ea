/** Thousands of alerts at the cost of few must fire as each would that is looked at by itself, record by record. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Alert, AlertDirection } from '../../../../../src/shared/features/alerts/types.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'
import { alertOf, rig, T0 } from './harness.ts'

type Step =
  | { readonly is: 'trade'; readonly symbol: number; readonly price: number }
  | { readonly is: 'gap' }
  | { readonly is: 'closed' }

interface Timed {
  readonly ms: number
  readonly step: Step
}

const SYMBOLS = ['BTC-USD', 'ETH-USD', 'X:BTC-USD'] as const
const ID = { 'BTC-USD': 'BTC', 'ETH-USD': 'ETH', 'X:BTC-USD': 'BTC' } as const

/** What one alert on a price tells, by the words of the evaluator's own page and nothing else. */
function naive({ instrument, condition, repeat, expiresMs }: Alert, steps: readonly Timed[]): string[] {
  if (condition.is !== 'price') throw new Error('only prices')
  const { level, direction } = condition
  const told: string[] = []
  let before: number | null = null
  let lost: number | null = null
  let blind = false
  let done = false
  let restUntil = -Infinity
  let backs: readonly number[] = []
  const met = (from: number, to: number, at: number): 'up' | 'down' | null =>
    from < at && to >= at ? 'up' : from > at && to <= at ? 'down' : null
  const wanted = (way: 'up' | 'down'): boolean => direction === 'either' || direction === way
  for (const { ms, step } of steps) {
    if (done || (expiresMs !== null && T0 + ms >= expiresMs)) return told
    if (step.is === 'gap') {
      if (!blind && before !== null) lost = before
      if (!blind) before = null
      blind = true
      continue
    }
    if (step.is === 'closed') {
      blind = false
      continue
    }
    if (instrumentId('crypto', SYMBOLS[step.symbol]) !== instrument || blind) continue
    const from = before ?? lost
    const first = before === null
    before = step.price
    lost = null
    if (from === null) continue
    if (backs.length > 0) {
      if (backs.some((back) => met(from, step.price, back) !== null)) backs = []
      continue
    }
    const way = met(from, step.price, level)
    if (way === null || !wanted(way)) continue
    if (first) {
      told.push(`unseen ${ms}: ${from} ${step.price}`)
      continue
    }
    if (ms < restUntil) continue
    told.push(`fired ${ms}: ${from} ${step.price}`)
    if (repeat === null) done = true
    else {
      restUntil = ms + repeat.restMs
      const by = (level * repeat.backPercent) / 100
      const below = direction === 'either' || way === 'up' ? [level - by] : []
      const above = direction === 'either' || way === 'down' ? [level + by] : []
      backs = repeat.backPercent === 0 ? [] : [...below, ...above]
    }
  }
  return told
}

const price = fc.integer({ min: 90, max: 110 })
const direction = fc.constantFrom<AlertDirection>('up', 'down', 'either')
const wish = fc.record({
  symbol: fc.constantFrom('BTC-USD' as const, 'ETH-USD' as const),
  level: price,
  direction,
  repeat: fc.option(fc.record({ restMs: fc.constantFrom(0, 1_000, 5_000), backPercent: fc.constantFrom(0, 1, 3) })),
  // Whole seconds, as time alone is looked at then.
  expiresMs: fc.option(fc.integer({ min: 0, max: 60 }).map((seconds) => seconds * 1_000)),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({ is: fc.constant('trade' as const), symbol: fc.nat(SYMBOLS.length - 1), price }),
  },
  { weight: 1, arbitrary: fc.constant({ is: 'gap' as const }) },
  { weight: 2, arbitrary: fc.constant({ is: 'closed' as const }) },
)
const tape = fc.array(fc.tuple(fc.constantFrom(0, 0, 1, 300, 900), step), { maxLength: 120, size: 'max' })

test('alerts on prices fire as each would alone, looked at plainly', () => {
  let fired = 0
  fc.assert(
    fc.property(fc.array(wish, { maxLength: 30 }), tape, (wishes, parts) => {
      const alerts = wishes.map(({ symbol, level, direction, repeat, expiresMs }) =>
        alertOf(
          { is: 'price', of: 'last', level, direction },
          {
            instrument: instrumentId('crypto', symbol),
            repeat,
            expiresMs: expiresMs === null ? null : T0 + expiresMs,
          },
        ),
      )
      let ms = 0
      const steps = parts.map(([later, step]): Timed => ({ ms: (ms += later), step }))
      const r = rig(alerts)
      let gap: number | null = null
      for (const { ms, step } of steps) {
        if (step.is === 'trade') {
          // A decoder keeps a spelling at a place or at none, and gives the place of one to another.
          r.trade(ms, step.price, 1, ms, SYMBOLS[step.symbol], step.symbol === 2 ? 0 : step.symbol)
        } else if (step.is === 'gap' && gap === null) {
          gap = T0 + ms
          r.evaluator.gapOpened('crypto/XT', 'drop', [], gap)
        } else if (step.is === 'closed' && gap !== null) {
          r.evaluator.gapClosed('crypto/XT', gap, T0 + ms)
          gap = null
        }
      }
      const told = r.told.filter((line) => line.startsWith('fired') || line.startsWith('unseen'))
      fired += told.length
      expect(told.toSorted()).toEqual(alerts.flatMap((alert) => naive(alert, steps)).toSorted())
    }),
    { numRuns: 150 },
  )
  expect(fired).toBeGreaterThan(100)
})

test('the place of a spelling never says which instrument it is', () => {
  const places = fc.array(fc.tuple(fc.nat(2), fc.integer({ min: -1, max: 2 })), { maxLength: 60 })
  fc.assert(
    fc.property(places, (looks) => {
      const instrument = instrumentId('crypto', 'BTC-USD')
      const { evaluator } = rig([alertOf({ is: 'price', of: 'last', level: 1, direction: 'up' }, { instrument })])
      for (const [symbol, place] of looks) {
        const found = evaluator.watchOf('crypto/XT', SYMBOLS[symbol], place)
        expect(found?.id).toBe(ID[SYMBOLS[symbol]] === 'BTC' ? instrument : undefined)
        // The same spelling is another instrument where the feed is of another class.
        expect(evaluator.watchOf('stocks/T', SYMBOLS[symbol], place)).toBeNull()
      }
    }),
  )
})
