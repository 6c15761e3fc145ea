// @vitest-environment jsdom
import '../browser-stubs.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { followBox } from '../../../../src/renderer/ui/follow-box.ts'

/** An observer whose reports the test makes. */
class TestObserver {
  readonly report: (ratio: number) => void
  isConnected = true
  constructor(callback: (entries: { intersectionRatio: number }[]) => void) {
    observers.push(this)
    this.report = (ratio) => {
      if (this.isConnected) callback([{ intersectionRatio: ratio }])
    }
  }
  observe(): void {}
  disconnect(): void {
    this.isConnected = false
  }
}
let observers: TestObserver[] = []
const report = (ratio: number): void => observers.at(-1)?.report(ratio)

/** A button at x = 10 whose followed box is counted in `moved`. */
function follow() {
  const button = document.createElement('button')
  const place = { x: 10, width: 40 }
  button.getBoundingClientRect = () => new DOMRect(place.x, 5, place.width, 20)
  const moved = vi.fn()
  return { place, moved, stop: followBox(button, moved) }
}

describe('following the box of a button', () => {
  beforeEach(() => {
    observers = []
    vi.useFakeTimers()
    vi.stubGlobal('IntersectionObserver', TestObserver)
  })
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })

  it('does nothing while a visible button stays where it is', () => {
    const { moved, stop } = follow()
    report(1)
    vi.runAllTimers()
    expect(moved).not.toHaveBeenCalled()
    expect(observers).toHaveLength(1)
    stop()
  })

  it.each([0, 0.4])('follows a button that moved after its box was read, now seen by %d there', (ratio) => {
    const { place, moved, stop } = follow()
    place.x = 90
    report(ratio)
    expect(moved).toHaveBeenCalledTimes(1)
    expect(observers, 'the new box is watched').toHaveLength(2)
    report(1)
    expect(moved).toHaveBeenCalledTimes(1)
    report(0)
    expect(moved, 'it moves on').toHaveBeenCalledTimes(2)
    stop()
  })

  it('watches a clipped button at the part that is visible', () => {
    const { moved, stop } = follow()
    report(0.4)
    expect(observers).toHaveLength(2)
    report(0.4)
    expect(observers).toHaveLength(2)
    expect(moved).not.toHaveBeenCalled()
    report(0.3)
    expect(moved).toHaveBeenCalledTimes(1)
    stop()
  })

  it('looks again for a button that is out of sight, until it is stopped', () => {
    const { place, moved, stop } = follow()
    report(0)
    place.x = 90
    vi.advanceTimersToNextTimer()
    expect(moved).toHaveBeenCalledTimes(1)
    report(0)
    stop()
    expect(vi.getTimerCount()).toBe(0)
  })
})
