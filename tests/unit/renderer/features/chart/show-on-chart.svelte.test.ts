// @vitest-environment jsdom
/** What a chart shows, driven by settings that change one at a time. */
import { flushSync } from 'svelte'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import '../../browser-stubs.ts'
import { showOnChart } from '../../../../../src/renderer/features/chart/show-on-chart.svelte.ts'
import { shownChart } from '../../../../../src/renderer/features/chart/model/shown-chart.ts'
import { addStudy } from '../../../../../src/renderer/features/chart/model/chart-studies.ts'
import {
  DEFAULT_CHART_SETTINGS,
  type ChartSettings,
  type ChartStyle,
} from '../../../../../src/shared/features/chart/chart-settings.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'
import type { Bar } from '../../../../../src/shared/core/market/market.ts'
import { recordedChart } from '../../charts/recording-canvas.ts'
import { makeBar } from '../../../../kit/market.ts'
import { TestTransport } from '../../../../kit/transport.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const ETH = instrumentId('crypto', 'ETH-USD')
const MINUTE = 60_000
const RATIO = { of: BTC, with: ETH, label: 'ETH-USD', operator: '/' } as const
const RULE = { kind: 'tick', size: 100 } as const
const bars: readonly Bar[] = Array.from({ length: 20 }, (_, i) =>
  makeBar({ startMs: i * MINUTE, open: 100 + i, high: 103 + i, low: 99 + i, close: 101 + i, volume: null }),
)
const page = { bars: [...bars], gaps: [], decimals: 2, more: false }
const plot = {
  scale: 'linear',
  inverted: false,
  volume: false,
  sessions: false,
  days: false,
  values: false,
  quoteMap: false,
  timeAtPrice: false,
  countdown: false,
  asset: 'crypto',
} as const

const { port, painted, frames } = recordedChart(1_000, 600)
let end = (): void => undefined
afterEach(() => end())
afterAll(() => port.destroy())

/** A chart of a replay, whose effects rerun only for what changed. */
function show(first: Partial<ChartSettings>) {
  const reset = () => ({ reset: [...bars], updates: [], gaps: [], decimals: 2 })
  const transport = new TestTransport()
    .answer('bars.history', () => page)
    .answer('bars.events', () => page)
    .serve('bars', reset)
    .serve('eventBars', reset)
  let settings = $state.raw<ChartSettings>({ ...DEFAULT_CHART_SETTINGS, interval: '1m', ...first })
  let asOf = $state<number | null>(null)
  const stages: string[] = []
  end = $effect.root(() => {
    const shown = $derived(shownChart(settings, BTC))
    const query = $derived({
      view: 'replay-1',
      instrument: BTC,
      label: 'BTC-USD',
      of: shown.of,
      interval: shown.interval,
      ticks: shown.ticks,
      eventBars: shown.eventBars,
      spread: shown.spread,
    })
    const style = $derived(shown.style)
    const hasFlow = $derived(shown.hasFlow)
    showOnChart({
      chart: port,
      transport,
      get query() {
        return query
      },
      get style() {
        return style
      },
      get compared() {
        return shownChart(settings, BTC).compared
      },
      get hasFlow() {
        return hasFlow
      },
      get settings() {
        return settings
      },
      markets: 0,
      zone: 'UTC',
      plot,
      quote: null,
      retry: 0,
      get asOf() {
        return asOf
      },
      markers: null,
      goTo: null,
      crosshair: null,
      window: null,
      themeKey: 'dark',
      leads: () => false,
      onStage: (stage) => void stages.push(stage.is),
      onDecimals: () => undefined,
      onSides: () => undefined,
    })
  })
  flushSync()
  return {
    transport,
    stages,
    setClock(ms: number) {
      asOf = ms
      flushSync()
    },
    set(patch: Partial<ChartSettings>) {
      settings = { ...settings, ...patch }
      flushSync()
    },
    /** The replay seeks: the stream begins again. */
    seek: () => transport.send('bars', reset()),
  }
}
/** How the bars are drawn, by what only that style paints. */
async function drawn(): Promise<'line' | 'footprint' | 'bodies'> {
  for (let i = 0; i < 10; i++) await Promise.resolve()
  await frames()
  const inPlot = painted().filter(({ path, at }) => (path[0]?.[1] ?? at[1]) < 590)
  if (inPlot.some(({ op, path }) => op === 'stroke' && path.length >= bars.length)) return 'line'
  return port.footprintAt(0) === null ? 'bodies' : 'footprint'
}

describe('a chart whose replay goes back', () => {
  it('loads if none of its bars is left, until the new ones arrive', async () => {
    const chart = show({})
    chart.setClock(20 * MINUTE)
    await drawn()
    chart.setClock(10 * MINUTE)
    expect(chart.stages.at(-1)).toBe('ready')
    chart.setClock(-MINUTE)
    expect(chart.stages.at(-1)).toBe('loading')
    chart.seek()
    await drawn()
    expect(chart.stages.at(-1)).toBe('ready')
  })
})

it('compares a symbol with others, never with itself', () => {
  const { transport } = show({ compare: [BTC, ETH] })
  expect(transport.argsOf('bars').map(({ instrument }) => instrument)).toEqual([BTC, ETH])
})

describe('the style of a chart', () => {
  it.each([
    ['candles', 'line', 'line'],
    ['line', 'candles', 'bodies'],
  ] as const satisfies readonly (readonly [ChartStyle, ChartStyle, string])[])(
    'stays as chosen after a seek: from %s to %s',
    async (before, style, expected) => {
      const chart = show({ style: before })
      await drawn()
      chart.set({ style })
      expect(await drawn()).toBe(expected)
      chart.seek()
      expect(await drawn()).toBe(expected)
    },
  )

  it.each([
    ['bars by trades', { eventBars: RULE }],
    ['a ratio', { spread: RATIO }],
  ] as const)('is never a footprint of %s, also once bars are loaded', async (_, patch) => {
    show({ style: 'footprint', ...patch })
    port.setFootprint({
      rows: { decimals: 0, group: 1 },
      cellsOf: () => ({ row: [], sell: [], buy: [], unknown: [], count: [] }),
    })
    expect(await drawn()).toBe('bodies')
    port.setFootprint(null)
  })
})

describe('indicators of order flow', () => {
  const indicators = [...addStudy(addStudy([], 'delta'), 'session-vwap')]

  it('read the trades of the bars', async () => {
    const chart = show({ indicators })
    await drawn()
    expect(chart.transport.argsOf('flow')).toMatchObject([{ instrument: BTC }])
  })

  it('read no trades on a ratio: those of one side aren’t its own', async () => {
    const chart = show({ indicators, spread: RATIO })
    await drawn()
    expect(chart.transport.argsOf('flow')).toEqual([])
    chart.set({ spread: null })
    await drawn()
    expect(chart.transport.argsOf('flow')).toMatchObject([{ instrument: BTC }])
    chart.set({ spread: RATIO })
    await drawn()
    expect(chart.transport.argsOf('flow')).toEqual([])
  })
})
