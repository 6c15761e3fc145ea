import { describe, expect, it, vi } from 'vitest'
import { followChart } from '../../../../../../src/renderer/features/chart/follow/follow-chart.ts'
import type { ChartSink, ChartStage } from '../../../../../../src/renderer/features/chart/follow/chart-target.ts'
import { MAX_BARS } from '../../../../../../src/renderer/features/chart/follow/followed-bars.ts'
import { TestTransport } from '../../../../../kit/transport.ts'
import type { ChartPages } from '../../../../../../src/renderer/charts/model/chart.ts'
import type { BarsPage, BarsValue } from '../../../../../../src/shared/core/views/contract.ts'
import type { Bar, Interval } from '../../../../../../src/shared/core/market/market.ts'
import type { GapSpan } from '../../../../../../src/shared/core/status/status.ts'
import { instrumentId, unixMs } from '../../../../../../src/shared/base/units.ts'
import { makeBar } from '../../../../../kit/market.ts'

const btc = instrumentId('crypto', 'BTC-USD')
const SECOND = 1_000
const bar = (second: number, close = second) => makeBar({ startMs: second * SECOND, lengthMs: SECOND, close })
const bars = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => bar(from + i))
const value = (reset: readonly Bar[] | null, updates: readonly Bar[] = []): BarsValue => ({
  reset,
  updates,
  gaps: reset && [],
  decimals: 2,
})

/** A replay's chart over pages that the test answers by hand. */
function open(view: string) {
  const pages: ((page: BarsPage) => void)[] = []
  const transport = new TestTransport().answer('bars.history', () => new Promise((resolve) => pages.push(resolve)))
  const shown: { starts: number[]; keepView: boolean }[] = []
  const chart = {
    load: (_series: unknown, list: readonly Bar[], _more: boolean, keepView: boolean) =>
      shown.push({ starts: list.map((one) => one.startMs / SECOND), keepView }),
    update: vi.fn(),
    setGaps: vi.fn(),
    setMarkers: vi.fn(),
    setDecimals: vi.fn(),
    setPages: vi.fn(),
  }
  const query = {
    view,
    instrument: btc,
    label: 'BTC',
    of: 'trade',
    interval: '1s',
    ticks: false,
    eventBars: null,
  } as const
  const stages: ChartStage[] = []
  // Of the port only what is called here.
  const following = followChart(
    transport,
    chart,
    query,
    (stage) => stages.push(stage),
    () => undefined,
  )
  return {
    shown,
    chart,
    following,
    give: (next: BarsValue) => transport.send('bars', next),
    stages,
    async answer(list: readonly Bar[], more = true, gaps: readonly GapSpan[] = []) {
      pages.shift()?.({ bars: list, gaps, decimals: 2, more })
      await Promise.resolve()
      await Promise.resolve()
    },
    get asked() {
      return pages.length
    },
  }
}
/** Candles of trades on a sink that loads; `paging`: their pages, once they were handed over. */
function candles(transport: TestTransport, interval: Interval, load: ChartSink['load']) {
  let pages: ChartPages | null = null
  const sink: ChartSink = {
    load,
    update: vi.fn(),
    setGaps: vi.fn(),
    setDecimals: vi.fn(),
    setPages: (next) => (pages = next),
  }
  const query = {
    view: 'live',
    instrument: btc,
    label: 'BTC',
    of: 'trade',
    interval,
    ticks: false,
    eventBars: null,
  } as const
  followChart(
    transport,
    sink,
    query,
    () => undefined,
    () => undefined,
  )
  return {
    sink,
    paging(): ChartPages {
      if (pages === null) throw new Error('no pages')
      return pages
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
  it('drops it even before the stream reports the jump', async () => {
    const chart = open('replay-1')
    chart.give(value(bars(0, 100)))
    await chart.answer(bars(0, 100))
    chart.following.cut(40 * SECOND)
    expect(last(last(chart.shown)?.starts ?? [])).toBe(40)
    const draws = chart.shown.length
    chart.following.cut(50 * SECOND)
    expect(chart.shown).toHaveLength(draws)
  })
  it('reads again if it jumped back while a page was on its way', async () => {
    const chart = open('replay-1')
    chart.give(value(bars(50, 100)))
    chart.following.cut(60 * SECOND)
    await chart.answer(bars(0, 100))
    expect(last(chart.shown)?.starts).toEqual([])
    expect(chart.asked).toBe(1)
    await chart.answer(bars(0, 60))
    expect(last(last(chart.shown)?.starts ?? [])).toBeLessThanOrEqual(60)
  })
  it('drops gaps that weren’t over by its clock, which nobody may have noticed then', async () => {
    const chart = open('replay-1')
    const gap = (from: number, to: number | null): GapSpan => ({
      feed: 'crypto/XT',
      cause: 'drop',
      fromMs: unixMs(from * SECOND),
      toMs: to === null ? null : unixMs(to * SECOND),
    })
    chart.give({ ...value(bars(0, 100)), gaps: [gap(10, 12), gap(38, 42), gap(70, 72), gap(99, null)] })
    await chart.answer(bars(0, 100))
    chart.following.cut(40 * SECOND)
    expect(last(chart.chart.setGaps.mock.calls)?.[0]).toEqual([gap(10, 12)])
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
  it('leaves no gap where it jumped ahead', async () => {
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

describe('what is stored and cannot be read', () => {
  const lost = (from: number, to: number): GapSpan => ({
    feed: 'crypto/XT',
    cause: 'unreadable',
    fromMs: unixMs(from * SECOND),
    toMs: unixMs(to * SECOND),
  })
  const dropped: GapSpan = { ...lost(90, 91), cause: 'drop' }
  const drawn = (chart: ReturnType<typeof open>): readonly GapSpan[] =>
    last(chart.chart.setGaps.mock.calls as [readonly GapSpan[]][])?.[0] ?? []
  const pagesOf = (chart: ReturnType<typeof open>): ChartPages =>
    last(chart.chart.setPages.mock.calls as [ChartPages][])![0]

  it('is reported by the page that found it, and stays when the stream reports gaps', async () => {
    const chart = open('live')
    await chart.answer(bars(50, 100), true, [lost(60, 65), dropped])
    expect(drawn(chart)).toEqual([dropped, lost(60, 65)])
    chart.give({ ...value(null), gaps: [] })
    expect(drawn(chart)).toEqual([lost(60, 65)])
  })

  it('is joined where pages meet the same, and drawn once the page that met it was put in', async () => {
    const chart = open('live')
    await chart.answer(bars(50, 100), true, [lost(45, 55)])
    const { older, settled } = pagesOf(chart)
    const page = older(50 * SECOND)
    await chart.answer(bars(0, 40), false, [lost(40, 50)])
    await page
    expect(drawn(chart)).toEqual([lost(45, 55)])
    settled()
    expect(drawn(chart)).toEqual([lost(40, 55)])
  })

  it('is not known yet in a replay that went back', async () => {
    const chart = open('replay-1')
    chart.give(value(bars(0, 100)))
    await chart.answer(bars(0, 100), false, [lost(10, 12), lost(40, 60), lost(80, 85)])
    chart.following.cut(50 * SECOND)
    expect(drawn(chart)).toEqual([lost(10, 12), lost(40, 50)])
    chart.give(value(bars(5, 45)))
    expect(drawn(chart)).toEqual([])
    await chart.answer(bars(0, 45), false, [lost(10, 12)])
    expect(drawn(chart)).toEqual([lost(10, 12)])
  })

  it('is not drawn from a page that a replay left behind by going back', async () => {
    const chart = open('replay-1')
    chart.give(value(bars(50, 100)))
    await chart.answer(bars(50, 100))
    const { older } = pagesOf(chart)
    const page = older(50 * SECOND)
    chart.following.cut(70 * SECOND)
    await chart.answer(bars(0, 50), false, [lost(80, 85)])
    expect(await page).toMatchObject({ bars: [] })
    pagesOf(chart).settled()
    expect(drawn(chart)).toEqual([])
  })

  it('is why there is no bar at all', async () => {
    const chart = open('live')
    await chart.answer([], false, [lost(0, 10)])
    expect(last(chart.stages)).toEqual({ is: 'empty', damaged: true })
    const other = open('live')
    await other.answer([], false)
    expect(last(other.stages)).toEqual({ is: 'empty', damaged: false })
  })
})

/** A million bars of a second, with a night of a day in the middle, served page by page as the terminal does. */
it('a page without bars does not mean that nothing older is stored', async () => {
  const transport = new TestTransport().answer('bars.history', ({ beforeMs }) =>
    beforeMs === null
      ? { bars: [bar(5)], gaps: [], decimals: 2, more: true }
      : { bars: [], gaps: [], decimals: 2, more: beforeMs > 0 },
  )
  let held: readonly Bar[] = []
  const { paging } = candles(transport, '1s', (_series, list) => (held = list))
  await vi.waitFor(() => expect(held).toHaveLength(1))
  expect(await paging().older(5 * SECOND)).toMatchObject({ bars: [], more: true })
  expect(paging().olderData()).toBe('more')
  await paging().older(0)
  expect(paging().olderData()).toBe('none')
})

it('knows that what is stored before its first bar is corrupt', async () => {
  const damaged = { feed: 'crypto/XT', cause: 'unreadable', fromMs: unixMs(0), toMs: unixMs(3 * SECOND) } as const
  const transport = new TestTransport().answer('bars.history', ({ beforeMs }) =>
    beforeMs === null
      ? { bars: [bar(5)], gaps: [], decimals: 2, more: true }
      : { bars: [bar(4)], gaps: [damaged], decimals: 2, more: false },
  )
  let held: readonly Bar[] = []
  const { paging } = candles(transport, '1s', (_series, list) => (held = list))
  await vi.waitFor(() => expect(held).toHaveLength(1))
  expect(paging().olderData()).toBe('more')
  await paging().older(5 * SECOND)
  expect(paging().olderData()).toBe('corrupt')
})

describe('a million bars', () => {
  const MILLION = 1_000_000
  const NIGHT = 86_400
  const second = (i: number): number => i + (i < MILLION / 2 ? 0 : NIGHT)
  const indexBefore = (beforeMs: number): number => {
    const at = Math.ceil(beforeMs / SECOND)
    return at <= MILLION / 2 ? at : Math.max(MILLION / 2, at - NIGHT)
  }
  const stored = Array.from({ length: MILLION }, (_, i) => bar(second(i)))
  function openLong() {
    let end = MILLION
    let asked = 0
    const transport = new TestTransport().answer('bars.history', ({ beforeMs, afterMs, limit }) => {
      asked++
      const first = afterMs === undefined ? null : indexBefore(afterMs + SECOND)
      const to = first !== null ? Math.min(end, first + limit) : Math.min(end, indexBefore(beforeMs ?? Infinity))
      const from = first ?? Math.max(0, to - limit)
      const list = stored.slice(from, to)
      const more = first === null ? from > 0 : to < end
      return { bars: list, gaps: [], decimals: 2, more }
    })
    /** What a chart would hold. */
    let held: Bar[] = []
    let newer = false
    let most = 0
    const hold = (list: Bar[]) => {
      held = list
      most = Math.max(most, list.length)
    }
    const { sink, paging } = candles(transport, '1s', (_series, list, _more, _keepView, past = false) => {
      hold([...list])
      newer = past
    })
    return {
      sink,
      paging,
      give: (next: BarsValue) => transport.send('bars', next),
      async back() {
        const page = await paging().older(held[0].startMs)
        hold(page.bars.concat(held))
        paging().settled()
        return page.more
      },
      async on() {
        const page = await paging().newer()
        newer = page.more
        hold(held.concat(page.bars))
        paging().settled()
        return page.more
      },
      grow() {
        const next = bar(second(end))
        stored[end++] = next
        return next
      },
      get held() {
        return held
      },
      get newer() {
        return newer
      },
      get most() {
        return most
      },
      get asked() {
        return asked
      },
    }
  }
  const isWhole = (list: readonly Bar[], from: number) =>
    list.every((one, i) => one.startMs === second(from + i) * SECOND)

  it('joins the stream without a gap, although the store lags behind it', async () => {
    const chart = openLong()
    await vi.waitFor(() => expect(chart.held).toHaveLength(1_500))
    await chart.paging().around(second(MILLION - 4_000) * SECOND)
    expect(chart.newer).toBe(true)
    // Told by the stream, and in no page yet.
    const ahead = [bar(second(MILLION)), bar(second(MILLION + 1)), bar(second(MILLION + 2))]
    for (const update of ahead) chart.give({ reset: null, updates: [update], gaps: null, decimals: 2 })
    while (await chart.on());
    expect(chart.held.at(-1)).toEqual(ahead[2])
    expect(isWhole(chart.held, MILLION + 3 - chart.held.length)).toBe(true)
  })

  it('take no correction of a bar before the first one held', async () => {
    const chart = openLong()
    await vi.waitFor(() => expect(chart.held).toHaveLength(1_500))
    chart.give({ reset: null, updates: [bar(second(3))], gaps: null, decimals: 2 })
    expect(chart.sink.update).not.toHaveBeenCalled()
  })

  it('are not joined to a page of elsewhere that arrives late', async () => {
    const chart = openLong()
    await vi.waitFor(() => expect(chart.held).toHaveLength(1_500))
    const late = chart.paging().older(chart.held[0].startMs)
    expect(await chart.paging().around(second(300_000) * SECOND)).toBe(true)
    expect((await late).bars).toEqual([])
    expect(isWhole(chart.held, 300_750 - 5_000)).toBe(true)
  })

  it('are paged back and forth in a bounded stretch, with few questions', async () => {
    const chart = openLong()
    await vi.waitFor(() => expect(chart.held).toHaveLength(1_500))
    let more = true
    while (more) {
      more = await chart.back()
    }
    expect(chart.held[0].startMs).toBe(0)
    expect(isWhole(chart.held, 0)).toBe(true)
    expect(chart.newer).toBe(true)
    expect(chart.most).toBeLessThanOrEqual(MAX_BARS + 5_000)
    expect(chart.asked).toBeLessThan(210)

    // What happens now is not put behind a stretch of the past.
    const seen = chart.held.length
    const asked = chart.asked
    chart.give({ reset: null, updates: [chart.grow()], gaps: null, decimals: 2 })
    expect(chart.sink.update).not.toHaveBeenCalled()
    expect(chart.held).toHaveLength(seen)

    let pages = 1
    for (; await chart.on(); pages++);
    expect(chart.asked).toBe(asked + pages)
    expect(chart.newer).toBe(false)
    expect(isWhole(chart.held, MILLION + 1 - chart.held.length)).toBe(true)
    expect(chart.most).toBeLessThanOrEqual(MAX_BARS + 5_000)
    const next = chart.grow()
    chart.give({ reset: null, updates: [next], gaps: null, decimals: 2 })
    expect(chart.sink.update).toHaveBeenLastCalledWith([next])
  }, 60_000)

  it('are found with few requests when little is traded, also after a weekend and into a rush', async () => {
    // Tenths of a second: a trade each ten seconds, two days of none, then one each tenth.
    const starts = [
      ...Array.from({ length: 8_000 }, (_, i) => i * 10_000),
      ...Array.from({ length: 12_000 }, (_, i) => 80_000_000 + 172_800_000 + i * 100),
    ]
    let asked = 0
    const transport = new TestTransport().answer('bars.history', ({ beforeMs, afterMs, limit }) => {
      asked++
      const there = starts.filter((ms) => ms < (beforeMs ?? Infinity) && ms > (afterMs ?? -Infinity))
      const page = afterMs === undefined ? there.slice(-limit) : there.slice(0, limit)
      const list = page.map((ms) => ({ ...bar(0), startMs: unixMs(ms), endMs: unixMs(ms + 100) }))
      return { bars: list, gaps: [], decimals: 2, more: there.length > limit }
    })
    let held: readonly Bar[] = []
    const { paging } = candles(transport, '100ms', (_series, list) => (held = list))
    await vi.waitFor(() => expect(held).toHaveLength(1_500))
    expect(await paging().around(10_000_000)).toBe(true)
    let all = held.map((one) => one.startMs as number)
    asked = 0
    let calls = 0
    for (let more = true; more; calls++) {
      const page = await paging().newer()
      more = page.more
      all = [...all, ...page.bars.map((one) => one.startMs)]
    }
    // None left out, none twice.
    expect(all).toEqual(starts.slice(starts.indexOf(all[0])))
    // One call a page.
    expect(calls).toBeLessThan(20)
    expect(asked).toBe(calls)
  })

  it('jump to an instant with one page, and to the newest with another', async () => {
    const chart = openLong()
    await vi.waitFor(() => expect(chart.held).toHaveLength(1_500))
    expect(await chart.paging().around(second(300_000) * SECOND)).toBe(true)
    expect(chart.asked).toBe(2)
    expect(isWhole(chart.held, 300_750 - 5_000)).toBe(true)
    expect(chart.newer).toBe(true)
    chart.paging().newest()
    await vi.waitFor(() => expect(chart.newer).toBe(false))
    expect(chart.held.at(-1)?.startMs).toBe(second(MILLION - 1) * SECOND)
  })
})
