import '../../browser-stubs.ts'
import { cleanup, createEvent, fireEvent, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import WatchlistPane from '../../../../../src/renderer/features/watchlist/WatchlistPane.svelte'
import TapePane from '../../../../../src/renderer/features/tape/TapePane.svelte'
import QuotePane from '../../../../../src/renderer/features/quote/QuotePane.svelte'
import { quoteOf, tradeOf } from '../../../../kit/market.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { openWindow, render, serviceOf } from '../../open-window.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'
import { tape } from '../../../../../src/renderer/features/tape/feature.ts'

// At night in New York, when stocks are closed.
const NOW = Date.UTC(2026, 10, 4, 2, 33, 22)
/** The first trade of the day and the last one. */
const TRADES = [
  ['BTC-USD', 63_313.09, 64_123.5],
  ['ETH-USD', 2_621.19, 2_610.18],
  ['SOL-USD', 148.782, 154.302],
  ['DOGE-USD', 0.10482, 0.10482],
] as const

let app: WindowState | undefined
let terminal: WindowTerminal
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
})
afterEach(() => {
  cleanup()
  app?.close()
  app = undefined
  terminal.close()
  vi.useRealTimers()
})

const trade = (price: number, size = 1) => terminal.control('send', [tradeOf('BTC-USD', price, size, NOW)])

/** A window of a terminal that received a first and a last trade of each coin and a quote of EURUSD. */
async function open(trades: readonly (readonly [string, number, number])[] = TRADES) {
  terminal = await WindowTerminal.start({ startMs: NOW })
  const eurusd = '{"ev":"C","p":"EUR/USD","a":1.093155,"b":1.093085,"t":' + NOW + '}'
  await terminal.control('send', [
    ...trades.flatMap(([pair, first, last]) => [tradeOf(pair, first, 1, NOW - 60_000), tradeOf(pair, last, 1, NOW)]),
    { feed: 'forex/C', symbol: 'EUR/USD', raw: eurusd },
  ])
  await terminal.control('pass', 500) // the trades are stored, where a new tape begins
  let queue: (() => void)[] = []
  const state = openWindow(terminal, { frame: (run) => void queue.push(run), painted: (run) => run() })
  app = state
  await terminal.settle()
  state.followQuotes()
  serviceOf(state, tape).follow(state.view, state.instrument)
  await terminal.settle()
  const frame = async () => {
    await terminal.settle()
    const now = queue
    queue = []
    for (const run of now) run()
    await tick()
  }
  return { state, frame }
}
const names = () => screen.getAllByRole('row').flatMap((row) => row.dataset['instrument'] ?? [])

describe('the window', () => {
  it('reports to the terminal that the network is back, until it is closed', async () => {
    const { state } = await open()
    globalThis.dispatchEvent(new Event('online'))
    expect(terminal.callsOf('app.networkChanged')).toEqual([{}])
    state.close()
    globalThis.dispatchEvent(new Event('online'))
    expect(terminal.callsOf('app.networkChanged')).toHaveLength(1)
  })
})

describe('the watchlist', () => {
  it('is a grid whose rows show price, signed change and freshness', async () => {
    const { state, frame } = await open()
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    const grid = screen.getByRole('grid', { name: 'Majors' })
    expect(grid.getAttribute('aria-rowcount')).toBe('16')
    const btc = within(grid).getByRole('row', { name: /BTC-USD/ })
    expect(btc.textContent).toContain('64,123.50')
    expect(btc.textContent).toContain('+1.28')
    expect(within(grid).getByRole('row', { name: /AAPL/ }).textContent).toContain('market closed')
    expect(within(grid).getByRole('row', { name: /EUR\/USD/ }).textContent).toContain('0.7 pip')
  })

  it('moves with arrows, selects with Enter, reorders with Alt and arrows', async () => {
    const { state, frame } = await open()
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    const grid = screen.getByRole('grid')
    const active = () =>
      document.getElementById(grid.getAttribute('aria-activedescendant') ?? '')?.dataset['instrument']
    expect(active()).toBe('crypto:BTCUSD')
    await fireEvent.keyDown(grid, { key: 'ArrowDown' })
    expect(active()).toBe('crypto:ETHUSD')
    await fireEvent.keyDown(grid, { key: 'Enter' })
    expect(state.instrument).toBe('crypto:ETHUSD')
    await fireEvent.keyDown(grid, { key: 'ArrowUp', altKey: true })
    expect(names().slice(0, 2)).toEqual(['crypto:ETHUSD', 'crypto:BTCUSD'])
    await fireEvent.keyDown(grid, { key: 'ArrowDown', altKey: true })
    await fireEvent.keyDown(grid, { key: 'ArrowDown', altKey: true })
    expect(names().slice(0, 3)).toEqual(['crypto:BTCUSD', 'crypto:SOLUSD', 'crypto:ETHUSD'])
    await fireEvent.keyDown(grid, { key: 'End' })
    expect(active()).toBe('stocks:NVDA')
    await fireEvent.keyDown(grid, { key: 'ArrowDown' })
    expect(active()).toBe('stocks:NVDA')
  })

  it('removes with Delete and puts back with Undo', async () => {
    const { state, frame } = await open()
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    const before = names()
    await fireEvent.keyDown(screen.getByRole('grid'), { key: 'ArrowDown' })
    await fireEvent.keyDown(screen.getByRole('grid'), { key: 'Delete' })
    expect(names()).not.toContain('crypto:ETHUSD')
    state.toasts.list[0]?.action?.run()
    await tick()
    expect(names()).toEqual(before)
  })

  it('puts a dragged symbol before or after the row on which it is dropped', async () => {
    const { state, frame } = await open()
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    const before = names()
    const row = (instrument: string): HTMLElement => {
      const found = document.querySelector<HTMLElement>(`[data-instrument="${instrument}"]`)
      if (!found) throw new Error(`${instrument} has no row`)
      return found
    }
    // Rows have no height here: at 1 px the pointer is in the lower half, at 0 px in the upper one.
    const drag = async (moved: string, over: string, clientY: number) => {
      const data = new Map<string, string>()
      const dataTransfer = {
        get types() {
          return [...data.keys()]
        },
        setData: (type: string, text: string) => void data.set(type, text),
        getData: (type: string) => data.get(type) ?? '',
      }
      const at = (event: Event) => Object.assign(event, { dataTransfer, clientY })
      await fireEvent(row(moved), at(createEvent.dragStart(row(moved))))
      await fireEvent(row(over), at(createEvent.dragOver(row(over))))
      expect(row(over).className).toContain(clientY > 0 ? 'drop-after' : 'drop-before')
      await fireEvent(row(over), at(createEvent.drop(row(over))))
      expect(row(over).className).not.toContain('drop-')
    }
    const crypto = before.filter((one) => one.startsWith('crypto:'))
    const [first, second, last] = [crypto[0] ?? '', crypto[1] ?? '', crypto.at(-1) ?? '']
    await drag(first, last, 1)
    expect(names().slice(0, crypto.length)).toEqual([...crypto.slice(1), first])
    await drag(first, second, 0)
    expect(names()).toEqual(before)
  })

  it('sorts by a header and says so', async () => {
    const { state, frame } = await open()
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    await fireEvent.click(screen.getByRole('button', { name: /Chg %/ }))
    expect(screen.getByRole('columnheader', { name: /Chg %/ }).getAttribute('aria-sort')).toBe('descending')
    expect(names().slice(0, 4)).toEqual(['crypto:SOLUSD', 'crypto:BTCUSD', 'crypto:DOGEUSD', 'crypto:ETHUSD'])
  })

  it('can be sorted with the keyboard: column heads are one Tab stop above the first row', async () => {
    const { state, frame } = await open()
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    const grid = screen.getByRole('grid')
    const stops = () => [...grid.querySelectorAll('button[tabindex="0"]')].map((one) => one.textContent?.trim())
    expect(stops()).toEqual(['Symbol'])
    const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key })
    grid.focus()
    await press('ArrowDown')
    await press('ArrowUp')
    expect(document.activeElement).toBe(grid)
    await press('ArrowUp')
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Symbol' }))
    while (!/Chg %/.test(document.activeElement?.textContent ?? '')) {
      const before = document.activeElement
      await press('ArrowRight')
      expect(document.activeElement).not.toBe(before)
    }
    expect(stops()).toEqual(['Chg %'])
    // Keys of rows are the rows' own.
    await press('Delete')
    expect(names()).toHaveLength(state.list.symbols.length)
    document.activeElement?.dispatchEvent(new MouseEvent('click', { bubbles: true }))
    await tick()
    expect(screen.getByRole('columnheader', { name: /Chg %/ }).getAttribute('aria-sort')).toBe('descending')
    expect(names()[0]).toBe('crypto:SOLUSD')
    await press('Home')
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Symbol' }))
    await press('ArrowDown')
    expect(document.activeElement).toBe(grid)
  })

  it('looks disconnected when the window lost its terminal', async () => {
    const { state, frame } = await open()
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    terminal.link(false)
    await tick()
    expect(screen.getByRole('row', { name: /BTC-USD/ }).textContent).toContain('disconnected')
  })

  it('flashes the price of a new print once, and not the first one', async () => {
    const { state, frame } = await open()
    vi.stubGlobal('matchMedia', () => ({ matches: false }))
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    const lit = () => [...document.querySelectorAll('[data-flash]')].map((cell) => cell.getAttribute('data-flash'))
    expect(lit()).toEqual([])
    for (let i = 0; i < 50; i++) await trade(64_200 + i)
    await frame()
    expect(lit()).toEqual(['up-3'])
    vi.unstubAllGlobals()
  })

  it('says what an empty list is for', async () => {
    const { state } = await open()
    state.lists.addList()
    render(WatchlistPane, { app: state, width: 500 })
    expect(screen.getByText('List 5 is empty')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Add a symbol' })).toBeTruthy()
  })
})

describe('the tape', () => {
  it('pauses under the mouse and counts the new prints', async () => {
    const { state, frame } = await open()
    render(TapePane, { app: state })
    await frame()
    const table = screen.getByRole('table')
    await fireEvent.pointerEnter(table, { pointerType: 'mouse' })
    // jsdom's pointer events carry no pointerType; the button does the same.
    if (!serviceOf(state, tape).paused) await fireEvent.click(screen.getByRole('button', { name: 'Pause tape' }))
    await trade(70_000, 3)
    await frame()
    expect(screen.queryByText('70,000.00')).toBeNull()
    await fireEvent.click(screen.getByRole('button', { name: /1 new/ }))
    expect(screen.getByText('70,000.00')).toBeTruthy()
  })
  it('says why the feed of trades was refused, and lists no mids of quotes instead', async () => {
    const { state, frame } = await open([])
    const why = {
      code: 'plan',
      message: 'Your plan has no crypto trades.',
      hint: 'Ask for it.',
      closeCode: null,
    } as const
    terminal.alter('status', (status) => ({
      ...status,
      feeds: status.feeds.map((one) => (one.feed === 'crypto/XT' ? { ...one, state: { is: 'refused', why } } : one)),
    }))
    await terminal.control('send', [quoteOf('BTC-USD', 63_999, 64_001, NOW)])
    render(TapePane, { app: state })
    await frame()
    expect(state.quotes.peek(state.instrument)?.last).toBe(64_000)
    expect(screen.queryByRole('table')).toBeNull()
    expect(screen.getByText('No trades on this feed')).toBeTruthy()
    expect(screen.getByText('Your plan has no crypto trades. Ask for it.')).toBeTruthy()
  })
  it('explains why forex has none', async () => {
    const { state, frame } = await open()
    state.select(instrumentId('forex', 'GBPUSD'))
    serviceOf(state, tape).follow(state.view, state.instrument)
    render(TapePane, { app: state })
    await frame()
    expect(screen.getByText('No prints for this symbol')).toBeTruthy()
  })
})

describe('a change that reads as zero', () => {
  it('has no direction, in the list as in the quote, while the other number may have one', async () => {
    const { state, frame } = await open([['BTC-USD', 64_000, 64_000.5]])
    state.setWorkspace({ columns: ['last', 'change', 'changePercent'] })
    render(WatchlistPane, { app: state, width: 500 })
    render(QuotePane, { app: state })
    await frame()
    const cells = within(screen.getByRole('row', { name: /BTC-USD/ })).getAllByRole('gridcell')
    const [, change, percent] = cells
    expect([change?.textContent?.trim(), change?.classList.contains('up')]).toEqual(['+0.50', true])
    expect([percent?.textContent?.trim(), percent?.className.includes('up'), percent?.querySelector('.arrow')]).toEqual(
      ['0.00', false, null],
    )
    expect(screen.getByTestId('change').className).toMatch(/^up\b/)
    expect(screen.getByText('0.00 %').className).not.toContain('up')
  })
})

describe('the quote', () => {
  it('names the range it shows, and leaves the mapping of messages to Evidence', async () => {
    const { state, frame } = await open()
    terminal.alter('quotes', ({ rows }) => ({
      rows: rows.map((row) => ({ ...row, rangeOf: 'pre', mapping: 'a very long mapping'.repeat(9) })),
    }))
    await frame()
    render(QuotePane, { app: state })
    await frame()
    expect(screen.getByText('pre-market range')).toBeTruthy()
    expect(screen.getByText('Volume (pre-market)')).toBeTruthy()
    expect(screen.queryByText(/a very long mapping/)).toBeNull()
  })
  it('says that a feed is full, on the row too, but never calls moving prices not subscribed', async () => {
    const { state, frame } = await open([])
    terminal.alter('status', (status) => ({
      ...status,
      feeds: status.feeds.map((one) => (one.feed === 'crypto/XT' ? { ...one, overBudget: ['BTC-USD'] } : one)),
    }))
    render(QuotePane, { app: state })
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    expect(screen.getByText('not subscribed')).toBeTruthy()
    expect(screen.getByText(/of 50 on this feed are in use\. Remove symbols/)).toBeTruthy()
    expect(within(screen.getByRole('row', { name: /BTC-USD/ })).getByText(/^Not subscribed, /)).toBeTruthy()
    // Its quotes have a feed of their own, which may have room.
    await terminal.control('send', [quoteOf('BTC-USD', 63_999, 64_001, NOW)])
    await frame()
    expect(screen.queryByText('not subscribed')).toBeNull()
    expect(screen.getByText(/of 50 on this feed are in use\. Remove symbols/)).toBeTruthy()
  })
  it('names its reference and its freshness', async () => {
    const { state, frame } = await open()
    await terminal.control('pass', 60_000)
    vi.setSystemTime(NOW + 60_000)
    render(QuotePane, { app: state })
    await frame()
    expect(screen.getByTestId('big-price').textContent).toBe('64,123.50')
    expect(screen.getByText(/vs. first trade 63,313.09/)).toBeTruthy()
    expect(screen.getByText(/the whole feed is silent/)).toBeTruthy()
  })
  it('compares a mid with the first mid, because there were no trades', async () => {
    const { state, frame } = await open()
    state.select(instrumentId('forex', 'EURUSD'))
    render(QuotePane, { app: state })
    await frame()
    expect(screen.getByText(/vs. first mid 1.09312/)).toBeTruthy()
  })
})
