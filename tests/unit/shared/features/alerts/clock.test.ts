/** The clock of this computer is set back while alerts are watched. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AlertCondition } from '../../../../../src/shared/features/alerts/types.ts'
import { alertOf, rig, T0, type ReplayState } from './harness.ts'
import { fixedExamples } from '../../../../kit/properties.ts'

const HOUR = 3_600_000
const MINUTE = 60_000
const above = (level: number): AlertCondition => ({ is: 'price', of: 'last', level, direction: 'up' })
const fired = (r: ReplayState): string[] => r.told.filter((line) => line.startsWith('fired'))

/** By a clock that was two hours ahead until now. */
const ahead = (r: ReplayState): void => {
  r.trade(2 * HOUR, 99, 1, 0)
  r.take()
}

describe('after the clock was set back', () => {
  test('a move is measured over its window, not since then', () => {
    const r = rig([alertOf({ is: 'move', of: 'last', percent: 3, withinMs: MINUTE, direction: 'up' })])
    ahead(r)
    // A tenth of a percent a minute.
    for (let i = 1; i < 100; i++) r.trade(i * MINUTE, 99 * 1.001 ** i)
    expect(r.told).toEqual([])
    r.trade(99 * MINUTE + 1, 115)
    expect(fired(r)).toHaveLength(1)
  })

  test('so is a volume', () => {
    const r = rig([alertOf({ is: 'volume', above: 3, withinMs: MINUTE })])
    ahead(r)
    for (let i = 1; i < 100; i++) r.trade(i * 2 * MINUTE, 99)
    expect(r.told).toEqual([])
  })

  test('an alert rests as long as it was to, and no longer', () => {
    const alert = alertOf(above(100), { repeat: { restMs: MINUTE, backPercent: 0 } })
    const r = rig([alert])
    ahead(r)
    r.trade(2 * HOUR + 1, 101, 1, 1)
    // 20 s go by, and the clock is set to what it is.
    r.evaluator.advance(T0 + 2 * HOUR + 20_001)
    r.evaluator.advance(T0 + 20_001)
    expect(r.evaluator.state(alert.id)).toEqual({ is: 'resting', untilMs: T0 + MINUTE + 1 })
    for (const [ms, price] of [
      [30_000, 99],
      [40_000, 101],
      [61_000, 99],
      [62_000, 101],
    ]) {
      r.trade(ms, price)
    }
    expect(fired(r)).toEqual([`fired ${2 * HOUR + 1}: 99 101`, 'fired 62000: 99 101'])
    for (let i = 1; i <= 5; i++) {
      r.trade(i * 10 * MINUTE, 99)
      r.trade(i * 10 * MINUTE + 1, 101)
    }
    expect(fired(r)).toHaveLength(7)
  })

  test('an alert expires when the clock says so', () => {
    const r = rig([alertOf(above(100), { expiresMs: T0 + 3 * HOUR })])
    ahead(r)
    r.evaluator.advance(T0 + MINUTE)
    r.evaluator.advance(T0 + 3 * HOUR - 1)
    expect(r.told).toEqual([])
    r.evaluator.advance(T0 + 3 * HOUR)
    expect(r.told).toEqual([`expired ${3 * HOUR}`])
  })

  test('a feed that is away is so since as long as it was', () => {
    const alert = alertOf({ is: 'stale', afterMs: MINUTE })
    const r = rig([alert, alertOf(above(100))])
    r.state('crypto/XT', 'open', 2 * HOUR)
    r.state('crypto/XT', 'waiting', 2 * HOUR + 1_000)
    r.evaluator.advance(T0 + 2 * HOUR + 31_000)
    r.evaluator.advance(T0 + 31_000)
    r.evaluator.advance(T0 + 60_000)
    expect(fired(r)).toEqual([])
    r.evaluator.advance(T0 + 61_000)
    expect(fired(r)).toEqual(['fired 61000: - 60000'])
    r.state('crypto/XT', 'open', 70_000)
    expect(r.told.at(-1)).toBe('blind crypto/XT drop 1000..70000 ×1')
  })

  test('a price goes on from what it was', () => {
    const r = rig([alertOf(above(100))])
    ahead(r)
    r.trade(1, 101)
    expect(fired(r)).toEqual(['fired 1: 99 101'])
  })
})

test('a sweep that is a little ahead of the next record is no clock set back', () => {
  const r = rig([alertOf({ is: 'move', of: 'last', percent: 1, withinMs: MINUTE, direction: 'up' })])
  r.trade(0, 100)
  r.evaluator.advance(T0 + 4_000)
  r.trade(10, 101)
  expect(fired(r)).toEqual(['fired 4000: - 1'])
})

const steps = fc.array(
  fc.record({
    later: fc.constantFrom(1, 400, 3_000, 20_000, -HOUR, -2 * HOUR),
    price: fc.integer({ min: 95, max: 105 }),
    swept: fc.boolean(),
  }),
  { maxLength: 80, size: 'max' },
)

test('a session without sweeps gives the same events as live, whenever the clock is set back', () => {
  let told = 0
  fc.assert(
    fc.property(steps, (list) => {
      const more = { repeat: { restMs: 1_000, backPercent: 0 } }
      const both = [true, false].map((live) => {
        const r = rig([
          alertOf(above(100), more),
          alertOf({ is: 'move', of: 'last', percent: 4, withinMs: MINUTE, direction: 'either' }, more),
          alertOf({ is: 'volume', above: 4, withinMs: MINUTE }, more),
        ])
        let ms = 0
        let eventMs = 0
        for (const { later, price, swept } of list) {
          // The clock that is set back is seen by whatever comes first.
          if (live && swept) r.evaluator.advance(T0 + ms + (later < 0 ? later : 0))
          ms += later
          eventMs += Math.max(1, later)
          r.trade(ms, price, 1, eventMs)
        }
        return fired(r)
      })
      told += both[0].length
      expect(both[0]).toEqual(both[1])
    }),
    { numRuns: 220, examples: fixedExamples(20, steps) },
  )
  expect(told).toBeGreaterThan(100)
})
