/** The last recorded price stands in for the first one after a start, and says so. */
import '../../browser-stubs.ts'
import { cleanup, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, expect, it } from 'vitest'
import QuotePane from '../../../../../src/renderer/features/quote/QuotePane.svelte'
import WatchlistPane from '../../../../../src/renderer/features/watchlist/WatchlistPane.svelte'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { openWindow, render } from '../../open-window.ts'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { FakeTerminal } from '../../fakes/fake-terminal.ts'

let app: WindowState | undefined
afterEach(() => {
  cleanup()
  app?.close()
  app = undefined
})

it('is shown with its age in list and quote, until a price is received', async () => {
  let queue: (() => void)[] = []
  const frame = async () => {
    const now = queue
    queue = []
    for (const run of now) run()
    await tick()
  }
  const nowMs = Date.now()
  const fake = new FakeTerminal({ nowMs })
  const state = openWindow(fake, { frame: (run) => void queue.push(run), painted: (run) => run() })
  app = state
  state.followQuotes()
  state.setWorkspace({ columns: ['last', 'age'] })
  const before = fake.row(state.instrument)
  if (!before) throw new Error('no row')
  fake.put({
    ...before,
    last: null,
    lastOf: null,
    lastRecvMs: null,
    lastEventMs: null,
    freshness: 'waiting',
    stored: { price: 61_234.5, atMs: unixMs(nowMs - 3 * 3_600_000) },
  })
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

  fake.put({ ...before, last: 64_000, stored: null })
  await frame()
  expect(cells()[0]).toBe('64,000.00')
  expect(within(row).queryByText('r')).toBeNull()
  expect(screen.getByTestId('big-price').textContent).toBe('64,000.00')
  expect(quote.textContent).not.toMatch(/recorded/)
})
