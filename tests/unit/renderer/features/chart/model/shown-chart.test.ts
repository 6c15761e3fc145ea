/** What a chart shows of what its settings ask for. */
import { expect, it } from 'vitest'
import { paneChartSettings, shownChart } from '../../../../../../src/renderer/features/chart/model/shown-chart.ts'
import {
  DEFAULT_CHART_SETTINGS,
  type ChartSettings,
} from '../../../../../../src/shared/features/chart/chart-settings.ts'
import { instrumentId } from '../../../../../../src/shared/base/units.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const ETH = instrumentId('crypto', 'ETH-USD')
const EUR = instrumentId('forex', 'EUR/USD')
const RULE = { kind: 'tick', size: 100 } as const
const ratio = (of = BTC, other = ETH) => ({ of, with: other, label: 'X', operator: '/' }) as const
const shown = (patch: Partial<ChartSettings>, instrument = BTC) =>
  shownChart({ ...DEFAULT_CHART_SETTINGS, interval: '1m', style: 'footprint', ...patch }, instrument)

it.each([
  [
    'bars of an interval',
    shown({}),
    { style: 'footprint', isTimed: true, hasFlow: true, ticks: false, stepMs: 60_000 },
  ],
  ['single trades', shown({ ticks: true }), { style: 'line', isTimed: false, hasFlow: false, ticks: true, stepMs: 1 }],
  ['trades as an area', shown({ ticks: true, style: 'area' }), { style: 'area', styles: ['line', 'area'] }],
  ['bars by trades', shown({ eventBars: RULE, ticks: true }), { style: 'candles', isTimed: false, ticks: false }],
  [
    'a ratio',
    shown({ spread: ratio(), eventBars: RULE, ticks: true }),
    { style: 'candles', eventBars: null, ticks: false, stepMs: 60_000, hasFlow: false },
  ],
  ['a ratio of another instrument', shown({ spread: ratio(ETH, BTC) }), { style: 'footprint', spread: null }],
  ['forex', shown({}, EUR), { style: 'candles', isTimed: true, hasFlow: false }],
  [
    'forex, which has no trades',
    shown({ eventBars: RULE, ticks: true }, EUR),
    { style: 'candles', isTimed: true, eventBars: null, ticks: false, stepMs: 60_000 },
  ],
] as const)('the style of %s is one that its bars can have', (_, chart, expected) => {
  expect(chart).toMatchObject(expected)
  expect(chart.styles).toContain(chart.style)
})

it.each([
  ['service bars of an interval', shown({ of: 'service' }), ['service']],
  ['trades for bars by trades', shown({ of: 'bid', eventBars: RULE }), ['trade']],
  ['the trades of both sides of a ratio', shown({ spread: ratio(), of: 'service' }), ['trade']],
  ['the quotes chosen for both sides', shown({ spread: ratio(), of: 'bid' }), ['bid']],
  ['mids where a side has no trades', shown({ spread: ratio(BTC, EUR) }), ['trade', 'mid']],
] as const)('its bars are built from %s', (_, chart, sources) => {
  expect(chart.builtFrom).toEqual(sources)
  expect(chart.sources).toContain(chart.of)
})

it.each([
  ['others, never itself', shown({ compare: [BTC, ETH, EUR] }), [ETH, EUR]],
  ['others while it shows a ratio', shown({ compare: [EUR], spread: ratio() }), [EUR]],
  ['nothing at ticks', shown({ compare: [ETH], ticks: true }), []],
  ['nothing at bars by trades', shown({ compare: [ETH], eventBars: RULE }), []],
  ['others at the bars that stand for ticks of forex', shown({ compare: [ETH], ticks: true }, EUR), [ETH]],
] as const)('it is compared with %s', (_, { compared }, expected) => {
  expect(compared).toEqual(expected)
})

it('a chart whose color shares an interval can show ticks and bars by trades', () => {
  expect(paneChartSettings({ interval: '1m' }, '5m')).toMatchObject({ interval: '5m', ticks: false, eventBars: null })
  expect(paneChartSettings({ interval: '1m', eventBars: RULE }, '5m')).toMatchObject({
    interval: '5m',
    eventBars: RULE,
  })
  expect(paneChartSettings({ ticks: true }, '5m').ticks).toBe(true)
  expect(paneChartSettings({ interval: '1m' }, null).interval).toBe('1m')
})
