import '../../browser-stubs.ts'
import { cleanup, fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, describe, expect, it, vi } from 'vitest'
import ImportListDialog from '../../../../../src/renderer/features/watchlist/ImportListDialog.svelte'
import WatchlistPane from '../../../../../src/renderer/features/watchlist/WatchlistPane.svelte'
import { chosenSymbols, joinResolved } from '../../../../../src/renderer/features/watchlist/list-import.svelte.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { parseListText } from '../../../../../src/shared/features/watchlist/list-text.ts'
import { instrumentId, type AssetClass } from '../../../../../src/shared/base/units.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'
import { openWindow, render } from '../../open-window.ts'

const hit = (asset: AssetClass, symbol: string, isGuess = false) => ({
  ...{ instrument: instrumentId(asset, symbol), symbol, asset, name: null, watched: false },
  ...(isGuess ? { isGuess: true as const } : {}),
})

describe('a list to import', () => {
  const read = parseListText('###A,NASDAQ:AAPL,QWXZ,###B,BINANCE:WIFUSD')
  const sections = joinResolved(read, [
    { hits: [hit('stocks', 'AAPL')], isKnown: true },
    { hits: [hit('stocks', 'QWXZ', true), hit('crypto', 'QWXZ', true)], isKnown: false },
    { hits: [hit('stocks', 'WIFUSD', true), hit('crypto', 'WIF-USD', true)], isKnown: false },
  ])
  it('takes the market from the exchange', () => {
    expect(sections[1].symbols[0].hits.map(({ symbol }) => symbol)).toEqual(['WIF-USD'])
  })
  it('treats a symbol as unknown if it is known only in another market than its exchange', () => {
    const [{ symbols }] = joinResolved(parseListText('BINANCE:AAPL'), [
      { hits: [hit('stocks', 'AAPL')], isKnown: true },
    ])
    expect(symbols[0]).toMatchObject({ isKnown: false })
  })
  it('imports unknown symbols only if the user asks for them, in the market that was chosen', () => {
    expect(chosenSymbols(sections[0], new Set(), {})).toEqual([{ asset: 'stocks', symbol: 'AAPL' }])
    expect(chosenSymbols(sections[0], new Set(['stocks:QWXZ']), { 'stocks:QWXZ': 'crypto' })).toEqual([
      { asset: 'stocks', symbol: 'AAPL' },
      { asset: 'crypto', symbol: 'QWXZ' },
    ])
    expect(chosenSymbols(sections[1], new Set(), {})).toEqual([])
  })
})

describe('importing', () => {
  let app: WindowState | undefined
  let terminal: WindowTerminal
  afterEach(() => {
    cleanup()
    app?.close()
    terminal.close()
  })
  async function open() {
    terminal = await WindowTerminal.start()
    const state = openWindow(terminal)
    app = state
    await terminal.settle()
    return state
  }
  const lists = (state: WindowState) => state.settings.now.watchlists
  const symbolsOf = (state: WindowState, name: string) =>
    lists(state)
      .find((one) => one.name === name)
      ?.symbols.map(({ symbol }) => symbol)

  it('says what is known, asks for the rest, makes a list for each section, and can be undone', async () => {
    const state = await open()
    const onclose = vi.fn()
    render(ImportListDialog, { app: state, onclose })
    const text = '###Majors,COINBASE:BTCUSD,###Odd ones,NASDAQ:AAPL,QWXZ,12.5'
    await fireEvent.input(screen.getByRole('textbox'), { target: { value: text } })
    await vi.waitFor(() => expect(screen.getByRole('button', { name: 'Import 2 symbols' })).toBeTruthy())
    const unknown = screen.getByRole('list', { name: /never seen one of these/ })
    await fireEvent.click(within(unknown).getByRole('checkbox', { name: 'QWXZ' }))
    expect(screen.getByText('Not a symbol: 12.5.')).toBeTruthy()
    const before = lists(state)
    await fireEvent.click(screen.getByRole('button', { name: 'Import 3 symbols' }))
    expect(onclose).toHaveBeenCalledOnce()
    expect(symbolsOf(state, 'Odd ones')).toEqual(['AAPL', 'QWXZ'])
    expect(
      lists(state)
        .filter(({ name }) => name === 'Majors')
        .at(-1)?.symbols,
    ).toEqual([{ asset: 'crypto', symbol: 'BTC-USD' }])
    expect(state.list.name).toBe('Majors')
    expect(state.list.symbols).toHaveLength(1)
    state.toasts.undoLast()
    expect(lists(state)).toEqual(before)
  })

  it('shows a symbol once that is listed with and without its exchange', async () => {
    const state = await open()
    render(ImportListDialog, { app: state, onclose: () => undefined })
    const type = (text: string) => fireEvent.input(screen.getByRole('textbox'), { target: { value: text } })
    await type('NASDAQ:QWXZ, QWXZ, BINANCE:QWXZ')
    const unknown = await screen.findByRole('list', { name: /never seen 2 of these/ })
    expect(within(unknown).getAllByRole('checkbox', { name: 'QWXZ' })).toHaveLength(2)
    await fireEvent.click(screen.getByRole('button', { name: 'Ask for all of them' }))
    expect(screen.getByRole('button', { name: 'Import 2 symbols' })).toBeTruthy()
    await type('AAPL')
    await vi.waitFor(() => expect(screen.queryByRole('list')).toBeNull())
  })

  it('imports the text as it is now, also right after an edit, but asks about new unknown symbols first', async () => {
    const state = await open()
    const onclose = vi.fn()
    render(ImportListDialog, { app: state, onclose })
    const box = screen.getByRole('textbox')
    const typeAndSend = async (text: string) => {
      await fireEvent.input(box, { target: { value: text } })
      await fireEvent.keyDown(box, { key: 'Enter', ctrlKey: true })
      await terminal.settle()
    }
    await typeAndSend('LTC-USD, QWXZ')
    expect(onclose).not.toHaveBeenCalled()
    expect(screen.getByRole('list', { name: /never seen one of these/ })).toBeTruthy()
    await typeAndSend('MSFT, QWXZ')
    expect(onclose).toHaveBeenCalledOnce()
    expect(state.list.symbols.at(-1)?.symbol).toBe('MSFT')
    expect(state.list.symbols.map(({ symbol }) => symbol)).not.toContain('LTC-USD')
  })

  it('adds to the open list what it doesn’t have yet', async () => {
    const state = await open()
    render(ImportListDialog, { app: state, onclose: () => undefined })
    await fireEvent.input(screen.getByRole('textbox'), { target: { value: 'btcusd\nLTC-USD' } })
    await vi.waitFor(() => expect(screen.getByText('1 is already in Majors.')).toBeTruthy())
    await fireEvent.click(screen.getByRole('button', { name: 'Import 1 symbol' }))
    expect(state.list.symbols.at(-1)).toEqual({ asset: 'crypto', symbol: 'LTC-USD' })
    state.toasts.undoLast()
    expect(state.list.symbols.map(({ symbol }) => symbol)).not.toContain('LTC-USD')
  })

  it('begins with a list that is pasted into a watchlist, and leaves a single symbol to its box', async () => {
    const state = await open()
    render(WatchlistPane, { app: state, width: 320 })
    const paste = (target: Element, text: string) => fireEvent.paste(target, { clipboardData: { getData: () => text } })
    await paste(screen.getByRole('combobox'), 'AAPL')
    expect(state.dialog).toBeNull()
    await paste(screen.getByRole('combobox'), 'AAPL, MSFT')
    expect(state.dialog).toBe('import-list')
  })

  it('leaves what is pasted into the note of a symbol, or the name of a list, to that field', async () => {
    const state = await open()
    render(WatchlistPane, { app: state, width: 320 })
    const paste = (target: Element) =>
      fireEvent.paste(target, { clipboardData: { getData: () => 'sold half, see mail' } })
    await fireEvent.contextMenu(screen.getByRole('row', { name: /BTC-USD/ }))
    await fireEvent.click(screen.getByText('Add note…'))
    const isTaken = await paste(screen.getByRole('textbox', { name: 'Note' }))
    expect([isTaken, state.dialog]).toEqual([true, null])
  })

  it('says how many symbols found no room', async () => {
    const state = await open()
    const sections = Array.from({ length: 51 }, (_, i) => ({
      name: `Part ${i}`,
      symbols: [{ asset: 'stocks' as const, symbol: `A${i}` }],
    }))
    state.lists.importSections(null, sections)
    const left = 51 + 4 - 50
    expect(state.toasts.list[0]?.text).toMatch(
      new RegExp(`^${51 - left} symbols imported\\. ${left} symbols were left out\\. There is room for 50 lists`),
    )
  })

  it('keeps flags, notes and columns with the list', async () => {
    const state = await open()
    const btc = instrumentId('crypto', 'BTC-USD')
    state.lists.flag(btc, 'amber')
    state.lists.note(btc, '  watch 64k  ')
    state.lists.setColumns(['bid', 'ask'])
    await terminal.settle()
    expect(state.list.symbols[0]).toEqual({ asset: 'crypto', symbol: 'BTC-USD', flag: 'amber', note: 'watch 64k' })
    expect(state.list.columns).toEqual(['bid', 'ask'])
    const { watchlists } = await terminal.ask('settings.get', {})
    expect(watchlists[0]).toEqual(state.list)
    render(WatchlistPane, { app: state, width: 320 })
    expect(screen.getByRole('rowheader', { name: /BTC-USD.*Amber flag.*has a note/ })).toBeTruthy()
    expect(screen.getAllByRole('columnheader').map((head) => head.textContent.trim())).toEqual(['Symbol', 'Bid', 'Ask'])
    state.lists.sortByFlag()
    expect(state.list.sort?.column).toBe('flag')
    state.lists.flag(btc, undefined)
    state.lists.note(btc, '')
    state.lists.setColumns(null)
    await terminal.settle()
    const after = await terminal.ask('settings.get', {})
    expect(after.watchlists[0].symbols[0]).toEqual({ asset: 'crypto', symbol: 'BTC-USD' })
    expect(after.watchlists[0]).not.toHaveProperty('columns')
  })
})
