import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  MoveWindow,
  VolumeWindow,
  VOLUME_STEPS,
} from '../../../../../../src/shared/features/alerts/evaluator/windows.ts'

const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 1_000 })), {
  maxLength: 200,
})

describe('moves', () => {
  test('equal the extremes of every price of the window', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 100 }), (all, withinMs) => {
        const window = new MoveWindow(withinMs)
        const seen: { ms: number; price: number }[] = []
        let ms = 1_000
        for (const [later, price] of all) {
          ms += later
          seen.push({ ms, price })
          window.step(price, ms)
          const inside = seen.filter((one) => one.ms > ms - withinMs).map((one) => one.price)
          expect(window.up).toBe((price / Math.min(...inside) - 1) * 100)
          expect(window.down).toBe((1 - price / Math.max(...inside)) * 100)
        }
      }),
    )
  })

  test('hold as many prices as a window has, and let them go', () => {
    const window = new MoveWindow(1_000)
    for (let ms = 1; ms <= 5_000; ms += 1) {
      window.step(ms, ms)
      const least = Math.max(1, ms - 999)
      expect([window.up, window.down]).toEqual([(ms / least - 1) * 100, 0])
    }
  })

  test('what is exactly as old as the window is not in it', () => {
    const window = new MoveWindow(1_000)
    window.step(100, 5_000)
    window.step(110, 5_999)
    expect(window.up).toBeCloseTo(10)
    window.step(110, 6_000)
    expect(window.up).toBe(0)
  })
})

describe('volumes', () => {
  test('never count what is older than the window, and lack at most one step', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 100 }), (all, seconds) => {
        const withinMs = seconds * 1_000
        const window = new VolumeWindow(withinMs)
        const seen: { ms: number; size: number }[] = []
        let ms = 1_700_000_000_000
        for (const [later, size] of all) {
          ms += later * 100
          seen.push({ ms, size })
          window.moveTo(ms)
          window.add(size)
          const sum = (from: number) => seen.reduce((total, one) => (one.ms > from ? total + one.size : total), 0)
          expect(window.sum).toBeLessThanOrEqual(sum(ms - withinMs))
          expect(window.sum).toBeGreaterThanOrEqual(sum(ms - withinMs + withinMs / VOLUME_STEPS))
        }
      }),
      // A 120th of 8 s is no whole number: there were 119 steps of it.
      { examples: [[[1, 30, 3, 25, 21].map((later) => [later, 1]), 8]] },
    )
  })
})
