import { flushSync, mount, unmount } from 'svelte'
import { describe, expect, it } from 'vitest'
import type { ChartPort } from '../../../../../src/renderer/charts/model/chart.ts'
import ChartRange from '../../../../../src/renderer/features/chart/ChartRange.svelte'
import type { Bar } from '../../../../../src/shared/core/market/market.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'

interface Range {
  readonly fromMs: number
  readonly toMs: number
}

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
  const port: Pick<ChartPort, 'onView' | 'barsBetween' | 'visibleBars' | 'plotArea' | 'pixelOf' | 'barAt' | 'pointAt'> =
    {
      onView: (listener) => {
        view = listener
        return () => undefined
      },
      barsBetween: (fromMs, toMs) => bars().filter((bar) => bar.startMs >= fromMs && bar.startMs <= toMs),
      visibleBars: bars,
      plotArea: () => ({ left: 0, top: 0, width: 400, height: 300 }),
      pixelOf: (ms) => ({ x: ms / 100, y: 0 }),
      barAt: (x) => bars()[Math.floor(x / 10)] ?? null,
      // After the last bar, as on a chart with room at its end.
      pointAt: (x) => ({ ms: x * 100, price: 1 }),
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

function shown(atMs: number | null = null) {
  const { port, tick } = chart()
  const target = document.createElement('div')
  const host = target.appendChild(document.createElement('div'))
  const digits = new Intl.NumberFormat('en-US')
  const props = $state({ chart: port, host, free: () => true, digits, volumes: digits, atMs, shown: { of: 'BTC-USD' } })
  // what the component exports, which the types of the test do not see
  const range = mount(ChartRange, { target, props }) as {
    mark: (next: Range | null) => void
    marked: () => Range | null
    choose: (done: (range: Range) => void) => void
    key: (event: { key: string; shiftKey: boolean; repeat: boolean }) => boolean
  }
  flushSync()
  const said = () => target.querySelector('[role=status]')?.textContent ?? ''
  const card = () => target.querySelector('[role=group]')?.textContent ?? ''
  const point = (type: string, x: number, shiftKey = true) => {
    host.dispatchEvent(new MouseEvent(type, { bubbles: true, clientX: x, clientY: 5, shiftKey }))
    flushSync()
  }
  const release = () => {
    window.dispatchEvent(new MouseEvent('pointerup'))
    flushSync()
  }
  const click = (x: number) => {
    point('pointerdown', x, false)
    release()
  }
  const key = (key: string, repeat = false) => {
    const taken = range.key({ key, shiftKey: false, repeat })
    flushSync()
    return taken
  }
  const prompt = () => target.querySelector('.prompt')?.textContent ?? ''
  const change = () => {
    props.shown = { of: 'ETH-USD' }
    flushSync()
  }
  return { change, range, tick, said, card, point, release, click, key, prompt, stop: () => unmount(range) }
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

describe('a range that is asked for', () => {
  /** Asks for a range; `chosen` are those that were passed on. */
  function asked(atMs: number | null = null) {
    const all = shown(atMs)
    const chosen: Range[] = []
    all.range.choose((range) => chosen.push(range))
    flushSync()
    return { ...all, chosen }
  }

  it('is chosen by two clicks, in either order, and isn’t marked afterwards', async () => {
    const { range, click, card, prompt, chosen, stop } = asked()
    expect(prompt()).toMatch(/^Click the first bar/)
    click(65)
    expect(prompt()).toMatch(/^Click the last bar/)
    expect(range.marked()).toBeNull()
    click(25)
    expect([chosen, card(), prompt()]).toEqual([[{ fromMs: 2_000, toMs: 6_000 }], '', ''])
    click(35)
    expect(chosen).toHaveLength(1)
    await stop()
  })

  it('is chosen by a drag', async () => {
    const { point, release, card, chosen, stop } = asked()
    point('pointerdown', 25, false)
    point('pointermove', 65, false)
    expect(card()).toContain('5 bars')
    expect(chosen).toEqual([])
    release()
    expect(chosen).toEqual([{ fromMs: 2_000, toMs: 6_000 }])
    await stop()
  })

  it('may be one bar, but not none', async () => {
    const one = asked()
    one.click(45)
    one.click(45)
    expect(one.chosen).toEqual([{ fromMs: 4_000, toMs: 4_000 }])
    await one.stop()
    const none = asked()
    none.click(150)
    none.click(190)
    expect([none.chosen, none.prompt()]).toEqual([[], expect.stringMatching(/^Click the last bar/)])
    none.click(85)
    expect(none.chosen).toEqual([{ fromMs: 8_000, toMs: 15_000 }])
    await none.stop()
  })

  it('is chosen with Enter at the crosshair, or else at the last bar', async () => {
    for (const [atMs, ms] of [
      [5_000, 5_000],
      [null, 9_000],
    ]) {
      const { key, chosen, stop } = asked(atMs)
      expect([key('ArrowLeft'), key('Enter'), key('Enter')]).toEqual([false, true, true])
      expect(chosen).toEqual([{ fromMs: ms, toMs: ms }])
      expect(key('Enter')).toBe(false)
      await stop()
    }
  })

  it('takes a key that is held as one', async () => {
    const { key, chosen, stop } = asked(5_000)
    expect([key('Enter'), key('Enter', true), key('Enter', true)]).toEqual([true, true, true])
    expect(chosen).toEqual([])
    await stop()
  })

  it('is no longer chosen once the chart shows something else', async () => {
    const { click, change, prompt, card, chosen, stop } = asked()
    click(25)
    change()
    expect([prompt(), card()]).toEqual(['', ''])
    click(65)
    expect(chosen).toEqual([])
    await stop()
  })

  it('is canceled with Esc', async () => {
    const { key, click, prompt, chosen, stop } = asked()
    click(25)
    expect(key('Escape')).toBe(true)
    expect([prompt(), chosen]).toEqual(['', []])
    click(65)
    expect([chosen, key('Escape')]).toEqual([[], false])
    await stop()
  })
})
