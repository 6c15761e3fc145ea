/** What a chart pane passes to its chart and asks of the terminal. The chart itself is mocked. */
import '../../browser-stubs.ts'
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte'
import { tick, type ComponentProps } from 'svelte'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import ChartPane from '../../../../../src/renderer/features/chart/ChartPane.svelte'
import type { ChartLegend } from '../../../../../src/renderer/charts/model/chart.ts'
import type { Bar } from '../../../../../src/shared/core/market/market.ts'
import { chartWindow } from '../../../../../src/renderer/features/chart/model/chart-window.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { alerts } from '../../../../../src/renderer/features/alerts/feature.ts'
import { drawings, type DrawingsService } from '../../../../../src/renderer/features/drawings/feature.ts'
import type { Drawing } from '../../../../../src/shared/features/drawings/types.ts'
import { at, drawing } from '../../../shared/features/drawings/samples.ts'
import { openWindow, replaysOf, serviceOf } from '../../open-window.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'
import { makeBar } from '../../../../kit/market.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'

const { calls, visible } = vi.hoisted(() => ({ calls: [] as (readonly [string, unknown])[], visible: [] as Bar[] }))
vi.mock('../../../../../src/renderer/charts/kline-chart.ts', () => ({
  openChart() {
    const nothing: Record<string, unknown> = {
      plotArea: { left: 0, top: 0, width: 0, height: 0 },
      visibleBars: visible,
      barsBetween: [],
    }
    const call = (name: string) => (given: unknown) => {
      calls.push([name, given])
      return name.startsWith('on') ? () => undefined : nothing[name]
    }
    return new Proxy({}, { get: (_, name) => (typeof name === 'string' ? call(name) : undefined) })
  },
}))
const NO_LEGEND: ChartLegend = {
  bar: null,
  previousClose: null,
  fromCrosshair: false,
  rests: false,
  gap: null,
  atMs: null,
  markers: [],
  studies: [],
  compared: [],
}
// Drawings are painted on their own canvas, which jsdom doesn't have.
HTMLCanvasElement.prototype.getContext = () => null
const lastOf = (name: string) => calls.findLast(([one]) => one === name)?.[1]

let terminal: WindowTerminal
let app: WindowState
let queue: (() => void)[] = []
const settle = async () => {
  for (let i = 0; i < 3; i++) {
    await terminal.settle()
    const now = queue
    queue = []
    for (const run of now) run()
    await tick()
  }
}
async function open() {
  app = openWindow(terminal, { frame: (run) => void queue.push(run), painted: (run) => run() })
  await settle()
  app.followQuotes()
  await settle()
}
/** Shows the terminal's source as the demo market or the user's own service. */
const setSource = (source: 'demo' | 'service') => terminal.alter('status', (status) => ({ ...status, source }))
async function show(more: Partial<WindowState['chart']> = {}, props: Partial<ComponentProps<typeof ChartPane>> = {}) {
  const view = () => ({
    transport: terminal,
    view: app.view,
    instrument: app.instrument,
    symbol: 'BTC-USD',
    settings: { ...app.chart, ...more },
    zone: 'UTC',
    themeKey: 'dark',
    onSettings: () => undefined,
    drawings: serviceOf(app, drawings),
    window: chartWindow(app, replaysOf(app).current, () => app.instrument),
    ...props,
  })
  const { rerender } = render(ChartPane, view())
  await settle()
  return async () => {
    await rerender(view())
    await settle()
  }
}
beforeAll(async () => {
  terminal = await WindowTerminal.start()
  await terminal.control('recordSession')
})
afterAll(() => terminal.close())
beforeEach(() => {
  calls.length = 0
  visible.length = 0
  queue = []
})
afterEach(() => {
  cleanup()
  app.close()
  terminal.reset()
})

it('is named after both symbols of a ratio', async () => {
  await open()
  const eth = instrumentId('crypto', 'ETH-USD')
  await show({ spread: { of: app.instrument, with: eth, label: 'ETH-USD', operator: '/' } })
  expect(screen.getByRole('application').getAttribute('aria-label')).toMatch(/^Chart of BTC-USD\/ETH-USD\./)
})

describe('the drawings of a chart', () => {
  const followed = () => terminal.argsOf('drawings').map(({ market }) => market)

  it.each(['demo', 'service'] as const)('belong to the %s market while it is shown', async (source) => {
    setSource(source)
    await open()
    await show()
    expect(followed()).toEqual([source])
  })

  it('change with the market', async () => {
    await open()
    await show()
    setSource('service')
    await settle()
    expect(followed()).toEqual(['service'])
  })

  it('of a replay belong to its source, whatever the account', async () => {
    setSource('service')
    await open()
    const again = await show()
    await replaysOf(app).openLatest()
    expect(app.view).not.toBe('live')
    await again()
    expect(followed()).toEqual(['demo'])
    terminal.alter('replay', (state) => ({ ...state, source: 'service:data.example.com' }))
    await settle()
    expect(followed()).toEqual(['service'])
  })
})

describe('a logarithmic chart whose settings compare symbols', () => {
  const ETH = instrumentId('crypto', 'ETH-USD')
  const BTC = instrumentId('crypto', 'BTC-USD')
  it.each([
    ['with nothing', [], false, 'log', ''],
    ['with itself', [BTC], false, 'log', ''],
    ['with others', [BTC, ETH], false, 'linear', '1'],
    ['with others, at ticks', [ETH], true, 'log', ''],
  ] as const)('%s watches a drawing on the scale that it has', async (_, compare, ticks, scale, count) => {
    let watch: ((drawing: Drawing) => void) | undefined
    const Layer: DrawingsService['Layer'] = (_anchor, { onAlert }) => {
      watch = onAlert
      return {}
    }
    await open()
    const book = serviceOf(app, alerts)
    await show(
      { compare: [...compare], ticks, scale: 'log' },
      { alerts: book, drawings: { ...serviceOf(app, drawings), Layer } },
    )
    watch?.(drawing('trend', [at(0, 1), at(1, 2)]))
    expect(book.alerts.editing?.draft.condition).toMatchObject({ is: 'drawing', scale })
    expect(screen.getByTitle('Compare with other symbols').textContent.replaceAll('Compare', '').trim()).toBe(count)
    const panel = document.querySelector(
      `#${screen.getByTitle('Scale, lines, time zone').getAttribute('popovertarget')}`,
    )
    panel?.dispatchEvent(Object.assign(new Event('beforetoggle'), { newState: 'open' }))
    await tick()
    expect(screen.getByLabelText<HTMLInputElement>('Logarithmic').checked).toBe(scale === 'log')
  })
})

describe('the last price of a chart', () => {
  it('is shown as old only while its feed is disconnected', async () => {
    await open()
    await show()
    expect(lastOf('setStale')).toBe(false)
    terminal.link(false)
    await settle()
    expect(lastOf('setStale')).toBe(true)
    terminal.link(true)
    await settle()
    expect(lastOf('setStale')).toBe(false)
  })
})

describe('the table of visible bars', () => {
  it('takes bars that load after it was opened', async () => {
    await open()
    await show()
    await fireEvent.click(screen.getByRole('button', { name: 'Table' }))
    const table = screen.getByRole('region', { name: 'Visible bars' })
    expect(table.querySelectorAll('tbody tr')).toHaveLength(0)
    visible.push(makeBar({ close: 1, volume: null }))
    const sendLegend = lastOf('onLegend') as (legend: ChartLegend) => void
    sendLegend(NO_LEGEND)
    await settle()
    expect(table.querySelectorAll('tbody tr')).toHaveLength(1)
  })
})

describe('a chart without bars', () => {
  it('plays its replay with a large button, which disappears once it plays', async () => {
    await open()
    await replaysOf(app).openLatest()
    replaysOf(app).current.seek({ at: 'start' })
    await settle()
    await show()
    await fireEvent.click(screen.getByRole('button', { name: 'Play replay' }))
    expect(terminal.callsOf('replay.play')).toMatchObject([{ on: true }])
    await settle()
    expect(screen.queryByRole('button', { name: 'Play replay' })).toBeNull()
  })

  it('offers nothing to play in the live view', async () => {
    terminal.answer('bars.history', () => ({ bars: [], gaps: [], decimals: 2, more: false }))
    terminal.alter('bars', (value) => ({ ...value, reset: value.reset && [] }))
    await open()
    await show()
    expect(screen.getByText('No bars of BTC-USD yet')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Play replay' })).toBeNull()
  })
})
