/** What the commands and the menu of a chart do to its settings, and what they say where they can't. */
import { describe, expect, it, vi } from 'vitest'
import {
  alertHours,
  chartActs,
  wholeSpan,
  type ActsPane,
} from '../../../../../src/renderer/features/chart/chart-acts.ts'
import { addStudy } from '../../../../../src/renderer/features/chart/model/chart-studies.ts'
import {
  DEFAULT_CHART_SETTINGS,
  MAX_INDICATORS,
  type ChartSettings,
} from '../../../../../src/shared/features/chart/chart-settings.ts'
import type { ChartPort } from '../../../../../src/renderer/charts/model/chart.ts'
import type { Bar } from '../../../../../src/shared/core/market/market.ts'
import { makeBar } from '../../../../kit/market.ts'

function open(pane: Partial<ActsPane> = {}, patch: Partial<ChartSettings> = {}) {
  const set = vi.fn<ActsPane['set']>()
  const tell = vi.fn<ActsPane['tell']>()
  const acts = chartActs({
    chart: null,
    settings: { ...DEFAULT_CHART_SETTINGS, ...patch },
    hasFlow: true,
    rows: null,
    anchorMs: () => 5_000,
    open: () => undefined,
    picture: () => undefined,
    table: () => undefined,
    set,
    tell,
    marked: () => null,
    choose: () => undefined,
    review: () => undefined,
    ...pane,
  })
  return { acts, set, tell, indicators: () => set.mock.lastCall?.[0].indicators }
}

describe('commands of a chart', () => {
  it('show the indicators that are missing, and hide them once all are shown', () => {
    const missing = open({}, { indicators: [...addStudy([], 'delta')] })
    missing.acts.toggle(['delta', 'cvd'])
    expect(missing.indicators()?.map(({ kind }) => kind)).toEqual(['delta', 'cvd'])
    const shown = open({}, { indicators: [...addStudy(addStudy(addStudy([], 'cvd'), 'sma'), 'delta')] })
    shown.acts.toggle(['delta', 'cvd'])
    expect(shown.indicators()?.map(({ kind }) => kind)).toEqual(['sma'])
  })

  it('change how many ticks a footprint row has, and say so if no footprint is shown', () => {
    const footprint = open({ rows: { decimals: 2, group: 10 } })
    footprint.acts.group(1)
    expect(footprint.set).toHaveBeenCalledWith({ footprint: { ...DEFAULT_CHART_SETTINGS.footprint, group: 20 } })
    const none = open()
    none.acts.group(1)
    expect([none.set, none.tell].map((one) => one.mock.calls.length)).toEqual([0, 1])
  })

  it('anchor at the crosshair or the first bar in view, or over a span', () => {
    const { acts, indicators } = open()
    acts.anchor('anchored-vwap')
    expect(indicators()).toMatchObject([{ kind: 'anchored-vwap', values: { anchor: 5_000 } }])
    acts.anchor('volume-profile', { fromMs: 1, toMs: 2 })
    expect(indicators()).toMatchObject([{ kind: 'volume-profile', values: { from: 1, to: 2 } }])
  })

  it.each([
    ['bars whose trades can’t be read', { hasFlow: false }, /time-based bars/],
    ['no bars', { anchorMs: () => null }, /no bars/],
  ])('say why they anchor nothing: %s', (_, pane, sentence) => {
    const { acts, set, tell } = open(pane)
    acts.anchor('cvd')
    expect(set).not.toHaveBeenCalled()
    expect(tell).toHaveBeenCalledWith(expect.stringMatching(sentence))
  })
})

describe('the volume profile of a range', () => {
  const span = { fromMs: 60_000, toMs: 120_000 }

  it('covers the marked range, or else the one that is then chosen', () => {
    const marked = open({ marked: () => span })
    marked.acts.profileRange()
    expect(marked.indicators()).toMatchObject([{ kind: 'volume-profile', values: { from: 60_000, to: 120_000 } }])
    const choose = vi.fn<ActsPane['choose']>()
    const asked = open({ choose })
    asked.acts.profileRange()
    expect(asked.set).not.toHaveBeenCalled()
    choose.mock.lastCall?.[0](span)
    expect(asked.indicators()).toMatchObject([{ kind: 'volume-profile', values: { from: 60_000, to: 120_000 } }])
  })

  it('isn’t asked for if the chart can’t have another indicator', () => {
    const choose = vi.fn<ActsPane['choose']>()
    let indicators: ChartSettings['indicators'] = []
    for (let i = 0; i < MAX_INDICATORS; i++) indicators = [...addStudy(indicators, 'sma')]
    const { acts, tell, set } = open({ choose }, { indicators })
    acts.profileRange()
    expect([choose, set].map((one) => one.mock.calls.length)).toEqual([0, 0])
    expect(tell).toHaveBeenCalledWith(`A chart can have up to ${MAX_INDICATORS} indicators.`)
  })

  it('isn’t asked for where no trades can be read', () => {
    const choose = vi.fn<ActsPane['choose']>()
    const { acts, tell } = open({ hasFlow: false, marked: () => span, choose })
    acts.profileRange()
    expect(choose).not.toHaveBeenCalled()
    expect(tell).toHaveBeenCalledWith(expect.stringMatching(/time-based bars/))
  })
})

describe('the review of a chart', () => {
  /** What the command does with bars in view, a marked range, or neither. */
  function review(bars: readonly Bar[], marked: { readonly fromMs: number; readonly toMs: number } | null) {
    const asked = vi.fn<ActsPane['review']>()
    const chart: Pick<ChartPort, 'visibleBars'> = { visibleBars: () => bars }
    const { acts, tell } = open({ chart: chart as ChartPort, marked: () => marked, review: asked }) // what it asks of it
    acts.review()
    return { asked: asked.mock.calls, told: tell.mock.calls }
  }
  const bars = [1, 2, 3].map((at) => makeBar({ startMs: at * 60_000, lengthMs: 60_000 }))

  it('covers the marked range, or else the bars in view', () => {
    const marked = { fromMs: 60_000, toMs: 120_000 }
    expect(review(bars, marked)).toEqual({ asked: [[marked]], told: [] })
    expect(review(bars, null)).toEqual({ asked: [[{ fromMs: 60_000, toMs: 240_000 }]], told: [] })
  })

  it('isn’t opened without bars, and says so', () => {
    expect(review([], null)).toEqual({ asked: [], told: [[expect.stringMatching(/no bars to review/)]] })
  })
})

describe('spans of bars', () => {
  const hour = 3_600_000
  /** Hours of a Saturday. */
  const bars = [0, 1, 2].map((at) => makeBar({ startMs: Date.UTC(2026, 0, 3, at), lengthMs: hour }))
  const chart = {
    barsBetween: (fromMs: number, toMs: number) => bars.filter(({ startMs }) => startMs >= fromMs && startMs <= toMs),
  }

  it('take in the whole of the last marked bar, whichever way it was marked', () => {
    const [first, , last] = bars
    const whole = { fromMs: first.startMs, toMs: last.endMs }
    expect(wholeSpan(chart, { fromMs: last.startMs, toMs: first.startMs })).toEqual(whole)
    expect(wholeSpan(chart, { fromMs: 1, toMs: 2 }), 'no bars').toEqual({ fromMs: 1, toMs: 2 })
  })

  it('make alerts of a drawing apply at all hours where there are bars outside of the market’s', () => {
    const drawing = { points: [{ ms: bars[0].startMs, price: 1 }] }
    expect(['stocks', 'crypto'].map((asset) => alertHours(chart, asset as 'stocks' | 'crypto', drawing))).toEqual([
      'all',
      'open',
    ])
  })
})
