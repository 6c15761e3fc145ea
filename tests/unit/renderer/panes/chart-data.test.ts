import { describe, expect, it, vi } from 'vitest'
import { followChart } from '../../../../src/renderer/panes/chart/chart-data.ts'
import { FakeTerminal } from '../fakes/fake-terminal.ts'
import type { BarsPage, BarsValue } from '../../../../src/shared/contract.ts'
import type { Bar } from '../../../../src/shared/market.ts'
import { instrumentId, unixMs } from '../../../../src/shared/units.ts'

const btc = instrumentId('crypto', 'BTC-USD')
const SECOND = 1_000
const bar = (second: number, close = second): Bar => ({
  startMs: unixMs(second * SECOND),
  endMs: unixMs((second + 1) * SECOND),
  open: close,
  high: close,
  low: close,
  close,
  volume: 1,
  count: 1,
  complete: true,
})
const bars = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => bar(from + i))
const value = (reset: readonly Bar[] | null, updates: readonly Bar[] = []): BarsValue => ({
  reset,
  updates,
  gaps: reset && [],
  decimals: 2,
})

/** A replay's chart over pages that the test answers by hand. */
function open(view: string) {
  const fake = new FakeTerminal()
  const pages: ((page: BarsPage) => void)[] = []
  vi.spyOn(fake, 'invoke').mockImplementation(
    () => new Promise((resolve) => pages.push((page) => resolve({ ok: true, value: page as never }))),
  )
  let give: (value: BarsValue) => void = () => undefined
  vi.spyOn(fake, 'subscribe').mockImplementation((_name, _args, onValue) => {
    give = onValue
    return () => undefined
  })
  const shown: { starts: number[]; keepView: boolean }[] = []
  const chart = {
    load: (_series: unknown, list: readonly Bar[], _more: boolean, keepView: boolean) =>
      shown.push({ starts: list.map((one) => one.startMs / SECOND), keepView }),
    update: vi.fn(),
    setGaps: vi.fn(),
    setMarkers: vi.fn(),
    setDecimals: vi.fn(),
    setLoadOlder: vi.fn(),
  }
  const query = {
    view,
    instrument: btc,
    label: 'BTC',
    of: 'trade',
    interval: '1s',
    ticks: false,
    style: 'candles',
  } as const
  // Of the port only what is called here.
  const following = followChart(
    fake,
    chart,
    query,
    () => undefined,
    () => undefined,
  )
  return {
    shown,
    chart,
    following,
    give: (next: BarsValue) => give(next),
    async answer(list: readonly Bar[], more = true) {
      pages.shift()?.({ bars: list, gaps: [], decimals: 2, more })
      await Promise.resolve()
      await Promise.resolve()
    },
    get asked() {
      return pages.length
    },
  }
}
const last = <T>(list: readonly T[]): T | undefined => list.at(-1)

describe('the chart of a replay', () => {
  it('drops at once what a jump back has not reached, and keeps its view', async () => {
    const chart = open('replay-1')
    chart.give(value(bars(50, 100)))
    await chart.answer(bars(0, 100))
    expect(last(chart.shown)?.starts.length).toBe(100)
    chart.give(value(bars(20, 60)))
    expect(last(chart.shown)).toMatchObject({ keepView: true })
    expect(last(last(chart.shown)?.starts ?? [])).toBe(59)
    await chart.answer(bars(10, 60))
    expect(last(chart.shown)?.starts).toEqual(bars(0, 60).map((one) => one.startMs / SECOND))
    expect(last(chart.shown)?.keepView).toBe(true)
  })
  it('drops it even before the stream tells of the jump', async () => {
    const chart = open('replay-1')
    chart.give(value(bars(0, 100)))
    await chart.answer(bars(0, 100))
    chart.following.cut(40 * SECOND)
    expect(last(last(chart.shown)?.starts ?? [])).toBe(40)
    const draws = chart.shown.length
    chart.following.cut(50 * SECOND)
    expect(chart.shown).toHaveLength(draws)
  })
  it('leaves nothing where there is nothing yet', async () => {
    const chart = open('replay-1')
    chart.give(value(bars(0, 100)))
    await chart.answer(bars(0, 100))
    chart.give(value([]))
    expect(last(chart.shown)?.starts).toEqual([])
    await chart.answer([], false)
    expect(last(chart.shown)?.starts).toEqual([])
  })
  it('makes no hole where it jumped ahead', async () => {
    const chart = open('replay-1')
    chart.give(value(bars(0, 10)))
    await chart.answer(bars(0, 10))
    chart.give(value(bars(500, 600)))
    await chart.answer(bars(400, 600))
    expect(last(chart.shown)?.starts[0]).toBe(400)
    expect(last(chart.shown)?.starts).toHaveLength(200)
  })
  it('takes only the page of the last jump, with what came meanwhile on top', async () => {
    const chart = open('replay-1')
    chart.give(value(bars(0, 100)))
    chart.give(value(bars(0, 50)))
    expect(chart.asked).toBe(2)
    await chart.answer(bars(0, 100))
    expect(last(chart.shown)?.starts).toEqual([])
    chart.give(value(null, [bar(50, 7)]))
    await chart.answer(bars(0, 50))
    expect(last(last(chart.shown)?.starts ?? [])).toBe(50)
  })
  it('of the live market reads its page at once, and once', async () => {
    const chart = open('live')
    expect(chart.asked).toBe(1)
    await chart.answer(bars(0, 10))
    chart.give(value(bars(5, 12)))
    expect(chart.asked).toBe(0)
    expect(chart.chart.update).toHaveBeenCalledOnce()
  })
})
