import { describe, expect, it } from 'vitest'
import { Flashes } from '../../../../../src/renderer/ui/table/flash-cell.ts'

/** An element that only knows its flash, and timers that run by hand. */
function bench(reduced = false) {
  const timers: (() => void)[] = []
  const flashes = new Flashes(
    (_ms, then) => timers.push(then),
    () => reduced,
  )
  const cell = () => {
    const one = {
      flash: null as string | null,
      setAttribute: (_name: string, value: string) => void (one.flash = value),
      removeAttribute: () => void (one.flash = null),
    }
    return one
  }
  return { flashes, cell, timers, step: () => timers.shift()?.() }
}

describe('the fade of a price', () => {
  it('grows weaker in three steps and goes', () => {
    const { flashes, cell, step, timers } = bench()
    const one = cell()
    flashes.flash(one, 1)
    const seen = [one.flash]
    for (let i = 0; i < 3; i++) {
      step()
      seen.push(one.flash)
    }
    expect(seen).toEqual(['up-3', 'up-2', 'up-1', null])
    expect(timers).toHaveLength(0)
  })

  it('starts over in the new direction, and shares one timer with all cells', () => {
    const { flashes, cell, step, timers } = bench()
    const [one, other] = [cell(), cell()]
    flashes.flash(one, 1)
    flashes.flash(other, 1)
    step()
    flashes.flash(one, -1)
    expect([one.flash, other.flash]).toEqual(['down-3', 'up-2'])
    expect(timers).toHaveLength(1)
    step()
    step()
    expect([one.flash, other.flash]).toEqual(['down-1', null])
    step()
    expect(one.flash).toBeNull()
    expect(timers).toHaveLength(0)
  })

  it('shows nothing where motion is to be reduced', () => {
    const { flashes, cell, timers } = bench(true)
    const one = cell()
    flashes.flash(one, 1)
    expect(one.flash).toBeNull()
    expect(timers).toHaveLength(0)
  })
})
