import { describe, expect, it } from 'vitest'
import { LatencyWindow } from '../../../../src/renderer/base/latency.ts'

describe('LatencyWindow', () => {
  it('has nothing to say without samples', () => {
    expect(new LatencyWindow().read(0)).toBeUndefined()
  })
  it('reads percentiles within a millisecond or a percent', () => {
    const window = new LatencyWindow()
    for (let i = 1; i <= 1000; i++) window.add(i, 0)
    const read = window.read(1)
    expect(read?.samples).toBe(1000)
    expect(Math.abs((read?.p50 ?? 0) - 500)).toBeLessThanOrEqual(10)
    expect(Math.abs((read?.p99 ?? 0) - 990)).toBeLessThanOrEqual(20)
    expect(read?.max).toBe(1000)
  })
  it('forgets old samples', () => {
    const window = new LatencyWindow(1_000)
    window.add(500, 0)
    window.add(5, 1_500)
    expect(window.read(1_600)?.max).toBe(500)
    expect(window.read(2_600)?.max).toBe(5)
    expect(window.read(9_000)).toBeUndefined()
  })
  it('leaves out what a step of the clock made negative', () => {
    const window = new LatencyWindow()
    window.add(-3, 0)
    window.add(NaN, 0)
    expect(window.read(0)).toBeUndefined()
  })
})
