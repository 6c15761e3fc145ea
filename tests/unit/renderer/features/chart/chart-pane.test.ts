/** What a chart's pane gives to its chart and asks of the terminal; the drawing library is not there. */
import '../../browser-stubs.ts'
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import ChartPane from '../../../../../src/renderer/features/chart/ChartPane.svelte'
import type { ChartLegend } from '../../../../../src/renderer/charts/model/chart.ts'
import type { Bar } from '../../../../../src/shared/core/market/market.ts'
import { chartWindow } from '../../../../../src/renderer/features/chart/model/chart-window.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { drawings } from '../../../../../src/renderer/features/drawings/feature.ts'
import { openWindow, replaysOf, serviceOf } from '../../open-window.ts'
import { FakeTerminal } from '../../fakes/fake-terminal.ts'
import { makeBar } from '../../../../kit/market.ts'

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
// Drawings are painted on a canvas of their own, which jsdom has not.
HTMLCanvasElement.prototype.getContext = () => null
const lastOf = (name: string) => calls.findLast(([one]) => one === name)?.[1]

let fake: FakeTerminal
let app: WindowState
let queue: (() => void)[] = []
const settle = async () => {
  for (let i = 0; i < 3; i++) {
    const now = queue
    queue = []
    for (const run of now) run()
    await tick()
  }
}
async function open(source: 'demo' | 'service', empty = false) {
  fake = new FakeTerminal({ nowMs: Date.now(), faults: { source, empty } })
  app = openWindow(fake, { frame: (run) => void queue.push(run), painted: (run) => run() })
  app.followQuotes()
  await settle()
}
async function show() {
  const view = () => ({
    transport: fake,
    view: app.view,
    instrument: app.instrument,
    symbol: 'BTC-USD',
    settings: app.chart,
    zone: 'UTC',
    themeKey: 'dark',
    onSettings: () => undefined,
    drawings: serviceOf(app, drawings),
    window: chartWindow(app, replaysOf(app).current, () => app.instrument),
  })
  const { rerender } = render(ChartPane, view())
  await settle()
  return async () => {
    await rerender(view())
    await settle()
  }
}
beforeEach(() => {
  calls.length = 0
  visible.length = 0
  queue = []
})
afterEach(() => {
  cleanup()
  app.close()
})

describe('the drawings of a chart', () => {
  const followed = () => fake.argsOf('drawings').map(({ market }) => market)

  it.each(['demo', 'service'] as const)('are those of the %s market while it is shown', async (source) => {
    await open(source)
    await show()
    expect(followed()).toEqual([source])
  })

  it('change with the market, and never stay from the one before', async () => {
    await open('demo')
    await show()
    fake.faults = { ...fake.faults, source: 'service' }
    fake.sendStatus()
    await settle()
    expect(followed()).toEqual(['service'])
  })

  it('of a replay are those of its source, whatever is signed in', async () => {
    await open('service')
    const again = await show()
    await replaysOf(app).open(['01jbq1a2recording'], null)
    await vi.waitFor(() => expect(app.view).not.toBe('live'))
    fake.replay.change({ source: 'demo' })
    await again()
    expect(followed()).toEqual(['demo'])
    fake.replay.change({ source: 'service:data.example.com' })
    await settle()
    expect(followed()).toEqual(['service'])
  })
})

describe('the last price of a chart', () => {
  it('is shown as old while its feed is disconnected, and only then', async () => {
    await open('service')
    await show()
    expect(lastOf('setStale')).toBe(false)
    fake.link(false)
    await settle()
    expect(lastOf('setStale')).toBe(true)
    fake.link(true)
    await settle()
    expect(lastOf('setStale')).toBe(false)
  })
})

describe('the table of visible bars', () => {
  it('takes bars that load after it was opened', async () => {
    await open('demo')
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
  it('plays the replay that it is of by a large button, which goes when it plays', async () => {
    await open('demo')
    await replaysOf(app).open(['01jbq1a2recording'], null)
    await vi.waitFor(() => expect(app.view).not.toBe('live'))
    vi.spyOn(fake, 'bars').mockReturnValue([])
    await show()
    await fireEvent.click(screen.getByRole('button', { name: 'Play replay' }))
    expect(fake.calls.findLast(({ name }) => name === 'replay.play')?.args).toMatchObject({ on: true })
    await settle()
    expect(screen.queryByRole('button', { name: 'Play replay' })).toBeNull()
  })

  it('offers nothing to play when it is live', async () => {
    await open('demo')
    vi.spyOn(fake, 'bars').mockReturnValue([])
    await show()
    expect(screen.getByText('No bars of BTC-USD yet')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Play replay' })).toBeNull()
  })
})
