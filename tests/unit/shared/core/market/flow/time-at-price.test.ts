import { describe, expect, it } from 'vitest'
import { TimeAtPrice } from '../../../../../../src/shared/core/market/flow/time-at-price.ts'
import vectors from '../../../../../fixtures/order-flow/time-at-price.json' with { type: 'json' }

/** The time of each row, and what adds to it. */
function timed() {
  const ms: Record<number, number> = {}
  return { ms, time: new TimeAtPrice((row, fromMs, toMs) => (ms[row] = (ms[row] ?? 0) + toMs - fromMs)) }
}

describe('time at price', () => {
  it('matches the hand-made record', () => {
    const { ms, time } = timed()
    for (const [at, value] of vectors.events) {
      if (at === 'gap') time.gap(Number(value) * 1_000)
      else time.price(Number(at) * 1_000, Number(value))
    }
    const { openAtEnd, ...seconds } = vectors.expect
    expect(ms).toEqual(Object.fromEntries(Object.entries(seconds).map(([row, one]) => [row, one * 1_000])))
    expect(time.open).toBe(openAtEnd)
  })

  it('counts a minute of a price at most, however often it is counted', () => {
    const { ms, time } = timed()
    time.price(0, 5)
    for (let at = 0; at <= 200_000; at += 7_000) time.upTo(at)
    expect(ms[5]).toBe(60_000)
    time.price(200_000, 6)
    time.upTo(201_000)
    expect(ms[6]).toBe(1_000)
  })
})
