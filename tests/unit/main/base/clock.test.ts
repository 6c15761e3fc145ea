import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { clockOffsetMs, readClocks, systemClock, type Clock } from '../../../../src/main/base/clock.ts'
import { createLoopTurn } from '../../../../src/main/core/feeds/connection/loop-turn.ts'
import { createClockWatch, readInstants } from '../../../../src/main/core/feeds/connection/clock-watch.ts'
import { monoNs, unixMs } from '../../../../src/shared/base/units.ts'

const OFFSET_MS = 1e12

/** A clock whose process is suspended for so many ms before each look at any of its clocks, in this order. */
function suspendedClock(pausesMs: readonly number[]): Clock & { setForward(ms: number): void; looks(): number } {
  let passedMs = 5_000
  let offsetMs = OFFSET_MS
  let looks = 0
  const look = (): number => (passedMs += pausesMs[looks++] ?? 0)
  return {
    wallMs: () => unixMs(look() + offsetMs),
    monoNs: () => monoNs(look() * 1e6),
    bootMs: () => look() + 60_000,
    after: () => () => undefined,
    setForward: (ms) => void (offsetMs += ms),
    looks: () => looks,
  }
}

test('waits longer than a timer of Node can', () => {
  vi.useFakeTimers()
  try {
    const [monthMs, called] = [30 * 86_400_000, vi.fn()]
    systemClock.after(monthMs, called)
    vi.advanceTimersByTime(monthMs - 1)
    expect(called).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(called).toHaveBeenCalledOnce()
    const cancel = systemClock.after(monthMs, called)
    vi.advanceTimersByTime(monthMs - 1)
    cancel()
    vi.advanceTimersByTime(monthMs)
    expect(called).toHaveBeenCalledOnce()
  } finally {
    vi.useRealTimers()
  }
})

test('a reading that was suspended between the clocks is repeated', () => {
  const before = readClocks(suspendedClock([0, 700]), NaN)
  expect(clockOffsetMs(before)).toBe(OFFSET_MS)
  const after = readClocks(suspendedClock([0, 0, 700]), NaN)
  expect(clockOffsetMs(after)).toBe(OFFSET_MS)
})

test('a reading without a suspension looks at the wall clock once', () => {
  const clock = suspendedClock([])
  readClocks(clock, NaN)
  expect(clock.looks()).toBe(3)
})

test('readings end, however often they are suspended', () => {
  const clock = suspendedClock(Array.from({ length: 1_000 }, () => 400))
  readClocks(clock, OFFSET_MS)
  expect(clock.looks()).toBe(9)
  expect(readInstants(clock)).toBeNull()
})

/** Mostly none, else up to ten seconds before a look. */
const pauses = fc.array(fc.oneof(fc.constant(0), fc.nat(10_000)), { maxLength: 200 })

test('no suspension, wherever it falls, moves the clocks of the feeds apart', () => {
  fc.assert(
    fc.property(pauses, (list) => {
      const clock = suspendedClock([0, 0, 0, ...list])
      const turn = createLoopTurn(clock)
      let lastNs = 0
      for (let i = 0; i < 20; i++) {
        const stamp = turn.now()
        expect(Math.abs(clockOffsetMs(stamp) - OFFSET_MS)).toBeLessThanOrEqual(5)
        expect(stamp.monoNs).toBeGreaterThanOrEqual(lastNs)
        lastNs = stamp.monoNs
      }
    }),
  )
})

test('a clock that was set is seen in spite of a suspension that no reading escapes', () => {
  const clock = suspendedClock([0, 0, 0, ...Array.from({ length: 9 }, () => 200)])
  const offsetMs = clockOffsetMs(readClocks(clock, NaN))
  clock.setForward(60_000)
  const moved = clockOffsetMs(readClocks(clock, offsetMs)) - offsetMs
  expect(moved).toBeGreaterThan(59_000)
  expect(moved).toBeLessThanOrEqual(60_000)
})

test('no suspension, wherever it falls, is a clock that was set or a sleep that was not', () => {
  fc.assert(
    fc.property(pauses, (list) => {
      const clock = suspendedClock([0, 0, 0, 0, ...list])
      const watch = createClockWatch(readInstants(clock)!)
      for (let i = 0; i < 20; i++) {
        const at = readInstants(clock)
        if (at !== null) expect(watch(at, 1_000)).toMatchObject({ shiftMs: 0, steppedMs: 0 })
      }
    }),
  )
})
