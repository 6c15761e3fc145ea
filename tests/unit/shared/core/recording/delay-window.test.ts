import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DelayWindow, earliestLost, SILENT_AT_MOST_MS } from '../../../../../src/shared/core/recording/delay-window.ts'
import { PING_EVERY_MS, PONG_WITHIN_MS } from '../../../../../src/main/core/feeds/connection/heartbeat.ts'
import { ReceivedUpTo } from '../../../../../src/main/core/feeds/connection/received-up-to.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'

const T = Date.UTC(2026, 0, 5, 12)

describe('from when on messages may be lost', () => {
  it.each([
    ['received as it was sent', T, 0, 0, T + 10, T],
    ['half a second in the socket', T, 500, 0, T + 10, T - 500],
    ['half a second, by a service clock 3 s ahead', T, -2_500, 3_000, T + 10, T - 500],
    ['data that is 15 minutes late by itself', T, 900_000, -900_000, T + 10, T],
    ['never after the end', T, 0, 0, T - 5, T - 5],
    ['a feed silent for an hour', T - 3_600_000, 20, 0, T, T - SILENT_AT_MOST_MS],
    ['nothing dated', T, -Infinity, 5_000, T, T],
  ])('%s', (_, recvMs, delayMs, skewMs, untilMs, expected) => {
    expect(earliestLost({ recvMs, delayMs }, skewMs, untilMs)).toBe(expected)
  })

  it('covers every later message of a stream in order, whatever skew stands in the gap', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ stepMs: fc.integer({ min: 0, max: 900 }), lagMs: fc.integer({ min: 0, max: 20_000 }) }), {
          minLength: 1,
          maxLength: 60,
        }),
        fc.integer({ min: -20_000, max: 20_000 }),
        fc.integer({ min: -20_000, max: 20_000 }),
        (sent, clocks, skewMs) => {
          const window = new DelayWindow()
          let eventMs = T
          let recvMs = T
          for (const { stepMs, lagMs } of sent) {
            eventMs += stepMs
            recvMs = Math.max(recvMs, eventMs - clocks + lagMs)
            window.seen(eventMs, recvMs)
          }
          const from = earliestLost(window, skewMs, recvMs)
          expect(from - Math.abs(skewMs)).toBeLessThanOrEqual(eventMs)
        },
      ),
    )
  })

  it('forgets a delay after two windows, and moves with the clock', () => {
    const window = new DelayWindow()
    window.seen(T - 700, T)
    window.seen(T + 1_500, T + 1_500)
    expect(window.delayMs).toBe(700)
    window.seen(T + 2_600, T + 2_600)
    expect(window.delayMs).toBe(0)
    window.clockMoved(3_600_000, T + 3_602_600)
    expect([window.recvMs, window.delayMs]).toEqual([T + 3_602_600, 3_600_000])
    window.seen(T + 3_602_700 - 25_000_000, T + 3_602_700)
    expect(window.delayMs).toBe(3_600_000)
  })

  it('no connection is silent for as long as a quiet feed is trusted', () => {
    // A ping that is not answered, the one before it, and a second of the tick for each.
    expect(SILENT_AT_MOST_MS).toBeGreaterThan(2 * (PING_EVERY_MS + PONG_WITHIN_MS + 1_000))
  })
})

describe('a connection has received everything', () => {
  const at = (ms: number) => unixMs(T + ms)

  it('up to the event time of its last message, not up to when that was read', () => {
    const received = new ReceivedUpTo()
    expect(received.at(0)).toBe(null)
    received.heard(at(504))
    received.dated(T, T + 504)
    expect(received.at(0)).toBe(T)
  })

  it('up to when what was answered was asked, however late the answer was read', () => {
    const received = new ReceivedUpTo()
    received.heard(at(0))
    received.dated(T - 400, T)
    received.heard(at(9_000))
    received.responded(T + 5_000)
    expect(received.at(0)).toBe(T + 5_000)
    received.responded(T + 2_000)
    expect(received.at(0)).toBe(T + 5_000)
  })

  it('up to its last frame where a feed dates nothing and was asked nothing, and never beyond', () => {
    const received = new ReceivedUpTo()
    received.heard(at(0))
    expect(received.at(0)).toBe(T)
    received.responded(T + 50)
    expect(received.at(0)).toBe(T)
  })

  it('in the new time after the clock was set', () => {
    const received = new ReceivedUpTo()
    received.heard(at(1_000))
    received.dated(T + 1_000, T + 1_000)
    received.responded(T + 500)
    received.clockMoved(-60_000, at(-58_900))
    expect(received.at(0)).toBe(T - 59_000)
  })

  it('up to its last answer, in the new time, where it dates nothing', () => {
    const received = new ReceivedUpTo()
    received.heard(at(1_000))
    received.responded(T + 500)
    received.clockMoved(-60_000, at(-58_900))
    expect(received.at(0)).toBe(T - 59_500)
  })
})
