// @vitest-environment jsdom
/** Pages that come when the chart shows other bars already, or none any more. */
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import '../../browser-stubs.ts'
import type { ChartPages, ChartSeries } from '../../../../../src/renderer/charts/model/chart.ts'
import type { Bar } from '../../../../../src/shared/core/market/market.ts'
import { recordedChart } from '../recording-canvas.ts'
import { makeBar } from '../../../../kit/market.ts'

const MINUTE = 60_000
const SERIES: ChartSeries = { label: 'X', intervalMs: MINUTE, decimals: 2, ticks: false }
const OTHER: ChartSeries = { ...SERIES, label: 'Y' }

/** More than a chart shows at first. */
const COUNT = 400
/** So many bars, the first of which starts at this minute. */
const from = (minute: number): readonly Bar[] =>
  Array.from({ length: COUNT }, (_, i) => {
    const prices = { open: 100 + i, high: 103 + i, low: 99 + i, close: 101 + i }
    return makeBar({ startMs: (minute + i) * MINUTE, ...prices, volume: 5 })
  })
const bars = from(0)

const { port, frames } = recordedChart(1_000, 600)
afterEach(() => port.setPages(null))

type Page = Awaited<ReturnType<ChartPages['older']>>
/** Pages that come when the test gives them. */
function pagesAt(minute: number) {
  const waiting: ((page: Page) => void)[] = []
  const later = () => new Promise<Page>((give) => waiting.push(give))
  const settled = vi.fn()
  port.setPages({
    older: later,
    newer: later,
    newest: () => undefined,
    around: () => Promise.resolve(false),
    settled,
    olderData: () => 'none',
  })
  return {
    asked: () => waiting.length,
    settled,
    async give() {
      for (const one of waiting) one({ bars: from(minute), more: false })
      await frames()
    },
  }
}
const minutes = () => {
  const all = port.barsBetween(-Infinity, Infinity)
  return [all.length, all[0].startMs / MINUTE, (all.at(-1)?.startMs ?? NaN) / MINUTE]
}
const ALONE = [COUNT, 0, COUNT - 1]

describe.each([
  { what: 'older', minute: -COUNT, more: true, newer: false, joined: [2 * COUNT, -COUNT, COUNT - 1] },
  { what: 'newer', minute: COUNT, more: false, newer: true, joined: [2 * COUNT, 0, 2 * COUNT - 1] },
])('a page of $what bars', ({ minute, more, newer, joined }) => {
  async function waiting() {
    const page = pagesAt(minute)
    port.load(SERIES, bars, more, false, newer)
    if (more) port.fit()
    else {
      // Where the first bar is in view, the library asks for none after the last.
      port.zoom(8)
      port.scroll(COUNT)
    }
    await frames()
    expect(page.asked()).toBeGreaterThan(0)
    return page
  }

  it('joins the bars it was asked for', async () => {
    const page = await waiting()
    await page.give()
    expect(minutes()).toEqual(joined)
    expect(page.settled).toHaveBeenCalled()
  })

  it('is not taken into the chart of another symbol', async () => {
    const page = await waiting()
    port.load(OTHER, bars, false, false)
    await page.give()
    expect(minutes()).toEqual(ALONE)
    expect(page.settled).not.toHaveBeenCalled()
  })
})

it('a page that was asked for to go to an instant is not taken into the chart of another symbol', async () => {
  const page = pagesAt(-COUNT)
  port.load({ ...SERIES, label: 'Z' }, from(0), false, false)
  await frames()
  expect(page.asked()).toBe(0)
  port.load(SERIES, bars, true, false)
  const going = port.goTo(-5 * MINUTE)
  expect(page.asked()).toBeGreaterThan(0)
  port.load(OTHER, bars, false, false)
  await page.give()
  await going
  expect(minutes()).toEqual(ALONE)
})

describe('a chart that is closed', () => {
  let closed = false
  const close = () => {
    if (!closed) port.destroy()
    closed = true
  }
  afterAll(close)

  it('takes no page any more', async () => {
    const page = pagesAt(-COUNT)
    port.load(SERIES, bars, true, false)
    port.fit()
    await frames()
    expect(page.asked()).toBeGreaterThan(0)
    close()
    await page.give()
    expect(page.settled).not.toHaveBeenCalled()
  })
})
