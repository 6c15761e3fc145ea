/** A symbol that its feed has no room for: no pane promises prices that never come. */
import '../../../browser-stubs.ts'
import { cleanup, fireEvent, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { chartWindow } from '../../../../../../src/renderer/features/chart/model/chart-window.ts'
import QuotePane from '../../../../../../src/renderer/features/quote/QuotePane.svelte'
import TapePane from '../../../../../../src/renderer/features/tape/TapePane.svelte'
import WatchlistPane from '../../../../../../src/renderer/features/watchlist/WatchlistPane.svelte'
import type { WindowState } from '../../../../../../src/renderer/core/window/window.svelte.ts'
import { openWindow, render, replaysOf, serviceOf } from '../../../open-window.ts'
import type { QuoteRow } from '../../../../../../src/shared/core/status/status.ts'
import { unixMs } from '../../../../../../src/shared/base/units.ts'
import { FakeTerminal } from '../../../fakes/fake-terminal.ts'
import { tape } from '../../../../../../src/renderer/features/tape/feature.ts'

const TITLE = 'Not subscribed: 50 of 50 on this feed are in use'
const FULL = Array.from({ length: 50 }, (_, i) => `A${i}-USD`)
const NOTHING_CAME = { last: null, lastOf: null, lastRecvMs: null, lastEventMs: null, freshness: 'waiting' } as const

let app: WindowState | undefined
afterEach(() => {
  cleanup()
  app?.close()
  app = undefined
})

/** A window whose instrument, BTC-USD, is the 51st symbol of its feed; in a replay: of what was recorded then. */
async function open(row: Partial<QuoteRow> = {}, inReplay = false) {
  let queue: (() => void)[] = []
  const frame = async () => {
    const now = queue
    queue = []
    for (const run of now) run()
    await tick()
  }
  const fake = new FakeTerminal({ nowMs: Date.now() })
  const state = openWindow(fake, { frame: (run) => void queue.push(run), painted: (run) => run() })
  app = state
  if (inReplay) {
    await replaysOf(state).open(['01jbq1a2recording'], null)
    await vi.waitFor(() => expect(state.view).not.toBe('live'))
  }
  state.followQuotes()
  serviceOf(state, tape).follow(state.view, state.instrument)
  const before = fake.row(state.instrument)
  if (!before || !state.status) throw new Error('the fake terminal sent no row or no status')
  fake.put({ ...before, ...NOTHING_CAME, ...row })
  const [feed] = state.status.feeds
  state.status = {
    ...state.status,
    feeds: [{ ...feed, feed: 'crypto/XT', acknowledged: FULL, missing: [], overBudget: ['BTC-USD'], budget: 50 }],
  }
  state.setWorkspace({ columns: ['last', 'changePercent', 'volume', 'age'] })
  await frame()
  return { fake, state, frame }
}
const cells = () =>
  within(screen.getByRole('row', { name: /BTC-USD/ }))
    .getAllByRole('gridcell')
    .map((cell) => cell.textContent.trim())

describe('the row of a watchlist', () => {
  it('says so in place of its numbers', async () => {
    const { state, frame } = await open()
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    expect(cells()).toEqual(['Not subscribed, 50 of 50 in use'])
    const cell = screen.getByText('Not subscribed, 50 of 50 in use')
    expect(cell.title).toBe(`${TITLE}. Remove symbols from your watchlists, or allow more connections in Settings.`)
    expect(cell.getAttribute('aria-colspan')).toBe('4')
    expect(screen.getByRole('row', { name: /BTC-USD/ }).textContent).not.toContain('waiting')
  })

  it('keeps the recorded price, without a promise that another one comes', async () => {
    const { state, frame } = await open({ stored: { price: 61_234.5, atMs: unixMs(Date.now() - 7_200_000) } })
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    expect(cells()).toEqual(['61,234.50r', 'Not subscribed, 50 of 50 in use'])
    expect(screen.getByText('Not subscribed, 50 of 50 in use').getAttribute('aria-colspan')).toBe('3')
    const row = screen.getByRole('row', { name: /BTC-USD/ })
    expect(within(row).getByText('r').title).toMatch(/^The price shown was recorded .*ago\.$/)
    expect(row.outerHTML).not.toMatch(/waiting for/i)
    expect(row.querySelector('.fresh')?.getAttribute('title')).toMatch(TITLE)
  })

  it('shows its numbers while prices come', async () => {
    const { state, frame } = await open({ last: 64_000, lastOf: 'mid', freshness: 'live' })
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    expect(cells()).toHaveLength(4)
    expect(cells()[0]).toMatch(/^64,000\.00/)
    expect(screen.queryByText(/Not subscribed/)).toBeNull()
  })

  it('shows its numbers in a replay, whatever the live feed has no room for', async () => {
    const { state, frame } = await open({}, true)
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    expect(cells()).toHaveLength(4)
    expect(screen.queryByText(/Not subscribed/)).toBeNull()
  })
})

describe('the quote', () => {
  it('says so with the way to the settings, beside a recorded price too', async () => {
    const { state, frame } = await open({ stored: { price: 61_234.5, atMs: unixMs(Date.now() - 7_200_000) } })
    const { container } = render(QuotePane, { app: state })
    await frame()
    expect(screen.getByTestId('big-price').textContent).toBe('61,234.50')
    expect(screen.getByText('not subscribed').title).toMatch(TITLE)
    expect(screen.getByText(/of 50 on this feed are in use\. Remove symbols/)).toBeTruthy()
    expect(container.innerHTML).not.toMatch(/waiting for/i)
    const openSettings = vi.spyOn(state, 'openSettings')
    await fireEvent.click(screen.getByRole('button', { name: 'Open settings' }))
    expect(openSettings).toHaveBeenCalledExactlyOnceWith('connection')
  })

  it('says nothing of it in a replay', async () => {
    const { state, frame } = await open({}, true)
    render(QuotePane, { app: state })
    await frame()
    expect(screen.queryByText(/not subscribed/i)).toBeNull()
  })
})

describe('the tape', () => {
  it.each([0, 5])('says so where it is empty, with %d as the least size', async (tapeMinSize) => {
    const { fake, state, frame } = await open()
    fake.resetTape()
    state.setWorkspace({ tapeMinSize })
    render(TapePane, { app: state })
    await frame()
    expect(screen.getByText(TITLE)).toBeTruthy()
    expect(screen.queryByText(/every trade|only prints/i)).toBeNull()
    const openSettings = vi.spyOn(state, 'openSettings')
    await fireEvent.click(screen.getByRole('button', { name: 'Open settings' }))
    expect(openSettings).toHaveBeenCalledExactlyOnceWith('connection')
  })

  it('says nothing of it in a replay', async () => {
    const { fake, state, frame } = await open({}, true)
    fake.resetTape()
    render(TapePane, { app: state })
    await frame()
    expect(screen.queryByText(TITLE)).toBeNull()
    expect(screen.getByRole('button', { name: 'Play' })).toBeTruthy()
  })
})

describe('the chart', () => {
  it('is told, and shows the last price of its history as old', async () => {
    const { fake, state, frame } = await open()
    const around = chartWindow(state, replaysOf(state).current, () => state.instrument)
    expect(around.noRoom?.title).toBe(TITLE)
    expect(around.offline).toBe(true)
    const row = fake.row(state.instrument)
    if (row) fake.put({ ...row, last: 64_000, lastOf: 'mid', freshness: 'live' })
    await frame()
    expect(around.offline).toBe(false)
    const openSettings = vi.spyOn(state, 'openSettings')
    around.openSettings()
    expect(openSettings).toHaveBeenCalledExactlyOnceWith('connection')
  })

  it('is told nothing of it in a replay', async () => {
    const { state } = await open({}, true)
    const around = chartWindow(state, replaysOf(state).current, () => state.instrument)
    expect([around.noRoom, around.offline]).toEqual([null, false])
  })
})
