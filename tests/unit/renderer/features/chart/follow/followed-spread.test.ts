import { describe, expect, it, vi } from 'vitest'
import { followChart } from '../../../../../../src/renderer/features/chart/follow/follow-chart.ts'
import type { ChartStage } from '../../../../../../src/renderer/features/chart/follow/chart-target.ts'
import { chartSymbol } from '../../../../../../src/renderer/features/chart/model/chart-labels.ts'
import type { ChartPages } from '../../../../../../src/renderer/charts/model/chart.ts'
import type { Bar } from '../../../../../../src/shared/core/market/market.ts'
import { spreadBars } from '../../../../../../src/shared/core/market/spread.ts'
import { fixedGrid } from '../../../../../../src/shared/core/market/bars.ts'
import type { GapSpan } from '../../../../../../src/shared/core/status/status.ts'
import { instrumentId, unixMs, type InstrumentId } from '../../../../../../src/shared/base/units.ts'
import { makeBar } from '../../../../../kit/market.ts'
import { TestTransport } from '../../../../../kit/transport.ts'

const eth = instrumentId('crypto', 'ETH-USD')
const btc = instrumentId('crypto', 'BTC-USD')
const SECOND = 1_000
const MINUTE = 60_000
const bar = (second: number, close: number) => makeBar({ startMs: second * SECOND, lengthMs: SECOND, close })
const stored = new Map<InstrumentId, readonly Bar[]>([
  [eth, Array.from({ length: 600 }, (_, i) => bar(i, 3_000 + (i % 50)))],
  [btc, Array.from({ length: 300 }, (_, i) => bar(i * 2, 60_000 - (i % 30)))],
])

interface Stored {
  readonly bars: (of: InstrumentId) => readonly Bar[]
  readonly gaps: (of: InstrumentId) => readonly GapSpan[]
}
const READABLE: Stored = { bars: (of) => stored.get(of) ?? [], gaps: () => [] }

function open(page: number, from = READABLE, view = 'live') {
  const asked: unknown[] = []
  const transport = new TestTransport().answer('bars.history', ({ instrument, of, interval, beforeMs, limit }) => {
    asked.push([instrument, of, interval, limit])
    const before = from.bars(instrument).filter(({ startMs }) => startMs < (beforeMs ?? Infinity))
    return { bars: before.slice(-page), gaps: from.gaps(instrument), decimals: 2, more: before.length > page }
  })
  let shown: readonly Bar[] = []
  let pages: ChartPages | null = null
  const chart = {
    load: (_: unknown, list: readonly Bar[]) => void (shown = [...list]),
    update: vi.fn<(bars: readonly Bar[]) => void>(),
    setGaps: vi.fn(),
    setDecimals: vi.fn(),
    setPages: (next: ChartPages | null) => void (pages = next),
  }
  const query = {
    view,
    instrument: eth,
    label: 'ETH-USD/BTC-USD',
    of: 'trade',
    interval: '1m',
    ticks: false,
    eventBars: null,
    spread: { with: btc, operator: '/' },
  } as const
  const stages: ChartStage[] = []
  const following = followChart(
    transport,
    chart,
    query,
    (stage) => stages.push(stage),
    () => undefined,
  )
  return {
    transport,
    asked,
    chart,
    following,
    stages,
    shown: () => shown,
    older: (ms: number) => pages?.older(ms),
    olderData: () => pages?.olderData(),
  }
}
const whole = spreadBars(
  '/',
  [
    { bars: stored.get(eth) ?? [], gaps: [] },
    { bars: stored.get(btc) ?? [], gaps: [] },
  ],
  fixedGrid(MINUTE),
)

describe('a chart of a ratio', () => {
  it('samples both sides every second and shows the bars that both are read for', async () => {
    const { asked, shown, older, chart } = open(200)
    await vi.waitFor(() => expect(shown()).not.toEqual([]))
    expect(asked).toEqual([
      [eth, 'trade', '1s', 5_000],
      [btc, 'trade', '1s', 5_000],
    ])
    // ETH is read from second 400 on, so the first whole minute is the seventh.
    expect(shown()).toEqual(whole.slice(7))
    expect(chart.setDecimals).toHaveBeenLastCalledWith(7)
    const page = await older(7 * MINUTE)
    expect(page?.more).toBe(true)
    expect(page?.bars).toEqual(whole.slice(4, 7))
    expect((await older(4 * MINUTE))?.bars).toEqual(whole.slice(0, 4))
  })

  it('joins a page once if a chart that reloads asks for it again', async () => {
    const { shown, older } = open(200)
    await vi.waitFor(() => expect(shown()).not.toEqual([]))
    const both = await Promise.all([older(7 * MINUTE), older(7 * MINUTE)])
    for (const page of both) expect(page?.bars).toEqual(whole.slice(4, 7))
    expect((await older(4 * MINUTE))?.bars).toEqual(whole.slice(0, 4))
  })

  it('reads on while pages end within one of its bars', async () => {
    const { shown, older, olderData, stages, asked } = open(10)
    await vi.waitFor(() => expect(stages.at(-1)).toEqual({ is: 'empty', damaged: false }))
    expect(shown(), 'ten seconds are no whole minute').toEqual([])
    expect((await older(10 * MINUTE))?.bars).toEqual(whole.slice(9, 10))
    expect(asked.length, 'both newest pages, then one side or the other').toBeGreaterThan(6)
    expect(olderData()).toBe('more')
  })

  it('knows at its end that nothing older of both is stored', async () => {
    const { shown, older, olderData } = open(400)
    await vi.waitFor(() => expect(shown()).not.toEqual([]))
    expect(await older(shown()[0].startMs)).toMatchObject({ more: false })
    expect(olderData()).toBe('none')
  })

  it('loads older bars after a page without any, if more are stored', async () => {
    const { transport, shown, older, olderData } = open(200)
    await vi.waitFor(() => expect(shown()).not.toEqual([]))
    const page = { bars: [], gaps: [], decimals: 2, more: true }
    transport.answer('bars.history', () => page)
    expect(await older(7 * MINUTE)).toEqual({ bars: [], more: true })
    expect(olderData()).toBe('more')
    transport.answer('bars.history', ({ instrument, beforeMs }) => ({
      ...page,
      bars: (stored.get(instrument) ?? []).filter(({ startMs }) => startMs < (beforeMs ?? Infinity)),
      more: false,
    }))
    expect(await older(7 * MINUTE)).toEqual({ bars: whole.slice(4, 7), more: true })
    expect(await older(4 * MINUTE)).toEqual({ bars: whole.slice(0, 4), more: false })
  })

  it.each([
    { of: eth, fromMs: -9 * MINUTE, toMs: -8 * MINUTE, other: 'none', what: 'nothing of the other side' },
    { of: eth, fromMs: -9 * MINUTE, toMs: 1, other: 'corrupt', what: 'prices of the other side' },
  ])('with corrupt data of one side and $what: $other', async ({ of, fromMs, toMs, other }) => {
    const damaged = { feed: 'crypto/XT', cause: 'unreadable', fromMs: unixMs(fromMs), toMs: unixMs(toMs) } as const
    const late = (list: readonly Bar[] = []) => list.slice(of === eth ? 90 : 0)
    const { shown, older, olderData } = open(1_000, {
      bars: (one) => (one === of ? late(stored.get(one)) : (stored.get(one) ?? [])),
      gaps: (one) => (one === of ? [damaged] : []),
    })
    await vi.waitFor(() => expect(shown()).not.toEqual([]))
    await older(shown()[0].startMs)
    expect(olderData()).toBe(other)
  })

  it('isn’t corrupt where the other side was never recorded', async () => {
    const damaged = { feed: 'crypto/XT', cause: 'unreadable', fromMs: unixMs(-9 * MINUTE), toMs: unixMs(0) } as const
    const { stages } = open(1_000, {
      bars: (one) => (one === eth ? (stored.get(one) ?? []) : []),
      gaps: (one) => (one === eth ? [damaged] : []),
    })
    await vi.waitFor(() => expect(stages.at(-1)).toEqual({ is: 'empty', damaged: false }))
  })

  it.each(['cut', 'jump'])('forgets corrupt data from after a replay’s clock: %s', async (how) => {
    const damaged = { feed: 'crypto/XT', cause: 'unreadable', fromMs: unixMs(0), toMs: unixMs(MINUTE) } as const
    const { transport, following, stages, chart } = open(1_000, { bars: () => [], gaps: () => [damaged] }, 'replay-1')
    await vi.waitFor(() => expect(stages.at(-1)).toEqual({ is: 'empty', damaged: true }))
    transport.answer('bars.history', () => ({ bars: [], gaps: [], decimals: 2, more: false }))
    if (how === 'cut') following.cut(-1)
    else transport.send('bars', { reset: [], updates: [], gaps: [], decimals: 2 })
    await vi.waitFor(() => expect(stages.at(-1)).toEqual({ is: 'empty', damaged: false }))
    expect(chart.setGaps).toHaveBeenLastCalledWith([])
  })

  it.each(['cut', 'jump'])('forgets gaps that weren’t over at a replay’s clock: %s', async (how) => {
    const drop = (fromMs: number, toMs: number) =>
      ({ feed: 'crypto/XT', cause: 'drop', fromMs: unixMs(fromMs), toMs: unixMs(toMs) }) as const
    const [early, across, late] = [drop(60_500, 61_500), drop(118_000, 130_000), drop(300_500, 301_500)]
    const of = (one: InstrumentId) => (stored.get(one) ?? []).filter(({ startMs }) => startMs < 120_000)
    const { transport, following, shown, chart } = open(
      1_000,
      { ...READABLE, gaps: () => [early, across, late] },
      'replay-1',
    )
    await vi.waitFor(() => expect(shown()).toHaveLength(10))
    transport.answer('bars.history', ({ instrument }) => ({ bars: of(instrument), gaps: [], decimals: 2, more: false }))
    if (how === 'cut') following.cut(120_000)
    else transport.send('bars', { reset: of(eth), updates: [], gaps: [early], decimals: 2 })
    await vi.waitFor(() => expect(shown().at(-1)?.endMs).toBe(how === 'cut' ? 3 * MINUTE : 2 * MINUTE))
    expect(chart.setGaps.mock.lastCall?.[0]).toEqual([early, early])
    expect(
      shown()
        .map(({ complete }) => complete)
        .slice(0, 2),
    ).toEqual([true, false])
  })

  it('updates its last bar with a price of either side', async () => {
    const { transport, shown, chart } = open(1_000)
    await vi.waitFor(() => expect(shown()).toEqual(whole))
    transport.send('bars', { reset: null, updates: [bar(600, 50)], gaps: null, decimals: 2 })
    const [fresh] = chart.update.mock.calls.at(-1)?.[0] ?? []
    // The streams of both sides got it: the second one makes it 50 / 50.
    expect(fresh).toMatchObject({ startMs: 600 * SECOND, close: 1, volume: null })
  })
})

it('is titled with both symbols, while the chart shows the one it was made for', () => {
  const spread = { of: eth, with: btc, label: 'BTC-USD', operator: '/' } as const
  expect(chartSymbol('ETH-USD', eth, { spread })).toBe('ETH-USD/BTC-USD')
  expect(chartSymbol('ETH-USD', eth, { spread: { ...spread, operator: '-' } })).toBe('ETH-USD − BTC-USD')
  expect(chartSymbol('BTC-USD', btc, { spread })).toBe('BTC-USD')
})
