import '../../browser-stubs.ts'
import { cleanup, createEvent, fireEvent, screen, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, describe, expect, it, vi } from 'vitest'
import WatchlistPane from '../../../../../src/renderer/features/watchlist/WatchlistPane.svelte'
import TapePane from '../../../../../src/renderer/features/tape/TapePane.svelte'
import QuotePane from '../../../../../src/renderer/features/quote/QuotePane.svelte'
import { FakeTerminal, type FakeFaults } from '../../fakes/fake-terminal.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { openWindow, render, serviceOf } from '../../open-window.ts'
import { instrumentId } from '../../../../../src/shared/base/units.ts'
import { tape } from '../../../../../src/renderer/features/tape/feature.ts'

let app: WindowState | undefined
afterEach(() => {
  cleanup()
  app?.close()
  app = undefined
})

function open(faults: FakeFaults = {}) {
  let queue: (() => void)[] = []
  const fake = new FakeTerminal({ nowMs: Date.now(), faults })
  const state = openWindow(fake, { frame: (run) => void queue.push(run), painted: (run) => run() })
  app = state
  state.followQuotes()
  serviceOf(state, tape).follow(state.view, state.instrument)
  const frame = async () => {
    const now = queue
    queue = []
    for (const run of now) run()
    await tick()
  }
  return { fake, state, frame }
}
const names = () => screen.getAllByRole('row').flatMap((row) => row.dataset['instrument'] ?? [])

describe('the window', () => {
  it('tells the terminal when the network is back, until it is closed', () => {
    const { fake, state } = open()
    const invoke = vi.spyOn(fake, 'invoke')
    globalThis.dispatchEvent(new Event('online'))
    expect(invoke).toHaveBeenCalledExactlyOnceWith('app.networkChanged', {})
    state.close()
    globalThis.dispatchEvent(new Event('online'))
    expect(invoke).toHaveBeenCalledTimes(1)
  })
})

describe('the watchlist', () => {
  it('is a grid whose rows say price, signed change and freshness', async () => {
    const { state, frame } = open()
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    const grid = screen.getByRole('grid', { name: 'Majors' })
    expect(grid.getAttribute('aria-rowcount')).toBe('16')
    const btc = within(grid).getByRole('row', { name: /BTC-USD/ })
    expect(btc.textContent).toContain('64,123.50')
    expect(btc.textContent).toContain('+1.28')
    expect(within(grid).getByRole('row', { name: /AAPL/ }).textContent).toContain('market closed')
    expect(within(grid).getByRole('row', { name: /EURUSD/ }).textContent).toContain('0.7 pip')
  })

  it('moves with arrows, selects with Enter, reorders with Alt and arrows', async () => {
    const { state, frame } = open()
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
    const { state, frame } = open()
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

  it('puts a dragged symbol before or behind the row that it is let go over', async () => {
    const { state, frame } = open()
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
    const { state, frame } = open()
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    await fireEvent.click(screen.getByRole('button', { name: /Chg %/ }))
    expect(screen.getByRole('columnheader', { name: /Chg %/ }).getAttribute('aria-sort')).toBe('descending')
    expect(names().slice(0, 4)).toEqual(['crypto:SOLUSD', 'crypto:BTCUSD', 'crypto:DOGEUSD', 'crypto:ETHUSD'])
  })

  it('is sorted by keys: heads are one stop of Tab, reached from the first row and left for the rows', async () => {
    const { state, frame } = open()
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
    const { fake, state, frame } = open()
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    fake.link(false)
    await tick()
    expect(screen.getByRole('row', { name: /BTC-USD/ }).textContent).toContain('disconnected')
  })

  it('flashes the price of a new print once, and not the first one', async () => {
    const { fake, state, frame } = open()
    vi.stubGlobal('matchMedia', () => ({ matches: false }))
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    const lit = () => [...document.querySelectorAll('[data-flash]')].map((cell) => cell.getAttribute('data-flash'))
    expect(lit()).toEqual([])
    for (let i = 0; i < 50; i++) fake.trade(instrumentId('crypto', 'BTC-USD'), 64_200 + i)
    await frame()
    expect(lit()).toEqual(['up-3'])
    vi.unstubAllGlobals()
  })

  it('says what an empty list is for', async () => {
    const { state } = open()
    state.lists.addList()
    render(WatchlistPane, { app: state, width: 500 })
    expect(screen.getByText('List 5 is empty')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Add a symbol' })).toBeTruthy()
  })
})

describe('the tape', () => {
  it('holds still under the mouse and tells how many are new', async () => {
    const { fake, state, frame } = open()
    render(TapePane, { app: state })
    await frame()
    const table = screen.getByRole('table')
    await fireEvent.pointerEnter(table, { pointerType: 'mouse' })
    // jsdom's pointer events carry no pointerType; the button does the same.
    if (!serviceOf(state, tape).paused) await fireEvent.click(screen.getByRole('button', { name: 'Pause tape' }))
    fake.trade(state.instrument, 70_000, 3)
    await frame()
    expect(screen.queryByText('70,000.00')).toBeNull()
    await fireEvent.click(screen.getByRole('button', { name: /1 new/ }))
    expect(screen.getByText('70,000.00')).toBeTruthy()
  })
  it('explains why forex has none', async () => {
    const { state, frame } = open()
    state.select(instrumentId('forex', 'EURUSD'))
    serviceOf(state, tape).follow(state.view, state.instrument)
    render(TapePane, { app: state })
    await frame()
    expect(screen.getByText('No prints for this symbol')).toBeTruthy()
  })
})

describe('a change that reads as zero', () => {
  it('has no direction, in the list as in the quote, while the other number may have one', async () => {
    const { fake, state, frame } = open()
    const row = fake.row(state.instrument)!
    fake.put({ ...row, last: 64_000.5, reference: 64_000, decimals: 2 })
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
  it('says whose range it shows, and leaves how a message was read to Evidence', async () => {
    const { fake, state, frame } = open()
    fake.put({ ...fake.row(state.instrument)!, rangeOf: 'pre', mapping: 'a very long mapping'.repeat(9) })
    render(QuotePane, { app: state })
    await frame()
    expect(screen.getByText('pre-market range')).toBeTruthy()
    expect(screen.getByText('Volume (pre-market)')).toBeTruthy()
    expect(screen.queryByText(/a very long mapping/)).toBeNull()
  })
  it('says that a feed has no room, on the row too, but never calls moving prices not subscribed', async () => {
    const { fake, state, frame } = open()
    const row = fake.row(state.instrument)!
    fake.put({ ...row, last: null, lastRecvMs: null, freshness: 'waiting' })
    await frame()
    const { status } = state
    if (!status) throw new Error('no status')
    const full = { ...status.feeds[0], feed: 'crypto/XT', overBudget: ['BTC-USD'], budget: 50 } as const
    state.status = { ...status, feeds: [full] }
    render(QuotePane, { app: state })
    render(WatchlistPane, { app: state, width: 500 })
    await frame()
    expect(screen.getByText('not subscribed')).toBeTruthy()
    expect(screen.getByText(/of 50 on this feed are in use\. Remove symbols/)).toBeTruthy()
    expect(within(screen.getByRole('row', { name: /BTC-USD/ })).getByText(/^Not subscribed, /)).toBeTruthy()
    // Its quotes have a feed of their own, which may have room.
    fake.put({ ...row, last: 64_000, lastOf: 'mid', freshness: 'live' })
    await frame()
    expect(screen.queryByText('not subscribed')).toBeNull()
    expect(screen.getByText(/of 50 on this feed are in use\. Remove symbols/)).toBeTruthy()
  })
  it('names its reference and its freshness', async () => {
    const { state, frame } = open({ freshness: { crypto: 'stale' } })
    render(QuotePane, { app: state })
    await frame()
    expect(screen.getByTestId('big-price').textContent).toBe('64,123.50')
    expect(screen.getByText(/vs. session open/)).toBeTruthy()
    expect(screen.getByText(/the whole feed is silent/)).toBeTruthy()
  })
})
