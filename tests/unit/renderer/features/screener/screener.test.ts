// The screener of a window: what it says when data can't be read, and the changes of saved screens that it tells.
import '../../browser-stubs.ts'
import { cleanup, fireEvent, render as renderAlone, screen as shown } from '@testing-library/svelte'
import { flushSync, tick } from 'svelte'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PaneContext } from '../../../../../src/renderer/core/window/pane-context.ts'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import ScreenFilters from '../../../../../src/renderer/features/screener/ScreenFilters.svelte'
import ScreenerPane from '../../../../../src/renderer/features/screener/ScreenerPane.svelte'
import type { ScreenChange } from '../../../../../src/shared/features/screener/contract.ts'
import type { ScreenPage } from '../../../../../src/shared/features/screener/rows.ts'
import { instrumentId, unixMs } from '../../../../../src/shared/base/units.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import { openWindow, render } from '../../open-window.ts'

const BTC = { instrument: instrumentId('crypto', 'BTC-USD'), symbol: 'BTC-USD' }
const page = (part: Partial<ScreenPage>): ScreenPage => ({
  ...{ offset: 0, rows: [], matched: 0, known: 0, nowMs: unixMs(0), readMs: null, reading: null },
  ...{ covered: null, withoutBars: 0, problem: '' },
  ...part,
})
const btc = {
  rows: [{ ...BTC, asset: 'crypto' as const, decimals: 2, values: { price: 64_000 }, trend: [] }],
  matched: 1,
  known: 1,
}

let transport: TestTransport
let app: WindowState
beforeEach(() => {
  transport = new TestTransport()
  app = openWindow(transport)
})
afterEach(() => {
  cleanup()
  app.close()
})

describe('the pane', () => {
  const open = (first: ScreenPage, settings: object = {}) => {
    transport.serve('screener', () => first)
    // Only what the screener uses.
    const pane = { settings, visible: true, title: () => undefined } as unknown as PaneContext
    render(ScreenerPane, { app, pane } as never)
    flushSync()
  }
  it('counts only filters with a bound', () => {
    const filter = (min: number | null) => ({ metric: 'volatility', min, max: null })
    open(page(btc), { screen: { filters: [filter(null), filter(1)] } })
    const count = () => shown.getByRole('button', { name: /^Filters/ }).querySelector('b')?.textContent
    expect(count()).toBe('1')
    cleanup()
    open(page(btc), { screen: { filters: [filter(null)] } })
    expect(count()).toBeUndefined()
  })
  it('counts symbols without bars only once bars were read', () => {
    open(page({ ...btc, withoutBars: 1, reading: { done: 15, total: 21 } }))
    // In a replay, 21 would count symbols that it hasn't reached.
    expect(shown.getByText(/71 % read/).textContent).not.toMatch(/without bars|21/)
    transport.send('screener', page({ ...btc, withoutBars: 1, readMs: unixMs(0) }))
    flushSync()
    expect(shown.getByText(/1 without bars in this span/)).toBeTruthy()
  })
  it('says why nothing could be read, instead of that nothing is recorded', () => {
    open(page({ problem: 'The disk is gone.' }))
    expect(shown.getByText('Couldn’t read the recorded data')).toBeTruthy()
    expect(shown.getByText('The disk is gone. Tapedeck keeps trying.')).toBeTruthy()
    expect(shown.queryByText('Nothing is recorded here yet')).toBeNull()
  })
  it('keeps what was read before, and says as of when and why', () => {
    open(page({ ...btc, readMs: unixMs(Date.UTC(2026, 0, 5, 12)), problem: 'The disk is gone.' }))
    expect(shown.getByText('BTC-USD')).toBeTruthy()
    expect(shown.getByText(/^Bars as of .*12:00:00.*\. The disk is gone\.$/)).toBeTruthy()
    transport.send('screener', page({ ...btc, readMs: unixMs(0) }))
    flushSync()
    expect(shown.queryByText(/The disk is gone/)).toBeNull()
  })
})

describe('a bound of a filter', () => {
  it('applies while it is typed, with a decimal comma, too, and says what it can’t read', async () => {
    const told: unknown[] = []
    const onchange = (filters: unknown) => told.push(filters)
    const filter = (min: number | null) => ({ filters: [{ metric: 'volatility', min, max: null }], onchange })
    const { rerender } = renderAlone(ScreenFilters, filter(null) as never)
    const field = shown.getByRole<HTMLInputElement>('textbox', { name: 'Volatility % from' })
    await fireEvent.input(field, { target: { value: '0,3' } })
    expect(told).toEqual([[{ metric: 'volatility', min: 0.3, max: null }]])
    await rerender(filter(0.3) as never)
    expect(field.value).toBe('0,3')
    await fireEvent.change(field)
    expect(field.value).toBe('0.3')
    await fireEvent.input(field, { target: { value: 'abc' } })
    await fireEvent.change(field)
    await tick()
    expect(told).toHaveLength(1)
    expect(field.value).toBe('abc')
    expect(shown.getByRole('alert').textContent).toContain('Not a number. 0.3 still applies.')
    // Another screen.
    await rerender(filter(2) as never)
    expect(field.value).toBe('2')
    expect(shown.queryByRole('alert')).toBeNull()
  })
})

describe('changes of saved screens', () => {
  const change = (id: number, name: string): ScreenChange => ({
    ...{ id, atMs: unixMs(id), screen: 'a', name },
    ...{ entered: [BTC], left: [] },
  })
  const told = () => app.toasts.list.map(({ text }) => text)

  it('are told once, and not those from before the window opened', () => {
    transport.send('screener.changes', [change(10, 'Before')])
    transport.send('screener.changes', [change(10, 'Before'), change(11, 'First')])
    transport.send('screener.changes', [change(10, 'Before'), change(11, 'First'), change(12, 'Second')])
    expect(told()).toEqual(['First: Entered: BTC-USD.', 'Second: Entered: BTC-USD.'])
  })
  it('are told after the terminal started again, also where its clock was set back', () => {
    transport.send('screener.changes', [change(5_000, 'Before')])
    transport.send('screener.changes', [])
    transport.send('screener.changes', [change(3_000, 'After')])
    expect(told()).toEqual(['After: Entered: BTC-USD.'])
  })
})
