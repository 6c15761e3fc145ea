import { describe, expect, it, vi } from 'vitest'
import { MAX_BARS } from '../../../../../../src/renderer/features/chart/follow/followed-events.ts'
import { CodedError } from '../../../../../../src/shared/base/errors.ts'
import { followChart } from '../../../../../../src/renderer/features/chart/follow/follow-chart.ts'
import type { ChartStage } from '../../../../../../src/renderer/features/chart/follow/chart-target.ts'
import type { ChartPages } from '../../../../../../src/renderer/charts/model/chart.ts'
import type { Bar } from '../../../../../../src/shared/core/market/market.ts'
import type { BarsPage, BarsValue } from '../../../../../../src/shared/core/views/contract.ts'
import type { GapSpan } from '../../../../../../src/shared/core/status/status.ts'
import { instrumentId, unixMs } from '../../../../../../src/shared/base/units.ts'
import { makeBar } from '../../../../../kit/market.ts'
import { TestTransport } from '../../../../../kit/transport.ts'

const bar = (at: number) => makeBar({ startMs: at, lengthMs: 1, close: at })
const bars = (...at: readonly number[]) => at.map(bar)
const value = (reset: readonly Bar[] | null, updates: readonly Bar[] = []): BarsValue => ({
  reset,
  updates,
  gaps: reset && [],
  decimals: 2,
})

function open(older: readonly Bar[], more = false, gaps: readonly GapSpan[] = [], view = 'live') {
  const transport = new TestTransport().answer('bars.events', ({ beforeMs, limit }) => {
    const before = older.filter(({ startMs }) => startMs < (beforeMs ?? Infinity))
    return { bars: before.slice(-limit), gaps, decimals: 2, more }
  })
  let shown: Bar[] = []
  let pages: ChartPages | null = null
  const stages: ChartStage[] = []
  const chart = {
    load: (_: unknown, list: readonly Bar[]) => void (shown = [...list]),
    update: vi.fn(),
    setGaps: vi.fn(),
    setDecimals: vi.fn(),
    setPages: (next: ChartPages | null) => void (pages = next),
  }
  const query = {
    view,
    instrument: instrumentId('crypto', 'BTC-USD'),
    label: 'BTC',
    of: 'trade',
    interval: '1s',
    ticks: false,
    eventBars: { kind: 'tick', size: 100 },
  } as const
  const following = followChart(
    transport,
    chart,
    query,
    (stage) => stages.push(stage),
    () => undefined,
  )
  return {
    transport,
    olderData: () => pages?.olderData(),
    following,
    stages,
    chart,
    starts: () => shown.map(({ startMs }) => startMs),
    give: (next: BarsValue) => transport.send('eventBars', next),
    older: (beforeMs: number) => pages?.older(beforeMs),
  }
}

describe('a chart of event bars', () => {
  it('shows today, adds what changes, and reads earlier days page by page', async () => {
    const { give, starts, chart, older } = open(bars(1, 2, 3))
    give(value(bars(10, 11)))
    expect(starts()).toEqual([10, 11])
    give(value(null, bars(11, 12)))
    expect(chart.update.mock.calls).toEqual([[bars(11, 12)]])
    expect(await older(10)).toEqual({ bars: bars(1, 2, 3), more: false })
  })
  it('begins with an earlier day while today has no trades', async () => {
    const { give, starts, stages } = open(bars(1, 2))
    give(value([]))
    await vi.waitFor(() => expect(starts()).toEqual([1, 2]))
    expect(stages.at(-1)).toEqual({ is: 'ready' })
  })
  it('forgets everything when a replay seeks, also a page that is still being read', async () => {
    const { give, starts, older, following } = open(bars(1, 2, 3))
    give(value(bars(10, 11)))
    const page = older(10)
    give(value(bars(5)))
    expect(await page).toEqual({ bars: [], more: true })
    expect(starts()).toEqual([5])
    following.cut(4)
    expect(starts()).toEqual([])
  })
  it('forgets the page of an earlier day when a replay seeks back before anything is shown', async () => {
    const { give, starts, following, transport } = open([])
    const page = Promise.withResolvers<BarsPage>()
    transport.answer('bars.events', () => page.promise)
    give(value([]))
    following.cut(4)
    page.resolve({ bars: bars(1, 8), gaps: [], decimals: 2, more: false })
    await new Promise((resolve) => setTimeout(resolve))
    expect(starts()).toEqual([])
  })
  it('fails where it begins with an earlier day that can’t be read', async () => {
    const { give, stages, transport } = open([])
    transport.answer('bars.events', () => {
      throw new CodedError('store-damaged', 'The store can’t be read.')
    })
    give(value([]))
    await vi.waitFor(() => expect(stages.at(-1)).toMatchObject({ is: 'failed', failure: { code: 'store-damaged' } }))
  })
  it('knows that what is stored before its first bar is corrupt', async () => {
    const damaged = { feed: 'crypto/XT', cause: 'unreadable', fromMs: unixMs(0), toMs: unixMs(1) } as const
    const chart = open(bars(3), false, [damaged])
    chart.give(value(bars(10)))
    await chart.older(10)
    expect(chart.olderData()).toBe('corrupt')
    const empty = open([], false, [damaged])
    empty.give(value([]))
    await vi.waitFor(() => expect(empty.stages.at(-1)).toEqual({ is: 'empty', damaged: true }))
  })
  it.each(['cut', 'jump'])('forgets corrupt data from after a replay’s clock: %s', async (how) => {
    const damaged = { feed: 'crypto/XT', cause: 'unreadable', fromMs: unixMs(3), toMs: unixMs(9) } as const
    const { give, older, following, transport, stages, olderData } = open([], false, [damaged], 'replay-1')
    give(value(bars(10)))
    await older(10)
    expect(olderData()).toBe('corrupt')
    transport.answer('bars.events', () => ({ bars: [], gaps: [], decimals: 2, more: false }))
    if (how === 'cut') following.cut(2)
    else give(value([]))
    await vi.waitFor(() => expect(olderData()).toBe('none'))
    expect(stages.at(-1)).toEqual({ is: 'empty', damaged: false })
  })
  it('knows whether older bars are stored when it loads no more', async () => {
    const end = open(bars(1, 2))
    end.give(value(bars(10)))
    expect(await end.older(10)).toMatchObject({ more: false })
    expect(end.olderData()).toBe('none')
    const full = open(bars(1, 2), true)
    full.give(value(Array.from({ length: MAX_BARS }, (_, i) => bar(10 + i))))
    expect(await full.older(10)).toMatchObject({ more: false })
    expect(full.olderData()).toBe('more')
  })
})
