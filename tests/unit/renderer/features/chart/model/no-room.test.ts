/** A symbol for which its feed has no room: no pane promises prices that never come. */
import '../../../browser-stubs.ts'
import { cleanup, fireEvent, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { chartWindow } from '../../../../../../src/renderer/features/chart/model/chart-window.ts'
import QuotePane from '../../../../../../src/renderer/features/quote/QuotePane.svelte'
import TapePane from '../../../../../../src/renderer/features/tape/TapePane.svelte'
import WatchlistPane from '../../../../../../src/renderer/features/watchlist/WatchlistPane.svelte'
import type { WindowState } from '../../../../../../src/renderer/core/window/window.svelte.ts'
import { openWindow, render, replaysOf, serviceOf } from '../../../open-window.ts'
import { quoteOf, tradeOf } from '../../../../../kit/market.ts'
import { START_MS } from '../../../../../kit/terminal-messages.ts'
import { WindowTerminal } from '../../../../../kit/window-terminal.ts'
import { tape } from '../../../../../../src/renderer/features/tape/feature.ts'

const TITLE = 'Not subscribed: 50 of 50 on this feed are in use'
const FULL = Array.from({ length: 50 }, (_, i) => `A${i}-USD`)

let app: WindowState | undefined
let terminal: WindowTerminal
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: START_MS })
  terminal = await WindowTerminal.start()
})
afterEach(() => {
  cleanup()
  app?.close()
  app = undefined
  terminal.close()
  vi.useRealTimers()
})

/** A window whose instrument, BTC-USD, is the 51st symbol of its feed; in a replay of an earlier session if asked to. */
async function open(inReplay = false) {
  let queue: (() => void)[] = []
  const frame = async () => {
    await terminal.settle()
    const now = queue
    queue = []
    for (const run of now) run()
    await tick()
  }
  terminal.alter('status', (status) => ({
    ...status,
    feeds: status.feeds.map((feed) =>
      feed.feed === 'crypto/XT' ? { ...feed, acknowledged: FULL, overBudget: ['BTC-USD'] } : feed,
    ),
  }))
  const state = openWindow(terminal, { frame: (run) => void queue.push(run), painted: (run) => run() })
  app = state
  await terminal.settle()
  if (inReplay) {
    await terminal.control('recordSession')
    await replaysOf(state).openLatest()
    replaysOf(state).current.seek({ at: 'start' })
    await terminal.settle()
    expect(state.view).not.toBe('live')
  }
  state.followQuotes()
  serviceOf(state, tape).follow(state.view, state.instrument)
  state.setWorkspace({ columns: ['last', 'changePercent', 'volume', 'age'] })
  await terminal.control('pass', 1_000) // as long as a read of the store may wait for a commit
  await frame()
  return { state, frame }
}
/** The terminal received a trade of BTC-USD two hours ago, and nothing since it started again. */
async function tradeBefore(price: number): Promise<void> {
  await terminal.control('send', [tradeOf('BTC-USD', price)])
  vi.setSystemTime(START_MS + 7_200_000)
  await terminal.restart({ startMs: START_MS + 7_200_000 })
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

  it('shows the recorded price, without promising another one', async () => {
    await tradeBefore(61_234.5)
    const { state, frame } = await open()
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
    const { state, frame } = await open()
    await terminal.control('send', [quoteOf('BTC-USD', 63_999, 64_001)])
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    expect(cells()).toHaveLength(4)
    expect(cells()[0]).toMatch(/^64,000\.00/)
    expect(screen.queryByText(/Not subscribed/)).toBeNull()
  })

  it('shows its numbers in a replay, whatever the live feed has no room for', async () => {
    const { state, frame } = await open(true)
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    expect(cells()).toHaveLength(4)
    expect(screen.queryByText(/Not subscribed/)).toBeNull()
  })
})

describe('the quote', () => {
  it('says so and offers the settings, next to a recorded price too', async () => {
    await tradeBefore(61_234.5)
    const { state, frame } = await open()
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

  it('doesn’t mention it in a replay', async () => {
    const { state, frame } = await open(true)
    render(QuotePane, { app: state })
    await frame()
    expect(screen.queryByText(/not subscribed/i)).toBeNull()
  })
})

describe('the tape', () => {
  it.each([0, 5])('says so where it is empty, with %d as the least size', async (tapeMinSize) => {
    const { state, frame } = await open()
    state.setWorkspace({ tapeMinSize })
    render(TapePane, { app: state })
    await frame()
    expect(screen.getByText(TITLE)).toBeTruthy()
    expect(screen.queryByText(/every trade|only prints/i)).toBeNull()
    const openSettings = vi.spyOn(state, 'openSettings')
    await fireEvent.click(screen.getByRole('button', { name: 'Open settings' }))
    expect(openSettings).toHaveBeenCalledExactlyOnceWith('connection')
  })

  it('doesn’t mention it in a replay', async () => {
    const { state, frame } = await open(true)
    render(TapePane, { app: state })
    await frame()
    expect(screen.queryByText(TITLE)).toBeNull()
    expect(screen.getByRole('button', { name: 'Play' })).toBeTruthy()
  })
})

describe('the chart', () => {
  it('knows, and shows the last price of its history as old', async () => {
    const { state, frame } = await open()
    const around = chartWindow(state, replaysOf(state).current, () => state.instrument)
    expect(around.noRoom?.title).toBe(TITLE)
    expect(around.offline).toBe(true)
    await terminal.control('send', [quoteOf('BTC-USD', 63_999, 64_001)])
    await frame()
    expect(around.offline).toBe(false)
    const openSettings = vi.spyOn(state, 'openSettings')
    around.openSettings()
    expect(openSettings).toHaveBeenCalledExactlyOnceWith('connection')
  })

  it('doesn’t know it in a replay', async () => {
    const { state } = await open(true)
    const around = chartWindow(state, replaysOf(state).current, () => state.instrument)
    expect([around.noRoom, around.offline]).toEqual([null, false])
  })
})
