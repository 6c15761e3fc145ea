// @vitest-environment jsdom
import '../browser-stubs.ts'
import { describe, expect, it } from 'vitest'
import { moreOf, sideways } from '../../../../src/renderer/ui/sideways.ts'

describe('a strip of tabs', () => {
  it('tells at which ends there is more of it', () => {
    expect(moreOf(0, 100, 100)).toBeNull()
    expect(moreOf(0, 100, 100.6)).toBeNull()
    expect(moreOf(0, 100, 180)).toBe('end')
    expect(moreOf(30, 100, 180)).toBe('both')
    expect(moreOf(80, 100, 180)).toBe('start')
  })

  it('moves sideways with a wheel while there is more of it, and leaves the wheel alone else', () => {
    const strip = document.createElement('div')
    let whole = 180
    Object.defineProperties(strip, { clientWidth: { get: () => 100 }, scrollWidth: { get: () => whole } })
    const told: boolean[] = []
    const undo = sideways(strip, (more) => told.push(more))
    strip.dispatchEvent(new Event('scroll'))
    expect(strip.dataset['more']).toBe('end')
    const turned = new WheelEvent('wheel', { deltaY: 40, cancelable: true })
    strip.dispatchEvent(turned)
    expect([strip.scrollLeft, turned.defaultPrevented]).toEqual([40, true])
    whole = 100
    strip.scrollLeft = 0
    strip.dispatchEvent(new Event('scroll'))
    const left = new WheelEvent('wheel', { deltaY: 40, cancelable: true })
    strip.dispatchEvent(left)
    expect([strip.dataset['more'], left.defaultPrevented]).toEqual([undefined, false])
    undo()
    // What takes over a strip doesn't know whether it overflows.
    const first: boolean[] = []
    sideways(strip, (more) => first.push(more))
    strip.dispatchEvent(new Event('scroll'))
    expect([told, first]).toEqual([[true, false], [false]])
  })
})
