import { flushSync, mount, unmount } from 'svelte'
import { describe, expect, it } from 'vitest'
import type { ChartPort } from '../../../../../src/renderer/charts/model/chart.ts'
import ChartRange from '../../../../../src/renderer/features/chart/ChartRange.svelte'
import type { Bar } from '../../../../../src/shared/core/market/market.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'

/** A chart of ten bars of a second, ten px each; the last one still forms. */
function chart() {
  let view: () => void = () => undefined
  let close = 10
  const bars = (): Bar[] =>
    Array.from({ length: 10 }, (_, i) => ({
      startMs: unixMs(i * 1_000),
      endMs: unixMs((i + 1) * 1_000),
      open: 10,
      high: 20,
      low: 5,
      close: i === 9 ? close : 12,
      volume: 1,
      count: 1,
      complete: i < 9,
    }))
  const port: Pick<ChartPort, 'onView' | 'barsBetween' | 'plotArea' | 'pixelOf' | 'barAt' | 'pointAt'> = {
    onView: (listener) => {
      view = listener
      return () => undefined
    },
    barsBetween: (fromMs, toMs) => bars().filter((bar) => bar.startMs >= fromMs && bar.startMs <= toMs),
    plotArea: () => ({ left: 0, top: 0, width: 400, height: 300 }),
    pixelOf: (ms) => ({ x: ms / 100, y: 0 }),
    barAt: (x) => bars()[Math.floor(x / 10)] ?? null,
    pointAt: () => null,
  }
  return {
    port: port as ChartPort, // what a range asks of it
    tick(next: number) {
      close = next
      view()
      flushSync()
    },
  }
}

function shown() {
  const { port, tick } = chart()
  const target = document.createElement('div')
  const host = target.appendChild(document.createElement('div'))
  const digits = new Intl.NumberFormat('en-US')
  const props = { chart: port, host, free: () => true, digits, volumes: digits }
  // what the component exports, which the types of the test do not see
  const range = mount(ChartRange, { target, props }) as {
    mark: (next: { readonly fromMs: number; readonly toMs: number } | null) => void
  }
  flushSync()
  const said = () => target.querySelector('[role=status]')?.textContent ?? ''
  const card = () => target.querySelector('[role=group]')?.textContent ?? ''
  const point = (type: string, x: number, shiftKey = true) => {
    host.dispatchEvent(new MouseEvent(type, { bubbles: true, clientX: x, clientY: 5, shiftKey }))
    flushSync()
  }
  return { range, tick, said, card, point, stop: () => unmount(range) }
}

describe('a marked range, to a screen reader', () => {
  it('is said once when it is marked and when it is changed, not with each tick of its last bar', async () => {
    const { range, tick, said, card, stop } = shown()
    expect(said()).toBe('')
    range.mark({ fromMs: 7_000, toMs: 9_000 })
    flushSync()
    const first = said()
    expect(first).toMatch(/^0 \(0\.00 %\), 3 bars, 3 s, /)
    tick(15)
    tick(16)
    expect(card()).toContain('+6 (+60.00 %)')
    expect(said()).toBe(first)
    range.mark({ fromMs: 6_000, toMs: 9_000 })
    flushSync()
    expect(said()).toMatch(/^\+6 \(\+60\.00 %\), 4 bars/)
    range.mark(null)
    flushSync()
    expect([said(), card()]).toEqual(['', ''])
    await stop()
  })
  it('is said at the end of a drag, not on its way', async () => {
    const { said, card, point, stop } = shown()
    point('pointerdown', 25)
    point('pointermove', 45)
    expect(card()).toContain('3 bars')
    point('pointermove', 65)
    expect(said()).toBe('')
    window.dispatchEvent(new MouseEvent('pointerup'))
    flushSync()
    expect(said()).toContain('5 bars')
    point('pointerdown', 25, false)
    expect([said(), card()]).toEqual(['', ''])
    await stop()
  })
})
