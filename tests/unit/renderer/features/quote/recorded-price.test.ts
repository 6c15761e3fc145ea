/** The last recorded price stands in for the first one after a start, and says so. */
import '../../browser-stubs.ts'
import { cleanup, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, expect, it, vi } from 'vitest'
import QuotePane from '../../../../../src/renderer/features/quote/QuotePane.svelte'
import WatchlistPane from '../../../../../src/renderer/features/watchlist/WatchlistPane.svelte'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { openWindow, render } from '../../open-window.ts'
import { tradeOf } from '../../../../kit/market.ts'
import { START_MS } from '../../../../kit/terminal-messages.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'

let app: WindowState | undefined
afterEach(() => {
  cleanup()
  app?.close()
  app = undefined
  terminal.close()
  vi.useRealTimers()
})
let terminal: WindowTerminal

it('is shown with its age in list and quote, until a price is received', async () => {
  let queue: (() => void)[] = []
  const frame = async () => {
    await terminal.settle()
    const now = queue
    queue = []
    for (const run of now) run()
    await tick()
  }
  // A session three hours ago, then a terminal that has received nothing yet.
  const NOW = START_MS + 3 * 3_600_000 + 60_000
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  terminal = await WindowTerminal.start()
  await terminal.control('send', [tradeOf('BTC-USD', 61_234.5)])
  await terminal.restart({ startMs: NOW })
  const state = openWindow(terminal, { frame: (run) => void queue.push(run), painted: (run) => run() })
  app = state
  await terminal.settle()
  state.followQuotes()
  state.setWorkspace({ columns: ['last', 'age'] })
  await terminal.control('pass', 1_000) // as long as a read of the store may wait for a commit
  const { container: quote } = render(QuotePane, { app: state })
  render(WatchlistPane, { app: state, width: 500 })
  await frame()
  const row = screen.getByRole('row', { name: /BTC-USD/ })
  const cells = () =>
    within(row)
      .getAllByRole('gridcell')
      .map((cell) => cell.textContent.trim())
  expect(cells()).toEqual(['61,234.50r', '3h'])
  expect(within(row).getByText('r').title).toMatch(/^The price shown was recorded 3\sh.* ago\.$/)
  expect(row.className).toMatch(/\bwaiting\b/)
  expect(screen.getByTestId('big-price').textContent).toBe('61,234.50')
  expect(within(quote).getByText('recorded').title).toMatch(/^The price shown was recorded 3\sh.* ago\.$/)
  expect(quote.textContent).toMatch(/Waiting for the first message\. The price shown was recorded 3\sh.* ago\./)
  expect(quote.querySelector('.body')?.className).toMatch(/\bwaiting\b/)

  await terminal.control('send', [tradeOf('BTC-USD', 64_000, 1, NOW)])
  await frame()
  expect(cells()[0]).toBe('64,000.00')
  expect(within(row).queryByText('r')).toBeNull()
  expect(screen.getByTestId('big-price').textContent).toBe('64,000.00')
  expect(quote.textContent).not.toMatch(/recorded/)
})
