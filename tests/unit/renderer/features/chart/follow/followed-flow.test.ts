/** The sides that a chart reads: those of the days in view, and no others. */
import { describe, expect, it, vi } from 'vitest'
import {
  followFlow,
  followFootprint,
  type FlowChart,
} from '../../../../../../src/renderer/features/chart/follow/followed-flow.ts'
import type { Footprint } from '../../../../../../src/renderer/charts/model/footprint.ts'
import { earlierTrades } from '../../../../../../src/renderer/features/chart/follow/earlier-trades.ts'
import { FormulaRuns } from '../../../../../../src/renderer/charts/formula/formula-runs.ts'
import { rowOf } from '../../../../../../src/renderer/charts/model/series.ts'
import { IndicatorRun, type FlowOf } from '../../../../../../src/renderer/charts/model/study-run.ts'
import { RESETS } from '../../../../../../src/shared/core/market/indicators/delta.ts'
import { utcDay } from '../../../../../../src/shared/core/market/indicators/row.ts'
import { INDICATORS } from '../../../../../../src/shared/core/market/indicators/table.ts'
import { NO_CELLS } from '../../../../../../src/shared/core/market/flow/cells.ts'
import { NO_VWAP } from '../../../../../../src/shared/core/market/flow/vwap.ts'
import type { Bar } from '../../../../../../src/shared/core/market/market.ts'
import { instrumentId } from '../../../../../../src/shared/base/units.ts'
import { makeBar } from '../../../../../kit/market.ts'
import { TestTransport } from '../../../../../kit/transport.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const DAY = 86_400_000
const HOUR = 3_600_000
const meter = { join: { by: 'event', ms: 0 }, explained: null, trades: 0 } as const
const query = {
  view: 'live',
  instrument: BTC,
  label: 'BTC',
  of: 'trade',
  interval: '1h',
  ticks: false,
  eventBars: null,
} as const
/** Columns of bars of which only the sides matter here. */
const columns = (startMs: number[] = [], buy: number[] = [], sell: number[] = []) => {
  const zeros = startMs.map(() => 0)
  return { startMs, buy, sell, unknown: zeros, leastDelta: zeros, mostDelta: zeros, vwap: zeros, squares: zeros }
}
const coverage = { trades: 0, unknown: 0, unquoted: 0, gaps: 0, breaks: 0 }

function start() {
  const transport = new TestTransport().serve('flow', (args) => ({
    reset: { fromMs: args.fromMs, toMs: args.toMs },
    bars: columns(),
    coverage,
    meter,
  }))
  /** Hours from 0 to 20 days, of which those in [from, to) are in view. */
  const all: readonly Bar[] = Array.from({ length: 20 * 24 }, (_, i) => makeBar({ startMs: i * HOUR, lengthMs: HOUR }))
  let visible: readonly Bar[] = []
  let look = () => {}
  const changes: number[] = []
  let flowOf: FlowOf | null = null
  const chart: FlowChart = {
    visibleBars: () => visible,
    barsBetween: (fromMs, toMs) => all.filter(({ startMs }) => startMs >= fromMs && startMs <= toMs),
    onView(listener) {
      look = listener
      return () => (look = () => {})
    },
    setFlow(next, fromMs) {
      flowOf = next
      changes.push(fromMs)
    },
  }
  const onSides = vi.fn<(sides: unknown) => void>()
  const following = followFlow(transport, chart, query, onSides)
  return {
    transport,
    onSides,
    changes,
    following,
    show(from: number, to: number) {
      visible = all.slice(from, to)
      look()
    },
    at: (ms: number) => flowOf?.(ms),
    before: (ms: number) => flowOf?.before?.(ms),
  }
}

describe('the sides on a chart', () => {
  it('are those of the days in view, up to now at the newest bar, and of a week at most', () => {
    const { transport, show } = start()
    const asked = () =>
      transport.argsOf('flow').map(({ fromMs, toMs }) => [fromMs / DAY, toMs === null ? null : toMs / DAY])
    expect(asked()).toEqual([])
    show(470, 480)
    expect(asked()).toEqual([[19, null]])
    show(460, 470)
    expect(asked(), 'the same day').toEqual([[19, null]])
    show(100, 130)
    expect(asked()).toEqual([[4, 6]])
    show(100, 400)
    expect(asked()).toEqual([[9, 17]])
  })

  it('are none in a bar without trades and absent outside what was read', () => {
    const { transport, show, at, changes, following, onSides } = start()
    show(100, 130)
    expect([at(4 * DAY - HOUR), at(4 * DAY), at(6 * DAY)]).toEqual([
      undefined,
      { buy: 0, sell: 0, vwap: NO_VWAP },
      undefined,
    ])
    transport.send('flow', { reset: null, bars: columns([5 * DAY, 4 * DAY], [2, 1], [0, 7]), coverage, meter })
    expect([at(4 * DAY), changes.at(-1)]).toEqual([
      { buy: 1, sell: 7, vwap: { volume: 8, mean: 0, squares: 0 } },
      4 * DAY,
    ])
    expect(onSides.mock.lastCall?.[0]).toMatchObject({ coverage, range: { fromMs: 4 * DAY, toMs: 6 * DAY } })
    following.cut(0)
    expect(at(4 * DAY), 'a replay seeked back').toBeUndefined()
    expect(onSides.mock.lastCall?.[0]).toBeNull()
    following.stop()
    expect(transport.argsOf('flow')).toEqual([])
  })
})

describe('sums that begin before the first bar of a chart', () => {
  const flow = (buy: number, sell: number) => ({ buy, sell, vwap: { volume: buy + sell, mean: 10, squares: 0 } })
  /** Seconds from an hour into the second day, with what was read of that day in minutes. */
  const flows = new Map(Array.from({ length: 70 }, (_, i) => [DAY + i * 60_000, flow(3, 1)]))
  const firstMs = DAY + HOUR
  const flowOf = (anchors: readonly number[] = []): FlowOf =>
    Object.assign((ms: number) => flows.get(ms), {
      before: (ms: number) => earlierTrades(flows, DAY, ms, anchors),
    })
  const rows = Array.from({ length: 10 }, (_, i) => rowOf(makeBar({ startMs: firstMs + i * 60_000, volume: 4 })))
  const last = (kind: 'cvd' | 'session-vwap' | 'anchored-vwap', values: Record<string, number>, anchors?: number[]) => {
    const run = new IndicatorRun(INDICATORS[kind], values, 'close', utcDay)
    run.setFlow(flowOf(anchors), -Infinity)
    return run.follow(rows).at(-1)?.['0']
  }

  it('have all of the day, whatever part of it the chart has', () => {
    // 70 minutes with 3 bought and 1 sold.
    expect(last('cvd', {})).toBe(140)
    expect(last('session-vwap', {})).toBe(10)
  })

  it('begin at their anchor, or have no value if it wasn’t read', () => {
    const anchor = (ms: number) => ({ reset: RESETS.indexOf('anchor'), anchor: ms })
    const within = DAY + 7 * 60_000
    expect(last('cvd', anchor(within), [within])).toBe(126)
    expect(last('cvd', anchor(firstMs + 60_000), [firstMs + 60_000])).toBe(18)
    expect(last('cvd', anchor(DAY - 60_000), [DAY - 60_000])).toBeUndefined()
    expect(last('anchored-vwap', { anchor: DAY - 60_000 }, [DAY - 60_000])).toBeUndefined()
  })

  it('without a reset, they begin with the first bar', () => {
    expect(last('cvd', { reset: RESETS.indexOf('never') })).toBe(20)
  })

  it('also in a formula', () => {
    const row = (i: number) => [firstMs + i * 60_000, 1, 1, 1, 1, 4, 3, 1]
    const start = { text: 'cvd()', values: [], asset: 'crypto' as const, earlier: flowOf().before?.(firstMs) ?? [] }
    const response = new FormulaRuns().respond({ run: 1, start, rows: new Float64Array([...row(0), ...row(1)]) })
    expect('values' in response && [...response.values]).toEqual([122, 124])
  })

  it('are read again when what is before the first bar changes', () => {
    const { transport, show, before } = start()
    show(100, 130)
    const sold = () => before(5 * DAY)?.reduce((sum, { flow: one }) => sum + (one?.sell ?? 0), 0)
    transport.send('flow', { reset: null, bars: columns([4 * DAY, 5 * DAY], [1, 1], [7, 9]), coverage, meter })
    expect(sold()).toBe(7)
    transport.send('flow', { reset: null, bars: columns([4 * DAY + HOUR], [0], [2]), coverage, meter })
    expect(sold()).toBe(9)
  })
})

describe('the cells on a chart', () => {
  const rows = { decimals: 2, group: 5 }

  function startFootprint() {
    const transport = new TestTransport().serve('flow', (args) => ({
      reset: { fromMs: args.fromMs, toMs: args.toMs },
      bars: columns(),
      coverage,
      meter,
    }))
    const all: readonly Bar[] = Array.from({ length: 480 }, (_, i) => makeBar({ startMs: i * HOUR, lengthMs: HOUR }))
    let visible: readonly Bar[] = all.slice(200, 220)
    let look = () => {}
    let shown: Footprint | null = null
    const following = followFootprint(
      transport,
      {
        visibleBars: () => visible,
        barsBetween: (fromMs, toMs) => all.filter(({ startMs }) => startMs >= fromMs && startMs <= toMs),
        onView(listener) {
          look = listener
          return () => (look = () => {})
        },
        setFootprint: (next) => (shown = next),
      },
      query,
      rows,
      () => undefined,
    )
    return {
      transport,
      following,
      show(from: number, to: number) {
        visible = all.slice(from, to)
        look()
      },
      cellsAt: (hour: number) => shown?.cellsOf(hour * HOUR),
      asked: () =>
        transport
          .argsOf('flow')
          .map(({ fromMs, toMs, rows }) => [fromMs / HOUR, toMs === null ? null : toMs / HOUR, rows]),
    }
  }

  it('are read for the bars around those in view, and again only beyond them', () => {
    const { asked, show } = startFootprint()
    expect(asked()).toEqual([[141, 280, rows]])
    show(230, 260)
    expect(asked(), 'read already').toEqual([[141, 280, rows]])
    show(270, 290)
    expect(asked()).toEqual([[211, 350, rows]])
    show(470, 480)
    expect(asked(), 'the newest bar').toEqual([[411, null, rows]])
  })

  it('are none in a bar without trades, absent outside what was read and after a seek', () => {
    const { transport, following, cellsAt } = startFootprint()
    expect([cellsAt(140), cellsAt(141), cellsAt(280)]).toEqual([undefined, NO_CELLS, undefined])
    const cells = { row: [1], buy: [1], sell: [0], unknown: [0], count: [1] }
    transport.send('flow', {
      reset: null,
      bars: { ...columns([150 * HOUR], [1], [0]), cells: [cells] },
      coverage,
      meter,
    })
    expect(cellsAt(150)).toEqual(cells)
    following.cut(0)
    expect(cellsAt(150)).toBeUndefined()
    following.stop()
    expect(transport.argsOf('flow')).toEqual([])
  })
})
