/** What the box for compared symbols asks and says. */
import '../../browser-stubs.ts'
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte'
import { afterEach, expect, it, vi } from 'vitest'
import ChartCompare from '../../../../../src/renderer/features/chart/toolbar/ChartCompare.svelte'
import { instrumentId, type InstrumentId } from '../../../../../src/shared/base/units.ts'
import { TestTransport } from '../../../../kit/transport.ts'

afterEach(cleanup)

const BTC = instrumentId('crypto', 'BTC-USD')
const ETH = instrumentId('crypto', 'ETH-USD')
const hit = (symbol: string) => ({
  instrument: instrumentId(symbol.endsWith('-USD') ? 'crypto' : 'stocks', symbol),
  symbol,
  asset: symbol.endsWith('-USD') ? ('crypto' as const) : ('stocks' as const),
  name: null,
  watched: false,
})
/** The box; QZQZ is unknown, everything else is found by its name. */
function open(isTimed = true, compared = [] as (typeof BTC)[]) {
  const onchange = vi.fn()
  const transport = new TestTransport().answer('symbols.search', ({ query }) =>
    query === 'QZQZ' ? [{ ...hit(query), isGuess: true as const }] : query === '' ? [] : [hit(query)],
  )
  render(ChartCompare, {
    transport,
    instrument: BTC,
    compared,
    onchange,
    spread: null,
    onspread: () => undefined,
    isTimed,
    symbol: 'BTC-USD',
    symbolOf: (id: InstrumentId) => id,
  })
  return onchange
}
async function type(text: string): Promise<HTMLElement> {
  const box = screen.getByRole('searchbox')
  await fireEvent.input(box, { target: { value: text } })
  return box
}

it('adds an unknown symbol only if it is chosen twice, and a known one at once', async () => {
  const onchange = open()
  const box = await type('QZQZ')
  await screen.findByText('never seen')
  await fireEvent.keyDown(box, { key: 'Enter' })
  expect(onchange).not.toHaveBeenCalled()
  expect(screen.getByRole('status').textContent).toContain('never seen QZQZ')
  await fireEvent.keyDown(box, { key: 'Enter' })
  expect(onchange.mock.calls).toEqual([[[hit('QZQZ').instrument]]])
  await type('ETH-USD')
  await fireEvent.click(await screen.findByRole('button', { name: /^ETH-USD/ }))
  expect(onchange).toHaveBeenLastCalledWith([ETH])
})

it('says that the chart’s own symbol can’t be compared with itself', async () => {
  const onchange = open()
  const box = await type('BTC-USD')
  expect((await screen.findByRole('status')).textContent).toContain('own symbol')
  await fireEvent.keyDown(box, { key: 'Enter' })
  expect(onchange).not.toHaveBeenCalled()
})

it('says why bars by trades show no compared symbols', () => {
  open(false, [ETH])
  expect(screen.getByText('Compared symbols are only shown on time-based bars.')).toBeTruthy()
  cleanup()
  open(true, [ETH])
  expect(screen.queryByText('Compared symbols are only shown on time-based bars.')).toBeNull()
})
